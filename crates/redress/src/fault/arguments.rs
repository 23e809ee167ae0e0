//! Wrong arguments in words: which one it is and what is wrong with it, for the message of a fault.

use super::{Fault, Violation, params};
use crate::text;

/// The most wrong arguments that a message names.
const MOST: usize = 3;

/// The most characters of a name, of what was expected, or of a reason in a message.
const PART_CHARS: usize = 60;

/// The message for an argument that the tool does not have, without the name of the argument.
pub(crate) const MISNAMED: &str = "The tool does not know an argument of that name.";

/// The types of JSON, with their articles.
const TYPES: [(&str, &str); 7] = [
    ("string", "a string"),
    ("number", "a number"),
    ("integer", "an integer"),
    ("boolean", "a boolean"),
    ("object", "an object"),
    ("array", "an array"),
    ("null", "null"),
];

/// How an expectation begins that can follow "must be".
const AFTER_MUST_BE: [&str; 7] =
    ["a ", "an ", "one of ", "at most ", "at least ", "less than ", "more than "];

impl Violation {
    /// The argument's name; the steps of a longer place are joined by dots.
    pub fn name(&self) -> String {
        let pointer = self.pointer();
        let steps = pointer.split('/').skip(usize::from(pointer.starts_with('/')));
        let steps: Vec<_> = steps.map(|it| it.replace("~1", "/").replace("~0", "~")).collect();
        short(&steps.join("."))
    }

    /// What is wrong, as a sentence of its own: `Required`, `Must be a string`.
    pub fn sentence(&self) -> String {
        let told = self.predicate().or_else(|| self.reason()).unwrap_or_default();
        let told = told.strip_prefix("is ").unwrap_or(&told);
        let mut letters = told.chars();
        let first = letters.next().map(|it| it.to_ascii_uppercase());
        first.into_iter().chain(letters).collect()
    }

    /// What is wrong, to be said after the name; `None` where the reason is a word that no sentence is known for.
    fn predicate(&self) -> Option<String> {
        let expected = self.expected().map(|it| short(&it)).filter(|it| !it.is_empty());
        let or = |plain: &str| match &expected {
            Some(it) if AFTER_MUST_BE.iter().any(|start| it.starts_with(start)) => {
                format!("must be {it}")
            }
            Some(it) => format!("{plain}: expected {it}"),
            None => plain.to_owned(),
        };
        let reason = self.reason()?;
        Some(match &*reason {
            "missing" => "is required".to_owned(),
            "unknown" => "is not an argument of the tool".to_owned(),
            "not_found" => "names nothing that exists".to_owned(),
            "wrong_type" => match &expected {
                Some(it) => format!("must be {}", with_article(it)),
                None => "has the wrong type".to_owned(),
            },
            "malformed" => or("is malformed"),
            "not_allowed" => or("has a value that is not accepted"),
            reason if reason.contains(' ') => format!("({})", short(reason)),
            _ => return None,
        })
    }

    /// The name and what is wrong, where both are known.
    fn clause(&self) -> Option<String> {
        let name = self.name();
        let predicate = self.predicate()?;
        (!name.is_empty()).then(|| format!("{name} {predicate}"))
    }
}

impl Fault {
    /// Names the wrong arguments in a message of ours that has no values: as the whole message where the row is
    /// about an argument, else as the reason.
    pub(crate) fn name_arguments(&mut self) {
        if self.message != MISNAMED && self.message != params::plain_message(self.entry()) {
            return;
        }
        let clauses = self.violations.iter().filter_map(Violation::clause);
        let clauses: Vec<_> = clauses.take(MOST).collect();
        if clauses.is_empty() {
            return;
        }
        let clauses = clauses.join("; ");
        if self.entry().param("field").is_some() {
            self.message = format!("{clauses}.");
        } else {
            self.because(&clauses);
        }
    }
}

/// `string or null` as `a string or null`; what is no type of JSON stays as it is.
fn with_article(expected: &str) -> String {
    let named = |it: &str| TYPES.iter().find(|(name, _)| *name == it).map(|(_, told)| *told);
    let types: Option<Vec<_>> = expected.split(" or ").map(named).collect();
    types.map_or_else(|| expected.to_owned(), |it| it.join(" or "))
}

fn short(text: &str) -> String {
    text::cut(&text::strip(text), PART_CHARS).into_owned()
}

#[cfg(test)]
mod tests {
    use super::Violation;
    use crate::{Fault, codes, codes::CoreCode};

    fn told(code: CoreCode, violations: &[(&str, &str, Option<&str>)]) -> Fault {
        let mut fault = code.raise([] as [(&str, &str); 0]);
        let violation = |it: &(&str, &str, Option<&str>)| Violation::new(it.0, it.1, it.2);
        fault.violations = violations.iter().map(violation).collect();
        fault.name_arguments();
        fault
    }

    #[test]
    fn seed_000_04_a_message_names_the_argument_and_the_reason() {
        for (code, violation, message) in [
            (
                codes::INVALID_INPUT_TYPE,
                ("/path", "wrong_type", Some("string")),
                "path must be a string.",
            ),
            (
                codes::INVALID_INPUT_TYPE,
                ("/a/0/b~1c", "wrong_type", Some("integer or null")),
                "a.0.b/c must be an integer or null.",
            ),
            (codes::INVALID_INPUT_TYPE, ("/path", "wrong_type", None), "path has the wrong type."),
            (
                codes::MISSING_REQUIRED_FIELD,
                ("/path", "missing", Some("string")),
                "path is required.",
            ),
            (
                codes::INVALID_INPUT_VALUE,
                ("/n", "not_allowed", Some("at most 5")),
                "n must be at most 5.",
            ),
            (
                codes::INVALID_INPUT_VALUE,
                ("/n", "not_allowed", Some("no item twice")),
                "n has a value that is not accepted: expected no item twice.",
            ),
            (
                codes::INVALID_INPUT_FORMAT,
                ("/when", "malformed", Some("date-time")),
                "when is malformed: expected date-time.",
            ),
            (
                codes::INVALID_INPUT_VALUE,
                ("/pth", "unknown", None),
                "pth is not an argument of the tool.",
            ),
            (
                codes::SESSION_INITIALIZATION_FAILED,
                ("/workspace_root", "missing", None),
                "The session could not be started: workspace_root is required.",
            ),
            (
                codes::INVALID_REQUEST,
                ("/params", "not an object", None),
                "The message is not a valid request: params (not an object).",
            ),
        ] {
            assert_eq!(told(code, &[violation]).message, message);
        }
    }

    #[test]
    fn several_arguments_are_named_and_nothing_is_invented() {
        let several = [("/a", "missing", None), ("/b", "wrong_type", Some("number"))];
        let fault = told(codes::INVALID_INPUT_TYPE, &several);
        assert_eq!(fault.message, "a is required; b must be a number.");
        for unsaid in [("", "missing", None), ("/a", "binary", None)] {
            let fault = told(codes::INVALID_INPUT_VALUE, &[unsaid]);
            assert_eq!(fault.message, codes::INVALID_INPUT_VALUE.entry().message);
        }
        let mut own = codes::FILE_NOT_FOUND.raise([("path", "a.rs")]);
        own.violations = vec![Violation::new("/path", "not_found", None)];
        own.name_arguments();
        assert_eq!(own.message, "No file at \"a.rs\".");
    }

    #[test]
    fn an_issue_is_a_sentence_of_its_own() {
        for (reason, expected, sentence) in [
            ("missing", None, "Required"),
            ("wrong_type", Some("string"), "Must be a string"),
            ("not_allowed", None, "Has a value that is not accepted"),
            ("binary", None, "Binary"),
        ] {
            assert_eq!(Violation::new("/a", reason, expected).sentence(), sentence);
        }
    }
}
