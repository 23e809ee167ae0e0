//! The id of a line that cannot be read: from its first bytes or its last, if it is too long; or between its members, if it is whole.

use crate::json::{Doc, Kind, Limits};

/// The id among the first members of an object whose end is not there.
pub fn id_in_head(head: &[u8]) -> Option<Box<str>> {
    if is_answer(head) {
        return None;
    }
    let mut rest = open(head)?;
    loop {
        let (key, after) = string(rest)?;
        let value = after.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
        let end = skip(value)?;
        if key == b"\"id\"" {
            return id(value.get(..end)?.trim_ascii_end());
        }
        rest = value.get(end..)?.trim_ascii_start().strip_prefix(b",")?.trim_ascii_start();
    }
}

/// The id that is the last member of an object whose start is not there, as in `…,"id":7}`.
pub fn id_in_tail(tail: &[u8]) -> Option<Box<str>> {
    last_id(tail).and_then(id)
}

fn last_id(tail: &[u8]) -> Option<&[u8]> {
    let inner = tail.trim_ascii_end().strip_suffix(b"}")?.trim_ascii_end();
    let key = memchr::memmem::rfind(inner, b"\"id\"")?;
    let before = inner.get(..key)?.trim_ascii_end();
    let value = inner.get(key + 4..)?.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
    Some(value).filter(|_| before.last() == Some(&b','))
}

/// The one id of an object whose members can be distinguished, although something in them is no JSON.
pub fn id_in_whole(line: &[u8]) -> Option<Box<str>> {
    if is_answer(line) {
        return None;
    }
    let (mut rest, mut found) = (open(line)?, None);
    loop {
        let (key, after) = string(rest)?;
        let value = after.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
        let end = skip(value)?;
        let is_id = key == b"\"id\"";
        // A key that is spelled with escapes may be any.
        if key.contains(&b'\\') || is_id && found.is_some() {
            return None;
        }
        if is_id {
            found = Some(id(value.get(..end)?.trim_ascii_end())?);
        }
        match value.get(end..)?.split_first()? {
            // Some write a comma after the last member, too.
            (b',', more) if more.trim_ascii() == b"}" => return found,
            (b',', more) => rest = more.trim_ascii_start(),
            (b'}', []) => return found,
            (b'}', more) if more.trim_ascii().is_empty() => return found,
            _ => return None,
        }
    }
}

/// Whether an object answers something, as far as it can be read: its id is not one of its sender's, who may be waiting for the same.
pub fn is_answer(head: &[u8]) -> bool {
    let mut is_nothing = false;
    for Member { key, value, .. } in members(head) {
        match key {
            b"\"method\"" => return false,
            // Some peers write every member of a message, and `null` for those that it does not have.
            b"\"result\"" | b"\"error\"" if value.starts_with(b"null") => is_nothing = true,
            b"\"result\"" | b"\"error\"" => return true,
            _ => (),
        }
    }
    is_nothing
}

/// The ids of what is meant as an answer, as they are spelled: of an object that has an id among its own members, and a
/// member that only messages have, or none beside it. A log can name a request as well, and answers nothing by that.
pub fn ids_of_answer(line: &[u8]) -> Vec<&[u8]> {
    let (mut ids, mut has) = (Vec::new(), [false; 4]);
    let [is_message, is_answer, is_request, is_other] = &mut has;
    for Member { key, value, .. } in members(line) {
        match key {
            b"\"jsonrpc\"" => *is_message = true,
            b"\"result\"" | b"\"error\"" => *is_answer = true,
            b"\"method\"" => *is_request = true,
            key if key.eq_ignore_ascii_case(b"\"id\"") => ids.push(value),
            _ => *is_other = true,
        }
    }
    if *is_message || *is_answer {
        // What is between may be what cannot be read.
        ids.extend(last_id(line).filter(|it| ids.is_empty() && id(it).is_some()));
    }
    let is_meant = *is_answer || !*is_request && (*is_message || !*is_other);
    ids.retain(|_| is_meant);
    ids
}

/// A member of an object that may be no JSON.
#[derive(Debug)]
pub struct Member<'b> {
    /// The key with its quotes, as it is spelled.
    pub key: &'b [u8],
    /// From where the value starts: up to its end, or to that of the bytes.
    pub value: &'b [u8],
    /// What follows it: `,` or `}`, if the value ends at all.
    pub after: Option<u8>,
}

/// The members of an object whose end need not be there, as far as they can be distinguished.
pub fn members(head: &[u8]) -> impl Iterator<Item = Member<'_>> {
    let mut rest = open(head);
    std::iter::from_fn(move || {
        let (key, after) = string(rest.take()?)?;
        let value = after.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
        let (value, after) = match skip(value) {
            Some(end) => value.split_at_checked(end)?,
            None => (value, &[] as &[u8]),
        };
        rest = after.strip_prefix(b",").map(<[u8]>::trim_ascii_start);
        Some(Member { key, value, after: after.first().copied() })
    })
}

fn open(head: &[u8]) -> Option<&[u8]> {
    Some(head.trim_ascii_start().strip_prefix(b"{")?.trim_ascii_start())
}

/// A value that is an id and nothing else: a string, or a number in any spelling.
fn id(value: &[u8]) -> Option<Box<str>> {
    let kind = Doc::parse(value, Limits::DOCUMENT).ok()?.root().kind();
    let is_id = matches!(kind, Kind::String | Kind::Number);
    is_id.then(|| std::str::from_utf8(value).ok())?.map(Into::into)
}

/// The string at the start, quotes and all, and what comes after it.
fn string(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let inner = bytes.strip_prefix(b"\"")?;
    let mut at = 0;
    loop {
        match inner.get(at)? {
            b'"' => return bytes.split_at_checked(at + 2),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// Where the value at the start ends, if it does.
pub(super) fn skip(bytes: &[u8]) -> Option<usize> {
    let mut depth = 0usize;
    let mut at = 0;
    loop {
        match bytes.get(at)? {
            b'"' => at += string(bytes.get(at..)?)?.0.len(),
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            b'}' | b']' | b',' if depth == 0 => return Some(at),
            b'}' | b']' => {
                depth -= 1;
                at += 1;
            }
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, proptest};

    use super::{id_in_head, id_in_tail, id_in_whole};

    #[test]
    fn an_id_is_found_beside_what_is_no_json() {
        let found = |line: &str| id_in_whole(line.as_bytes()).map(String::from);
        for (line, id) in [
            (r#"{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":"\ud800"}}"#, "7"),
            (r#" {"method":"x","params":{"a":"\q"}, "id" : "b" } "#, "\"b\""),
            ("{\"id\":3,\"a\":\"\u{1}\"}", "3"),
            (r#"{"id":3,"a":tru}"#, "3"),
            (r#"{"id":1.0,"a":tru}"#, "1.0"),
            (r#"{"id":-1.5E+2 ,"a":tru}"#, "-1.5E+2"),
            (r#"{"id":3,"method":"x", } "#, "3"),
            (r#"{"id":3,"method":"x","params":{"result":1,"a":tru}}"#, "3"),
            (r#"{"id":3,"error":null,"result":null,"method":"x","params":tru}"#, "3"),
        ] {
            assert_eq!(found(line).as_deref(), Some(id), "{line}");
        }
        for line in [
            r#"{"id":7,"method":"x""#,
            r#"{"id":7,"id":8,"a":"\q"}"#,
            r#"{"id":7,"\u0069d":8,"a":"\q"}"#,
            r#"{"id":"\ud800"}"#,
            r#"{"id":1.,"a":tru}"#,
            r#"{"id":7 "a":1}"#,
            r#"{"id":7,"a":1]}"#,
            r#"{"id":7}}"#,
            r#"{"params":{"id":7}, "a":"\q"}"#,
            r#"[{"id":7}]"#,
            r#"{"id":7,"result":{"a":tru}}"#,
            r#"{"error":{"a":"\ud800"},"id":7}"#,
            r#"{"result":null,"id":7,"a":tru}"#,
            "",
        ] {
            assert_eq!(found(line), None, "{line}");
        }
    }

    #[test]
    fn an_id_is_found_at_either_end() {
        let head = br#"{"jsonrpc":"2.0","meta":{"id":[3]}, "id" : "a\"b" ,"params":{"x":"aaaa"#;
        assert_eq!(id_in_head(head).as_deref(), Some(r#""a\"b""#));
        assert_eq!(id_in_head(br#"{"method":"x","params":{"id":3,"x":"aaaa"#), None);
        assert_eq!(id_in_head(br#"{"id":{"a":1},"x":1"#), None);
        assert_eq!(id_in_head(br#"{"id":12"#), None, "it may go on");
        assert_eq!(id_in_head(br#"{"id":12,"result":"aaaa"#), None, "it is an answer");
        let nulls = br#"{"error":null,"result":null,"method":"x","id":12,"params":{"x":"aaaa"#;
        assert_eq!(id_in_head(nulls).as_deref(), Some("12"));
        assert_eq!(id_in_tail(br#"aaa"},"jsonrpc":"2.0","id":12}"#).as_deref(), Some("12"));
        assert_eq!(id_in_tail(br#"aaa"},"jsonrpc":"2.0","id": "x" } "#).as_deref(), Some("\"x\""));
        assert_eq!(id_in_tail(br#"aaa"},"jsonrpc":"2.0"}"#), None);
        assert_eq!(id_in_tail(br#"aaa "id":12 bbb"}"#), None);
        assert_eq!(id_in_tail(br#"aaa"},"id":1e2}"#).as_deref(), Some("1e2"));
        assert_eq!(id_in_head(br#"{"id":1.5,"x":"aaaa"#).as_deref(), Some("1.5"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_looked_at(bytes in any::<Vec<u8>>()) {
            id_in_head(&bytes);
            id_in_tail(&bytes);
            id_in_whole(&bytes);
        }
    }
}
