//! Rows of phrases, read once from the texts that ship with the library.
//!
//! A line at the margin opens a row, `CODE [retry] [before] [name] [if guard]: phrase | phrase`; an indented line adds phrases.
//! `before`: a tool that writes this has not begun the work. `name`: the name of an argument is wrong. A guard asks for something about
//! the call.

use redress_registry::RetryKind;

use super::{
    evidence::{self, Guard},
    phrase::{Gathering, Hits, Phrase},
};
use std::ops::Range;

/// One row.
#[derive(Debug)]
pub(crate) struct Row {
    /// The program or library that writes the phrases: the name of their file.
    pub(crate) producer: &'static str,
    /// A code, or in the prose table the name of a class.
    pub(crate) head: String,
    pub(crate) retry: Option<RetryKind>,
    pub(crate) is_before: bool,
    pub(crate) is_name: bool,
    pub(crate) guard: Option<Guard>,
    phrases: Vec<Worded>,
}

/// A phrase with its spelling, which is the name of the rule.
#[derive(Debug)]
struct Worded {
    phrase: Phrase,
    rule: String,
    length: usize,
}

/// Rows in their order.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Row>,
    /// The places of rows and of their phrases, by pattern.
    by_pattern: Vec<Vec<(u32, u32)>>,
}

/// A row whose phrase occurs.
#[derive(Debug)]
pub(crate) struct Match<'t> {
    pub(crate) row: &'t Row,
    pub(crate) rule: &'t str,
}

impl Table {
    /// Reads the text of a producer.
    pub(crate) fn read(
        &mut self,
        producer: &'static str,
        text: &str,
        gathering: &mut Gathering,
    ) -> Result<(), String> {
        for (at, line) in text.lines().enumerate() {
            let mut phrases = line.trim();
            if phrases.is_empty() || phrases.starts_with('#') {
                continue;
            }
            if !line.starts_with(' ') {
                let (head, rest) = line.split_once(':').unwrap_or((line, ""));
                let row = row(producer, head);
                self.rows.push(row.ok_or_else(|| format!("{producer}:{}: {head}", at + 1))?);
                phrases = rest.trim();
            }
            let place = u32::try_from(self.rows.len()).unwrap_or(u32::MAX) - 1;
            let Some(row) = self.rows.last_mut() else { continue };
            for written in phrases.split(" | ").map(str::trim).filter(|it| !it.is_empty()) {
                let phrase = gathering.phrase(written);
                let pattern = phrase.pattern().unwrap_or_default() as usize;
                if self.by_pattern.len() <= pattern {
                    self.by_pattern.resize_with(pattern + 1, Vec::new);
                }
                let at = u32::try_from(row.phrases.len()).unwrap_or(u32::MAX);
                if let Some(list) = self.by_pattern.get_mut(pattern) {
                    list.push((place, at));
                }
                let rule = format!("{producer}: {written}");
                row.phrases.push(Worded { phrase, rule, length: written.len() });
            }
        }
        Ok(())
    }

    /// The first row that holds and has a phrase in its window.
    pub(crate) fn first(
        &self,
        hits: &Hits<'_>,
        window: impl Fn(&Row) -> Range<usize>,
        holds: impl Fn(Guard) -> bool,
    ) -> Option<Match<'_>> {
        let mut places: Vec<_> = self.places(hits).collect();
        places.sort_unstable();
        places.dedup();
        let mut found = places.into_iter().filter_map(|at| self.at(at));
        found
            .find(|(row, it)| {
                hits.find(&it.phrase, &window(row)).is_some() && row.guard.is_none_or(&holds)
            })
            .map(|(row, it)| Match { row, rule: &it.rule })
    }

    /// The row with the longest phrase in the window; of two, the one that occurs first.
    pub(crate) fn longest(&self, hits: &Hits<'_>, window: &Range<usize>) -> Option<Match<'_>> {
        let found = self.places(hits).filter_map(|at| self.at(at));
        let found = found.filter_map(|(row, it)| {
            let start = hits.find(&it.phrase, window)?.start;
            Some(((it.length, usize::MAX - start), row, it))
        });
        found.max_by_key(|it| it.0).map(|(_, row, it)| Match { row, rule: &it.rule })
    }

    fn places(&self, hits: &Hits<'_>) -> impl Iterator<Item = (u32, u32)> {
        hits.patterns().filter_map(|it| self.by_pattern.get(it as usize)).flatten().copied()
    }

    fn at(&self, (row, phrase): (u32, u32)) -> Option<(&Row, &Worded)> {
        let row = self.rows.get(row as usize)?;
        Some((row, row.phrases.get(phrase as usize)?))
    }

    /// Every row, for the tests that hold them to the registry.
    #[cfg(test)]
    pub(crate) fn rows(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter()
    }
}

fn row(producer: &'static str, head: &str) -> Option<Row> {
    let (head, guard) = match head.split_once(" if ") {
        Some((head, name)) => (head, Some(evidence::guard(name)?)),
        None => (head, None),
    };
    let mut words = head.split(' ');
    let mut row = Row {
        producer,
        head: words.next()?.to_owned(),
        retry: None,
        is_before: false,
        is_name: false,
        guard,
        phrases: Vec::new(),
    };
    for word in words {
        match word {
            "before" => row.is_before = true,
            "name" => row.is_name = true,
            "credentials" | "wait" => head.clone_into(&mut row.head),
            _ => row.retry = Some(RetryKind::parse(word)?),
        }
    }
    Some(row)
}
