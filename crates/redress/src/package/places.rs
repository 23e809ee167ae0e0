//! Where each dialect keeps the members of a fault, measured on a document of its own writer.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::{
    Dialect, Fault, Lookup, codes,
    dialect::Stamp,
    fault::{Context, NextAction, Similar},
};
use redress_wire::json::RawJson;

/// Where a dialect keeps the members of a fault, as keys from the document down, by the members' names.
pub(super) fn places(dialect: Dialect) -> BTreeMap<String, Vec<String>> {
    let fault = marked(dialect);
    let text = dialect.write(&fault, Stamp::default());
    let document: Value = serde_json::from_str(&text).unwrap_or_default();
    let spelling = dialect.spelling(fault.entry()).into_owned();
    let mut found = BTreeMap::new();
    walk(&document, &mut Vec::new(), &mut |path, leaf| {
        let member = match leaf {
            Value::String(it) if *it == spelling => Some("code"),
            Value::String(it) => it.rsplit_once(MARK).map(|it| it.1.trim_end_matches(['"', '}'])),
            Value::Number(it) if it.as_u64() == Some(ELAPSED_MS) => Some("elapsed_ms"),
            Value::Number(it) if it.as_u64() == Some(NOT_BEFORE) => Some("not_before"),
            Value::Number(it) if it.as_u64() == Some(HTTP.into()) => Some("http"),
            _ => None,
        };
        if let Some(member) = member {
            found.insert(member.to_owned(), path.to_vec());
        }
    });
    found
}

/// What the marked values begin with.
const MARK: &str = "@@";
/// The key below which a marked value is in an object of its own.
const INNER: &str = "@@inner";
const HTTP: u16 = 577;
const ELAPSED_MS: u64 = 7_171_717;
const NOT_BEFORE: u64 = 7_272_727;

/// A fault whose every member is known by its value.
fn marked(dialect: Dialect) -> Fault {
    let mark = |name: &str| format!("{MARK}{name}");
    let row = codes::INTERNAL_ERROR.entry();
    // A row of another registry would be written with the status of the dialect's own.
    let own = Lookup::shipped().spelled(dialect, &dialect.spelling(row));
    let mut fault = Fault::of(own.as_ref().unwrap_or(row));
    fault.message = mark("message");
    fault.hint = mark("hint");
    fault.http = HTTP;
    fault.not_before = Some(NOT_BEFORE);
    fault.elapsed_ms = Some(ELAPSED_MS);
    fault.next_actions = vec![NextAction::Text(mark("next_actions"))];
    fault.similar_refs = vec![Similar::new(&mark("similar_refs"))];
    fault.details = Some(RawJson::written(json!({ INNER: mark("details") }).to_string()));
    fault.cause = Some(RawJson::string(&mark("cause")));
    fault.stack = Some(mark("stack"));
    fault.timestamp = Some(mark("timestamp"));
    for (name, member) in Context::NAMES.iter().zip(fault.context.members_mut()) {
        *member = Some(mark(&format!("context.{name}")));
    }
    fault
}

/// Shows every value that holds no others, with the keys that lead to it; lists and objects of our own count as one.
fn walk(value: &Value, path: &mut Vec<String>, show: &mut dyn FnMut(&[String], &Value)) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                if key == INNER {
                    show(path, value);
                } else {
                    path.push(key.clone());
                    walk(value, path, show);
                    path.pop();
                }
            }
        }
        Value::Array(items) => {
            let len = path.len();
            for item in items {
                walk(item, &mut path.clone(), &mut |_, leaf| {
                    show(path.get(..len).unwrap_or_default(), leaf);
                });
            }
        }
        leaf => show(path, leaf),
    }
}
