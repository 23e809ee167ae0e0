//! The official clients before the official server, without the gate and through it, by all four crossings: successes are
//! the same, failures are told.

mod clients;
mod doctored;
mod masked;
mod probed;
mod schemas;
mod served;

use serde_json::{Value, json};
use tempfile::TempDir;

use self::{
    clients::{Client, Era, command, config, fixture, run},
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
const END: [&str; 2] = ["timeout", "cancel"];

/// The same, where the gate starts the server.
const CRASH: [&str; 2] = ["crash", "again"];

#[test]
#[ignore = "needs the official peers: cargo xtask peers"]
fn typescript_1_sees_no_gate() {
    sees_no_gate(Client::TypeScript1, Era::Sessions);
}

#[test]
#[ignore = "needs the official peers: cargo xtask peers"]
fn typescript_2_sees_no_gate() {
    sees_no_gate(Client::TypeScript2, Era::Sessions);
}

#[test]
#[ignore = "needs the official peers: cargo xtask peers"]
fn typescript_2_sees_no_gate_without_sessions() {
    sees_no_gate(Client::TypeScript2, Era::Stateless);
}

#[test]
#[ignore = "needs the official peers: cargo xtask peers"]
fn python_sees_no_gate() {
    sees_no_gate(Client::Python, Era::Sessions);
}

#[test]
#[ignore = "needs the official peers: cargo xtask peers"]
fn python_sees_no_gate_without_sessions() {
    sees_no_gate(Client::Python, Era::Stateless);
}

#[test]
#[ignore = "needs the official peers: cargo xtask peers"]
fn rmcp_sees_no_gate() {
    sees_no_gate(Client::Rmcp, Era::Sessions);
}

#[test]
#[ignore = "needs the official peers: cargo xtask peers"]
fn rmcp_sees_no_gate_without_sessions() {
    sees_no_gate(Client::Rmcp, Era::Stateless);
}

/// All crossings: a client on stdio or HTTP, a server on stdio or HTTP.
/// The built-in server, as every official client sees it, on stdio and over HTTP.
#[test]
#[ignore = "needs the official peers: cargo xtask peers"]
fn every_client_works_with_the_files_of_a_directory() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    std::fs::create_dir(&root).unwrap();
    std::fs::write(root.join("a.txt"), "text\n").unwrap();
    let server = ["--root".to_owned(), root.to_str().unwrap().to_owned()];
    let served = Served::gate(dir.path(), &server, "/mcp");
    for (client, era) in [
        (Client::TypeScript1, Era::Sessions),
        (Client::TypeScript2, Era::Sessions),
        (Client::TypeScript2, Era::Stateless),
        (Client::Python, Era::Sessions),
        (Client::Rmcp, Era::Sessions),
        (Client::Rmcp, Era::Stateless),
    ] {
        for target in [run(dir.path(), &server), served.target()] {
            let what = format!("{client:?}, {era:?}, {}", target[0]);
            let saw = client.run(era, &["server", "tools", "file", "no_file"], &target);
            assert!(
                saw["server"].get("ok").is_some() && saw["tools"].get("ok").is_some(),
                "{what}: {saw}"
            );
            assert_eq!(
                saw["file"]["ok"]["structuredContent"]["content"], "text\n",
                "{what}: {saw}"
            );
            let fault = told(&what, &saw, "no_file");
            assert_eq!(fault["code"], "FILE_NOT_FOUND", "{what}");
            assert_eq!(fault["similar_refs"][0]["ref"], "a.txt", "{what}");
        }
    }
}

fn sees_no_gate(client: Client, era: Era) {
    let dir = TempDir::new().unwrap();
    let without = [SAME.as_slice(), &FAIL].concat();
    let before_url = [without.as_slice(), &END].concat();
    let before_command = [before_url.as_slice(), &CRASH].concat();
    let server = Served::fixture();
    let config = config(dir.path(), server.url());

    let direct = client.run(era, &without, &fixture());
    let through = client.run(era, &before_command, &run(dir.path(), &command()));
    check(&format!("{client:?}, {era:?}, stdio to stdio"), &direct, &through);
    let through = client.run(era, &before_url, &run(dir.path(), &config));
    check(&format!("{client:?}, {era:?}, stdio to HTTP"), &direct, &through);

    let direct = client.run(era, &without, &server.target());
    let gate = Served::gate(dir.path(), &command(), "/mcp");
    let through = client.run(era, &before_command, &gate.target());
    check(&format!("{client:?}, {era:?}, HTTP to stdio"), &direct, &through);
    let gate = Served::gate(dir.path(), &config, "/fixture/mcp");
    let through = client.run(era, &before_url, &gate.target());
    check(&format!("{client:?}, {era:?}, HTTP to HTTP"), &direct, &through);
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
    if through.get("crash").is_none() {
        return;
    }
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
