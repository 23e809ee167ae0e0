//! `Query`: which records are wanted.

use std::borrow::Cow;

use redress_wire::json::Value;

use crate::{reader::Entry, record::Kind, time::Time};

/// Which records are wanted. A field that is not given does not matter.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// Not before this time.
    pub from: Option<Time>,
    /// Before this time.
    pub to: Option<Time>,
    /// Of this kind.
    pub kind: Option<Kind>,
    /// With this code.
    pub code: Option<String>,
    /// With this class.
    pub class: Option<String>,
    /// Of this tool.
    pub tool: Option<String>,
    /// Of this session.
    pub session: Option<String>,
    /// Of this server.
    pub server: Option<String>,
}

impl Query {
    /// Whether the record is one of them.
    pub fn matches(&self, entry: &Entry) -> bool {
        if self.from.is_some_and(|it| entry.time < it) || self.to.is_some_and(|it| entry.time >= it)
        {
            return false;
        }
        if self.kind.is_some_and(|it| entry.kind != it) {
            return false;
        }
        if self.names().next().is_none() {
            return true;
        }
        let fits = |object: Value<'_>| match entry.kind {
            Kind::Refusals => Counted::all(object).any(|it| self.fits(|key| it.get(key))),
            _ => self.fits(|key| member(object, key)),
        };
        entry.with(fits).unwrap_or(false)
    }

    /// Whether all names are there that a record must have.
    pub(crate) fn fits<'d>(&self, get: impl Fn(&str) -> Option<Cow<'d, str>>) -> bool {
        self.names().all(|(key, wanted)| get(key).is_some_and(|it| it == wanted))
    }

    /// The names that a record must have, each under its key for [`member`].
    pub fn names(&self) -> impl Iterator<Item = (&'static str, &str)> {
        [
            ("code", &self.code),
            ("class", &self.class),
            ("tool", &self.tool),
            ("session_id", &self.session),
            ("server", &self.server),
        ]
        .into_iter()
        .filter_map(|(key, it)| Some((key, it.as_deref()?)))
    }
}

/// What a record says under a key: once, or in each of its counts.
pub fn members<'d>(kind: Kind, object: Value<'d>, key: &str) -> Vec<Cow<'d, str>> {
    match kind {
        Kind::Refusals => Counted::all(object).filter_map(|it| it.get(key)).collect(),
        _ => member(object, key).into_iter().collect(),
    }
}

/// A member of a record's object, or of the context in it.
pub fn member<'d>(object: Value<'d>, key: &str) -> Option<Cow<'d, str>> {
    object.get(key).or_else(|| object.path(&["context", key])).and_then(Value::as_str)
}

/// One line of a `refusals` record.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counted<'d> {
    object: Value<'d>,
    pub(crate) count: u64,
}

impl<'d> Counted<'d> {
    /// The lines of a record's object.
    pub(crate) fn all(object: Value<'d>) -> impl Iterator<Item = Self> {
        let items = object.get("counts").into_iter().flat_map(Value::elements);
        items.map(|it| {
            let count = it.get("count").and_then(Value::as_u64).unwrap_or_default();
            Self { object: it, count }
        })
    }

    /// What it says under a key of a fault.
    pub(crate) fn get(self, key: &str) -> Option<Cow<'d, str>> {
        member(self.object, key)
    }
}
