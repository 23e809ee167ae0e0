//! Taught rows of a file that changes while the gate runs.

use std::fs;

use serde_json::{Value, json};

use super::{Gate, SERVER, server};

/// The gate of a server whose every call ends in a text that flags nothing.
fn gate() -> Gate {
    let dir = tempfile::tempdir().unwrap();
    let answer = r#"*tools/call*) printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"Sold out: 7"}]}}\n' "$id"; continue ;;"#;
    let script = SERVER.replace("*tools/call*) sleep 3 ;;", answer);
    assert_ne!(script, SERVER);
    fs::write(dir.path().join("server.sh"), script).unwrap();
    fs::write(dir.path().join("redress.toml"), server("a", "one")).unwrap();
    let mut gate = Gate::spawn_in(dir, &["--no-ledger"]);
    gate.listens();
    gate
}

/// The code of a call in a new session; none, if it succeeded.
fn code(gate: &Gate) -> Option<String> {
    let (session, _) = gate.open("a");
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "x"}});
    let (status, _, body) = gate.ask("a", Some(&session), &call);
    assert_eq!(status, 200, "{body}");
    let body: Value = serde_json::from_str(&body).unwrap();
    let code = body["result"]["_meta"]["dev.redress/fault"]["code"].as_str().map(str::to_owned);
    assert_eq!(body["result"]["isError"] == true, code.is_some(), "{body}");
    code
}

#[test]
fn a_row_that_is_added_names_failures_without_a_restart() {
    let gate = gate();
    assert_eq!(code(&gate), None);
    let row = "[[server.a.match]]\ntext = 'Sold out: *'\ncode = 'LIMIT_EXCEEDED'\nsilent = true\nexample = 'Sold out: 1'\n";
    gate.change(&(server("a", "one") + row));
    gate.said("the file was read again");
    assert_eq!(code(&gate).as_deref(), Some("LIMIT_EXCEEDED"));
    gate.change(&(server("a", "one") + &row.replace("Sold out: 1", "Sold in: 1")));
    let said = gate.said("CONFIG_INVALID");
    assert!(said.contains("server.a.match") && said.contains("row 1"), "{said}");
    assert_eq!(code(&gate).as_deref(), Some("LIMIT_EXCEEDED"), "what was valid before is served");
    gate.change(&server("a", "one"));
    gate.said("the file was read again");
    assert_eq!(code(&gate), None);
}
