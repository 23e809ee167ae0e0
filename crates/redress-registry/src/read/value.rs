//! Single values: which TOML value each type of the draft is written as.

use serde_json::{Map, Number, Value};
use toml::de::{DeInteger, DeTable, DeValue};

use super::table::{Path, Raw, TableReader, in_file_order, wrong_type};
use crate::{
    Class, Effect, Operation, ParamType, Retry, RetryKind, Severity, Stability,
    draft::Field,
    problems::{Problems, quoted},
};

/// Values deeper than this are refused; no example and no argument needs them.
const MAX_DEPTH: usize = 32;

/// What can be read from one TOML value. On `None` a problem was reported.
pub(super) trait FromToml: Sized {
    fn from_toml(key: &str, value: &Raw<'_>, problems: &mut Problems) -> Option<Self>;
}

impl FromToml for String {
    fn from_toml(key: &str, value: &Raw<'_>, problems: &mut Problems) -> Option<Self> {
        typed(key, value, problems, "a string", |it| it.as_str().map(str::to_owned))
    }
}

impl FromToml for bool {
    fn from_toml(key: &str, value: &Raw<'_>, problems: &mut Problems) -> Option<Self> {
        typed(key, value, problems, "a boolean", DeValue::as_bool)
    }
}

impl FromToml for i64 {
    fn from_toml(key: &str, value: &Raw<'_>, problems: &mut Problems) -> Option<Self> {
        let written = typed(key, value, problems, "an integer", DeValue::as_integer)?;
        let read = integer(written).and_then(|it| Self::try_from(it).ok());
        if read.is_none() {
            problems.add(value.span().start, format!("`{key}` is beyond 64 bits."));
        }
        read
    }
}

impl FromToml for (i64, i64) {
    fn from_toml(key: &str, value: &Raw<'_>, problems: &mut Problems) -> Option<Self> {
        let pair = typed(key, value, problems, "a pair `[first, last]`", |it| {
            it.as_array().filter(|it| it.len() == 2)
        })?;
        let mut ends = pair.iter().map(|it| i64::from_toml(key, it, problems));
        ends.next()?.zip(ends.next()?)
    }
}

impl FromToml for Map<String, Value> {
    fn from_toml(key: &str, value: &Raw<'_>, problems: &mut Problems) -> Option<Self> {
        let table = typed(key, value, problems, "a table", DeValue::as_table)?;
        object(key, table, 0, problems)
    }
}

/// A rule is its kind alone, or a table.
impl FromToml for Retry {
    fn from_toml(key: &str, value: &Raw<'_>, problems: &mut Problems) -> Option<Self> {
        let Some(table) = value.get_ref().as_table() else {
            return typed(key, value, problems, "a string or a table", |it| it.as_str())
                .and_then(|_| RetryKind::from_toml(key, value, problems))
                .map(Self::of);
        };
        let mut table = TableReader::of(table, Path::Table(key), problems);
        let kind = table.entry("kind");
        if kind.is_none() {
            table.problems.add(value.span().start, format!("`{key}` has no `kind`."));
        }
        let kind = kind.and_then(|(_, it)| table.one::<RetryKind>("kind", it));
        let after_ms = table.take::<i64>("after_ms");
        let max = table.take::<i64>("max");
        let after_ms = within(after_ms, "after_ms", table.problems);
        let max = within(max, "max", table.problems);
        table.close();
        Some(Self { kind: kind?.value, after_ms, max })
    }
}

/// A number that must fit a smaller type.
fn within<T: TryFrom<i64>>(written: Field<i64>, key: &str, problems: &mut Problems) -> Option<T> {
    let written = written?;
    let fits = T::try_from(written.value).ok();
    if fits.is_none() {
        problems.add(written.span.start, format!("`{key}` is out of range."));
    }
    fits
}

/// Closed sets are written by name.
macro_rules! closed_set {
    ($($set:ty: $what:literal),+ $(,)?) => {$(
        impl FromToml for $set {
            fn from_toml(key: &str, value: &Raw<'_>, problems: &mut Problems) -> Option<Self> {
                let name = typed(key, value, problems, "a string", |it| it.as_str())?;
                let member = Self::parse(name);
                if member.is_none() {
                    let meant = problems.nearest(name, Self::ALL.iter().map(|it| it.name()));
                    let message = format!("{} is not {}.", quoted(name), $what);
                    problems.add_meant(value.span().start, message, meant);
                }
                member
            }
        }
    )+};
}

closed_set! {
    Class: "a class",
    Effect: "an effect",
    Operation: "an operation",
    ParamType: "a type",
    RetryKind: "a kind of retry",
    Severity: "a severity",
    Stability: "a stability",
}

fn typed<'v, 'i, T>(
    key: &str,
    value: &'v Raw<'i>,
    problems: &mut Problems,
    what: &str,
    as_type: impl FnOnce(&'v DeValue<'i>) -> Option<T>,
) -> Option<T> {
    let read = as_type(value.get_ref());
    if read.is_none() {
        wrong_type(problems, Path::Table(key), value, what);
    }
    read
}

fn integer(written: &DeInteger<'_>) -> Option<i128> {
    i128::from_str_radix(written.as_str(), written.radix()).ok()
}

fn object(
    key: &str,
    table: &DeTable<'_>,
    depth: usize,
    problems: &mut Problems,
) -> Option<Map<String, Value>> {
    let mut object = Map::new();
    let mut whole = true;
    for (name, value) in in_file_order(table) {
        match json(key, value, depth + 1, problems) {
            Some(value) => {
                object.insert(name.get_ref().to_string(), value);
            }
            None => whole = false,
        }
    }
    whole.then_some(object)
}

/// The JSON value of a TOML value: a date is its text, what JSON cannot hold is a problem.
fn json(key: &str, value: &Raw<'_>, depth: usize, problems: &mut Problems) -> Option<Value> {
    let at = value.span().start;
    if depth > MAX_DEPTH {
        problems.add(at, format!("`{key}` is nested deeper than {MAX_DEPTH} levels."));
        return None;
    }
    match value.get_ref() {
        DeValue::String(text) => Some(Value::String(text.to_string())),
        DeValue::Boolean(truth) => Some(Value::Bool(*truth)),
        DeValue::Datetime(date) => Some(Value::String(date.to_string())),
        DeValue::Integer(written) => {
            let number = integer(written).and_then(Number::from_i128);
            if number.is_none() {
                problems.add(at, format!("`{key}` holds a number beyond 64 bits."));
            }
            number.map(Value::Number)
        }
        DeValue::Float(written) => {
            let number = written.as_str().parse().ok().and_then(Number::from_f64);
            if number.is_none() {
                problems.add(at, format!("`{key}` holds a number that JSON cannot hold."));
            }
            number.map(Value::Number)
        }
        DeValue::Array(items) => {
            let read: Vec<_> = items.iter().map(|it| json(key, it, depth + 1, problems)).collect();
            read.into_iter().collect::<Option<_>>().map(Value::Array)
        }
        DeValue::Table(table) => object(key, table, depth, problems).map(Value::Object),
    }
}
