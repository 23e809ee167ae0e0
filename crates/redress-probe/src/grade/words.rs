//! Words (`PR3xx`): what a failure says, to a program and to a model.

use redress_registry::{
    Level::{Improvement, Violation},
    rule::{Grade, Rule},
};

use super::{
    Check, Complaint, Said,
    answer_view::{AnswerKind, AnswerView},
    good_if,
};

pub(super) const CHECKS: &[Check] = &[
    Check {
        rule: Rule {
            id: "PR301",
            name: "no-code",
            grade: Grade::Level(Improvement),
            summary: "A failed call has no code that a program can read.",
            why: "A client that has only prose guesses what happened, and guesses anew with every release.",
            how_to_fix: "Answer with a stable code: in structuredContent, in `_meta`, or as the first word of the text.",
        },
        title: "Failures have no code",
        weight: 10,
        cap: None,
        run: code,
    },
    Check {
        rule: Rule {
            id: "PR302",
            name: "no-retry",
            grade: Grade::Level(Improvement),
            summary: "A failed call does not say whether repeating it helps.",
            why: "A model repeats what can never succeed, and gives up what would have succeeded later.",
            how_to_fix: "Say `retryable`, and after which change or how long.",
        },
        title: "Failures do not say whether to try again",
        weight: 10,
        cap: None,
        run: retry,
    },
    Check {
        rule: Rule {
            id: "PR303",
            name: "argument-not-named",
            grade: Grade::Level(Improvement),
            summary: "A refusal does not name the argument that is wrong.",
            why: "The model changes another one, and fails again.",
            how_to_fix: "Name the argument, what came, and what is asked for.",
        },
        title: "Refusals do not name the argument",
        weight: 10,
        cap: None,
        run: names_argument,
    },
    Check {
        rule: Rule {
            id: "PR304",
            name: "unstable-code",
            grade: Grade::Level(Violation),
            summary: "The same call failed twice in different ways.",
            why: "Whoever handles the one is surprised by the other.",
            how_to_fix: "Let the same arguments give the same code.",
        },
        title: "The same call fails in different ways",
        weight: 10,
        cap: None,
        run: stable,
    },
    Check {
        rule: Rule {
            id: "PR305",
            name: "wordless-failure",
            grade: Grade::Level(Improvement),
            summary: "A failure has no text.",
            why: "Most clients show the model nothing else.",
            how_to_fix: "Say what happened and what to do, in the first block of text.",
        },
        title: "Failures say nothing",
        weight: 10,
        cap: None,
        run: has_words,
    },
];

fn code(view: &AnswerView<'_>) -> Said {
    let is_failed_call = view.answer.kind == AnswerKind::ToolError;
    let is_failed_call = is_failed_call || view.tool.is_some() && view.answer.is_failure();
    if !is_failed_call {
        return None;
    }
    good_if(view.answer.code.is_some(), || {
        let said = redress::text::quote(&view.answer.text(), 80);
        let message = format!("All it says is {said}.");
        Complaint::new(message, "A code beside the text, such as INVALID_INPUT_VALUE.")
    })
}

fn retry(view: &AnswerView<'_>) -> Said {
    if view.answer.kind != AnswerKind::ToolError {
        return None;
    }
    good_if(view.answer.says_retry, || {
        Complaint::new(
            "Nothing says whether repeating helps.",
            "`retryable: false`, or when to try again.",
        )
    })
}

fn names_argument(view: &AnswerView<'_>) -> Said {
    let is_refusal = view.answer.is_failure() && !view.answer.is_about_absence();
    if view.case.wrong.is_empty() || !is_refusal || view.answer.lower.is_empty() {
        return None;
    }
    let wrong = &view.case.wrong;
    good_if(wrong.iter().any(|it| is_named(&view.answer.said, it)), || {
        let shown = wrong.first().map(String::as_str).unwrap_or_default();
        let said = redress::text::quote(&view.answer.text(), 80);
        Complaint::new(format!("It says {said}."), format!("A text that names {shown}."))
    })
}

/// Whether a name is in a text as a word.
fn is_named(text: &str, name: &str) -> bool {
    let name = name.to_lowercase();
    let is_part = |it: char| it.is_alphanumeric() || it == '_';
    !name.is_empty()
        && text.match_indices(&name).any(|(at, _)| {
            let before = text.get(..at).and_then(|it| it.chars().next_back());
            let after = text.get(at + name.len()..).and_then(|it| it.chars().next());
            !before.is_some_and(is_part) && !after.is_some_and(is_part)
        })
}

fn stable(view: &AnswerView<'_>) -> Said {
    let (before, now) = (view.before?, view.answer.signature()?);
    good_if(before == now, || {
        Complaint::new(
            format!("It was {before} first, and {now} then."),
            format!("{before} both times."),
        )
    })
}

fn has_words(view: &AnswerView<'_>) -> Said {
    if !view.answer.is_failure() {
        return None;
    }
    good_if(!view.answer.text().trim().is_empty(), || {
        Complaint::new(
            "There is no text in it.",
            "A sentence on what happened, and one on what to do.",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::is_named;

    #[test]
    fn an_argument_is_named_as_a_word() {
        assert!(is_named("missing field `id`", "id"));
        assert!(is_named(r#""pointer":"/noteid""#, "noteId"));
        assert!(!is_named("invalid", "id"));
        assert!(!is_named("the_id is wrong", "id"));
    }
}
