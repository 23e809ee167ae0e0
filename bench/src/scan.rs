//! Looks at a JSON-RPC message without building anything: the least that a proxy must do to route it.

use memchr::memchr2;

/// The members that a proxy routes on, as they are spelt.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Message<'a> {
    pub(crate) id: Option<&'a [u8]>,
    pub(crate) method: Option<&'a [u8]>,
    pub(crate) params: Option<&'a [u8]>,
    /// An error, or a result that says of itself that it is one.
    pub(crate) is_failure: bool,
}

/// The parts of a message; whatever is no object has none.
pub(crate) fn message(text: &[u8]) -> Message<'_> {
    let mut message = Message::default();
    for (key, value) in members(text) {
        match key {
            b"id" => message.id = Some(value),
            b"method" => message.method = Some(unquoted(value)),
            b"params" => message.params = Some(value),
            b"error" => message.is_failure = true,
            b"result" => message.is_failure |= member(value, b"isError") == Some(b"true"),
            _ => (),
        }
    }
    message
}

/// The value of one member.
pub(crate) fn member<'a>(text: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    members(text).find(|it| it.0 == name).map(|it| it.1)
}

/// A number, or one in quotes.
pub(crate) fn number(text: &[u8]) -> Option<u64> {
    std::str::from_utf8(unquoted(text)).ok()?.parse().ok()
}

/// A text without its quotes; escapes stay as they are.
pub(crate) fn unquoted(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\"").and_then(|it| it.strip_suffix(b"\"")).unwrap_or(text)
}

/// The members of an object, up to where it is not one any more.
pub(crate) fn members(text: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let text = text.trim_ascii_start();
    let mut rest = text.strip_prefix(b"{").unwrap_or_default();
    std::iter::from_fn(move || {
        let text = rest.trim_ascii_start();
        let text = text.strip_prefix(b",").unwrap_or(text).trim_ascii_start();
        let (key, text) = text.split_at_checked(string_end(text)?)?;
        let text = text.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
        let (value, text) = text.split_at_checked(value_end(text)?)?;
        rest = text;
        Some((unquoted(key), value))
    })
}

fn value_end(text: &[u8]) -> Option<usize> {
    match text.first()? {
        b'"' => string_end(text),
        b'{' | b'[' => nested_end(text),
        _ => {
            let is_end = |it: &u8| matches!(it, b',' | b'}' | b']') || it.is_ascii_whitespace();
            Some(text.iter().position(is_end).unwrap_or(text.len()))
        }
    }
}

fn string_end(text: &[u8]) -> Option<usize> {
    /// A key or a small value is found sooner without a search in large steps.
    const SHORT: usize = 16;
    let short = text.strip_prefix(b"\"")?.iter().take(SHORT);
    let mut at = 1 + short.take_while(|it| !matches!(it, b'"' | b'\\')).count();
    loop {
        at += memchr2(b'"', b'\\', text.get(at..)?)?;
        match text.get(at)? {
            b'"' => return Some(at + 1),
            _ => at += 2,
        }
    }
}

fn nested_end(text: &[u8]) -> Option<usize> {
    let (mut at, mut depth) = (0usize, 0usize);
    loop {
        match text.get(at)? {
            b'"' => {
                at += string_end(text.get(at..)?)?;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 1 => return Some(at + 1),
            b'}' | b']' => depth -= 1,
            _ => (),
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::{member, message, number};

    #[test]
    fn the_parts_are_found_wherever_they_stand() {
        let text = br#" {"result": {"a":["}\"",{}], "isError" : true} , "id":"7"}"#;
        let found = message(text);
        assert!(found.is_failure);
        assert_eq!(found.id.and_then(number), Some(7));
        assert_eq!(message(br#"{"id":12,"method":"ping"}"#).method, Some(&b"ping"[..]));
        assert_eq!(member(br#"{"a":1,"b":[2]}"#, b"b"), Some(&b"[2]"[..]));
    }

    #[test]
    fn whatever_is_no_object_has_no_parts() {
        for text in [&b""[..], b"[", b"{", b"{\"id", b"{\"id\":", b"{\"id\":\"\\", b"nonsense"] {
            assert!(message(text).id.is_none());
        }
    }
}
