//! `JsonError`: why bytes are not JSON that we take, and where.

use std::fmt;

/// Why bytes are not JSON that we take, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JsonError {
    /// The byte that is wrong.
    pub offset: usize,
    /// What is wrong with it.
    pub kind: JsonErrorKind,
}

/// What is wrong with a piece of JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonErrorKind {
    /// Longer than the limit.
    TooLong,
    /// Nested deeper than the limit.
    TooDeep,
    /// Not UTF-8.
    NotUtf8,
    /// The end came too early.
    Unfinished,
    /// Something is after the value.
    Trailing,
    /// A value was expected.
    ExpectedValue,
    /// A key was expected.
    ExpectedKey,
    /// `:` was expected.
    ExpectedColon,
    /// `,` or the closing bracket was expected.
    ExpectedComma,
    /// A control character in a string.
    Control,
    /// An escape that JSON does not have.
    Escape,
    /// Half of a surrogate pair.
    LoneSurrogate,
    /// Not a JSON number.
    Number,
    /// A key twice in an object that may have each key once.
    DuplicateKey,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self.kind {
            JsonErrorKind::TooLong => "the document is longer than the limit",
            JsonErrorKind::TooDeep => "the document nests deeper than the limit",
            JsonErrorKind::NotUtf8 => "the bytes are not UTF-8",
            JsonErrorKind::Unfinished => "the document ends too early",
            JsonErrorKind::Trailing => "something stands after the document",
            JsonErrorKind::ExpectedValue => "a value was expected",
            JsonErrorKind::ExpectedKey => "a key in quotes was expected",
            JsonErrorKind::ExpectedColon => "a colon was expected",
            JsonErrorKind::ExpectedComma => "a comma or the closing bracket was expected",
            JsonErrorKind::Control => "a control character stands in a string",
            JsonErrorKind::Escape => "JSON has no such escape",
            JsonErrorKind::LoneSurrogate => "half of a surrogate pair stands alone",
            JsonErrorKind::Number => "this is not a JSON number",
            JsonErrorKind::DuplicateKey => "a key stands twice in one object",
        };
        write!(f, "{text} (byte {})", self.offset)
    }
}

impl std::error::Error for JsonError {}
