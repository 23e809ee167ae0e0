//! A server's own "no" is final: every dialect, row, statement, contract and mode, with a server that counts its calls.

mod written;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use redress::{
    Dialect, Fault,
    dialect::Stamp,
    dialect::wire::{FAULT_KEY, TOOL_FAILURE_KEY},
};
use redress_registry::{Effect, shipped};
use serde_json::{Value, json};

use super::client::{Client, Via, fault};
use crate::counts::counted;

/// Each dialect with the registry whose rows it carries.
const DIALECTS: [(Dialect, &str); 7] = [
    (Dialect::Native, "core"),
    (Dialect::ToolFailure, "core"),
    (Dialect::AtlasGate, "atlas-gate"),
    (Dialect::Workrail, "workrail"),
    (Dialect::Rpc, "rpc-taxonomy"),
    (Dialect::Stagewright, "stagewright"),
    (Dialect::Mailvault, "mailvault"),
];

/// Every way to say "no", or that something happened.
const STATEMENTS: [&str; 8] = [
    r#"{"retryable":false}"#,
    r#"{"retry":{"kind":"not_retryable"}}"#,
    r#"{"retry":{"kind":"never"}}"#,
    r#"{"retry":{"kind":"never"},"retryable":true}"#,
    r#"{"effect":"partial"}"#,
    r#"{"effect":"done"}"#,
    r#"{"effect":"done","retryable":true}"#,
    r#"{"effect":"unknown"}"#,
];

/// What the gate believes of the tools: nothing, that it reads, that it may be called twice.
const TOOLS: [&str; 3] = ["tally_read", "tally_again", "tally"];

/// How many calls are under way at once.
const AT_ONCE: usize = 32;

/// A call, and what its server states when it fails.
struct Case {
    tool: &'static str,
    statement: Value,
    /// The server's line, with `ID` for the id.
    line: String,
    calls: PathBuf,
}

impl Case {
    fn arguments(&self) -> Value {
        json!({"file": self.calls, "until": 9, "fail": self.line})
    }

    /// Whether the statement leaves room for a repeat of a call that can do no harm.
    fn may_be_repeated(&self) -> bool {
        self.statement == json!({"effect": "unknown"}) && self.tool != "tally"
    }

    fn check(&self, answer: &Value, mode: &str) {
        let calls = fs::read(&self.calls).unwrap().len();
        let most = if self.may_be_repeated() && mode == "enforce" { 2 } else { 1 };
        assert!((1..=most).contains(&calls), "{calls} calls: {} {}", self.tool, self.line);
        if mode == "observe" {
            return;
        }
        let told = fault(answer);
        let is_no = self.statement["retryable"] == false
            || self.statement["retry"]["kind"].as_str().is_some_and(|it| it != "now");
        if is_no {
            assert_eq!(told["retryable"], false, "{} {}: {told}", self.tool, self.line);
        }
        let effect = |it: &Value| it.as_str().and_then(Effect::parse);
        let (stated, told_effect) = (effect(&self.statement["effect"]), effect(&told["effect"]));
        assert!(told_effect >= stated, "{} {}: {told}", self.tool, self.line);
    }
}

/// The lines of a server that fails with each row of a dialect, stating each thing.
fn cases(dialect: Dialect, registry: &str, dir: &Path) -> Vec<Case> {
    let registry = shipped::get(registry).unwrap();
    let mut cases = Vec::new();
    for row in registry.codes.values() {
        for statement in STATEMENTS {
            let nth = cases.len();
            let mut envelope: Value =
                serde_json::from_str(&written(dialect, &Fault::of(row))).unwrap();
            let statement: Value = serde_json::from_str(statement).unwrap();
            let place = match dialect {
                Dialect::Rpc => &mut envelope["error"]["data"],
                _ => &mut envelope,
            };
            if !place.is_object() {
                *place = json!({});
            }
            place.as_object_mut().unwrap().extend(statement.as_object().unwrap().clone());
            let calls = dir.join(format!("{}-{nth}", dialect.name()));
            // Rows and statements meet every tool and carrier by and by.
            let tool = TOOLS[(nth + nth / STATEMENTS.len()) % TOOLS.len()];
            cases.push(Case { tool, statement, line: carried(dialect, &envelope, nth), calls });
        }
    }
    cases
}

fn written(dialect: Dialect, fault: &Fault) -> String {
    dialect.write(fault, Stamp { now: "2026-01-19T15:32:10.123Z" })
}

/// An answer that has an envelope at one of the places where servers put theirs.
fn carried(dialect: Dialect, envelope: &Value, nth: usize) -> String {
    let text = |text: &str| json!({"content": [{"type": "text", "text": text}], "isError": true});
    let payload = match (dialect, nth / 3 % 4) {
        (Dialect::Rpc, _) => json!({"error": envelope["error"]}),
        (Dialect::Native, 0) => {
            let mut result = text("It failed.");
            result["_meta"] = json!({FAULT_KEY: envelope});
            json!({"result": result})
        }
        (Dialect::ToolFailure, _) => {
            let mut result = text("It failed.");
            result["_meta"] = json!({TOOL_FAILURE_KEY: envelope});
            json!({"result": result})
        }
        (_, 1) => {
            let mut result = text("It failed.");
            result["structuredContent"] = envelope.clone();
            json!({"result": result})
        }
        (_, 2) => {
            json!({"error": {"code": -32603, "message": "503 Service Unavailable", "data": envelope}})
        }
        _ => json!({"result": text(&envelope.to_string())}),
    };
    let mut line = json!({"jsonrpc": "2.0", "id": "ID"});
    line.as_object_mut().unwrap().extend(payload.as_object().unwrap().clone());
    line.to_string().replace("\"ID\"", "ID")
}

/// Makes every call through one gate; gives how many there were.
fn all_through(via: Via, settings: &str, mode: &str, contract: &str, cases: &[Case]) -> usize {
    let mut client =
        Client::with_settings(via, settings, &["--mode", mode, "--contract", contract]);
    client.request("tools/list", &json!({}));
    for cases in cases.chunks(AT_ONCE) {
        let ids: Vec<_> = cases.iter().map(|it| client.begin(it.tool, &it.arguments())).collect();
        for (case, id) in cases.iter().zip(ids) {
            let answer = client.answer(&id);
            case.check(&answer, mode);
        }
    }
    client.end();
    counted(cases.len(), "stated cases");
    cases.len()
}

/// Every row of every dialect with the contract of the server, and with `core`: one case of so many.
fn everything(via: Via, mode: &str, trust: bool, one_of: usize) -> usize {
    let settings = format!("trust = {trust}\n");
    let mut made = 0;
    let contracts = BTreeSet::from(DIALECTS.map(|it| it.1));
    for contract in contracts {
        let dir = tempfile::tempdir().unwrap();
        let is_seen = |it: &&(Dialect, &str)| contract == "core" || it.1 == contract;
        let all = DIALECTS.iter().filter(is_seen).flat_map(|it| cases(it.0, it.1, dir.path()));
        let some = all.enumerate().filter(|it| it.0 % one_of == 0).map(|it| it.1);
        // Those that may wait for a repeat wait together.
        let (waits, at_once): (Vec<_>, Vec<_>) = some.partition(Case::may_be_repeated);
        made += all_through(via, &settings, mode, contract, &at_once);
        made += all_through(via, &settings, mode, contract, &waits);
    }
    made
}

#[test]
fn a_stated_no_of_a_trusted_server_is_final() {
    assert!(everything(Via::Run, "enforce", true, 1) >= 4_000);
}

#[test]
fn a_stated_no_of_a_server_without_trust_is_final() {
    assert!(everything(Via::Run, "enforce", false, 1) >= 4_000);
}

#[test]
fn a_stated_no_is_final_where_nothing_is_rewritten() {
    let made: usize =
        ["annotate", "observe"].map(|it| everything(Via::Run, it, true, 3)).into_iter().sum();
    assert!(made >= 2_000, "{made}");
}

#[test]
fn a_stated_no_is_final_over_http() {
    assert!(everything(Via::Serve, "enforce", true, 17) >= 200);
}

/// What the seeds' servers say of a code whose row allows a repeat, to a tool that only reads: it is called once.
fn called_once(dialect: Dialect, contract: &str, envelope: &Value) {
    let dir = tempfile::tempdir().unwrap();
    let statement = json!({"retryable": false});
    let line = carried(dialect, envelope, 0);
    let case = Case { tool: "tally_read", statement, line, calls: dir.path().join("calls") };
    assert_eq!(all_through(Via::Run, "", "enforce", contract, &[case]), 1);
}

#[test]
fn seed_001_03_a_lock_that_is_not_retryable_is_not_tried_again() {
    let envelope = json!({"code": "TOKEN_SESSION_LOCKED", "message": "Session is locked by another process", "retry": {"kind": "not_retryable"}});
    called_once(Dialect::Workrail, "workrail", &envelope);
}

#[test]
fn seed_002_22_retryable_of_a_call_precedes_that_of_its_row() {
    for (code, domain, symbol) in
        [(2400, "kg-memory", "E_KG_FULL"), (2100, "playwright", "E_PW_NAV")]
    {
        let data = json!({"domain": domain, "symbol": symbol, "retryable": false});
        let envelope = json!({"error": {"code": code, "message": "It failed", "data": data}});
        called_once(Dialect::Rpc, "rpc-taxonomy", &envelope);
    }
}
