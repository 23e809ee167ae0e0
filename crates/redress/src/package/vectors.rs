//! The vectors: the example of each code as each dialect writes it, and as it is in the answer to a failed call.

use std::sync::Arc;

use redress_registry::{Entry, Registry};

use super::{File, Runtime};
use crate::{
    Dialect, Fault, Lookup,
    dialect::Stamp,
    dialect::wire::{self, Answer},
};
use redress_wire::json::{Doc, Limits, Members};

/// The moment of every example.
const NOW: &str = "2026-01-19T15:32:10.123Z";

pub(super) fn files(registry: &Arc<Registry>, _: Runtime) -> Vec<File> {
    let mut text = String::new();
    let lookup = Lookup::with([Arc::clone(registry)]);
    for row in registry.codes.values() {
        for dialect in Dialect::ALL {
            write_line(row, dialect, &lookup, &mut text);
        }
    }
    vec![File::new(format!("{}.vectors.jsonl", registry.name), text)]
}

/// `code` is what the document was made of; `spelling`, what the dialect calls it; `document`, its bytes; `response`,
/// the whole answer to request 1. `read_as` is the code that a reader gets, where a dialect has one spelling for several.
fn write_line(row: &Arc<Entry>, dialect: Dialect, lookup: &Lookup, out: &mut String) {
    let fault = Fault::example(row);
    let stamp = Stamp { now: NOW };
    let answer = Answer { dialect, has_output_schema: false, stamp, meta: None, said: None };
    let document = dialect.write(&fault, stamp);
    let read = Doc::parse(document.as_bytes(), Limits::DOCUMENT)
        .ok()
        .and_then(|it| dialect.read_value(it.root(), lookup).ok());
    let other = read.filter(|it| it.code() != fault.code());
    let mut line = Members::open(out);
    line.str("registry", &row.registry)
        .str("code", &row.code)
        .str("dialect", dialect.name())
        .str("spelling", &dialect.spelling(row))
        .str("document", &document)
        .str("response", &wire::response(&fault, "1", answer));
    if let Some(other) = other {
        line.str("read_as", other.code());
    }
    line.close();
    out.push('\n');
}
