//! `redress doctor` and `redress wrap` before a public server from npm.

use std::{fs, path::Path, process::Command};

use serde_json::{Value, json};

use super::clients::npm_server;
use crate::redress::{Ran, run};

fn redress(home: &Path, args: &[&str]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_redress"));
    command.args(args).current_dir(home).env("HOME", home);
    run(command.env_remove("XDG_CONFIG_HOME").env_remove("XDG_STATE_HOME"), b"")
}

fn only_row(ran: &Ran) -> Value {
    let shown: Value = serde_json::from_str(&ran.out).unwrap_or_else(|it| panic!("{it}: {ran:?}"));
    shown["servers"][0].clone()
}

#[test]
#[ignore = "needs the official peers: cargo xtask peers"]
fn a_public_server_is_checked_and_wrapped_and_checked_again() {
    let home = tempfile::tempdir().unwrap();
    let [node, script] = npm_server("@modelcontextprotocol/server-filesystem/dist/index.js");
    fs::create_dir(home.path().join("files")).unwrap();
    fs::write(home.path().join("files/kept.txt"), "kept").unwrap();
    fs::create_dir(home.path().join(".cursor")).unwrap();
    let config = json!({"mcpServers": {"files": {"command": node, "args": [script, "files"]}}});
    let file = home.path().join(".cursor/mcp.json");
    fs::write(&file, config.to_string()).unwrap();
    let bare = only_row(&redress(home.path(), &["doctor"]));
    assert_eq!(
        (&bare["state"]["starts"], &bare["wrapped"]),
        (&json!(true), &json!(false)),
        "{bare}"
    );
    assert!(bare["state"]["tools"].as_u64().unwrap() > 10, "{bare}");
    assert!(bare["state"]["read_only_tools"].as_u64().unwrap() > 5, "{bare}");
    let written = redress(home.path(), &["wrap", "--write", "--format", "text"]);
    assert!(written.exit == 0 && written.out.contains("tools with the gate"), "{written:?}");
    let wrapped = only_row(&redress(home.path(), &["doctor"]));
    assert_eq!((&wrapped["state"]["starts"], &wrapped["wrapped"]), (&json!(true), &json!(true)));
    assert_eq!(wrapped["state"]["tools"], bare["state"]["tools"]);
    let failures = &wrapped["state"]["failures"];
    assert_eq!(failures["answered"], failures["flagged"], "{wrapped}");
    assert_eq!(wrapped["ledger"]["failures_in_7_days"], 0, "{wrapped}");
    let names: Vec<_> = fs::read_dir(home.path().join("files")).unwrap().collect();
    assert_eq!(names.len(), 1, "nothing was made or removed");
    assert_eq!(redress(home.path(), &["unwrap", "--write"]).exit, 0);
    assert_eq!(fs::read_to_string(&file).unwrap(), config.to_string());
}
