//! The shared vectors: what every reader of the contract, in whatever language, must make of the same input.

mod answers;
mod dialects;
mod faults;
mod raised;
mod taught;

use redress::{Dialect, dialect::Stamp};
use serde_json::{Value, json};

/// `decisions.json`, `bytes.json`, `raised.json`, `dialects.json` and `taught.json`, one case per line.
pub(super) fn files() -> [(String, String); 5] {
    [
        ("tests/vectors/decisions.json".to_owned(), file("fault to decision", &faults::cases())),
        ("tests/vectors/bytes.json".to_owned(), file("bytes to fault", &answers::cases())),
        ("tests/vectors/raised.json".to_owned(), file("code to answer", &raised::cases())),
        ("tests/vectors/dialects.json".to_owned(), file("fault to document", &dialects::cases())),
        ("tests/vectors/taught.json".to_owned(), file("answer to code", &taught::cases())),
    ]
}

/// A fault as its native envelope.
fn envelope(fault: &redress::Fault) -> Value {
    parsed(&Dialect::Native.write(fault, Stamp::default()))
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| json!(error.to_string()))
}

fn file(what: &str, cases: &[Value]) -> String {
    let lines: Vec<String> = cases.iter().map(ToString::to_string).collect();
    format!(
        "{{\"format\":\"redress-vectors/1\",\"what\":{},\"cases\":[\n{}\n]}}\n",
        json!(what),
        lines.join(",\n")
    )
}
