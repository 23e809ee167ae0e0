//! What a ledger holds, in numbers.

use std::collections::BTreeMap;

use redress_wire::json::{Members, Value};

use crate::{
    query::{Counted, member},
    reader::{Entry, ReadError},
    record::Kind,
    time::Time,
};

/// How many names are counted one by one; the rest is counted together, so that names cannot fill the memory.
const MAX_NAMES: usize = 10_000;

/// The name for names that are not counted one by one.
const OTHERS: &str = "(others)";

/// How often each name occurs.
pub type Counts = BTreeMap<String, u64>;

/// What a ledger holds, in numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// All records.
    pub records: u64,
    /// Lines that are no records.
    pub damaged: u64,
    /// Their bytes.
    pub bytes: u64,
    /// When the first and the last were recorded.
    pub times: Option<(Time, Time)>,
    /// Records by kind.
    pub by_kind: Counts,
    /// Faults by code, those that were counted included.
    pub by_code: Counts,
    /// The same by class.
    pub by_class: Counts,
    /// The same by server.
    pub by_server: Counts,
    /// Faults by tool.
    pub by_tool: Counts,
    /// Failures that could not be recorded.
    pub unrecorded: u64,
    /// Failures that were counted, and have no records of their own.
    pub counted: u64,
}

impl Stats {
    /// Counts records.
    pub fn of(entries: impl IntoIterator<Item = Result<Entry, ReadError>>) -> Self {
        let mut stats = Self::default();
        for entry in entries {
            match entry {
                Ok(entry) => stats.add(&entry),
                Err(_) => stats.damaged += 1,
            }
        }
        stats
    }

    fn add(&mut self, entry: &Entry) {
        self.records += 1;
        self.bytes += entry.text.len() as u64 + 1;
        let first = self.times.map_or(entry.time, |it| it.0.min(entry.time));
        let last = self.times.map_or(entry.time, |it| it.1.max(entry.time));
        self.times = Some((first, last));
        count(&mut self.by_kind, entry.kind.name(), 1);
        if entry.kind == Kind::Gap {
            let missed = entry.with(|it| it.get("count").and_then(Value::as_u64)).flatten();
            self.unrecorded += missed.unwrap_or_default();
        }
        if entry.kind == Kind::Refusals {
            entry.with(|it| self.add_counted(it)).unwrap_or_default();
        }
        if entry.kind == Kind::Fault {
            let by = [
                ("code", &mut self.by_code),
                ("class", &mut self.by_class),
                ("server", &mut self.by_server),
                ("tool", &mut self.by_tool),
            ];
            let add = |object: Value<'_>| {
                for (key, counts) in by {
                    if let Some(name) = member(object, key) {
                        count(counts, &name, 1);
                    }
                }
            };
            entry.with(add).unwrap_or_default();
        }
    }

    /// Adds the failures that a record counts.
    fn add_counted(&mut self, object: Value<'_>) {
        for counted in Counted::all(object) {
            self.counted += counted.count;
            let by = [
                ("code", &mut self.by_code),
                ("class", &mut self.by_class),
                ("server", &mut self.by_server),
            ];
            for (key, counts) in by {
                if let Some(name) = counted.get(key) {
                    count(counts, &name, counted.count);
                }
            }
        }
    }

    /// As one JSON object.
    pub fn json(&self) -> String {
        let mut out = String::new();
        let mut members = Members::open(&mut out);
        members.int("records", self.records).int("damaged", self.damaged).int("bytes", self.bytes);
        if let Some((first, last)) = self.times {
            members.str("first", &first.to_string()).str("last", &last.to_string());
        }
        members.int("unrecorded", self.unrecorded).int("counted", self.counted);
        let all = [
            ("by_kind", &self.by_kind),
            ("by_code", &self.by_code),
            ("by_class", &self.by_class),
            ("by_server", &self.by_server),
            ("by_tool", &self.by_tool),
        ];
        for (key, counts) in all {
            let mut inner = Members::open(members.key(key));
            for (name, count) in counts {
                inner.int(name, *count);
            }
            inner.close();
        }
        members.close();
        out
    }
}

fn count(counts: &mut Counts, name: &str, times: u64) {
    let is_new = !counts.contains_key(name);
    let name = if is_new && counts.len() >= MAX_NAMES { OTHERS } else { name };
    *counts.entry(name.to_owned()).or_default() += times;
}
