//! A cursor over one TOML table: rows take the keys they know, and what is left is reported.

use toml::{
    Spanned as TomlSpanned,
    de::{DeArray, DeTable, DeValue},
};

use super::value::FromToml;
use crate::{
    Spanned,
    draft::Field,
    problems::{Problems, cut, quoted},
};

/// The value of a key as the parser gives it.
pub(super) type Raw<'i> = TomlSpanned<DeValue<'i>>;

/// One table of the file, and which of its keys nobody has asked for yet.
pub(super) struct Table<'a, 'i> {
    /// Where problems go.
    pub(super) problems: &'a mut Problems,
    name: String,
    rest: Vec<(Spanned<String>, &'a Raw<'i>)>,
    known: Vec<&'static str>,
}

impl<'a, 'i> Table<'a, 'i> {
    /// A cursor over `table`, which problems call `name`.
    pub(super) fn of(
        table: &'a DeTable<'i>,
        name: impl Into<String>,
        problems: &'a mut Problems,
    ) -> Self {
        Self { problems, name: name.into(), rest: in_file_order(table), known: Vec::new() }
    }

    /// The key that stands first and was not taken.
    pub(super) fn first_key(&self) -> Option<&Spanned<String>> {
        self.rest.first().map(|(key, _)| key)
    }

    /// Whether the key is there and was not taken.
    pub(super) fn has(&self, key: &str) -> bool {
        self.rest.iter().any(|(it, _)| it.value == key)
    }

    /// Takes a key as it is.
    pub(super) fn entry(&mut self, key: &'static str) -> Option<(Spanned<String>, &'a Raw<'i>)> {
        self.known.push(key);
        let at = self.rest.iter().position(|(it, _)| it.value == key)?;
        Some(self.rest.remove(at))
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
        row: impl FnOnce(&mut Table<'_, 'i>) -> T,
    ) -> Option<Spanned<T>> {
        let (_, value) = self.entry(key)?;
        self.inner(key, value, row)
    }

    /// Takes a list of tables: `[[key]]`, or an array of inline ones.
    pub(super) fn tables<T>(
        &mut self,
        key: &'static str,
        row: impl Fn(&mut Table<'_, 'i>) -> T,
    ) -> Vec<Spanned<T>> {
        let Some((_, value)) = self.entry(key) else { return Vec::new() };
        let Some(array) = self.array(key, value) else { return Vec::new() };
        array.iter().filter_map(|it| self.inner(key, it, &row)).collect()
    }

    /// Takes a table whose keys are names: `[key.NAME]`.
    pub(super) fn rows<T>(
        &mut self,
        key: &'static str,
        row: impl Fn(Spanned<String>, &mut Table<'_, 'i>) -> T,
    ) -> Vec<Spanned<T>> {
        let Some((_, value)) = self.entry(key) else { return Vec::new() };
        let Some(table) = self.expect(key, value, "a table", DeValue::as_table) else {
            return Vec::new();
        };
        in_file_order(table)
            .into_iter()
            .filter_map(|(name, value)| {
                let path = format!("{key}.{}", cut(&name.value));
                self.inner(&path, value, |table| row(name, table))
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

    /// Reports every key that nobody took.
    pub(super) fn close(self) {
        for (key, _) in &self.rest {
            let message = format!("{} is not a key of {}.", quoted(&key.value), self.name);
            let meant = self.problems.nearest(&key.value, self.known.iter().copied());
            self.problems.add_meant(key.span.start, message, meant);
        }
    }

    fn inner<T>(
        &mut self,
        path: &str,
        value: &Raw<'i>,
        row: impl FnOnce(&mut Table<'_, 'i>) -> T,
    ) -> Option<Spanned<T>> {
        let table = self.expect(path, value, "a table", DeValue::as_table)?;
        let mut inner = Table::of(table, format!("[{path}]"), self.problems);
        let read = row(&mut inner);
        inner.close();
        Some(Spanned::new(read, value.span()))
    }

    fn array<'v>(&mut self, key: &str, value: &'v Raw<'i>) -> Option<&'v DeArray<'i>> {
        self.expect(key, value, "a list", DeValue::as_array)
    }

    fn expect<'v, T: ?Sized>(
        &mut self,
        key: &str,
        value: &'v Raw<'i>,
        what: &str,
        as_what: impl FnOnce(&'v DeValue<'i>) -> Option<&'v T>,
    ) -> Option<&'v T> {
        let found = as_what(value.get_ref());
        if found.is_none() {
            wrong_type(self.problems, key, value, what);
        }
        found
    }
}

/// The parser sorts by name; rows and messages follow the file.
fn in_file_order<'a, 'i>(table: &'a DeTable<'i>) -> Vec<(Spanned<String>, &'a Raw<'i>)> {
    let mut entries: Vec<_> = table
        .iter()
        .map(|(key, value)| (Spanned::new(key.get_ref().to_string(), key.span()), value))
        .collect();
    entries.sort_by_key(|(key, _)| key.span.start);
    entries
}

/// Reports a value of another type than `what`.
pub(super) fn wrong_type(problems: &mut Problems, key: &str, value: &Raw<'_>, what: &str) {
    let found = value.get_ref().type_str();
    let article = if found.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    problems.add(value.span().start, format!("`{key}` must be {what}, not {article} {found}."));
}
