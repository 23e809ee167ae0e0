//! An answer that cannot be read as it is: no JSON, too deep or too long. What can be read of it is put together as a document.

use redress_wire::{
    frame::peek::{Member, members},
    json::{Doc, Kind, Limits, RawJson, Value},
};

/// The largest value that is taken as it is.
const VALUE: Limits = Limits { bytes: 64 << 10, nesting: 32 };

/// As deep as an envelope is: in the `_meta` of the `result` of a response.
const MOST_LEVELS: u8 = 4;

/// Behind so much of it, only flags are taken.
const MOST_BYTES: usize = 1 << 20;

/// The readable members of a broken object.
pub(super) struct Mended {
    text: String,
    /// The object never ends.
    pub(super) is_cut: bool,
}

impl Mended {
    pub(super) fn of(answer: &[u8]) -> Option<Self> {
        let mut mended = Self { text: String::new(), is_cut: false };
        mended.is_cut = !mended.object(answer, MOST_LEVELS);
        (mended.text != "{}").then_some(mended)
    }

    pub(super) fn doc(&self) -> Option<Doc<'_>> {
        Doc::parse(self.text.as_bytes(), Limits::DOCUMENT).ok()
    }

    /// Takes an object. Whether it ends.
    fn object(&mut self, bytes: &[u8], levels: u8) -> bool {
        let mut last = None;
        self.text.push('{');
        for Member { key, value, after } in members(bytes) {
            last = after;
            let is_flag = key == b"\"isError\"" || key == b"\"error\"";
            if self.text.len() > MOST_BYTES && !is_flag {
                continue;
            }
            let Ok(key) = RawJson::parse(key) else { continue };
            if !self.text.ends_with('{') {
                self.text.push(',');
            }
            self.text.push_str(key.as_str());
            self.text.push(':');
            self.value(value.trim_ascii_end(), levels);
        }
        self.text.push('}');
        last == Some(b'}')
    }

    fn value(&mut self, bytes: &[u8], levels: u8) {
        if let Ok(doc) = Doc::parse(bytes, VALUE) {
            self.text.push_str(doc.root().raw());
            return;
        }
        match bytes.first() {
            Some(b'{') if levels > 0 => drop(self.object(bytes, levels - 1)),
            Some(b'{') => self.text.push_str("{}"),
            Some(b'[') => self.text.push_str("[]"),
            Some(b'"') => self.text.push_str("\"\""),
            _ => self.text.push_str("null"),
        }
    }
}

/// Whether an answer has a form that only answers have: of these, one that is cut off is no success.
pub(super) fn is_answer(root: Value<'_>) -> bool {
    let has = |key| root.get(key).is_some();
    let is_response = has("jsonrpc") && !has("method");
    let is_content = root.get("content").is_some_and(|it| it.kind() == Kind::Array);
    is_response || is_content || has("structuredContent") || has("isError")
}

/// Whether it is flagged as a failure: by a flag, as an error of the protocol, as our own envelope.
pub(super) fn is_flagged(root: Value<'_>) -> bool {
    let is_set = |it: Value<'_>| {
        it.members().any(|(key, value)| key.is_str("isError") && value.as_bool() == Some(true))
    };
    let has_number = |key| root.get(key).is_some_and(Value::is_whole);
    is_set(root)
        || root.get("result").is_some_and(is_set)
        || root.get("jsonrpc").and(root.get("error")).is_some_and(|it| !it.is_null())
        || has_number("code")
        || has_number("v")
}
