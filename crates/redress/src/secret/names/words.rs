//! The words of a name, without an allocation: names are judged for every hint of a text.

/// The longest name that is looked at; of a longer one, its end.
pub(in crate::secret) const MOST_BYTES: usize = 128;

/// More words than this have no names; of such a one, the last.
const MOST_WORDS: usize = 24;

/// The words of `snake_case`, `kebab-case`, `camelCase`, `SHOUTING_CASE` and `HTTPHeader`, in small letters and without the numbers at
/// their ends: `TOKEN2` is a token.
pub(super) struct Words<'b> {
    words: [&'b str; MOST_WORDS],
    count: usize,
}

impl<'b> Words<'b> {
    pub(super) fn of(name: &str, small: &'b mut [u8; MOST_BYTES]) -> Self {
        let mut from = name.len().saturating_sub(MOST_BYTES);
        while !name.is_char_boundary(from) {
            from += 1;
        }
        let name = name.get(from..).unwrap_or_default();
        for (to, byte) in small.iter_mut().zip(name.bytes()) {
            *to = byte.to_ascii_lowercase();
        }
        let small: &'b [u8; MOST_BYTES] = small;
        let small = small.get(..name.len()).and_then(|it| std::str::from_utf8(it).ok());
        let mut words = Self { words: [""; MOST_WORDS], count: 0 };
        let (mut start, mut before) = (0, ' ');
        let mut chars = name.char_indices().peekable();
        while let Some((at, it)) = chars.next() {
            let next_is_small = chars.peek().is_some_and(|it| it.1.is_lowercase());
            let is_new = it.is_uppercase() && (!before.is_uppercase() || next_is_small);
            if !it.is_alphanumeric() || is_new {
                words.push(small.and_then(|it| it.get(start..at)));
                start = if it.is_alphanumeric() { at } else { at + it.len_utf8() };
            }
            before = it;
        }
        words.push(small.and_then(|it| it.get(start..)));
        words
    }

    pub(super) fn all(&self) -> &[&'b str] {
        self.words.get(..self.count).unwrap_or_default()
    }

    fn push(&mut self, word: Option<&'b str>) {
        let Some(word) = word.filter(|it| !it.is_empty()) else { return };
        if self.count == MOST_WORDS {
            self.words.rotate_left(1);
            self.count -= 1;
        }
        if let Some(place) = self.words.get_mut(self.count) {
            *place = word.trim_end_matches(|it: char| it.is_ascii_digit());
            self.count += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST_BYTES, MOST_WORDS, Words};

    #[test]
    fn names_have_words_in_every_case() {
        for (name, words) in [
            ("snake_case", &["snake", "case"][..]),
            ("--kebab-case", &["kebab", "case"]),
            ("camelCaseX", &["camel", "case", "x"]),
            ("SHOUTING_TOKEN2", &["shouting", "token"]),
            ("HTTPHeader", &["http", "header"]),
            ("API_KEY_1", &["api", "key", ""]),
            ("PÄSSE_é", &["p\u{c4}sse", "é"]),
            ("", &[]),
        ] {
            assert_eq!(Words::of(name, &mut [0; MOST_BYTES]).all(), words, "{name}");
        }
        let long = "ä.".repeat(90) + "password";
        let mut small = [0; MOST_BYTES];
        let words = Words::of(&long, &mut small);
        assert_eq!((words.all().len(), words.all().last()), (MOST_WORDS, Some(&"password")));
    }
}
