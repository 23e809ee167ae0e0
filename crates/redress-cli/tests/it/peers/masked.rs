//! A server of the official Python SDK, which hides from its answers why a tool failed.

use serde_json::{Value, json};

use super::clients::python_server;
use crate::gate::client::{Client, Via, fault};

#[test]
#[ignore = "needs the official peers: cargo xtask peers"]
fn what_the_python_sdk_hides_is_named_by_its_log() {
    let [python, script] = python_server("masked.py");
    let mut client = Client::before(Via::Run, &[], &[&*python, &*script]);
    client.initialize();
    let answer = client.call("read", &json!({"path": "/no/such/file.txt"}));
    let told = fault(&answer);
    assert_eq!((&told["code"], &told["basis"]), (&json!("FILE_NOT_FOUND"), &json!("inferred")));
    assert_eq!(told["server_text"], "Error executing tool read", "the SDK says more by now");
    assert!(!answer.to_string().contains("Errno"), "{answer}");
    let records = client.records();
    let record = records.iter().find(|it| it["fault"]["code"] == "FILE_NOT_FOUND").unwrap();
    let causes: Vec<_> = record["private"]["causes"].as_array().into_iter().flatten().collect();
    let has_log = |it: &&Value| it.to_string().contains("FileNotFoundError");
    assert!(causes.iter().copied().any(|it| has_log(&it)), "{record}");
    assert_eq!(record["request"]["rule"], "stderr");
    assert_eq!(client.end().0, 0);
}
