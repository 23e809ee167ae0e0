//! `redress doctor` on the files of clients, with servers that are started.

use std::{fs, path::Path, process::Command};

use serde_json::{Value, json};

use crate::redress::{Ran, run};

/// A server with a tool that only reads and one that writes. It refuses a number where a path should be, in the way that `$1` says, and writes
/// each call down in `calls`.
const SERVER: &str = r#"while read -r line; do
  id=${line#*\"id\":}; id=${id%%[,\}]*}
  case $line in
    *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}\n' "$id";;
    *tools/list*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"look","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}},{"name":"write","inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}]}}\n' "$id";;
    *'"look"'*) echo look >> calls
      printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"Error: path must be a string"}]%s}}\n' "$id" "$1";;
    *'"write"'*) echo write >> calls
      printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"written"}]}}\n' "$id";;
    *tools/call*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"Unknown tool"}}\n' "$id";;
    *'"ping"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{}}\n' "$id";;
    *server/discover*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}\n' "$id";;
    *) ;;
  esac
done"#;

fn doctor(home: &Path, args: &[&str]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_redress"));
    command.arg("doctor").args(args).current_dir(home).env("HOME", home);
    for variable in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "CODEX_HOME"] {
        command.env_remove(variable);
    }
    run(&mut command, b"")
}

fn configured(home: &Path, servers: &Value) {
    fs::write(home.join("server.sh"), SERVER).unwrap();
    fs::create_dir_all(home.join(".cursor")).unwrap();
    fs::write(home.join(".cursor/mcp.json"), json!({ "mcpServers": servers }).to_string()).unwrap();
}

fn rows(ran: &Ran) -> Vec<Value> {
    let shown: Value = serde_json::from_str(&ran.out).unwrap_or_else(|it| panic!("{it}: {ran:?}"));
    shown["servers"].as_array().unwrap().clone()
}

#[test]
fn each_server_is_started_and_nothing_with_effects_is_called() {
    let home = tempfile::tempdir().unwrap();
    configured(
        home.path(),
        &json!({
            "good": {"command": "sh", "args": ["server.sh", ",\"isError\":true"]},
            "silent": {"command": "sh", "args": ["server.sh", ""]},
            "gone": {"command": "/no/such/server"},
            "asked": {"command": "sh", "args": ["${input:script}"]},
            "off": {"command": "sh", "disabled": true},
        }),
    );
    let ran = doctor(home.path(), &["--format", "json"]);
    assert_eq!(ran.exit, 1, "{ran:?}");
    let rows = rows(&ran);
    let failures = |at: usize| rows[at]["state"]["failures"].clone();
    assert_eq!(rows[0]["state"]["starts"], true, "{ran:?}");
    assert_eq!(rows[0]["state"]["tools"], 2);
    assert_eq!(rows[0]["state"]["read_only_tools"], 1);
    assert_eq!(failures(0), json!({"answered": 2, "flagged": 2, "unanswered": 0}));
    assert_eq!(rows[0]["wrapped"], false);
    assert_eq!(rows[0]["advice"], json!(["redress wrap --client cursor --server good --write"]));
    assert_eq!(failures(1), json!({"answered": 2, "flagged": 1, "unanswered": 0}));
    assert!(rows[1]["advice"][1].as_str().unwrap().contains("isError"), "{}", rows[1]);
    assert_eq!(rows[2]["state"]["error"]["code"], "NOT_INSTALLED");
    assert_eq!(rows[3]["state"]["reason"], "only its client can fill in ${input:script}");
    assert_eq!(rows[4]["state"]["reason"], "it is switched off");
    let calls = fs::read_to_string(home.path().join("calls")).unwrap();
    assert_eq!(calls, "look\nlook\n", "each server's tool that only reads is called once");
}

#[test]
fn a_person_gets_one_line_for_each_server() {
    let home = tempfile::tempdir().unwrap();
    let good = json!({"command": "sh", "args": ["server.sh", ",\"isError\":true"]});
    configured(home.path(), &json!({ "good": good, "gone": {"command": "/no/such/server"} }));
    let ran = doctor(home.path(), &["--format", "text"]);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines.len(), 3, "{}", ran.out);
    assert!(lines[1].starts_with("  good  starts in "), "{}", ran.out);
    assert!(lines[1].contains(", 2 tools, flags 2 of 2 failures, not wrapped  → redress wrap "));
    assert!(lines[2].starts_with("  gone  does not start: /no/such/server: "), "{}", ran.out);
    assert!(!ran.err.contains('\r'), "no progress in a pipe: {}", ran.err);
}

#[test]
fn a_wrapped_server_records_nothing_of_it_and_its_last_failures_are_shown() {
    let home = tempfile::tempdir().unwrap();
    let gate = env!("CARGO_BIN_EXE_redress");
    let args = ["run", "--name", "good", "--", "sh", "server.sh", ",\"isError\":true"];
    configured(home.path(), &json!({ "good": {"command": gate, "args": args} }));
    let first = rows(&doctor(home.path(), &["--format", "json"]));
    assert_eq!(first[0]["wrapped"], true);
    assert_eq!(
        first[0]["state"]["failures"],
        json!({"answered": 2, "flagged": 2, "unanswered": 0})
    );
    assert_eq!(first[0]["ledger"]["failures_in_7_days"], 0, "{}", first[0]);
    assert_eq!(first[0]["ledger"]["damaged"], false, "{}", first[0]);
    let mut client = Command::new(gate);
    client.args(args).current_dir(home.path()).env("HOME", home.path());
    client.env_remove("XDG_STATE_HOME").env_remove("XDG_CONFIG_HOME");
    let list = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n";
    let call = "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"look\",\"arguments\":{\"path\":7}}}\n";
    run(&mut client, format!("{list}{call}").as_bytes());
    let ran = doctor(home.path(), &["--format", "json"]);
    let then = rows(&ran);
    assert_eq!(then[0]["ledger"]["failures_in_7_days"], 1, "{ran:?}");
    assert_eq!(then[0]["ledger"]["last"]["tool"], "look");
    assert_eq!(then[0]["ledger"]["damaged"], false, "{}", then[0]);
    assert!(then[0]["advice"][0].as_str().unwrap().starts_with("redress ledger query "));
}

#[test]
fn a_server_that_says_nothing_is_given_up_after_the_time_for_one() {
    let home = tempfile::tempdir().unwrap();
    configured(home.path(), &json!({ "mute": {"command": "sleep", "args": ["1000"]} }));
    let ran = doctor(home.path(), &["--format", "json", "--time", "1"]);
    assert_eq!(ran.exit, 1, "{ran:?}");
    let state = &rows(&ran)[0]["state"];
    assert_eq!(state["error"]["code"], "TIMEOUT", "{state}");
    assert_eq!(state["error"]["notes"][0], "it did not start within 1 s");
}

#[test]
fn a_broken_file_is_told_with_its_place_and_the_others_are_looked_at() {
    let home = tempfile::tempdir().unwrap();
    configured(home.path(), &json!({ "asked": {"command": "${input:x}"} }));
    fs::create_dir_all(home.path().join(".kiro/settings")).unwrap();
    fs::write(home.path().join(".kiro/settings/mcp.json"), "{\"mcpServers\":\n{,}}").unwrap();
    let ran = doctor(home.path(), &["--format", "json"]);
    assert!(ran.exit == 2 && ran.err.contains("mcp.json:2:2"), "{ran:?}");
    assert_eq!(rows(&ran).len(), 2);
}
