//! The official clients before the official server, without the gate and through it: successes are the same, failures are told.

mod clients;
mod served;

use serde_json::{Value, json};
use tempfile::TempDir;

use self::{
    clients::{Client, Era, fixture, gate},
    served::Served,
};

/// What succeeds, and must not be changed by the gate.
const SAME: [&str; 11] = [
    "server",
    "tools",
    "ok",
    "mixed",
    "sum",
    "resource",
    "prompt",
    "progress",
    "sampling",
    "elicitation",
    "large",
];

/// What fails with and without the gate.
const FAIL: [&str; 5] =
    ["failed", "failed_typed", "protocol_error", "unknown_tool", "missing_resource"];

/// What only a gate makes an answer of.
const END: [&str; 4] = ["timeout", "cancel", "crash", "again"];

#[test]
#[ignore = "needs the official peers: cargo xtask peers"]
fn typescript_1_works_through_run() {
    works_through_run(Client::TypeScript1, Era::Sessions);
}

#[test]
#[ignore = "needs the official peers: cargo xtask peers"]
fn typescript_2_works_through_run() {
    works_through_run(Client::TypeScript2, Era::Sessions);
    works_through_run(Client::TypeScript2, Era::Stateless);
}

#[test]
#[ignore = "needs the official peers: cargo xtask peers"]
fn python_works_through_run() {
    works_through_run(Client::Python, Era::Sessions);
    works_through_run(Client::Python, Era::Stateless);
}

#[test]
#[ignore = "needs the official peers: cargo xtask peers"]
fn rmcp_works_through_run() {
    works_through_run(Client::Rmcp, Era::Sessions);
    works_through_run(Client::Rmcp, Era::Stateless);
}

#[test]
#[ignore = "needs the official peers: cargo xtask peers"]
fn typescript_1_works_through_serve() {
    works_through_serve(Client::TypeScript1, Era::Sessions);
}

#[test]
#[ignore = "needs the official peers: cargo xtask peers"]
fn typescript_2_works_through_serve() {
    works_through_serve(Client::TypeScript2, Era::Sessions);
    works_through_serve(Client::TypeScript2, Era::Stateless);
}

#[test]
#[ignore = "needs the official peers: cargo xtask peers"]
fn python_works_through_serve() {
    works_through_serve(Client::Python, Era::Sessions);
    works_through_serve(Client::Python, Era::Stateless);
}

#[test]
#[ignore = "needs the official peers: cargo xtask peers"]
fn rmcp_works_through_serve() {
    works_through_serve(Client::Rmcp, Era::Sessions);
    works_through_serve(Client::Rmcp, Era::Stateless);
}

fn works_through_run(client: Client, era: Era) {
    let ledger = TempDir::new().unwrap();
    let direct = client.run(era, &[SAME.as_slice(), &FAIL].concat(), &fixture());
    let steps = [SAME.as_slice(), &FAIL, &END].concat();
    let through = client.run(era, &steps, &gate(ledger.path(), &fixture()));
    check(&format!("{client:?}, {era:?}, run"), &direct, &through);
}

fn works_through_serve(client: Client, era: Era) {
    let ledger = TempDir::new().unwrap();
    let server = Served::fixture();
    let direct = client.run(era, &[SAME.as_slice(), &FAIL].concat(), &server.target());
    let gate = Served::gate(ledger.path(), &fixture());
    let steps = [SAME.as_slice(), &FAIL, &END].concat();
    let through = client.run(era, &steps, &gate.target());
    check(&format!("{client:?}, {era:?}, serve"), &direct, &through);
}

/// Compares what a client saw directly with what it saw through the gate.
fn check(what: &str, direct: &Value, through: &Value) {
    for step in SAME {
        assert!(direct[step].get("ok").is_some(), "{what}: {step}: {}", direct[step]);
        assert_eq!(through[step], direct[step], "{what}: {step}");
    }
    let failed = told(what, through, "failed");
    assert_eq!(failed["code"], "UNKNOWN_TOOL_FAILURE", "{what}");
    assert_eq!(through["failed"]["ok"]["structuredContent"], *failed, "{what}");

    let typed = told(what, through, "failed_typed");
    assert_eq!(typed["code"], "FILE_NOT_FOUND", "{what}");
    let structured = through["failed_typed"]["ok"].get("structuredContent");
    assert!(structured.is_none(), "{what}: the tool has an output schema: {structured:?}");

    let upstream = &told(what, through, "protocol_error")["details"]["upstream"];
    let kept = json!({ "code": -32603, "data": { "part": "the fixture" } });
    assert_eq!(*upstream, kept, "{what}");

    for step in ["unknown_tool", "missing_resource"] {
        let (before, now) = (&direct[step]["error"], &through[step]["error"]);
        assert_eq!(now["code"], before["code"], "{what}: {step}: {now}");
        assert_eq!(now["message"], before["message"], "{what}: {step}");
    }
    let unknown = &through["unknown_tool"]["error"]["data"]["dev.redress/fault"];
    assert_eq!(unknown["code"], "UNKNOWN_TOOL", "{what}");

    assert_eq!(told(what, through, "timeout")["code"], "TIMEOUT", "{what}");
    let cancel = &through["cancel"]["ok"];
    assert_eq!(cancel["ended"], "stopped", "{what}");
    assert_ne!(cancel["heard"], "0", "{what}: the server never heard of it");
    let crash = told(what, through, "crash");
    assert_eq!(crash["code"], "UPSTREAM_CRASHED", "{what}");
    assert_eq!(crash["details"]["exit_code"], 7, "{what}");
    assert_eq!(through["again"], through["ok"], "{what}: after the crash");
}

/// The envelope of a failed call, whose text must be enough alone.
fn told<'a>(what: &str, report: &'a Value, step: &str) -> &'a Value {
    let result = &report[step]["ok"];
    assert_eq!(result["isError"], true, "{what}: {step}: {}", report[step]);
    let fault = &result["_meta"]["dev.redress/fault"];
    let start = format!("{}: ", fault["code"].as_str().unwrap());
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with(&start), "{what}: {step}: {text}");
    fault
}
