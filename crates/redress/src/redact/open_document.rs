//! Documents whose end is missing, completed so that they can be read: what their names hide is hidden in them, too.

/// A document with an end that was added to it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Completed<'t> {
    pub text: String,
    /// How many bytes were added.
    pub added: usize,
    /// What was left out because it is no whole value.
    pub rest: &'t str,
}

/// A document up to its last byte and, as that may be in the middle of a name, up to its last whole value. A text that has an end of
/// its own, or none that can be missing, gives nothing.
pub(super) fn completions(text: &str) -> impl Iterator<Item = Completed<'_>> {
    let (mut brackets, mut whole, mut escape) = (Vec::new(), 0, 0);
    let (mut is_text, mut is_escaped, mut is_over) = (false, false, false);
    for (at, it) in text.bytes().enumerate() {
        match it {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => (is_escaped, escape) = (true, at),
            b'"' => is_text = !is_text,
            _ if is_text => (),
            b'{' | b'[' => {
                brackets.push(if it == b'{' { '}' } else { ']' });
                whole = at + 1;
            }
            b'}' | b']' => {
                brackets.pop();
                whole = at + 1;
                // It has its end, whatever is behind that.
                is_over |= brackets.is_empty();
            }
            b',' => whole = at,
            _ => (),
        }
    }
    let cut = if is_text { without_half_escape(text, escape, is_escaped) } else { text.len() };
    let is_open = !is_over && !brackets.is_empty();
    let places = [(cut, is_text), (whole, false)].into_iter().filter(move |_| is_open);
    places.map(move |(at, is_text)| {
        let (kept, rest) = text.split_at_checked(at).unwrap_or((text, ""));
        let mut text = kept.to_owned();
        text.extend(is_text.then_some('"'));
        text.extend(brackets.iter().rev());
        Completed { added: text.len() - kept.len(), text, rest }
    })
}

/// Where a text ends without the escape that its end cuts; `escape` is where its last one starts. Half of a pair is cut, too.
fn without_half_escape(text: &str, escape: usize, is_escaped: bool) -> usize {
    const LENGTH: usize = 6;
    let last = text.get(escape..).unwrap_or_default();
    let is_half = is_escaped || last.starts_with("\\u") && last.len() < LENGTH;
    let end = if is_half { escape } else { text.len() };
    let before = end.checked_sub(LENGTH).and_then(|it| text.get(it..end));
    let unit = before.and_then(|it| u32::from_str_radix(it.strip_prefix("\\u")?, 16).ok());
    if matches!(unit, Some(0xd800..0xdc00)) { end - LENGTH } else { end }
}

#[cfg(test)]
mod tests {
    use super::completions;

    #[test]
    fn a_document_is_complete_after_its_last_byte_or_value() {
        for (text, completed) in [
            (r#"{"a":["b"#, [r#"{"a":["b"]}"#, r#"{"a":[]}"#]),
            (r#"{"a":1,"b"#, [r#"{"a":1,"b"}"#, r#"{"a":1}"#]),
            (r#"[{"a":tr"#, [r#"[{"a":tr}]"#, "[{}]"]),
            (r#"["a\"#, [r#"["a"]"#, "[]"]),
            (r#"["a\\"#, [r#"["a\\"]"#, "[]"]),
            (r#"["a\u00"#, [r#"["a"]"#, "[]"]),
            (r#"["a\u00e4"#, [r#"["a\u00e4"]"#, "[]"]),
            (r#"["a\ud83d\ude"#, [r#"["a"]"#, "[]"]),
            (r#"["a]","b"#, [r#"["a]","b"]"#, r#"["a]"]"#]),
        ] {
            let all: Vec<_> = completions(text).map(|it| it.text).collect();
            assert_eq!(all, completed, "{text}");
        }
        for text in ["", "a", r#"{"a":1}"#, "[ERROR] {a", "{} [", "]{"] {
            assert_eq!(completions(text).next(), None, "{text}");
        }
    }
}
