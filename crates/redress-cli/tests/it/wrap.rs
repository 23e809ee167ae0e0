//! `redress wrap` and `redress unwrap` on the files of clients, with a server that is started.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::Path,
    process::Command,
};

use serde_json::Value;

use crate::{
    redress::{Ran, run},
    serve::home::Home,
};

/// A server with one tool; with `twice` in its environment, the gate sees another one than we do.
const SERVER: &str = r#"while read -r line; do
  id=${line#*\"id\":}; id=${id%%[,\}]*}
  case $line in
    *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}\n' "$id";;
    *tools/list*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}}\n' "$id";;
  esac
done"#;

fn redress(home: &Path, args: &[&str]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_redress"));
    command.args(args).current_dir(home).env("HOME", home);
    for variable in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "CODEX_HOME"] {
        command.env_remove(variable);
    }
    run(&mut command, b"")
}

fn cursor(home: &Path, text: &str) -> std::path::PathBuf {
    fs::create_dir_all(home.join(".cursor")).unwrap();
    let file = home.join(".cursor/mcp.json");
    fs::write(&file, text).unwrap();
    file
}

fn config(home: &Path) -> String {
    fs::write(home.join("server.sh"), SERVER).unwrap();
    let script = home.join("server.sh");
    format!(
        "{{\n  // mine\n  \"mcpServers\": {{\n    \"one\": {{\n      \"command\": \"sh\",\n      \"args\": [{:?}]\n    }},\n    \"gone\": {{\"type\": \"sse\", \"url\": \"http://127.0.0.1:9/sse\"}}\n  }}\n}}\n",
        script.to_str().unwrap()
    )
}

#[test]
fn a_wrapped_server_is_started_and_comes_back_byte_for_byte() {
    let home = tempfile::tempdir().unwrap();
    let text = config(home.path());
    let file = cursor(home.path(), &text);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let shown = redress(home.path(), &["wrap", "--format", "text"]);
    assert_eq!(shown.exit, 0, "{shown:?}");
    assert!(shown.out.contains("+      \"command\": "), "{}", shown.out);
    assert!(shown.out.contains("gone  left: it speaks the transport of 2024"), "{}", shown.out);
    assert_eq!(fs::read_to_string(&file).unwrap(), text, "without --write nothing is written");
    assert_eq!(redress(home.path(), &["wrap", "--check"]).exit, 1);
    let written = redress(home.path(), &["wrap", "--write", "--format", "text"]);
    assert_eq!(written.exit, 0, "{written:?}");
    assert!(written.out.contains("the same 1 tools with the gate"), "{}", written.out);
    let wrapped = fs::read_to_string(&file).unwrap();
    assert!(wrapped.contains("// mine") && wrapped.contains("\"--name\", \"one\", \"--\", \"sh\""));
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let kept = fs::read_to_string(home.path().join(".cursor/mcp.json.before-redress")).unwrap();
    assert_eq!(kept, text);
    assert_eq!(redress(home.path(), &["wrap", "--check"]).exit, 0);
    let again = redress(home.path(), &["wrap", "--write", "--format", "json"]);
    let again: Value = serde_json::from_str(&again.out).unwrap();
    assert_eq!(again["files"][0]["servers"][0]["state"], "wrapped already");
    assert_eq!(redress(home.path(), &["unwrap", "--write"]).exit, 0);
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
}

#[test]
fn a_server_that_does_not_start_is_left_as_it_is() {
    let home = tempfile::tempdir().unwrap();
    let text = r#"{"mcpServers":{"broken":{"command":"/no/such/server"}}}"#;
    let file = cursor(home.path(), text);
    let ran = redress(home.path(), &["wrap", "--write", "--format", "text"]);
    assert_eq!(ran.exit, 1, "{ran:?}");
    assert!(ran.out.contains("does not start, also without the gate"), "{}", ran.out);
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    assert_eq!(redress(home.path(), &["wrap", "--write", "--no-start"]).exit, 0);
    assert!(fs::read_to_string(&file).unwrap().contains("\"run\""));
}

#[test]
fn bad_files_are_refused_with_place_and_unchanged() {
    let home = tempfile::tempdir().unwrap();
    for (text, at, problem) in [
        ("{\n  \"mcpServers\": {", "mcp.json:", "CONFIG_INVALID"),
        (
            "{\"mcpServers\":{\"a\":{\"command\":\"x\"},\n\"a\":{\"command\":\"y\"}}}",
            "mcp.json:2:1",
            "twice",
        ),
        ("[]", "mcp.json:1:1", "no object"),
    ] {
        let file = cursor(home.path(), text);
        let ran = redress(home.path(), &["wrap", "--write", "--no-start"]);
        assert_eq!(ran.exit, 2, "{text}: {ran:?}");
        assert!(ran.err.contains(at) && ran.err.contains(problem), "{text}: {}", ran.err);
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
    let file = cursor(home.path(), r#"{"mcpServers":{"a":{"command":"x"}}}"#);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
    let ran = redress(home.path(), &["wrap", "--write", "--no-start"]);
    assert!(ran.exit == 3 && ran.err.contains("FILE_WRITE_FAILED"), "{ran:?}");
}

#[test]
fn a_link_out_of_the_home_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let real = cursor(elsewhere.path(), r#"{"mcpServers":{"a":{"command":"x"}}}"#);
    fs::create_dir_all(home.path().join(".cursor")).unwrap();
    symlink(&real, home.path().join(".cursor/mcp.json")).unwrap();
    let ran = redress(home.path(), &["wrap", "--write", "--no-start"]);
    assert!(ran.exit == 2 && ran.err.contains("link"), "{ran:?}");
    assert!(!fs::read_to_string(&real).unwrap().contains("run"));
}

#[test]
fn an_unknown_client_is_refused_with_the_one_meant() {
    let home = tempfile::tempdir().unwrap();
    let ran = redress(home.path(), &["wrap", "--client", "curser"]);
    assert!(ran.exit == 2 && ran.err.contains("did you mean cursor?"), "{ran:?}");
}

#[test]
fn a_remote_server_is_asked_wrapped_and_comes_back_and_its_token_is_no_argument() {
    let served = Home::new();
    let gate = served.gate(&[]);
    let token = served.token();
    let home = tempfile::tempdir().unwrap();
    let text = format!(
        "{{\n  \"mcpServers\": {{\n    \"far\": {{\n      \"url\": \"http://{0}/mcp\", // ours\n      \"headers\": {{\"Authorization\": \"Bearer {token}\"}},\n      \"timeout\": 30\n    }},\n    \"locked\": {{\"url\": \"http://{0}/mcp\"}}\n  }}\n}}\n",
        gate.address
    );
    let file = cursor(home.path(), &text);
    let written = redress(home.path(), &["wrap", "--write", "--format", "json"]);
    let shown: Value = serde_json::from_str(&written.out).unwrap();
    let servers = &shown["files"][0]["servers"];
    assert_eq!(servers[0]["state"], "wrapped", "{written:?}");
    assert_eq!(servers[1]["state"], "left", "{written:?}");
    assert!(servers[1]["reason"].as_str().unwrap().contains("sign-in"), "{servers}");
    let wrapped: Value =
        serde_json::from_str(&fs::read_to_string(&file).unwrap().replace("// ours", "")).unwrap();
    let entry = &wrapped["mcpServers"]["far"];
    let words = serde_json::json!(["run", "--name", "far", "--url", "env:REDRESS_REMOTE"]);
    assert_eq!((&entry["args"], &entry["timeout"]), (&words, &serde_json::json!(30)));
    let doctor = redress(home.path(), &["doctor", "--server", "far"]);
    let doctor: Value = serde_json::from_str(&doctor.out).unwrap();
    let row = &doctor["servers"][0];
    assert_eq!(
        (&row["wrapped"], &row["state"]["starts"]),
        (&Value::from(true), &Value::from(true))
    );
    assert!(!doctor.to_string().contains(&token), "{doctor}");
    assert_eq!(redress(home.path(), &["unwrap", "--write"]).exit, 0);
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    gate.end();
}

#[test]
fn a_wrapped_remote_entry_that_was_changed_since_is_left() {
    let home = tempfile::tempdir().unwrap();
    let text = r#"{"mcpServers":{"far":{"url":"http://127.0.0.1:9/mcp","timeout":5}}}"#;
    let file = cursor(home.path(), text);
    assert_eq!(redress(home.path(), &["wrap", "--write", "--no-start"]).exit, 0);
    let changed = fs::read_to_string(&file).unwrap().replace("\"timeout\":5", "\"timeout\":7");
    assert!(changed.contains("\"timeout\":7"), "{changed}");
    fs::write(&file, &changed).unwrap();
    let ran = redress(home.path(), &["unwrap", "--write", "--format", "text"]);
    assert!(ran.out.contains("changed since it was wrapped"), "{ran:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), changed);
}
