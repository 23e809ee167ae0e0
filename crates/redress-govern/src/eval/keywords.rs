//! The keyword list: words and signs of code as they follow each other, and texts that name a member or a module.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

use super::Refusal;

/// A keyword: tokens one after another, and the spelling in which it is reported.
pub(super) type Keyword = (&'static [&'static str], &'static str);

/// Compares the words of a payload with a list. Texts and comments are left out by the caller.
pub(super) struct Keywords<'c> {
    list: &'static [Keyword],
    last: [Cow<'c, str>; 3],
}

impl<'c> Keywords<'c> {
    pub(super) fn new(list: &'static [Keyword]) -> Self {
        Self { list, last: Default::default() }
    }

    /// One more token; a keyword that ends with it is refused.
    pub(super) fn push(&mut self, token: Cow<'c, str>) -> Result<(), Refusal> {
        self.last.rotate_left(1);
        if let Some(last) = self.last.last_mut() {
            *last = token;
        }
        let ends_with =
            |want: &[&str]| self.last.iter().rev().zip(want.iter().rev()).all(|(a, b)| a == b);
        match self.list.iter().find(|(tokens, _)| ends_with(tokens)) {
            Some((_, keyword)) => Err(Refusal::Keyword(keyword)),
            None => Ok(()),
        }
    }
}

/// The keyword that is in a text which is used as code, as a key or as the name of a module.
pub(super) fn in_text(list: &[Keyword], text: &str) -> Option<Refusal> {
    let found = list.iter().find(|(_, keyword)| text.contains(keyword));
    found.map(|(_, keyword)| Refusal::Keyword(keyword))
}

/// A name as languages compare it: letters in their plain form (a full-width `ｅ` is an `e`).
pub(super) fn plain(name: &str) -> Cow<'_, str> {
    if name.is_ascii() { Cow::Borrowed(name) } else { Cow::Owned(name.nfkc().collect()) }
}
