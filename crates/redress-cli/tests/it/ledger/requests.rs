//! The call to which a fault record belongs: what of it is in the record, and what is not.

use std::{fs, os::unix::fs::PermissionsExt as _};

use serde_json::{Value, json};

use super::home::{Gate, Home, failing};
use crate::gate::client::bad_server;

/// The calls of the fault records, oldest first.
fn requests(home: &Home) -> Vec<Value> {
    let faults = home.json(&["query", "--kind", "fault"]);
    faults.into_iter().map(|it| it["request"].clone()).collect()
}

/// A failing call with such a `_meta`.
fn fail_with(gate: &mut Gate, meta: &Value) {
    gate.ask("tools/call", &json!({"name": "read", "arguments": failing(), "_meta": meta}));
    gate.hear().expect("an answer");
}

#[test]
fn a_record_tells_the_call_to_which_it_belongs() {
    let home = Home::new();
    let mut gate = home.gate(&[], &[]);
    gate.fail();
    let trace = "0af7651916cd43dd8448eb211c80319c";
    fail_with(&mut gate, &json!({"traceparent": format!("00-{trace}-b7ad6b7169203331-01")}));
    gate.call("exit", &json!({"code": 3}));
    gate.end();
    let [plain, traced, ended] = &requests(&home)[..] else { panic!("three failures") };
    assert_eq!(plain["client"], json!({"name": "t", "version": "1"}));
    let told = ["attempt", "mode", "dialect", "basis", "flagged"].map(|it| &plain[it]);
    assert_eq!(json!(told), json!([1, "enforce", "native", "inferred", true]));
    assert!(plain["rule"].is_string() && plain.get("run").is_none(), "{plain}");
    assert!(plain["session"].as_str().is_some_and(|it| !it.is_empty()), "{plain}");
    assert_eq!((&plain["session"], &traced["run"]), (&traced["session"], &trace.into()));
    assert_eq!((&ended["basis"], ended.get("flagged")), (&"protocol".into(), None));
    home.assert_sound();
}

#[test]
fn equal_arguments_are_found_and_not_kept() {
    let home = Home::new();
    for _ in 0..2 {
        let mut gate = home.gate(&[], &[]);
        gate.fail();
        gate.call("exit", &json!({"code": 3}));
        gate.end();
    }
    let all = requests(&home);
    let digests: Vec<_> = all.iter().map(|it| it["arguments_hmac"].as_str().unwrap()).collect();
    assert_eq!((digests.len(), digests[0].len()), (4, 32));
    assert_eq!((digests[0], digests[1]), (digests[2], digests[3]), "in another process, too");
    assert_ne!(digests[0], digests[1]);
    assert!(all.iter().all(|it| it.get("arguments").is_none()), "{all:?}");
    let key = home.path().join("config/redress/ledger.arguments");
    assert_eq!(fs::metadata(key).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn arguments_are_kept_without_secrets_where_asked() {
    let home = Home::new();
    let (file, command) = (home.path().join("redress.toml"), json!([bad_server()]));
    let text = format!("[ledger]\narguments = true\n[server.bad]\ncommand = {command}\n");
    fs::write(&file, text).unwrap();
    let mut gate = home.gate_of(&file);
    let mut arguments = failing();
    arguments["password"] = "correct-horse-9".into();
    gate.call("read", &arguments);
    gate.end();
    let [request] = &requests(&home)[..] else { panic!("one failure") };
    assert_eq!(request["arguments"]["path"], "a.txt");
    assert_eq!(request["arguments"]["password"], "[redacted]");
    assert!(!fs::read_to_string(home.segment()).unwrap().contains("correct-horse"));
    home.assert_sound();
}
