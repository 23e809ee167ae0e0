//! Keys that only the gate writes: they are removed from the messages of a server, at any depth.

use std::{borrow::Cow, ops::Range};

use memchr::memchr_iter;
use redress::dialect::wire::{FAULT_KEY, RESERVED, is_reserved};
use redress_wire::json::{Doc, Kind, Value};

use super::{
    Context,
    tasks::{is_of_task, stated_in_state},
};
use crate::{
    exchange::Method,
    frame::{Edit, Frame, Shape, limits, rewrite, span},
    settings::Mode,
};

/// Whether a message may have such a key. That costs no second pass over what has none.
fn may_be_in(line: &[u8], doc: &Doc<'_>) -> bool {
    // Escapes can spell it in many ways.
    memchr_iter(b'/', line).any(|at| is_end(line, at)) || doc.has_escaped_key()
}

/// Whether the slash at a place of a line ends what such a key begins with.
fn is_end(line: &[u8], slash: usize) -> bool {
    // The last letter before it is an `s` in either case, or the end of a long one.
    let is_near = |it: &u8| matches!(it, b's' | b'S' | 0xbf);
    if !slash.checked_sub(1).and_then(|it| line.get(it)).is_some_and(is_near) {
        return false;
    }
    // A long `s` has a byte more, and the key ends with two letters `s`.
    (0..=2).any(|long| {
        let start = (slash + 1).checked_sub(RESERVED.len() + long);
        let text = start.and_then(|it| str::from_utf8(line.get(it..=slash)?).ok());
        text.is_some_and(is_reserved)
    })
}

/// The object in an answer, or in the state of a task, where a server states its own envelope: what is read there is judged first and
/// replaced by the gate's.
pub(super) fn stated_in(shape: Shape, method: Method, payload: Value<'_>) -> Option<Value<'_>> {
    match (shape, method) {
        (Shape::Error, _) => payload.get("data"),
        (Shape::Result, Method::ToolsCall | Method::TaskResult) => payload.get("_meta"),
        (Shape::Result, Method::TaskState) => stated_in_state(payload),
        _ => None,
    }
}

/// Whether a server states an envelope in an object.
fn has_stated(object: Option<Value<'_>>) -> bool {
    object.is_some_and(|it| it.get(FAULT_KEY).is_some())
}

/// A line without the members that have such a key; `None` if there are none. An envelope that is stated in `kept` stays.
pub(super) fn without(line: &[u8], root: Value<'_>, kept: Option<Value<'_>>) -> Option<Vec<u8>> {
    let mut places = Vec::new();
    let mut left = vec![root];
    while let Some(value) = left.pop() {
        let is_kept = kept.is_some_and(|it| it.offset() == value.offset());
        members_of(value, is_kept, &mut places, &mut left);
        let inner = value.elements().filter(|it| matches!(it.kind(), Kind::Object | Kind::Array));
        left.extend(inner);
    }
    if places.is_empty() {
        return None;
    }
    let mut edits: Vec<_> = places.into_iter().map(|at| Edit { at, with: b"" }).collect();
    let mut clean = Vec::with_capacity(line.len());
    rewrite(line, &mut edits, &mut clean);
    clean.pop();
    Some(clean)
}

/// Finds the members of an object that go, with a comma for each, and the values of others that may have some themselves.
fn members_of<'d>(
    object: Value<'d>,
    is_kept: bool,
    places: &mut Vec<Range<usize>>,
    left: &mut Vec<Value<'d>>,
) {
    let (mut before, mut has_other) = (0, false);
    let mut members = object.members().peekable();
    while let Some((key, value)) = members.next() {
        let (start, end) = (key.offset(), span(value).end);
        let goes = key.as_str().is_some_and(|it| is_reserved(&it));
        if !goes || is_kept && key.is_str(FAULT_KEY) {
            has_other = true;
            left.extend(Some(value).filter(|it| matches!(it.kind(), Kind::Object | Kind::Array)));
        } else if has_other {
            places.push(before..end);
        } else {
            places.push(start..members.peek().map_or(end, |(next, _)| next.offset()));
        }
        before = end;
    }
}

/// A message in a body without what only the gate says.
pub(super) fn clean_message<'l>(cx: Context<'_>, line: &'l [u8], method: Method) -> Cow<'l, [u8]> {
    let doc = Doc::parse(line, limits(cx.server.settings.max_message)).ok();
    let clean = doc.as_ref().and_then(|doc| {
        let frame = Frame::of(doc).ok()?;
        without_reserved(cx, line, doc, (&frame, || Some(method)))
    });
    clean.map_or(Cow::Borrowed(line), Cow::Owned)
}

/// A message without what its server says under keys of the gate; `None` if it says nothing there. The envelope that it states where
/// envelopes are read stays until it is judged. Who observes changes nothing.
pub(super) fn without_reserved(
    cx: Context<'_>,
    line: &[u8],
    doc: &Doc<'_>,
    (frame, method): (&Frame<'_>, impl FnOnce() -> Option<Method>),
) -> Option<Vec<u8>> {
    if cx.server.settings.mode == Mode::Observe || !may_be_in(line, doc) {
        return None;
    }
    let stated = match frame.payload {
        Some(payload) => stated_in(frame.shape, method().unwrap_or(Method::Other), payload),
        None if is_of_task(&frame.method) => frame.params.and_then(stated_in_state),
        _ => None,
    };
    without(line, frame.root, stated)
}

/// A message that passes, without the envelope that its server states in an object: it says nothing where nothing failed.
pub(super) fn without_stated(
    cx: Context<'_>,
    line: &[u8],
    root: Value<'_>,
    stated: Option<Value<'_>>,
) -> Option<Vec<u8>> {
    let is_clean = cx.server.settings.mode == Mode::Observe || !has_stated(stated);
    if is_clean { None } else { without(line, root, None) }
}
#[cfg(test)]
mod tests {
    use redress_wire::json::{Doc, Limits};

    use super::{may_be_in, without};

    fn clean(text: &str) -> Option<String> {
        let doc = Doc::parse(text.as_bytes(), Limits::DOCUMENT).unwrap();
        let clean = without(text.as_bytes(), doc.root(), None);
        assert_eq!(may_be_in(text.as_bytes(), &doc), clean.is_some(), "{text}");
        clean.map(|it| String::from_utf8(it).unwrap())
    }

    #[test]
    fn members_go_and_the_others_keep_their_bytes() {
        const K: &str = r#""dev.redress/fault""#;
        for (text, expected) in [
            ("{K:1}", "{}"),
            ("{ K : {\"a\":[1]} }", "{  }"),
            ("{K:1, \"a\":2}", "{\"a\":2}"),
            ("{\"a\":2 , K:1}", "{\"a\":2}"),
            ("{\"a\":2,K:1,\"b\":3}", "{\"a\":2,\"b\":3}"),
            ("{K:1,K:2,\"a\":2,K:3,K:4}", "{\"a\":2}"),
            ("{K:1,\"dev.redress/x\":2}", "{}"),
            (r#"{"dev.redress\/fault":1,"\u0064ev.redress/":{}}"#, "{}"),
            (r#"{"DEV.Redress/fault":1}"#, "{}"),
            (r#"{"dev.redreſs/x":1,"a":2,"dev.redreſſ/fault":{}}"#, "{\"a\":2}"),
            ("[[{\"a\":{K:1}}],{\"b\":[{K:[]}]}]", "[[{\"a\":{}}],{\"b\":[{}]}]"),
        ] {
            assert_eq!(clean(&text.replace('K', K)).as_deref(), Some(expected), "{text}");
        }
        for text in [
            r#"{"a":1}"#,
            r#"{"dev.redressed":1,"dev.redress":2}"#,
            "{\"a.redress/b\":1}",
            "[1]",
            "3",
        ] {
            assert_eq!(clean(text), None, "{text}");
        }
    }

    #[test]
    fn an_envelope_that_is_read_stays_where_it_is_read() {
        let text = r#"{"_meta":{"dev.redress/fault":{"dev.redress/x":1},"dev.redress/y":2},"b":{"dev.redress/fault":3}}"#;
        let doc = Doc::parse(text.as_bytes(), Limits::DOCUMENT).unwrap();
        let kept = doc.root().get("_meta");
        let clean = without(text.as_bytes(), doc.root(), kept).unwrap();
        assert_eq!(
            String::from_utf8(clean).unwrap(),
            r#"{"_meta":{"dev.redress/fault":{}},"b":{}}"#
        );
    }
}
