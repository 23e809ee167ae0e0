//! `Value`: a type that can stand behind a key, and the plain ones.

use std::collections::BTreeMap;

use redress_registry::problems::quoted;
use toml::de::DeInteger;

use super::{
    kind::ValueKind,
    section::Section,
    table::{Given, Reading},
};

/// A type that can stand behind a key.
pub(crate) trait Value: Clone {
    /// Reads it; on `None` a problem was reported.
    fn read(given: &Given<'_>, reading: &mut Reading<'_>) -> Option<Self>;

    /// Reads it; what it does not say is as in `base`.
    fn over(given: &Given<'_>, _base: &Self, reading: &mut Reading<'_>) -> Option<Self> {
        Self::read(given, reading)
    }

    /// What may be written.
    fn kind() -> ValueKind;

    /// How it is shown to people: as TOML, without secrets.
    fn shown(&self) -> Shown;

    /// How several of them are shown, each in its place.
    fn all_shown(all: &[Self]) -> Vec<Shown> {
        all.iter().map(Self::shown).collect()
    }

    /// The number that it is, for a range.
    fn number(&self) -> Option<u64> {
        None
    }
}

/// A value as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Shown {
    /// There is none.
    Nothing,
    /// As TOML.
    Toml(String),
    /// A table of its own.
    Table(Vec<(String, Self)>),
}

impl Shown {
    /// A string.
    pub(crate) fn text(text: &str) -> Self {
        Self::Toml(toml_string(text))
    }

    /// Whether it says nothing.
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Nothing => true,
            Self::Toml(toml) => toml == "[]" || toml == "{}",
            Self::Table(entries) => entries.iter().all(|it| it.1.is_empty()),
        }
    }

    /// As an item of a list: a table in one line, without what it does not say.
    pub(crate) fn inline(self) -> Option<String> {
        match self {
            Self::Nothing => None,
            Self::Toml(toml) => Some(toml),
            Self::Table(entries) => {
                let said = entries.into_iter().filter(|it| !it.1.is_empty());
                let items: Vec<_> = said
                    .filter_map(|(key, it)| Some(format!("{} = {}", toml_key(&key), it.inline()?)))
                    .collect();
                Some(format!("{{ {} }}", items.join(", ")))
            }
        }
    }

    /// What can stand behind a key in its line.
    pub(crate) fn into_toml(self) -> Option<String> {
        match self {
            Self::Toml(toml) => Some(toml),
            Self::Nothing | Self::Table(_) => None,
        }
    }
}

/// A string as TOML writes it, which for strings is as JSON does.
pub(crate) fn toml_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A key as TOML writes it.
pub(crate) fn toml_key(key: &str) -> String {
    let is_bare = |it: u8| it.is_ascii_alphanumeric() || it == b'_' || it == b'-';
    if !key.is_empty() && key.bytes().all(is_bare) { key.to_owned() } else { toml_string(key) }
}

impl Value for bool {
    fn read(given: &Given<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        let truth = given.value.get_ref().as_bool();
        if truth.is_none() {
            given.refuse_type(reading, "true or false");
        }
        truth
    }

    fn kind() -> ValueKind {
        ValueKind::Flag
    }

    fn shown(&self) -> Shown {
        Shown::Toml(self.to_string())
    }
}

impl Value for u64 {
    fn read(given: &Given<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        let Some(written) = given.value.get_ref().as_integer() else {
            given.refuse_type(reading, "a whole number");
            return None;
        };
        let number = unsigned(written);
        if number.is_none() {
            given.refuse(reading, "must not be negative");
        }
        number
    }

    fn kind() -> ValueKind {
        ValueKind::Number
    }

    fn shown(&self) -> Shown {
        Shown::Toml(self.to_string())
    }

    fn number(&self) -> Option<u64> {
        Some(*self)
    }
}

impl Value for String {
    fn read(given: &Given<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        let text = given.text(reading)?;
        if text.is_empty() || text.contains('\0') {
            given.refuse(reading, "must not be empty or hold a NUL character");
            return None;
        }
        Some(text.to_owned())
    }

    fn kind() -> ValueKind {
        ValueKind::Text("text")
    }

    fn shown(&self) -> Shown {
        Shown::text(self)
    }
}

/// A key that may be absent.
impl<T: Value> Value for Option<T> {
    fn read(given: &Given<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        T::read(given, reading).map(Some)
    }

    fn kind() -> ValueKind {
        T::kind()
    }

    fn shown(&self) -> Shown {
        self.as_ref().map_or(Shown::Nothing, T::shown)
    }

    fn number(&self) -> Option<u64> {
        self.as_ref().and_then(T::number)
    }
}

impl<T: Value> Value for Vec<T> {
    fn read(given: &Given<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        let items: Vec<_> = given.items(reading)?.iter().map(|it| T::read(it, reading)).collect();
        items.into_iter().collect()
    }

    fn kind() -> ValueKind {
        ValueKind::List(Box::new(T::kind()))
    }

    fn shown(&self) -> Shown {
        let items: Vec<_> = T::all_shown(self).into_iter().filter_map(Shown::inline).collect();
        Shown::Toml(format!("[{}]", items.join(", ")))
    }
}

/// Values under names that are not known.
impl<T: Value> Value for BTreeMap<String, T> {
    fn read(given: &Given<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        let entries = given.entries(reading)?;
        let read: Vec<_> = entries
            .iter()
            .map(|(key, it)| Some((key.get_ref().to_string(), T::read(it, reading)?)))
            .collect();
        read.into_iter().collect()
    }

    fn kind() -> ValueKind {
        ValueKind::Map(Box::new(T::kind()))
    }

    fn shown(&self) -> Shown {
        let entry = |(key, value): (&String, &T)| {
            Some(format!("{} = {}", toml_key(key), value.shown().into_toml()?))
        };
        let entries: Vec<_> = self.iter().filter_map(entry).collect();
        match entries.as_slice() {
            [] => Shown::Toml("{}".to_owned()),
            entries => Shown::Toml(format!("{{ {} }}", entries.join(", "))),
        }
    }
}

/// Sections under names of their own: `[server.NAME]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedSections<T>(pub Vec<T>);

/// A section that has a name.
pub(crate) trait NamedSection: Section + Value {
    /// Which names there can be: an English rule for who gave another one.
    fn name_rule(name: &str) -> Result<(), &'static str>;

    /// The section under another name.
    #[must_use]
    fn called(&self, name: &str) -> Self;

    /// What it is called.
    fn name(&self) -> &str;
}

/// Reads every row; what one does not say is as in `base`.
pub(crate) fn rows<T: NamedSection>(
    given: &Given<'_>,
    base: &T,
    reading: &mut Reading<'_>,
) -> Option<Vec<T>> {
    let mut rows = Vec::new();
    for (key, it) in given.entries(reading)? {
        let name = key.get_ref();
        if let Err(rule) = T::name_rule(name) {
            let message = format!("{} is not a name: {rule}.", quoted(name));
            reading.problems.add(key.span().start, message);
        }
        rows.extend(it.section(&base.called(name), reading));
    }
    Some(rows)
}

impl<T> Default for NamedSections<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: NamedSection> Value for NamedSections<T> {
    fn read(given: &Given<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        rows(given, &T::default(), reading).map(Self)
    }

    fn kind() -> ValueKind {
        ValueKind::Named(T::shape())
    }

    fn shown(&self) -> Shown {
        Shown::Table(self.0.iter().map(|it| (it.name().to_owned(), it.shown())).collect())
    }
}

/// TOML numbers have a sign and 64 bits.
fn unsigned(written: &DeInteger<'_>) -> Option<u64> {
    let number = i64::from_str_radix(written.as_str(), written.radix()).ok()?;
    u64::try_from(number).ok()
}
