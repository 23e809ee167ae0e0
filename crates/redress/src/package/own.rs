//! What an export says about one registry, on top of what the runtime package has from all that ship.

use std::sync::Arc;

use redress_registry::{Entry, Registry, canonical, shipped};
use serde_json::{Map, Value, json};

use super::facts::{self, Rows, SpelledRow, is_same, lookup, meanings};
use crate::{Dialect, Lookup};

/// One registry without what the runtime package has.
pub(super) struct Own {
    /// The rows that do not ship.
    pub(super) rows: Vec<SpelledRow>,
    /// The rows that ship and that the registry has, too, by the registry that they are from.
    pub(super) taken: Vec<Taken>,
    /// The spellings that mean a shipped row here and another one elsewhere: the row by dialect and spelling.
    pub(super) meanings: Value,
}

/// The rows that a registry takes from one that ships.
pub(super) struct Taken {
    /// The name of that registry.
    pub(super) registry: Arc<str>,
    /// The codes; `None` if these are all of them.
    pub(super) codes: Option<Vec<String>>,
}

impl Own {
    pub(super) fn of(registry: &Arc<Registry>) -> Self {
        let lookup = lookup(registry);
        let is_own = |row: &SpelledRow| {
            let own = registry.get(&row.entry.code).is_some_and(|it| is_same(it, &row.entry));
            own && !ships(&row.entry)
        };
        Self {
            rows: facts::rows(&lookup).into_iter().filter(is_own).collect(),
            taken: taken(registry),
            meanings: shifted(&lookup),
        }
    }

    /// The rows by their codes, as data.
    pub(super) fn table(&self) -> Rows {
        self.rows.iter().map(|it| (Some(it.entry.code.to_string()), it.whole())).collect()
    }
}

/// Whether just this row ships with the library.
fn ships(entry: &Entry) -> bool {
    let shipped = shipped::get(&entry.registry).and_then(|it| it.get(&entry.code));
    shipped.is_some_and(|it| canonical::entry(it) == canonical::entry(entry))
}

fn taken(registry: &Registry) -> Vec<Taken> {
    let mut taken = Vec::new();
    for source in shipped::all() {
        let is_taken = |it: &&Arc<Entry>| {
            registry.get(&it.code).is_some_and(|own| is_same(own, it) && ships(own))
        };
        let codes: Vec<_> = source.own().filter(is_taken).map(|it| it.code.to_string()).collect();
        let is_all = codes.len() == source.own().count();
        if !codes.is_empty() {
            taken.push(Taken {
                registry: Arc::clone(&source.name),
                codes: (!is_all).then_some(codes),
            });
        }
    }
    taken
}

/// Which spellings mean another shipped row than they do without the registry.
fn shifted(lookup: &Lookup) -> Value {
    let shipped = Lookup::shipped();
    let mut all = Map::new();
    for dialect in Dialect::ALL {
        let usual = meanings(&shipped, dialect);
        let here = meanings(lookup, dialect).into_iter().filter(|(spelling, row)| {
            ships(row) && !usual.get(spelling).is_some_and(|it| is_same(it, row))
        });
        let rows: Map<String, Value> =
            here.map(|(spelling, row)| (spelling, json!([&*row.registry, &*row.code]))).collect();
        if !rows.is_empty() {
            all.insert(dialect.name().to_owned(), Value::Object(rows));
        }
    }
    Value::Object(all)
}
