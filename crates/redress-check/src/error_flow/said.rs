//! `Said`: what a text for the model says, judged by the literal parts of it.

use crate::span::Span;

/// What is known of a text without running the program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Said {
    /// Where it is.
    pub span: Span,
    /// Some of it is literal.
    pub is_literal: bool,
    /// Some of it comes from a call or a name that can hold anything, codes too.
    pub is_opaque: bool,
    /// Some of it differs from time to time, though nothing is known of it: the message of an error.
    pub is_varied: bool,
    /// It begins as error messages do.
    pub is_error: bool,
    /// A code is in it.
    pub has_code: bool,
    /// It has more than one sentence or line, so there is room for a way out.
    pub has_fix: bool,
    /// What could make it long, or tell too much.
    pub leak: Option<(Leak, Span)>,
}

/// Text of any length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leak {
    /// A stack trace.
    Stack,
    /// An error with all that it holds: `String(err)`, `{err:?}`.
    Whole,
    /// What another program wrote: `stderr`, the body of an answer.
    Upstream,
    /// A value of any size, written as JSON.
    Json,
}

impl Said {
    pub(super) fn at(span: Span) -> Self {
        Self { span, ..Self::default() }
    }

    /// Adds a literal part.
    pub(super) fn literal(&mut self, part: &str) {
        if !self.is_literal && !self.is_opaque && !self.is_varied {
            self.is_error = begins_as_an_error(part);
        }
        self.is_literal |= !part.trim().is_empty();
        self.has_code |= part.split(|it: char| !is_word(it)).any(is_code);
        self.has_fix |= has_room_for_a_fix(part);
    }

    /// Adds a part that is a value of this name.
    pub(super) fn value(&mut self, name: &str, span: Span) {
        let bare = name.rsplit(['.', ':']).next().unwrap_or(name);
        let leak = match bare {
            "stack" | "stacktrace" | "stack_trace" | "traceback" | "format_exc" | "print_exc"
            | "backtrace" => Some(Leak::Stack),
            "stderr" | "stdout" | "responseText" | "response_text" | "rawBody" | "raw_body"
            | "errorBody" | "error_body" | "errorText" | "error_text" => Some(Leak::Upstream),
            _ => None,
        };
        if let Some(leak) = leak {
            self.leak(leak, span);
        }
        self.is_varied = true;
        self.has_code |= names_a_code(bare);
    }

    pub(super) fn leak(&mut self, leak: Leak, span: Span) {
        self.leak.get_or_insert((leak, span));
    }

    /// Adds a part that is a value of this name as JSON. An envelope is bounded where it is made.
    pub(super) fn json(&mut self, name: &str, span: Span) {
        const BOUNDED: [&str; 6] = ["envelope", "fault", "failure", "error", "err", "card"];
        let last = name.rsplit(['.', ':', '&']).next().unwrap_or(name).to_ascii_lowercase();
        let is_path = !last.is_empty()
            && name.chars().all(|it| it.is_alphanumeric() || "_$.:&?".contains(it));
        if is_path && !BOUNDED.iter().any(|it| last.ends_with(it)) {
            self.leak(Leak::Json, span);
        }
        self.is_opaque = true;
    }
}

/// Whether a name is that of a code: `code`, `errorCode`, `ERROR_CODE`, `NOT_FOUND`.
pub(super) fn names_a_code(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    lower.ends_with("code")
        && lower != "statuscode"
        && lower != "status_code"
        && lower != "exitcode"
        && lower != "exit_code"
        || is_code(name)
}

/// Whether a word is shaped as a code: capitals with an underscore.
pub(super) fn is_code(word: &str) -> bool {
    word.len() >= 5
        && word.contains('_')
        && word.starts_with(|it: char| it.is_ascii_uppercase())
        && word.bytes().all(|it| it.is_ascii_uppercase() || it.is_ascii_digit() || it == b'_')
}

fn is_word(it: char) -> bool {
    it.is_ascii_alphanumeric() || it == '_'
}

/// How error messages begin. Anchored, since the same words in the middle of a text say nothing.
const BEGINNINGS: [&str; 12] = [
    "error:",
    "error ",
    "error executing",
    "errors:",
    "an error ",
    "failed to ",
    "failed:",
    "exception:",
    "exception ",
    "unexpected error",
    "fatal:",
    "traceback",
];

pub(super) fn begins_as_an_error(text: &str) -> bool {
    let text = text.trim_start_matches(|it: char| {
        it.is_whitespace() || matches!(it, '❌' | '⚠' | '\u{fe0f}' | '*' | '[' | '<' | '#')
    });
    if text.eq_ignore_ascii_case("error") {
        return true;
    }
    BEGINNINGS
        .iter()
        .any(|it| text.get(..it.len()).is_some_and(|head| head.eq_ignore_ascii_case(it)))
}

fn has_room_for_a_fix(part: &str) -> bool {
    let part = part.trim_end_matches(['.', '!', '"', '\'', ' ']);
    part.contains('\n')
        || part.contains("\\n")
        || part.contains(". ")
        || part.contains("! ")
        || part.contains("; ")
}

#[cfg(test)]
mod tests {
    use super::{Said, begins_as_an_error, is_code};

    #[test]
    fn only_the_beginning_makes_a_text_an_error() {
        for text in ["Error: no such file", "❌ Failed to read", "[ERROR] x", "error"] {
            let text = text.replace("[ERROR]", "[ERROR:");
            assert!(begins_as_an_error(&text), "{text}");
        }
        for text in [
            "Errors are explained here",
            "No results",
            "Read the error log",
            "Failedness",
            "0 failed",
        ] {
            assert!(!begins_as_an_error(text), "{text}");
        }
    }

    #[test]
    fn a_code_is_capitals_with_an_underscore() {
        assert!(is_code("FILE_NOT_FOUND"));
        for word in ["HTTP", "File_Not", "_NO", "A_B", "not_found"] {
            assert!(!is_code(word), "{word}");
        }
    }

    #[test]
    fn a_part_before_the_literal_hides_how_it_begins() {
        let mut said = Said::at(0..1);
        said.is_opaque = true;
        said.literal("Error: x");
        assert!(!said.is_error);
    }
}
