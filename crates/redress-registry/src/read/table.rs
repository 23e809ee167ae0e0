//! A cursor over one TOML table: rows take the keys they know, and what is left is reported.

use std::fmt;

use toml::{
    Spanned as TomlSpanned,
    de::{DeArray, DeString, DeTable, DeValue},
};

use super::value::FromToml;
use crate::{
    Spanned,
    draft::Field,
    problems::{Problems, cut, quoted},
};

/// A key as the parser gives it.
pub(super) type Key<'i> = TomlSpanned<DeString<'i>>;
/// The value of a key as the parser gives it.
pub(super) type Raw<'i> = TomlSpanned<DeValue<'i>>;

/// One table of the file, and the keys that were asked for.
pub(super) struct TableReader<'a, 'i> {
    /// Where problems go.
    pub(super) problems: &'a mut Problems,
    entries: &'a DeTable<'i>,
    path: Path<'a>,
    known: Vec<&'static str>,
}

/// What a table is called in problems.
#[derive(Clone, Copy)]
pub(super) enum Path<'a> {
    File,
    Table(&'a str),
    Row(&'a str, &'a str),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => f.write_str("the file"),
            Self::Table(table) => f.write_str(table),
            Self::Row(table, row) => write!(f, "{table}.{}", cut(row)),
        }
    }
}

impl<'a, 'i> TableReader<'a, 'i> {
    pub(super) fn of(entries: &'a DeTable<'i>, path: Path<'a>, problems: &'a mut Problems) -> Self {
        Self { problems, entries, path, known: Vec::with_capacity(KEYS_OF_A_CODE) }
    }

    /// The first key in the file.
    pub(super) fn first_key(&self) -> Option<&'a Key<'i>> {
        self.entries.keys().min_by_key(|it| it.span().start)
    }

    /// Takes a key as it is.
    pub(super) fn entry(&mut self, key: &'static str) -> Option<(&'a Key<'i>, &'a Raw<'i>)> {
        self.known.push(key);
        self.entries.get_key_value(key)
    }

    /// Takes a single value.
    pub(super) fn take<T: FromToml>(&mut self, key: &'static str) -> Field<T> {
        let (_, value) = self.entry(key)?;
        self.one(key, value)
    }

    /// Takes a list of values; without the key it is empty.
    pub(super) fn list<T: FromToml>(&mut self, key: &'static str) -> Vec<Spanned<T>> {
        match self.entry(key) {
            Some((_, value)) => self.many(key, value),
            None => Vec::new(),
        }
    }

    /// Takes a table with keys of its own.
    pub(super) fn table<T>(
        &mut self,
        key: &'static str,
        row: impl FnOnce(&mut TableReader<'_, 'i>) -> T,
    ) -> Option<Spanned<T>> {
        let (_, value) = self.entry(key)?;
        self.inner(Path::Table(key), value, row)
    }

    /// Takes a list of tables: `[[key]]`, or an array of inline ones.
    pub(super) fn tables<T>(
        &mut self,
        key: &'static str,
        row: impl Fn(&mut TableReader<'_, 'i>) -> T,
    ) -> Vec<Spanned<T>> {
        let Some((_, value)) = self.entry(key) else { return Vec::new() };
        let Some(array) = self.array(key, value) else { return Vec::new() };
        array.iter().filter_map(|it| self.inner(Path::Table(key), it, &row)).collect()
    }

    /// Takes a table whose keys are names: `[key.NAME]`.
    pub(super) fn rows<T>(
        &mut self,
        key: &'static str,
        row: impl Fn(Spanned<String>, &mut TableReader<'_, 'i>) -> T,
    ) -> Vec<Spanned<T>> {
        let Some((_, value)) = self.entry(key) else { return Vec::new() };
        let Some(table) = self.expect(Path::Table(key), value, "a table", DeValue::as_table) else {
            return Vec::new();
        };
        in_file_order(table)
            .into_iter()
            .filter_map(|(name, value)| {
                let path = Path::Row(key, name.get_ref());
                self.inner(path, value, |table| row(named(name), table))
            })
            .collect()
    }

    /// Reads the value of a key that was taken.
    pub(super) fn one<T: FromToml>(&mut self, key: &str, value: &Raw<'i>) -> Field<T> {
        Some(Spanned::new(T::from_toml(key, value, self.problems)?, value.span()))
    }

    /// Reads the list of a key that was taken.
    pub(super) fn many<T: FromToml>(&mut self, key: &str, value: &Raw<'i>) -> Vec<Spanned<T>> {
        let Some(array) = self.array(key, value) else { return Vec::new() };
        array.iter().filter_map(|it| self.one(key, it)).collect()
    }

    /// Reports every unknown key.
    pub(super) fn close(self) {
        for key in self.entries.keys().filter(|it| !self.known.contains(&&**it.get_ref())) {
            let name = key.get_ref();
            let message = match self.path {
                Path::File => format!("{} is not a key of the file.", quoted(name)),
                path => format!("{} is not a key of [{path}].", quoted(name)),
            };
            let meant = self.problems.nearest(name, self.known.iter().copied());
            self.problems.add_meant(key.span().start, message, meant);
        }
    }

    fn inner<T>(
        &mut self,
        path: Path<'_>,
        value: &Raw<'i>,
        row: impl FnOnce(&mut TableReader<'_, 'i>) -> T,
    ) -> Option<Spanned<T>> {
        let table = self.expect(path, value, "a table", DeValue::as_table)?;
        let mut inner = TableReader::of(table, path, self.problems);
        let read = row(&mut inner);
        inner.close();
        Some(Spanned::new(read, value.span()))
    }

    fn array<'v>(&mut self, key: &str, value: &'v Raw<'i>) -> Option<&'v DeArray<'i>> {
        self.expect(Path::Table(key), value, "a list", DeValue::as_array)
    }

    fn expect<'v, T: ?Sized>(
        &mut self,
        path: Path<'_>,
        value: &'v Raw<'i>,
        what: &str,
        as_what: impl FnOnce(&'v DeValue<'i>) -> Option<&'v T>,
    ) -> Option<&'v T> {
        let found = as_what(value.get_ref());
        if found.is_none() {
            wrong_type(self.problems, path, value, what);
        }
        found
    }
}

/// The widest table of the format; its keys are asked for one by one.
const KEYS_OF_A_CODE: usize = 20;

/// A key as a name of its own.
pub(super) fn named(key: &Key<'_>) -> Spanned<String> {
    Spanned::new(key.get_ref().to_string(), key.span())
}

/// The parser sorts by name; rows and values follow the file.
pub(super) fn in_file_order<'a, 'i>(table: &'a DeTable<'i>) -> Vec<(&'a Key<'i>, &'a Raw<'i>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

/// Reports a value of another type than `what`.
pub(super) fn wrong_type(problems: &mut Problems, path: Path<'_>, value: &Raw<'_>, what: &str) {
    let found = value.get_ref().type_str();
    let article = if found.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    problems.add(value.span().start, format!("`{path}` must be {what}, not {article} {found}."));
}
