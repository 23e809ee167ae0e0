//! `Questions`: requests of the upstream that its clients have not answered yet.

use indexmap::IndexMap;
use redress_wire::json::{RawJson, Value};
use rustc_hash::FxBuildHasher;

/// The most that can wait. Then the oldest is forgotten.
pub(crate) const MOST: usize = 1 << 12;

/// The upstream's own ids of its requests, by the number under which clients know each.
#[derive(Debug, Default)]
pub(crate) struct Questions(IndexMap<u64, Box<str>, FxBuildHasher>);

impl Questions {
    /// Adds one.
    pub(super) fn insert(&mut self, ours: u64, theirs: &str) {
        if self.0.len() >= MOST {
            self.0.shift_remove_index(0);
        }
        self.0.insert(ours, theirs.into());
    }

    /// Takes one out by our number. Gives the upstream's own id.
    pub(crate) fn remove(&mut self, ours: u64) -> Option<Box<str>> {
        self.0.shift_remove(&ours)
    }

    /// Takes one out by the upstream's own id. Gives our number.
    pub(crate) fn remove_by_id(&mut self, theirs: Value<'_>) -> Option<u64> {
        let ours = self.0.iter().find(|it| is_same(it.1, theirs)).map(|it| *it.0)?;
        self.0.shift_remove(&ours);
        Some(ours)
    }

    /// Takes all out. Gives our numbers.
    pub(crate) fn take_all(&mut self) -> impl Iterator<Item = u64> + use<> {
        std::mem::take(&mut self.0).into_iter().map(|it| it.0)
    }
}

/// Whether two ids are the same, however they are spelt.
fn is_same(raw: &str, id: Value<'_>) -> bool {
    let is_text = || RawJson::parse(raw.as_bytes()).ok()?.with(|it| it.as_str() == id.as_str());
    raw == id.raw() || id.as_str().is_some() && is_text().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use redress_wire::json::{Doc, Limits};

    use super::{MOST, Questions};

    #[test]
    fn a_question_is_answered_once() {
        let mut questions = Questions::default();
        questions.insert(7, "\"a\"");
        assert_eq!(questions.remove(7).as_deref(), Some("\"a\""));
        assert_eq!(questions.remove(7), None);
    }

    #[test]
    fn an_id_is_found_in_another_spelling() {
        let mut questions = Questions::default();
        questions.insert(7, "\"a\"");
        let doc = |text: &'static str| Doc::parse(text.as_bytes(), Limits::DOCUMENT).unwrap();
        assert_eq!(questions.remove_by_id(doc("1").root()), None);
        assert_eq!(questions.remove_by_id(doc("\"\\u0061\"").root()), Some(7));
        assert_eq!(questions.take_all().count(), 0);
    }

    #[test]
    fn the_oldest_question_makes_room() {
        let mut questions = Questions::default();
        (0..=MOST as u64).for_each(|it| questions.insert(it, "1"));
        assert_eq!(questions.remove(0), None);
        assert_eq!(questions.take_all().count(), MOST);
    }
}
