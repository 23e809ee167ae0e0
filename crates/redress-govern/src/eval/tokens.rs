//! The words of a payload, compared with a blocklist: names and signs as they follow each other, without comments and texts.

use std::borrow::Cow;

use super::Refusal;

/// A keyword: tokens one after another, and the spelling in which they are reported.
pub(super) type Keyword = (&'static [&'static str], &'static str);

/// The last tokens that were seen.
pub(super) struct Tokens<'c> {
    keywords: &'static [Keyword],
    last: [Cow<'c, str>; 3],
}

impl<'c> Tokens<'c> {
    pub(super) fn new(keywords: &'static [Keyword]) -> Self {
        Self { keywords, last: Default::default() }
    }

    /// One more token; a keyword that ends with it is refused.
    pub(super) fn push(&mut self, token: Cow<'c, str>) -> Result<(), Refusal> {
        self.last.rotate_left(1);
        let [.., newest] = &mut self.last;
        *newest = token;
        match self.keywords.iter().find(|(tokens, _)| self.end_with(tokens)) {
            Some((_, keyword)) => Err(Refusal::Keyword(keyword)),
            None => Ok(()),
        }
    }

    fn end_with(&self, tokens: &[&str]) -> bool {
        self.last.iter().rev().zip(tokens.iter().rev()).all(|(have, want)| have == want)
    }
}

/// A keyword that stands in a text which is used as code, as a key or as the name of a module.
pub(super) fn in_text(keywords: &[Keyword], text: &str) -> Result<(), Refusal> {
    match keywords.iter().find(|(_, keyword)| text.contains(keyword)) {
        Some((_, keyword)) => Err(Refusal::Keyword(keyword)),
        None => Ok(()),
    }
}
