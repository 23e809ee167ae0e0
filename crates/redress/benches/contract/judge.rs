//! Classification: a success beside a bare look for `id` and `isError`, a failure, and whole lines of the filter.

use std::{hint::black_box, sync::Arc};

use redress::{
    classify::{Verdict, classify, line},
    emit::{Emission, emit},
    fault::{Policy, StackPolicy},
    outcome::{Asked, Outcome, What},
    redact::Redactor,
    text::tokens::DEFAULT_DETAILS_BYTES,
};
use redress_registry::{
    Registry, shipped,
    taught::{Taught, Teachings},
};
use redress_wire::json::{Doc, Limits, Value};

use crate::measure::{Row, median_ns, median_pair};

const PROSE: &str = r#"{"jsonrpc":"2.0","id":17,"result":{"content":[{"type":"text","text":"The build finished and all of the artefacts were written to the output folder. The folder now holds twelve files, the largest of which is the archive of the documentation, and the index was written last, so that it names all of them."}],"isError":false}}"#;
const PAYLOAD: &str = r#"{"jsonrpc":"2.0","id":17,"result":{"content":[{"type":"text","text":"{\"took\":1,\"timed_out\":false,\"status\":\"red\",\"hits\":[{\"_source\":{\"level\":\"ERROR\",\"msg\":\"Exception: not found\"}},{\"_source\":{\"level\":\"WARN\",\"msg\":\"request failed\"}}],\"count\":2}"}],"isError":false}}"#;
const FAILURE: &str = r#"{"jsonrpc":"2.0","id":17,"result":{"content":[{"type":"text","text":"Error executing tool git_add: Cmd('git') failed due to: exit code(128)\n  cmdline: git add -- nope.txt\n  stderr: 'fatal: pathspec 'nope.txt' did not match any files'"}],"isError":true}}"#;
const REQUEST: &str = r#"{"jsonrpc":"2.0","id":17,"method":"tools/call","params":{"name":"git_add","arguments":{"repo_path":"/w/repo","files":["nope.txt"]}}}"#;

pub(crate) fn rows() -> [Row; 8] {
    [
        success("classify a success of prose", PROSE),
        success("classify a success that is a payload", PAYLOAD),
        failure(),
        taught("classify a failure with 1,000 rows", |at| format!("Order {at} was lost by *")),
        taught("the same, rows that begin alike", |at| {
            format!("Error executing tool *: * failed: the reason {at} *")
        }),
        emitted(),
        filter("filter a line that is a success", PROSE, "≤ 5 µs", 5e3),
        filter("filter a line that is a failure", FAILURE, "≤ 25 µs", 25e3),
    ]
}

fn judged(answer: &str, asked: &Asked<'_>) {
    judged_by(shipped::core(), answer, asked);
}

fn judged_by(registry: &Registry, answer: &str, asked: &Asked<'_>) {
    if let Ok(doc) = Doc::parse(black_box(answer.as_bytes()), Limits::DOCUMENT) {
        let outcome = Outcome::of(What::Answer(doc.root()));
        black_box(classify(asked, &outcome, registry));
    }
}

fn peeked(answer: &str) {
    if let Ok(doc) = Doc::parse(black_box(answer.as_bytes()), Limits::DOCUMENT) {
        let root = doc.root();
        let flag = root.path(&["result", "isError"]).and_then(Value::as_bool);
        black_box((root.get("id").map(Value::raw), flag));
    }
}

fn with_request(run: impl FnOnce(&Asked<'_>) -> Row) -> Option<Row> {
    let doc = Doc::parse(REQUEST.as_bytes(), Limits::DOCUMENT).ok()?;
    Some(run(&Asked {
        request: Some(doc.root()),
        method: Some("tools/call".into()),
        tool: Some("git_add".into()),
        ..Asked::default()
    }))
}

fn success(what: &'static str, answer: &str) -> Row {
    let row = with_request(|asked| {
        let (ns, peek) = median_pair(|| judged(answer, asked), || peeked(answer));
        let beside = Some(("a peek for id and isError", peek));
        Row { what, ns, beside, bar: "≤ 3×", fine: ns <= 3.0 * peek }
    });
    row.unwrap_or(unread(what))
}

fn failure() -> Row {
    let what = "classify a failure";
    let row = with_request(|asked| {
        let ns = median_ns(|| judged(FAILURE, asked));
        Row { what, ns, beside: None, bar: "≤ 20 µs", fine: ns <= 20e3 }
    });
    row.unwrap_or(unread(what))
}

/// A failure that none of a thousand taught rows is for, beside the same without rows.
fn taught(what: &'static str, text: impl Fn(usize) -> String) -> Row {
    let rows = (0..1_000).map(|at| {
        let (text, code) = (text(at), "NOT_FOUND".to_owned());
        let example = Some(text.replace('*', "x"));
        Taught { text: Some(text), code, example, ..Taught::default() }
    });
    let Ok(matches) = Teachings::new(rows.collect(), |_| true) else { return unread(what) };
    let registry = Registry { matches: Arc::new(matches), ..Registry::clone(shipped::core()) };
    let row = with_request(|asked| {
        let (ns, none) = median_pair(
            || judged_by(&registry, FAILURE, asked),
            || judged_by(shipped::core(), FAILURE, asked),
        );
        Row { what, ns, beside: Some(("no rows", none)), bar: "≤ 1.5×", fine: ns <= 1.5 * none }
    });
    row.unwrap_or(unread(what))
}

/// A failure from the server's answer to the fault that is sent and recorded.
fn emitted() -> Row {
    let what = "classify, redact and emit a failure";
    let redactor = Redactor::new(["correct-horse-battery", "hunter2hunter2"]);
    let how = Emission {
        policy: Policy { stack: StackPolicy::Hidden, redact: &redactor },
        hides_server_text: false,
        details_bytes: DEFAULT_DETAILS_BYTES,
    };
    let row = with_request(|asked| {
        let ns = median_ns(|| {
            if let Ok(doc) = Doc::parse(black_box(FAILURE.as_bytes()), Limits::DOCUMENT) {
                let outcome = Outcome::of(What::Answer(doc.root()));
                if let Verdict::Failure(it) = classify(asked, &outcome, shipped::core()) {
                    black_box(emit(it.fault, &how));
                }
            }
        });
        Row { what, ns, beside: None, bar: "≤ 10 µs", fine: ns <= 10e3 }
    });
    row.unwrap_or(unread(what))
}

fn filter(what: &'static str, answer: &str, bar: &'static str, most: f64) -> Row {
    let raw = serde_json::Value::from(answer);
    let input = format!(r#"{{"id":"a","method":"tools/call","request":{REQUEST},"raw":{raw}}}"#);
    let mut out = Vec::with_capacity(4096);
    let ns = median_ns(|| {
        out.clear();
        black_box(line(black_box(input.as_bytes()), shipped::core(), &mut out).is_ok());
    });
    Row { what, ns, beside: None, bar, fine: ns <= most }
}

/// The request above is JSON; a typing mistake in it shows as a row that is not met.
const fn unread(what: &'static str) -> Row {
    Row { what, ns: 0.0, beside: None, bar: "is JSON", fine: false }
}
