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
    let end = End::of(text).into_iter();
    end.flat_map(move |it| {
        let places = [(it.cut, it.is_text), (it.whole, false)];
        places.map(|(at, is_text)| it.complete(text, at, is_text))
    })
}

/// How a document ends that is not complete.
#[derive(Debug)]
struct End {
    /// What closes the brackets that are open.
    brackets: Vec<char>,
    /// Where it ends, without the escape that was cut.
    cut: usize,
    /// It ends in a text.
    is_text: bool,
    /// Where its last whole value ends.
    whole: usize,
}

impl End {
    fn of(text: &str) -> Option<Self> {
        let mut end = Self { brackets: Vec::new(), cut: text.len(), is_text: false, whole: 0 };
        let (mut is_escaped, mut escape) = (false, 0);
        for (at, it) in text.bytes().enumerate() {
            match it {
                _ if is_escaped => is_escaped = false,
                b'\\' if end.is_text => (is_escaped, escape) = (true, at),
                b'"' => end.is_text = !end.is_text,
                _ if end.is_text => (),
                b'{' => end.opened('}', at),
                b'[' => end.opened(']', at),
                b'}' | b']' => {
                    end.brackets.pop();
                    end.whole = at + 1;
                    // It has its end, whatever stands behind that.
                    (!end.brackets.is_empty()).then_some(())?;
                }
                b',' => end.whole = at,
                _ => (),
            }
        }
        if end.is_text {
            end.cut = without_half_escape(text, escape, is_escaped);
        }
        (!end.brackets.is_empty()).then_some(end)
    }

    fn complete<'t>(&self, text: &'t str, at: usize, is_text: bool) -> Completed<'t> {
        let (kept, rest) = text.split_at_checked(at).unwrap_or((text, ""));
        let mut text = kept.to_owned();
        text.extend(is_text.then_some('"'));
        text.extend(self.brackets.iter().rev());
        Completed { added: text.len() - kept.len(), text, rest }
    }

    fn opened(&mut self, bracket: char, at: usize) {
        self.brackets.push(bracket);
        self.whole = at + 1;
    }
}

/// Where a text ends without the escape that its end cuts; `escape` is where its last one starts. Half of a pair is cut, too.
fn without_half_escape(text: &str, escape: usize, is_escaped: bool) -> usize {
    const LENGTH: usize = 6;
    let last = text.get(escape..).unwrap_or_default();
    let is_half = is_escaped || last.starts_with("\\u") && last.len() < LENGTH;
    let end = if is_half { escape } else { text.len() };
    let start = end.checked_sub(LENGTH);
    let before = start.and_then(|it| text.get(it..end)).and_then(|it| it.strip_prefix("\\u"));
    let is_first = before.and_then(|it| u32::from_str_radix(it, 16).ok());
    match is_first {
        Some(0xd800..0xdc00) => end - LENGTH,
        _ => end,
    }
}

#[cfg(test)]
mod tests {
    use super::completions;

    #[test]
    fn a_document_is_completed_after_its_last_byte_and_after_its_last_value() {
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
