//! The words of a payload, compared with a blocklist: names and signs as they follow each other, without comments and texts.

use super::{Refusal, words::Keyword};

/// The last tokens that were seen.
pub(super) struct Tokens<'c> {
    keywords: &'static [Keyword],
    last: [&'c str; 3],
}

impl<'c> Tokens<'c> {
    pub(super) fn new(keywords: &'static [Keyword]) -> Self {
        Self { keywords, last: Default::default() }
    }

    /// One more token; a keyword that ends with it is refused.
    pub(super) fn push(&mut self, token: &'c str) -> Result<(), Refusal> {
        let [_, second, third] = self.last;
        self.last = [second, third, token];
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
