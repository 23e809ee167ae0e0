//! Leaks (`PR4xx`): what a failing answer gives away that its reader did not say.

use redress::classify::Leak;
use redress_registry::{
    Level::{Improvement, Violation},
    rule::{Grade, Rule},
};

use super::{Check, Complaint, Said, answer_view::AnswerView, good_if};

const WHY: &str = "It goes to the model, into logs and to whoever the model writes to.";
const FIX: &str = "Keep it for your own log, and answer with a sentence of your own.";

pub(super) const CHECKS: &[Check] = &[
    Check {
        rule: Rule {
            id: "PR401",
            name: "leaked-stack",
            grade: Grade::Level(Violation),
            summary: "A failing answer shows a stack trace.",
            why: WHY,
            how_to_fix: FIX,
        },
        title: "Stack traces are shown",
        weight: 10,
        cap: None,
        run: |it| leak(it, Leak::StackTrace, "a stack trace"),
    },
    Check {
        rule: Rule {
            id: "PR402",
            name: "leaked-path",
            grade: Grade::Level(Improvement),
            summary: "A failing answer shows a path of the machine that the caller did not name.",
            why: WHY,
            how_to_fix: "Name paths as the caller did, or relative to the folder that the server is for.",
        },
        title: "Paths of the machine are shown",
        weight: 4,
        cap: None,
        run: |it| leak(it, Leak::AbsolutePath, "a path of the machine"),
    },
    Check {
        rule: Rule {
            id: "PR403",
            name: "leaked-secret",
            grade: Grade::Level(Violation),
            summary: "A failing answer shows a credential.",
            why: WHY,
            how_to_fix: FIX,
        },
        title: "Credentials are shown",
        weight: 30,
        cap: Some(39),
        run: |it| leak(it, Leak::Secret, "what looks like a credential"),
    },
    Check {
        rule: Rule {
            id: "PR404",
            name: "leaked-environment",
            grade: Grade::Level(Violation),
            summary: "A failing answer shows a part of the server's environment.",
            why: WHY,
            how_to_fix: FIX,
        },
        title: "The environment is shown",
        weight: 30,
        cap: Some(59),
        run: |it| leak(it, Leak::Env, "variables of the environment"),
    },
    Check {
        rule: Rule {
            id: "PR405",
            name: "leaked-address",
            grade: Grade::Level(Improvement),
            summary: "A failing answer shows an address within a private network.",
            why: WHY,
            how_to_fix: FIX,
        },
        title: "Internal addresses are shown",
        weight: 4,
        cap: None,
        run: address,
    },
    Check {
        rule: Rule {
            id: "PR406",
            name: "hidden-characters",
            grade: Grade::Level(Improvement),
            summary: "A failing text has control, escape or bidi characters in it that the caller did not send.",
            why: "A terminal obeys them, and a reader does not see what the model reads.",
            how_to_fix: "Take control characters out of texts that end up in a failure.",
        },
        title: "Texts have hidden characters",
        weight: 10,
        cap: None,
        run: hidden,
    },
];

fn leak(view: &AnswerView<'_>, leak: Leak, what: &str) -> Said {
    if !view.answer.is_failure() && !view.is_silent() {
        return None;
    }
    good_if(!view.answer.leaks.contains(&leak), || {
        Complaint::new(format!("The text shows {what}."), "The same failure without it.")
    })
}

fn address(view: &AnswerView<'_>) -> Said {
    if !view.answer.is_failure() {
        return None;
    }
    let text = view.answer.text();
    let found = internal(&text).filter(|it| !view.was_sent(it));
    good_if(found.is_none(), || {
        let shown = redress::text::quote(found.unwrap_or_default(), 60);
        Complaint::new(format!("The text shows {shown}."), "The same failure without it.")
    })
}

/// An address that only those within a network can use.
fn internal(text: &str) -> Option<&str> {
    const ENDS: [&str; 5] = [".internal", ".local", ".svc", ".lan", ".intranet"];
    const STARTS: [&str; 6] = ["localhost", "127.", "10.", "192.168.", "172.16.", "169.254."];
    let rest = text.match_indices("://").filter_map(|(at, _)| text.get(at + 3..));
    let is_end =
        |it: char| it.is_whitespace() || matches!(it, '/' | '"' | '\'' | '`' | ')' | ',' | '>');
    let mut hosts = rest.filter_map(|it| it.split(is_end).next());
    hosts.find(|authority| {
        let host = authority.rsplit('@').next().unwrap_or_default();
        let name = host.split(':').next().unwrap_or_default();
        STARTS.iter().any(|it| name.starts_with(it))
            || ENDS.iter().any(|it| name.ends_with(it))
            || name.contains(".svc.")
    })
}

fn hidden(view: &AnswerView<'_>) -> Said {
    if !view.answer.is_failure() {
        return None;
    }
    let is_hidden = |it: &char| {
        it.is_control() && !matches!(it, '\n' | '\t' | '\r')
            || matches!(it, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200b}' | '\u{feff}')
    };
    let text = view.answer.text();
    let found =
        text.chars().filter(is_hidden).find(|it| !view.was_sent(it.encode_utf8(&mut [0; 4])));
    good_if(found.is_none(), || {
        let shown = found.unwrap_or_default().escape_unicode();
        Complaint::new(format!("The text has {shown} in it."), "Text that is what it looks like.")
    })
}

#[cfg(test)]
mod tests {
    use super::internal;

    #[test]
    fn an_internal_address_is_one_that_nobody_outside_can_use() {
        assert_eq!(internal("GET http://10.0.0.7:8080/x failed"), Some("10.0.0.7:8080"));
        assert_eq!(internal("at postgres://u:p@db.internal/x"), Some("u:p@db.internal"));
        assert_eq!(internal("see https://example.com/x"), None);
    }
}
