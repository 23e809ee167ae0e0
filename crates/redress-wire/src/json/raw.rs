//! `RawJson`: a value kept as its text, so that `1.0`, `1e2` and 2^70 survive.

use std::borrow::Cow;

use super::{Doc, JsonError, Kind, Limits, Value};

/// For text that was validated before.
const UNLIMITED: Limits = Limits { bytes: usize::MAX, nesting: usize::MAX };

/// Valid, compact JSON text of one value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RawJson(Box<str>);

impl RawJson {
    /// Validates bytes and drops the white space between tokens.
    pub fn parse(bytes: &[u8]) -> Result<Self, JsonError> {
        Ok(Doc::parse(bytes, Limits::DOCUMENT)?.root().into())
    }

    /// A string value.
    pub fn string(text: &str) -> Self {
        let mut quoted = String::with_capacity(text.len() + 2);
        super::write_str(&mut quoted, text);
        Self(quoted.into())
    }

    /// Text that one of our own writers made.
    pub fn written(text: String) -> Self {
        debug_assert!(Doc::parse(text.as_bytes(), UNLIMITED).is_ok(), "not JSON: {text}");
        Self(text.into())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What it is.
    pub fn kind(&self) -> Kind {
        match self.0.as_bytes().first() {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') => Kind::String,
            Some(b't' | b'f') => Kind::Bool,
            Some(b'n') | None => Kind::Null,
            Some(_) => Kind::Number,
        }
    }

    /// A string's text; of anything else its JSON.
    pub fn text(&self) -> Cow<'_, str> {
        let plain = self.with(|it| it.as_str().map(Cow::into_owned)).flatten();
        plain.map_or(Cow::Borrowed(&*self.0), Cow::Owned)
    }

    /// Calls `look` with the value. It was validated before, so it is always there.
    pub fn with<T>(&self, look: impl FnOnce(Value<'_>) -> T) -> Option<T> {
        Doc::parse(self.0.as_bytes(), UNLIMITED).ok().map(|doc| look(doc.root()))
    }
}

impl From<Value<'_>> for RawJson {
    fn from(value: Value<'_>) -> Self {
        Self(compact(value.raw()).into())
    }
}

impl std::fmt::Display for RawJson {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Valid JSON without the white space between its tokens.
fn compact(raw: &str) -> String {
    if !raw.bytes().any(is_space) {
        return raw.to_owned();
    }
    let mut text = String::with_capacity(raw.len());
    let mut in_string = false;
    let mut escaped = false;
    for it in raw.chars() {
        if in_string {
            in_string = escaped || it != '"';
            escaped = !escaped && it == '\\';
        } else if u8::try_from(it).is_ok_and(is_space) {
            continue;
        } else {
            in_string = it == '"';
        }
        text.push(it);
    }
    text
}

const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}
