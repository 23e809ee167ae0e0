//! Words, and lists of them.

/// A keyword: tokens one after another, and the spelling in which they are reported.
pub(super) type Keyword = (&'static [&'static str], &'static str);

/// Whether a list has the word.
pub(super) fn has(list: &[&str], word: &str) -> bool {
    list.contains(&word)
}
