//! `Problems`: what is wrong with one file, collected until all are reported.

use crate::{Problem, Source, nearest::nearest};

/// What is wrong with a file, as found so far.
#[derive(Debug)]
pub struct Problems {
    source: Source,
    found: Vec<Problem>,
    unlisted: usize,
}

impl Problems {
    /// A file of garbage has as many problems as bytes; a reader needs no more than this.
    const MOST: usize = 100;

    /// None yet.
    pub fn new(source: &Source) -> Self {
        Self { source: source.clone(), found: Vec::new(), unlisted: 0 }
    }

    /// Notes what is wrong at a byte offset, one sentence.
    pub fn add(&mut self, at: usize, message: String) {
        self.add_meant(at, message, None);
    }

    /// The same, with what was probably meant.
    pub fn add_meant(&mut self, at: usize, message: String, meant: Option<&str>) {
        if self.found.len() < Self::MOST {
            self.found.push(self.source.problem(at, message).meant(meant));
        } else {
            self.unlisted += 1;
        }
    }

    /// What a word was meant to be. Looks nothing up for a problem that will not be listed.
    pub fn nearest<'a, S: AsRef<str> + ?Sized + 'a>(
        &self,
        word: &str,
        candidates: impl IntoIterator<Item = &'a S>,
    ) -> Option<&'a str> {
        (self.found.len() < Self::MOST)
            .then(|| nearest(word, candidates.into_iter().map(AsRef::as_ref)))
            .flatten()
    }

    /// Goes on if nothing is wrong so far, else gives what is, in file order.
    pub fn none_yet(&mut self) -> Result<(), Vec<Problem>> {
        if self.found.is_empty() {
            return Ok(());
        }
        let source = self.source.clone();
        Err(std::mem::replace(self, Self::new(&source)).into_list())
    }

    /// All of them, in file order.
    pub fn into_list(mut self) -> Vec<Problem> {
        self.found.sort_by(|a, b| a.place.cmp(&b.place));
        if self.unlisted > 0 {
            let message = format!("{} more problems are not listed.", self.unlisted);
            self.found.push(self.source.problem(self.source.text.len(), message));
        }
        self.found
    }
}

/// A word of the file inside a message: short, and without characters that a terminal obeys.
pub fn quoted(word: &str) -> String {
    format!("`{}`", cut(word))
}

/// The same without the quotes.
pub fn cut(word: &str) -> String {
    const MOST_CHARS: usize = 60;
    let mut shown = String::new();
    for it in word.chars().take(MOST_CHARS) {
        match it {
            '"' | '\'' | '\\' => shown.push(it),
            it => shown.extend(it.escape_debug()),
        }
    }
    if word.chars().nth(MOST_CHARS).is_some() {
        shown.push('…');
    }
    shown
}
