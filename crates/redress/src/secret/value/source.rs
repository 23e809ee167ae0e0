//! Values that are source text: types, other values by their names, and calls. None of them is a secret.

use super::{Link, is_mixed};
use crate::secret::names::secrecy;

/// Types, without what is in their brackets.
#[rustfmt::skip]
const TYPES: &[&str] = &[
    "any", "array", "blob", "bool", "boolean", "box", "buffer", "bytea", "bytes", "cell", "char",
    "character", "chararray", "cow", "dict", "int", "integer", "list", "map", "never", "number",
    "object", "option", "optional", "promise", "record", "secret", "secretbox", "secretstr",
    "secretstring", "str", "string", "text", "union", "unknown", "uuid", "varchar", "vec", "void",
];

/// Words that stand before what a value is computed from.
const OPERATORS: &[&str] = &["async", "await", "lambda", "match", "new", "typeof", "yield"];

/// First names of what programs have at hand.
#[rustfmt::skip]
const ROOTS: &[&str] = &[
    "app", "args", "body", "client", "config", "context", "credentials", "crate", "ctx", "data",
    "each", "env", "environ", "event", "headers", "input", "local", "module", "options", "opts", "os",
    "params", "process", "props", "req", "request", "res", "response", "self", "session", "settings",
    "state", "std", "super", "sys", "this", "user", "var",
];

/// What usage texts call a value.
const ARGUMENTS: &[&str] = &["KEY", "NAME", "STRING", "TEXT", "VALUE"];

/// The longest name of a value.
const LONGEST_NAME: usize = 40;

/// How far behind a call its bracket is looked for.
const LONGEST_CALL: usize = 256;

/// A value that a name is given.
#[derive(Debug, Clone, Copy)]
pub(in crate::secret) struct Given<'t> {
    pub name: &'t str,
    pub value: &'t str,
    /// The text from the value on.
    pub rest: &'t str,
    pub link: Link,
    /// Spaces around the sign, as programs have them.
    pub is_spaced: bool,
}

impl Given<'_> {
    /// Whether the value is a piece of a program, or of the usage of one.
    pub(in crate::secret) fn is_source(&self) -> bool {
        match self.link {
            Link::Tight | Link::Loose => {
                is_type(self.value) || self.is_same() || self.is_operation() || self.is_expression()
            }
            Link::Flag => is_type(self.value) || is_argument(self.value),
            Link::Quoted | Link::Column | Link::Spoken => is_type(self.value),
            Link::Compared => self.is_same(),
            Link::Pair => false,
        }
    }

    /// `password=password`, and in a program `password = db_password`
    fn is_same(&self) -> bool {
        let name = self.name.trim_start_matches('-');
        let last = name.rsplit(['.', '-']).next().unwrap_or_default();
        let before =
            self.value.len().checked_sub(last.len()).and_then(|it| self.value.split_at_checked(it));
        before.is_some_and(|(before, same)| {
            let is_joined = before.is_empty()
                || self.is_spaced
                    && before.ends_with('_')
                    && before.bytes().all(|it| it.is_ascii_lowercase() || it == b'_');
            is_joined && same == last && !last.is_empty()
        })
    }

    /// `await load()`
    fn is_operation(&self) -> bool {
        let after = self.rest.get(self.value.len()..).and_then(|it| it.strip_prefix(' '));
        self.is_spaced
            && OPERATORS.contains(&self.value)
            && after.is_some_and(|it| it.starts_with(|it: char| it.is_ascii_alphabetic()))
    }

    /// `self.token`, `next_token(input)`, `tokens[at]`
    fn is_expression(&self) -> bool {
        let value = self.value.trim_start_matches(['&', '*', '!']);
        let is_path =
            |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'.' | b':' | b'?');
        let length = value.bytes().take_while(|it| is_path(*it)).count();
        let (path, after) = value.split_at_checked(length).unwrap_or_default();
        let path = path.trim_end_matches('?');
        let mut count = 0;
        for name in path.split(['.', ':']).map(|it| it.trim_end_matches('?')) {
            if !name.is_empty() && !is_identifier(name) {
                return false;
            }
            count += usize::from(!name.is_empty());
        }
        let first = path.split(['.', ':']).next().unwrap_or_default();
        let last = path.rsplit(['.', ':']).next().unwrap_or_default();
        let is_known = count > 1 && (ROOTS.contains(&first) || path.contains("::"));
        let is_telling = || path.contains('_') && count > 2 || count > 1 && secrecy(last).is_some();
        let close = match after.bytes().next() {
            // A word with a number behind it may as well be a password.
            None if !path.contains("::") && path.bytes().any(|it| it.is_ascii_digit()) => {
                return false;
            }
            // No program has such a name, but headers and options have.
            None if self.name.contains('-') => return false,
            None => return self.is_spaced && (is_known || is_telling()),
            Some(b'(') => ')',
            Some(b'[') => ']',
            Some(_) => return false,
        };
        let near = self.rest.get(..super::floor_boundary(self.rest, LONGEST_CALL));
        let line = near.and_then(|it| it.lines().next()).unwrap_or_default();
        let inside = after.get(1..).unwrap_or_default().trim_start_matches(['"', '\'']);
        let is_named = self.is_spaced || count > 1;
        count > 0 && is_named && line.contains(close) && !is_mixed(inside)
    }
}

/// Whether a text is a name as programs have them, and not one that only a machine can think of.
fn is_identifier(name: &str) -> bool {
    const MOST_DIGITS: usize = 3;
    let start = name.trim_end_matches(|it: char| it.is_ascii_digit());
    name.len() <= LONGEST_NAME
        && name.len() - start.len() <= MOST_DIGITS
        && start.bytes().all(|it| it.is_ascii_alphabetic() || it == b'_')
        && !start.is_empty()
}

fn is_type(value: &str) -> bool {
    let bare = value.trim_start_matches(['&', '*']);
    let is_name = |it: u8| it.is_ascii_alphabetic() || matches!(it, b'.' | b':');
    let length = bare.bytes().take_while(|it| is_name(*it)).count();
    let (path, after) = bare.split_at_checked(length).unwrap_or_default();
    let name = path.rsplit(['.', ':']).next().unwrap_or_default();
    let is_closed = after.is_empty() || after.starts_with(['(', '[', '<', '?']) && !is_mixed(after);
    is_closed && TYPES.iter().any(|it| it.eq_ignore_ascii_case(name))
}

/// `--token TOKEN`
fn is_argument(value: &str) -> bool {
    let is_shouted = value.bytes().all(|it| it.is_ascii_uppercase() || matches!(it, b'_' | b'-'));
    is_shouted && (ARGUMENTS.contains(&value) || secrecy(value).is_some())
}
