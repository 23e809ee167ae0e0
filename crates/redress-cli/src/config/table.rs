//! A cursor over one TOML table: sections take the keys they know, and what is left is reported.

use std::{ops::RangeInclusive, path::PathBuf};

use redress_registry::problems::{Problems, cut, quoted};
use toml::{
    Spanned,
    de::{DeString, DeTable, DeValue},
};

use super::{environment::Environment, section::Section, value::Value};

/// What reading takes along: where problems go, and what is outside of the file.
pub(crate) struct Reading<'r> {
    pub(crate) problems: Problems,
    pub(crate) environment: &'r dyn Environment,
    /// Every other file that was read, because its change is a change of the configuration.
    pub(crate) files: Vec<PathBuf>,
    /// Contracts that cannot be read: where they are named, why, and what was meant.
    pub(crate) unread: Vec<(usize, String, Option<String>)>,
}

/// One table of the file.
pub(crate) struct ConfigTable<'a, 'r> {
    pub(crate) reading: &'a mut Reading<'r>,
    entries: &'a DeTable<'a>,
    path: String,
    at: usize,
}

/// A value at its place, and what its key is called.
pub(crate) struct Given<'a> {
    pub(crate) path: String,
    pub(crate) value: &'a Spanned<DeValue<'a>>,
}

impl<'a, 'r> ConfigTable<'a, 'r> {
    pub(crate) fn root(entries: &'a DeTable<'a>, reading: &'a mut Reading<'r>) -> Self {
        Self { reading, entries, path: String::new(), at: 0 }
    }

    /// The value of a key.
    pub(crate) fn given(&self, key: &str) -> Option<Given<'a>> {
        let value = self.entries.get(key)?;
        Some(Given { path: joined(&self.path, key), value })
    }

    /// Takes the value of a key. Without it, or if it is not valid, `base` holds.
    pub(crate) fn take<T: Value>(
        &mut self,
        key: &'static str,
        range: Option<RangeInclusive<u64>>,
        base: &T,
    ) -> T {
        let Some(given) = self.given(key) else { return base.clone() };
        let Some(read) = T::over(&given, base, self.reading) else { return base.clone() };
        if let Some((range, number)) = range.zip(read.number())
            && !range.contains(&number)
        {
            let (least, most) = range.into_inner();
            given.refuse(self.reading, &format!("must be {least} to {most}, not {number}"));
            return base.clone();
        }
        read
    }

    /// Where a key is; where the table is, if it has no such key.
    pub(crate) fn place(&self, key: &str) -> usize {
        self.entries.get_key_value(key).map_or(self.at, |(key, _)| key.span().start)
    }

    /// Whether the file has the key.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.entries.contains_key(key)
    }

    /// Reports a problem with a key of the table, or with the table.
    pub(crate) fn refuse(&mut self, key: &str, problem: String) {
        let at = self.place(key);
        self.reading.problems.add(at, problem);
    }

    /// What the table is called in problems.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// Reports every key that is not known.
    pub(crate) fn close(self, known: &[&str]) {
        for key in self.entries.keys().filter(|it| !known.contains(&&**it.get_ref())) {
            let name = key.get_ref();
            let of = if self.path.is_empty() {
                "the file".to_owned()
            } else {
                format!("[{}]", self.path)
            };
            let problems = &mut self.reading.problems;
            let meant = problems.nearest(name, known.iter().copied());
            let message = format!("{} is not a key of {of}.", told(name));
            problems.add_meant(key.span().start, message, meant);
        }
    }
}

impl<'a> Given<'a> {
    /// A string.
    pub(crate) fn text(&self, reading: &mut Reading<'_>) -> Option<&'a str> {
        let text = self.value.get_ref().as_str();
        if text.is_none() {
            self.refuse_type(reading, "a string");
        }
        text
    }

    /// The items of a list.
    pub(crate) fn items(&self, reading: &mut Reading<'_>) -> Option<Vec<Self>> {
        let Some(items) = self.value.get_ref().as_array() else {
            self.refuse_type(reading, "a list");
            return None;
        };
        Some(items.iter().map(|value| Given { path: self.path.clone(), value }).collect())
    }

    /// The values of a table under names that are not known, in file order.
    pub(crate) fn entries(
        &self,
        reading: &mut Reading<'_>,
    ) -> Option<Vec<(&'a Spanned<DeString<'a>>, Self)>> {
        let mut entries: Vec<_> = self.table(reading)?.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        let given = |(key, value): (&'a Spanned<DeString<'a>>, &'a Spanned<DeValue<'a>>)| {
            (key, Given { path: joined(&self.path, key.get_ref()), value })
        };
        Some(entries.into_iter().map(given).collect())
    }

    /// A table with known keys.
    pub(crate) fn section<S: Section>(&self, base: &S, reading: &mut Reading<'_>) -> Option<S> {
        let entries = self.table(reading)?;
        let at = self.value.span().start;
        let mut table = ConfigTable { reading, entries, path: self.path.clone(), at };
        let read = S::take(&mut table, base);
        read.check(&mut table);
        table.close(S::NAMES);
        Some(read)
    }

    /// Reports that the value is not valid; the key is the sentence's subject.
    pub(crate) fn refuse(&self, reading: &mut Reading<'_>, problem: &str) {
        reading.problems.add(self.value.span().start, format!("`{}` {problem}.", self.path));
    }

    /// Reports a value of another type.
    pub(crate) fn refuse_type(&self, reading: &mut Reading<'_>, what: &str) {
        let found = self.value.get_ref().type_str();
        let article = if found.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
        self.refuse(reading, &format!("must be {what}, not {article} {found}"));
    }

    fn table(&self, reading: &mut Reading<'_>) -> Option<&'a DeTable<'a>> {
        let table = self.value.get_ref().as_table();
        if table.is_none() {
            self.refuse_type(reading, "a table");
        }
        table
    }
}

/// Where the key of a path is, or the table that would have it.
pub(crate) fn place_of(root: &DeTable<'_>, path: &[String]) -> usize {
    let (mut table, mut at) = (Some(root), 0);
    for name in path {
        let Some((key, value)) = table.and_then(|it| it.get_key_value(name.as_str())) else {
            break;
        };
        at = key.span().start;
        table = value.get_ref().as_table();
    }
    at
}

/// A key that is not known, if it looks like one at all: what a lost quote turned into a key may be secret.
fn told(key: &str) -> String {
    let is_wordy = |it: u8| it.is_ascii_alphabetic() || it == b'_' || it == b'-';
    if key.bytes().all(is_wordy) { quoted(key) } else { "This".to_owned() }
}

fn joined(path: &str, key: &str) -> String {
    let key = cut(key);
    if path.is_empty() { key } else { format!("{path}.{key}") }
}
