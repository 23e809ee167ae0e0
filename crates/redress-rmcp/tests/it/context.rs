//! What a fault says about where it happened, and that it is recorded first.

use std::{fs, path::Path, sync::Arc};

use redress::fault::Context;
use redress_ledger::{Ledger, Options, Time};
use redress_rmcp::Contract;
use serde_json::json;

use crate::{
    odd::{Odd, call, client, failed, registry},
    raw::{Raw, fault},
};

#[tokio::test]
async fn a_fault_says_where_it_happened() {
    let contract = Contract::new(Odd::new(), registry())
        .server("odd")
        .role("tester")
        .workspace("/srv/odd")
        .context(|seen| Context {
            phase_id: Some("PHASE_1".to_owned()),
            plan_hash: seen.call.arguments.as_ref().map(|it| it.len().to_string()),
            ..Context::default()
        });
    let (_, envelope) =
        failed(&call(&client(contract).await, "panic", json!({"a": 1})).await.unwrap());
    let context = &envelope["context"];
    for (key, value) in [
        ("server", "odd"),
        ("tool", "panic"),
        ("role", "tester"),
        ("workspace_root", "/srv/odd"),
        ("phase_id", "PHASE_1"),
        ("plan_hash", "1"),
    ] {
        assert_eq!(context[key], value, "{context}");
    }
    assert!(context["request_id"].is_string() && context["session_id"].is_string(), "{context}");
}

#[tokio::test]
async fn each_client_has_a_session_of_its_own() {
    let contract = Contract::new(Odd::new(), registry());
    let mut sessions = Vec::new();
    for _ in 0..2 {
        let mut raw = Raw::new(contract.clone()).await;
        let told = raw.ask("tools/call", json!({"name": "panic"})).await;
        let refused = raw.answer("what?").await;
        let session = told["result"]["structuredContent"]["context"]["session_id"].clone();
        assert_eq!(session, fault(&refused)["context"]["session_id"], "{refused}");
        sessions.push(session);
    }
    assert!(sessions[0].is_string() && sessions[0] != sessions[1], "{sessions:?}");
}

fn ledger(home: &Path) -> Arc<Ledger> {
    let clock = Arc::new(|| Time::from_millis(1_768_836_730_123));
    Arc::new(Ledger::open(Options::new(home.join("ledger"), home.join("key"), clock)).unwrap())
}

/// Everything that is on disk.
fn recorded(home: &Path) -> String {
    let chains = fs::read_dir(home.join("ledger")).unwrap().map(|it| it.unwrap().path());
    let files = chains.filter(|it| it.is_dir()).flat_map(|it| fs::read_dir(it).unwrap());
    files.map(|it| fs::read_to_string(it.unwrap().path()).unwrap_or_default()).collect()
}

#[tokio::test]
async fn a_failure_is_on_disk_before_it_is_told() {
    let home = tempfile::tempdir().unwrap();
    let contract = Contract::new(Odd::new(), registry()).ledger(ledger(home.path()));
    let client = client(contract).await;
    for (at, (tool, secret)) in
        [("panic", "the secret of the panic"), ("even", "known to the operator")]
            .into_iter()
            .enumerate()
    {
        let (_, envelope) = failed(&call(&client, tool, json!({"number": 3})).await.unwrap());
        let record = recorded(home.path());
        let lines: Vec<_> = record.lines().filter(|it| it.contains("\"fault\"")).collect();
        assert_eq!(lines.len(), at + 1, "{record}");
        assert!(lines[at].contains(secret), "{record}");
        assert!(lines[at].contains(envelope["ledger"]["hash"].as_str().unwrap()), "{record}");
    }
    assert!(recorded(home.path()).contains("odd.rs:"), "where the panic was");
    let unknown = call(&client, "nothing", json!({})).await.unwrap_err();
    assert!(format!("{unknown:?}").contains("UNKNOWN_TOOL"));
    assert!(recorded(home.path()).contains("UNKNOWN_TOOL"));
}

#[tokio::test]
async fn what_cannot_be_recorded_is_not_told() {
    let home = tempfile::tempdir().unwrap();
    let ledger = ledger(home.path());
    let contract = Contract::new(Odd::new(), registry()).ledger(Arc::clone(&ledger));
    let client = client(contract).await;
    ledger.close().unwrap();
    for tool in ["panic", "well"] {
        let result = call(&client, tool, json!({})).await.unwrap();
        let (card, envelope) = failed(&result);
        assert!(card.starts_with("AUDIT_LOG_FAILED: "), "{card}");
        assert!(envelope.get("ledger").is_none() && result.structured_content.is_none());
        assert_eq!(envelope["effect"], "none", "it was not even tried");
    }
}

#[tokio::test]
async fn a_closure_that_panics_fails_no_call() {
    let contract = Contract::new(Odd::new(), registry()).context(|_| panic!("on purpose"));
    let client = client(contract).await;
    assert_eq!(call(&client, "well", json!({})).await.unwrap().is_error, Some(false));
    let (card, _) = failed(&call(&client, "prose", json!({})).await.unwrap());
    assert!(card.starts_with("RATE_LIMITED: "), "{card}");
}
