//! Who may call what: roles, tools that nobody is served, and callers that are told apart.

use std::process::Stdio;

use serde_json::{Value, json};

use super::{
    caller::{Served, caller},
    client::Gate,
    place::Place,
};
use crate::{gate::http::listening, redress::run};

#[test]
fn a_role_is_told_apart_from_what_nobody_may() {
    let place = Place::new();
    let mut gate = Gate::start(&place, &["--preset", "atlas-gate", "--role", "ANTIGRAVITY"]);
    gate.begin();
    let file = json!({"path": "a.txt", "content": "one"});
    let (code, result) = gate.call("write_file", &file);
    assert_eq!(code, "ROLE_MISMATCH");
    let envelope: Value =
        serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(envelope["error_code"], "ROLE_MISMATCH", "{envelope}");
    assert_eq!(envelope["role"], "ANTIGRAVITY");
    assert_eq!(envelope["tool_name"], "write_file");
    let seq = gate.status()["locked_by"]["ledger_seq"].clone();
    let report = json!({"ledger_seq": seq, "report": "I asked for what only WINDSURF may do."});
    assert_eq!(gate.code("submit_failure_report", &report), "fine", "every role can report");
    gate.kill();
}

#[test]
fn a_tool_that_is_not_served_is_unknown_to_every_role() {
    let place = Place::with("role = 'reader'\n[governance.roles.reader]\nallow = ['read_*']");
    let mut gate = Gate::begun(&place);
    let (code, result) = gate.call("read_fiel", &json!({}));
    assert_eq!(code, "UNKNOWN_TOOL", "{result}");
    let near = &result["_meta"]["dev.redress/fault"]["similar_refs"];
    assert!(near.to_string().contains("read_file"), "{near}");
    assert_eq!(gate.code("write_fiel", &json!({})), "UNKNOWN_TOOL");
    assert_eq!(gate.status()["status"], "SESSION_INITIALIZED", "a typo locks nothing");
    assert_eq!(
        gate.code("write_file", &json!({"path": "a", "content": ""})),
        "INSUFFICIENT_PERMISSIONS"
    );
    gate.kill();
}

#[test]
fn the_list_has_what_is_served_and_nothing_else() {
    let place = Place::new();
    let mut gate = Gate::start(&place, &["--governed", "--contract", "core"]);
    let names = |gate: &mut Gate| -> Vec<String> {
        gate.tools().iter().map(|it| it["name"].as_str().unwrap().to_owned()).collect()
    };
    let governed = names(&mut gate);
    assert!(governed.contains(&"begin_session".to_owned()), "{governed:?}");
    assert!(governed.contains(&"write_file".to_owned()), "{governed:?}");
    assert_eq!(governed.iter().filter(|it| *it == "read_ledger").count(), 1, "{governed:?}");
    gate.kill();
    let mut gate = Gate::start(&place, &[]);
    assert!(!names(&mut gate).contains(&"begin_session".to_owned()), "only where it governs");
    gate.kill();
}

#[test]
fn arguments_that_mean_two_things_are_refused() {
    let place = Place::new();
    let mut gate = Gate::start(&place, &["--governed"]);
    gate.begin();
    let line = r#"{"jsonrpc":"2.0","id":"twice","method":"tools/call","params":{"name":"read_file","arguments":{"path":"a","path":"../b"}}}"#;
    let answer = gate.raw(line);
    assert!(answer.contains("INVALID_INPUT_FORMAT"), "{answer}");
    for (path, code) in [
        (json!("/etc/hosts"), "OUTSIDE_WORKSPACE"),
        (json!({"a": 1}), "INVALID_INPUT_TYPE"),
        (json!(""), "INVALID_PATH"),
    ] {
        assert_eq!(gate.code("read_file", &json!({"path": path})), code, "{path}");
    }
    gate.kill();
}

#[test]
fn a_governed_gate_does_not_start_where_it_could_not_govern() {
    let place = Place::new();
    place.write("redress.toml", "");
    for (args, words) in [
        (["serve", "--governed"].as_slice(), "[auth.caller.me]"),
        (&["run", "--governed", "--no-ledger"], "ledger"),
        (&["run", "--preset", "atlas-gate", "--role", "OWNER"], "ANTIGRAVITY, WINDSURF"),
        (
            &["run", "--role", "WINDSURF"],
            "Add --governed, a --preset or a file with a [governance]",
        ),
        (
            &["run", "--allow-eval", "x"],
            "--allow-eval: It has a meaning only where the gate governs.",
        ),
        (&["run", "--governed", "--allow-eval", "["], "--allow-eval: `[` is no pattern: "),
        (
            &["serve", "--preset", "atlas-gate", "--role", "WINDSURF"],
            "over HTTP, each token has its role",
        ),
        (&["run", "--root", "redress.toml"], "--root: `redress.toml` is no directory."),
        (&["rnu"], "'run'"),
    ] {
        let ran = run(place.redress(args).env("HOME", place.at("")), b"");
        assert_eq!(ran.exit, 2, "{}", ran.err);
        assert!(ran.err.contains(words), "{}", ran.err);
    }
}

#[test]
fn callers_over_http_are_told_apart_by_their_tokens() {
    let (writer, reader) = ("the-token-of-the-writer", "the-token-of-the-reader");
    let place = Place::with(&format!(
        "[governance.roles.writer]\nallow = ['*']\n[governance.roles.reader]\nallow = ['read_*']\n\
         {}role = 'writer'\n{}role = 'reader'",
        caller("one", writer),
        caller("two", reader)
    ));
    let served = Served::start(&place);
    assert_eq!(served.say("some-other-token-altogether", None, "ping", &json!({})).status, 401);
    let (one, two) = (served.open(writer), served.open(reader));
    let begin = json!({"workspace_root": place.at("root")});
    let file = json!({"path": "a.txt", "content": "one"});
    assert_eq!(one.code("begin_session", &begin), "fine");
    assert_eq!(two.code("read_file", &file), "SESSION_NOT_INITIALIZED", "another's session");
    assert_eq!(two.code("begin_session", &begin), "fine");
    assert_eq!(two.code("write_file", &file), "ROLE_MISMATCH");
    assert_eq!(two.code("write_file", &file), "SESSION_LOCKED");
    assert_eq!(one.code("write_file", &file), "fine", "another's lock");
    assert_eq!(served.open(reader).code("write_file", &file), "SESSION_LOCKED", "no way out");
    served.kill();
    let served = Served::start(&place);
    assert_eq!(served.open(writer).code("write_file", &file), "fine", "its session went on");
    assert_eq!(served.open(reader).code("write_file", &file), "SESSION_LOCKED");
    served.kill();
}

#[test]
fn what_is_told_to_govern_over_http_works_as_it_is() {
    let place = Place::new();
    place.write("server.sh", "exit 0");
    let serve = format!("exec {} serve --listen 127.0.0.1:0", env!("CARGO_BIN_EXE_redress"));
    let options: [&[&str]; 3] = [
        &["--governed", "--root", "root"],
        &["--preset", "atlas-gate", "--root", "root"],
        &["--governed", "--", "sh", "-c", "exec sh 'server.sh' $HOME"],
    ];
    for options in options {
        let ran = place.ran(&[&["serve"], options].concat());
        assert_eq!(ran.exit, 2, "{}", ran.err);
        let lines: Vec<&str> = ran.err.lines().filter_map(|it| it.strip_prefix("  ")).collect();
        let script = lines.join("\n").replace("redress serve", &serve);
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &script]).current_dir(place.at(""));
        shell.env("XDG_CONFIG_HOME", place.at("config")).env("XDG_STATE_HOME", place.at("state"));
        shell.stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = shell.spawn().unwrap();
        let url = listening(child.stderr.take().unwrap());
        assert!(url.ends_with("/mcp"), "{script}");
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

#[test]
fn a_report_is_answered_with_the_role_of_whoever_makes_it() {
    let roles = "locks = ['*']\n[governance.roles.editor]\nallow = ['*']\n[governance.roles.reader]\nallow = ['read_*']";
    let place = Place::with(roles);
    let options = |role| ["--config", "redress.toml", "--role", role];
    let mut editor = Gate::over(&place, &options("editor"));
    assert_eq!(editor.begin(), "fine");
    assert_eq!(editor.code("read_file", &json!({"path": "gone"})), "FILE_NOT_FOUND");
    editor.end();
    let mut reader = Gate::over(&place, &options("reader"));
    assert_eq!(reader.begin(), "fine");
    let seq = reader.status()["locked_by"]["ledger_seq"].clone();
    let report = json!({"ledger_seq": seq, "report": "The file was never there, as it seems."});
    let (_, told) = reader.call("submit_failure_report", &report);
    assert_eq!(told["structuredContent"]["role"], "reader", "{told}");
    reader.kill();
}
