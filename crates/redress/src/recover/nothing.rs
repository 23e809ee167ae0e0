//! `is_nothing`: an answer that says nothing at all.

use redress_wire::json::{Doc, Kind, Limits, Value};

/// Whether an answer says nothing at all. From a fallback, that is no success.
pub fn is_nothing(answer: &[u8]) -> bool {
    let Ok(doc) = Doc::parse(answer, Limits::DOCUMENT) else {
        return answer.trim_ascii().is_empty();
    };
    let root = doc.root();
    let result = root.get("result").filter(|_| root.get("jsonrpc").is_some()).unwrap_or(root);
    match result.get("content").filter(|it| it.kind() == Kind::Array) {
        None => is_blank(result),
        Some(content) => {
            let is_text = |it: &Value<'_>| it.get("type").is_some_and(|it| it.is_str("text"));
            let is_empty = |it: Value<'_>| is_text(&it) && it.get("text").is_none_or(holds_nothing);
            result.get("structuredContent").is_none_or(is_blank) && content.elements().all(is_empty)
        }
    }
}

/// A text with nothing in it, or with JSON that has nothing in it.
fn holds_nothing(text: Value<'_>) -> bool {
    let text = text.as_str().unwrap_or_default();
    let doc = Doc::parse(text.as_bytes(), Limits::DOCUMENT);
    text.trim().is_empty() || doc.is_ok_and(|it| is_blank(it.root()))
}

/// Null, an empty text or an empty object. An empty list is an answer: there are none.
fn is_blank(value: Value<'_>) -> bool {
    match value.kind() {
        Kind::Null => true,
        Kind::String => value.as_str().is_none_or(|it| it.trim().is_empty()),
        Kind::Object => value.members().next().is_none(),
        Kind::Bool | Kind::Number | Kind::Array => false,
    }
}
