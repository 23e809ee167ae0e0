//! The lock: a registry as it was released, kept beside the file so that a diff has an old side.
//!
//! ```text
//! {
//! "format":"redress-lock/1",
//! "hash":"…",                  SHA-256, hex, of the canonical form of all that follows
//! "name":"notes",
//! "version":"1.2.0",
//! "docs_base":"…",             only if there is one, like "namespace"
//! "extends":["core"],
//! "domains":{
//! "notes":{…}                  one line for each row, its keys sorted: a review sees which row changed
//! },
//! "codes":{ … },
//! "retired":{ … },
//! "tools":{ … },
//! "allows":[ … ]
//! }
//! ```

mod rows;

use std::sync::Arc;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::{
    Finding, Place, Problem, Registry, Source,
    canonical::{canonical, canonical_json, document},
    diff::{DiffReport, diff},
    finding::part,
    rule::{Grade, Level, Rule},
};
use rows::{place_of, registry};

/// What a lock says it is.
pub const FORMAT: &str = "redress-lock/1";

/// Bigger locks are refused.
pub const MAX_LOCK_BYTES: usize = 32 << 20;

/// The rules of the lock.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    std::iter::once(&STALE)
}

/// The rule that a lock must be up to date.
pub static STALE: Rule = Rule {
    id: "CK701",
    name: "stale-file",
    grade: Grade::Level(Level::Violation),
    summary: "A generated file is not what the registry would give now.",
    why: "Whoever reads the file relies on another contract than the one that is served.",
    how_to_fix: "Write the file again with `redress registry lock`.",
};

/// The lock of a registry: the same registry gives the same bytes.
pub fn lock(registry: &Registry) -> String {
    let mut lines = vec![member("format", &json!(FORMAT)), member("hash", &json!(hash(registry)))];
    let Value::Object(document) = document(registry) else { return String::new() };
    for (key, value) in document.iter().filter(|it| it.0 != "format") {
        lines.push(match value {
            Value::Object(rows) => block(key, ('{', '}'), rows.iter().map(|it| member(it.0, it.1))),
            Value::Array(rows) if key == "allows" => {
                block(key, ('[', ']'), rows.iter().map(canonical_json))
            }
            _ => member(key, value),
        });
    }
    format!("{{\n{}\n}}\n", lines.join(",\n"))
}

/// Reads a lock, and checks that it was not edited.
pub fn read_lock(source: &Source) -> Result<Registry, Problem> {
    if source.text.len() > MAX_LOCK_BYTES {
        return Err(source.problem(0, format!("The lock is larger than {MAX_LOCK_BYTES} bytes.")));
    }
    let json = serde_json::from_str(&source.text).map_err(|it| Problem {
        place: Place {
            file: Arc::clone(&source.file),
            line: it.line().max(1),
            column: it.column().max(1),
        },
        message: format!("This is not JSON: {it}."),
        did_you_mean: None,
    })?;
    let Value::Object(mut document) = json else {
        return Err(source.problem(0, "A lock is a JSON object."));
    };
    let format = document.remove("format");
    if format.as_ref().and_then(Value::as_str) != Some(FORMAT) {
        return Err(source.problem(0, format!("The format of a lock must be `{FORMAT}`.")));
    }
    let written = document.remove("hash");
    let locked = registry(document).map_err(|it| it.at(source))?;
    if written.as_ref().and_then(Value::as_str) != Some(&hash(&locked)) {
        let message = "The hash does not fit: the lock was edited or badly merged. Restore it, \
                       or write it again.";
        return Err(source.problem(place_of(&source.text, "hash"), message));
    }
    Ok(locked)
}

/// A lock held against the registry that it should be the lock of.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// What changed since the lock was written.
    pub report: DiffReport,
    /// Set if the lock must be written again.
    pub stale: Option<Finding>,
}

/// Compares a registry with its lock.
pub fn check(registry: &Registry, source: &Source) -> Result<Checked, Problem> {
    let report = diff(&read_lock(source)?, registry);
    let fresh = lock(registry);
    let stale = (*source.text != fresh).then(|| stale(registry, source, &fresh));
    Ok(Checked { report, stale })
}

fn stale(registry: &Registry, source: &Source, fresh: &str) -> Finding {
    let at = first_difference(&source.text, fresh);
    let place = source.place(at);
    let context = [
        part("name", &*registry.name),
        part("version", &*registry.version),
        part("line", place.line),
    ];
    let context = context.map(|(key, value)| (key.to_owned(), value)).into_iter().collect();
    let message = "The lock is not that of {name} {version}: it differs from line {line} on.";
    Finding::new(&STALE, (place, at..at), message, context)
}

/// Where the first line begins that differs, but for the hash, which always does.
fn first_difference(old: &str, new: &str) -> usize {
    let mut at = 0;
    let mut fresh = new.split_inclusive('\n');
    for line in old.split_inclusive('\n') {
        if fresh.next() != Some(line) && !line.starts_with("\"hash\":") {
            break;
        }
        at += line.len();
    }
    at
}

fn hash(registry: &Registry) -> String {
    let mut hex = String::new();
    for byte in Sha256::digest(canonical(registry)) {
        hex.extend([byte >> 4, byte & 15].map(|it| char::from_digit(it.into(), 16).unwrap_or('0')));
    }
    hex
}

fn member(key: &str, value: &Value) -> String {
    format!("{}:{}", json!(key), canonical_json(value))
}

fn block(key: &str, (open, close): (char, char), rows: impl Iterator<Item = String>) -> String {
    let rows: Vec<String> = rows.collect();
    if rows.is_empty() {
        return format!("{}:{open}{close}", json!(key));
    }
    format!("{}:{open}\n{}\n{close}", json!(key), rows.join(",\n"))
}
