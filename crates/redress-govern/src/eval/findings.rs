//! What is found against a payload, in either language: of all reasons the first by its place, and kinds of nodes that are not listed.

use std::{collections::BTreeMap, fmt::Debug};

use super::{
    Refusal, constructs,
    keywords::{Keyword, in_text},
    listed::Listed,
    place::line,
};

#[derive(Default)]
pub(super) struct Findings {
    list: Option<&'static Listed>,
    keywords: &'static [Keyword],
    first: Option<(u32, String, bool)>,
    keyword: Option<Refusal>,
    /// Whether a kind of node is listed, by its number, as far as it was met.
    kinds: BTreeMap<usize, bool>,
}

impl Findings {
    pub(super) fn new(list: &'static Listed, keywords: &'static [Keyword]) -> Self {
        Self { list: Some(list), keywords, ..Self::default() }
    }

    /// A reason against the payload, which the refusal tells with its line.
    pub(super) fn refuse(&mut self, at: u32, what: &str) {
        self.refuse_as(at, what.to_owned(), true);
    }

    pub(super) fn refuse_as(&mut self, at: u32, what: String, is_placed: bool) {
        if self.first.as_ref().is_none_or(|(first, ..)| at < *first) {
            self.first = Some((at, what, is_placed));
        }
    }

    /// A text that is used as a name of a member or a module.
    pub(super) fn keyword_in(&mut self, text: &str) {
        if let Some(keyword) = in_text(self.keywords, text) {
            self.keyword.get_or_insert(keyword);
        }
    }

    /// A node of the tree: its kind is listed, or the payload is refused.
    pub(super) fn node(&mut self, at: u32, number: usize, kind: impl Debug) {
        let list = self.list;
        let is_listed = || list.is_some_and(|it| it.has("node", &format!("{kind:?}")));
        if !*self.kinds.entry(number).or_insert_with(is_listed) {
            self.refuse(at, constructs::of_node(&format!("{kind:?}")));
        }
    }

    /// The verdict on code that begins at a place of the text.
    pub(super) fn verdict(self, text: &str, head: usize) -> Result<(), Refusal> {
        match (self.keyword, self.first) {
            (Some(keyword), _) => Err(keyword),
            (None, Some((_, what, false))) => Err(Refusal::Construct(what)),
            (None, Some((at, what, true))) => {
                let at = usize::try_from(at).unwrap_or_default().saturating_sub(head);
                let line = line(text.get(head..).unwrap_or_default(), at);
                Err(Refusal::Construct(format!("{what}, in line {line}")))
            }
            (None, None) => Ok(()),
        }
    }
}
