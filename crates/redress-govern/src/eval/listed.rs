//! A list of what may be used: parts that a line `[kind]` or `[kind name]` begins, of words between spaces.

use std::collections::{BTreeMap, BTreeSet};

pub(super) struct Listed(BTreeMap<&'static str, BTreeSet<&'static str>>);

impl Listed {
    pub(super) fn read(text: &'static str) -> Self {
        let parts = text.split("\n[").filter_map(|it| it.split_once("]\n"));
        Self(parts.map(|(kind, words)| (kind, words.split_whitespace().collect())).collect())
    }

    /// Whether a part has the word.
    pub(super) fn has(&self, kind: &str, word: &str) -> bool {
        self.0.get(kind).is_some_and(|it| it.contains(word))
    }

    pub(super) fn parts(&self) -> impl Iterator<Item = (&'static str, &BTreeSet<&'static str>)> {
        self.0.iter().map(|(kind, words)| (*kind, words))
    }
}
