//! Texts (`CK2xx`) that say what happened and what to do, and leak nothing.

mod examples;
mod hidden;
mod hints;
mod leaks;
mod placeholders;
mod verbs;

use super::LintCheck;
use crate::{
    Spanned,
    draft::DraftCode,
    finding::part,
    lint::scope::{Hits, Scope},
    rule::{Grade, Level::Violation, Rule},
};

pub(super) const CHECKS: &[LintCheck] = &[
    LintCheck {
        rule: Rule {
            id: "CK201",
            name: "missing-text",
            grade: Grade::Level(Violation),
            summary: "A code has no title, no message or no hint.",
            why: "The message tells a model what happened and the hint what to do; without them \
                  it guesses.",
            how_to_fix: "Write the title in a few words, the message as what is, the hint as what \
                         to do.",
        },
        run: missing,
    },
    LintCheck {
        rule: Rule {
            id: "CK202",
            name: "weak-hint",
            grade: Grade::Level(Violation),
            summary: "A hint has fewer than five words, or says the message again.",
            why: "A hint is the one line that a caller acts on; the cause is told already.",
            how_to_fix: "Say in five words or more what to do next, and with what.",
        },
        run: hints::weak,
    },
    LintCheck {
        rule: Rule {
            id: "CK203",
            name: "hint-without-verb",
            grade: Grade::Level(Violation),
            summary: "A hint does not begin with what to do.",
            why: "An order is followed and a description is read; a hint that gets cut must lose \
                  its end, not its verb.",
            how_to_fix: "Begin with an imperative verb, such as Check, Call or Wait; \"Do not\", \
                         \"First\" and \"Either\" may stand before it.",
        },
        run: hints::without_verb,
    },
    LintCheck {
        rule: Rule {
            id: "CK204",
            name: "unknown-placeholder",
            grade: Grade::Level(Violation),
            summary: "A message, a hint or an argument of next names a parameter that the code \
                      does not declare.",
            why: "The text would be shown with a hole, and the value would be missing in details.",
            how_to_fix: "Declare the parameter, or write {{ and }} for braces.",
        },
        run: placeholders::unknown,
    },
    LintCheck {
        rule: Rule {
            id: "CK205",
            name: "secret-in-message",
            grade: Grade::Level(Violation),
            summary: "A message shows a secret parameter.",
            why: "A secret never leaves the process, so the message would have a hole.",
            how_to_fix: "Take the placeholder out, or show another parameter that is no secret.",
        },
        run: placeholders::secret_in_message,
    },
    LintCheck {
        rule: Rule {
            id: "CK206",
            name: "untrusted-instruction",
            grade: Grade::Level(Violation),
            summary: "A hint or an argument of next shows an untrusted or secret parameter.",
            why: "Hint and next are instructions that a model follows; whoever writes the value \
                  would write the instruction.",
            how_to_fix: "Name the thing in words and keep the value in the message, where it is \
                         quoted.",
        },
        run: placeholders::untrusted_instruction,
    },
    LintCheck {
        rule: Rule {
            id: "CK207",
            name: "text-too-long",
            grade: Grade::Level(Violation),
            summary: "A title has over 60, a message over 200 or a hint over 240 characters.",
            why: "Longer texts are cut on the wire and cost tokens in every conversation.",
            how_to_fix: "Shorten it, and move the background to explain.",
        },
        run: too_long,
    },
    LintCheck {
        rule: Rule {
            id: "CK208",
            name: "leak-in-text",
            grade: Grade::Level(Violation),
            summary: "A text holds an absolute path, a stack frame, a credential or an internal \
                      host.",
            why: "Texts of a registry are public; they go to every caller, every page and every \
                  package.",
            how_to_fix: "Take it out, or make it a parameter.",
        },
        run: leaks::leaks,
    },
    LintCheck {
        rule: Rule {
            id: "CK209",
            name: "hidden-character",
            grade: Grade::Level(Violation),
            summary: "A text holds a control, escape, direction or zero-width character.",
            why: "A terminal obeys it, a reader does not see it, and a model may be told by it \
                  what nobody wrote.",
            how_to_fix: "Delete the character; only explain may have line breaks.",
        },
        run: hidden::hidden,
    },
    LintCheck {
        rule: Rule {
            id: "CK210",
            name: "no-page-or-example",
            grade: Grade::Level(Violation),
            summary: "A code has no explain page, or its example does not fit its parameters.",
            why: "Pages, tests and generated packages show the example; a wrong one teaches a \
                  wrong contract.",
            how_to_fix: "Write explain, and give the example one value of the right type for each \
                         parameter.",
        },
        run: examples::no_page_or_example,
    },
];

/// The three texts that every code has, each with its name and its budget in characters.
fn texts(code: &DraftCode) -> [(&'static str, Option<&Spanned<String>>, usize); 3] {
    [
        ("title", code.title.as_ref(), 60),
        ("message", code.message.as_ref(), 200),
        ("hint", code.hint.as_ref(), 240),
    ]
}

/// CK201.
fn missing(scope: &Scope<'_>, hits: &mut Hits<'_>) {
    for code in scope.codes() {
        for (field, text, _) in texts(code) {
            let blank = text.is_none_or(|it| it.value.trim().is_empty());
            if blank {
                let at = text.map_or(&code.name.span, |it| &it.span);
                hits.on(code, at, "There is no {field}.", [part("field", field)]);
            }
        }
    }
}

/// CK207.
fn too_long(scope: &Scope<'_>, hits: &mut Hits<'_>) {
    for code in scope.codes() {
        for (field, text, max) in texts(code) {
            let Some(text) = text else { continue };
            let chars = text.value.chars().count();
            if chars > max {
                let context = [part("field", field), part("chars", chars), part("max", max)];
                let message = "The {field} has {chars} characters; {max} are allowed.";
                hits.on(code, &text.span, message, context);
            }
        }
    }
}
