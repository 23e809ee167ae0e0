//! How fast the contract is, beside plain code that does the least that could do the job. Prints ratios of one run.
#![expect(clippy::print_stdout, reason = "a benchmark prints")]

mod client;
mod judge;
mod measure;
mod plain;
mod redaction;

use std::hint::black_box;

use measure::{Row, median_ns, median_pair, print};
use redress::{
    Fault, codes,
    dialect::{Dialect, Stamp},
    fault::{NextAction, Similar, Violation},
};
use redress_registry::{Source, load, shipped};
use redress_wire::json::RawJson;

fn main() {
    let mut rows = vec![look_up(), load_all(), write_native()];
    rows.extend(judge::rows());
    rows.extend(redaction::rows());
    rows.extend(client::rows(&missing_file()));
    print(&rows);
}

/// A row of the registry by its code.
fn look_up() -> Row {
    let core = shipped::core();
    let names: Vec<&str> = core.codes.keys().map(|it| &**it).collect();
    let mut at = 0;
    let ns = median_ns(|| {
        at = (at + 1) % names.len();
        black_box(core.get(black_box(names.get(at).copied().unwrap_or_default())));
    });
    Row { what: "registry look-up by code", ns, beside: None, bar: "≤ 30 ns", fine: ns <= 30.0 }
}

/// All shipped registries, from text to rows.
fn load_all() -> Row {
    let sources: Vec<Source> = shipped::names().filter_map(shipped::source).collect();
    let ns = median_ns(|| {
        for source in &sources {
            black_box(load(source, &|_, _| None).is_ok());
        }
    });
    Row { what: "load all shipped registries", ns, beside: None, bar: "≤ 5 ms", fine: ns <= 5e6 }
}

/// A native envelope with every usual member, beside `serde_json` on a struct with the same fields.
fn write_native() -> Row {
    let fault = missing_file();
    let plain = plain::Envelope::example();
    let mut out = String::with_capacity(4096);
    let (ns, other) = median_pair(
        || {
            out.clear();
            Dialect::Native.write_into(black_box(&fault), Stamp::default(), &mut out);
            black_box(&out);
        },
        || {
            black_box(serde_json::to_vec(black_box(&plain)).is_ok());
        },
    );
    Row {
        what: "write a native envelope",
        ns,
        beside: Some(("serde_json::to_vec of a struct", other)),
        bar: "≤ 2×",
        fine: ns <= 2.0 * other,
    }
}

fn missing_file() -> Fault {
    let mut fault = codes::FILE_NOT_FOUND.raise([("path", "src/mian.rs")]);
    fault.violations = vec![Violation::new("/path", "not_found", None)];
    fault.similar_refs = vec![Similar::new("src/main.rs")];
    let args = RawJson::parse(br#"{"path":"src"}"#).ok();
    fault.next_actions = vec![NextAction::Call { tool: "list_directory".to_owned(), args }];
    fault.server_text = Some("ENOENT: no such file or directory, open 'src/mian.rs'".to_owned());
    fault.context.server = Some("files".to_owned());
    fault.context.tool = Some("read_file".to_owned());
    fault.context.request_id = Some("7".to_owned());
    fault.timestamp = Some("2026-01-19T15:32:10.123Z".to_owned());
    fault.elapsed_ms = Some(3);
    fault.estimated_tokens = Some(58);
    fault
}
