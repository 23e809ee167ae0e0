//! Faults and what each dialect writes for them: the example of every code that ships, and every part that a dialect has a place for.

use std::sync::Arc;

use redress::{
    Dialect, Fault, Lookup,
    dialect::Stamp,
    dialect::wire::{Answer, response},
    fault::ParamValue,
};
use redress_registry::{Registry, shipped};
use redress_wire::json::RawJson;
use serde_json::{Map, Value, json};

use super::envelope;

/// The moment of every document.
const NOW: &str = "2026-01-19T15:32:10.123Z";

pub(super) fn cases() -> Vec<Value> {
    let mut cases = Vec::new();
    for registry in shipped::all() {
        for row in registry.own() {
            let params: Map<_, _> =
                row.example.iter().map(|(key, it)| (key.clone(), it.clone())).collect();
            cases
                .extend(Case::new(registry, &row.code, Value::Object(params), json!({})).written());
        }
    }
    cases.extend(parts());
    cases
}

/// One fault: a code, its parameters, and members of a fault that its author sets.
struct Case<'r> {
    registry: &'r Arc<Registry>,
    code: String,
    params: Value,
    more: Value,
    /// Whether the whole answer to a call is shown, too.
    is_answered: bool,
}

impl<'r> Case<'r> {
    fn new(registry: &'r Arc<Registry>, code: &str, params: Value, more: Value) -> Self {
        Self { registry, code: code.to_owned(), params, more, is_answered: false }
    }

    fn written(self) -> Option<Value> {
        let fault = self.fault()?;
        let stamp = Stamp { now: NOW };
        let documents: Map<String, Value> = Dialect::ALL
            .into_iter()
            .map(|it| (it.name().to_owned(), json!(it.write(&fault, stamp))))
            .collect();
        let mut case = json!({
            "registry": self.registry.name,
            "code": self.code,
            "params": self.params,
            "more": self.more,
            "documents": documents,
        });
        if self.is_answered {
            let answers: Map<String, Value> = Dialect::ALL
                .into_iter()
                .map(|dialect| {
                    let answer =
                        Answer { dialect, has_output_schema: false, stamp, meta: None, said: None };
                    (dialect.name().to_owned(), json!(response(&fault, "1", answer)))
                })
                .collect();
            case.as_object_mut()?.insert("answers".to_owned(), Value::Object(answers));
        }
        Some(case)
    }

    fn fault(&self) -> Option<Fault> {
        let row = self.registry.get(&self.code)?;
        let params = self.params.as_object()?.iter().filter_map(|(key, value)| {
            Some((key, ParamValue::from(RawJson::parse(value.to_string().as_bytes()).ok()?)))
        });
        let mut document = envelope(&Fault::raise(row, params));
        let members = document.as_object_mut()?;
        // It follows from the rule, which `more` may change.
        members.shift_remove("retryable");
        let mut more = self.more.as_object()?.clone();
        let (cause, stack) = (more.shift_remove("cause"), more.shift_remove("stack"));
        members.extend(more);
        let lookup = Lookup::with([Arc::clone(self.registry)]);
        let mut fault = Dialect::Native.read(document.to_string().as_bytes(), &lookup).ok()?;
        fault.cause = cause.and_then(|it| RawJson::parse(it.to_string().as_bytes()).ok());
        fault.stack = stack.and_then(|it| it.as_str().map(str::to_owned));
        Some(fault)
    }
}

/// Parts that an author sets.
fn parts() -> Vec<Value> {
    let context = json!({
        "server": "s", "tool": "write_file", "request_id": "r-1", "session_id": "550e8400", "role": "WINDSURF",
        "workspace_root": "/srv/w", "phase_id": "PHASE_5A", "plan_hash": "abc123", "invariant_id": "MANDATORY_DIAGNOSTICS", "trace_id": "t-1",
    });
    let all = json!({
        "context": context,
        "cause": { "message": "EACCES: permission denied", "code": "EACCES", "name": "Error" },
        "stack": "Error: x\n    at f (a.js:1:2)",
        "timestamp": "2026-02-01T00:00:00.000Z",
        "elapsed_ms": 12,
        "similar_refs": [{ "ref": "src/main.rs", "score": 0.5 }],
        "next_actions": ["Look around.", { "tool": "list" }, { "tool": "read", "args": { "b": [1, "ü"], "a": {} } }],
        "violations": [{ "pointer": "/path", "reason": "value" }],
        "details": { "path": "ä\n", "n": [1, { "b": null }] },
        "ledger": { "seq": 7, "hash": "9f2c41d0" },
        "effect": "partial",
    });
    let wait = |ms: u64| json!({ "retry": { "kind": "after_delay", "after_ms": ms, "not_before": 1_768_836_730_123_u64, "max": 2 } });
    let core = shipped::core();
    let of = |code: &str, more: Value| Case::new(core, code, json!({}), more);
    let cases = [
        of("FILE_WRITE_FAILED", all),
        of("INVALID_INPUT_VALUE", json!({ "details": "net::ERR_NAME_NOT_RESOLVED" })),
        of("INVALID_INPUT_VALUE", json!({ "details": [1, 2] })),
        of("INVALID_INPUT_VALUE", json!({ "details": null, "hint": "" })),
        of("RATE_LIMITED", wait(2_500)),
        of("RATE_LIMITED", json!({ "retry": { "kind": "now" } })),
        of(
            "UPSTREAM_UNAVAILABLE",
            json!({ "retry": { "kind": "never" }, "server_text": "It \"broke\"." }),
        ),
        of("INPUT_TOO_LARGE", json!({ "domain": "python" })),
        of(
            "INTERNAL_ERROR",
            json!({ "number": 4711, "class": "unavailable", "http": 503, "severity": "warning" }),
        ),
        of("METHOD_NOT_FOUND", json!({ "domain": "sys", "retry": { "kind": "after_human" } })),
        of(
            "TIMEOUT",
            json!({ "hint": "Wait. ".repeat(120), "context": { "trace_id": "t-9", "session_id": "s-9" } }),
        ),
    ];
    cases.into_iter().filter_map(|it| Case { is_answered: true, ..it }.written()).collect()
}
