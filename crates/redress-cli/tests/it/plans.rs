//! Plans, with real processes: a person approves, calls follow, and whoever tries to get around that does not.

use std::{
    fs,
    os::unix::fs::symlink,
    path::Path,
    process::{Command, Output, Stdio},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    gate::http::listening,
    governed::{Gate, called, open},
};

/// A workspace with a plan in it, `docs/plans/NAME`.
fn write_plan(dir: &Path, name: &str, scope: &str) {
    let folder = dir.join("root/docs/plans");
    fs::create_dir_all(&folder).unwrap();
    let text = format!("<!-- redress-plan\nSCOPE: {scope}\n-->\n# The plan {name}\n\nSteps.\n");
    fs::write(folder.join(name), text).unwrap();
}

/// Runs `redress plan` in the workspace.
fn plan(dir: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_redress"))
        .arg("plan")
        .args(args)
        .env("XDG_CONFIG_HOME", dir.join("config"))
        .current_dir(dir.join("root"))
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// Runs it, and gives its exit code and all that it said.
fn said(dir: &Path, args: &[&str]) -> (i32, String) {
    let output = plan(dir, args);
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(text).unwrap())
}

/// A workspace with a plan that a person approved; gives its hash.
pub(crate) fn approved(dir: &Path, name: &str, scope: &str) -> String {
    write_plan(dir, name, scope);
    let (code, text) = said(dir, &["approve", name, "--yes"]);
    assert_eq!(code, 0, "{text}");
    shown(dir, name)["hash"].as_str().unwrap().to_owned()
}

fn shown(dir: &Path, name: &str) -> Value {
    serde_json::from_slice(&plan(dir, &["show", name, "--format", "json"]).stdout).unwrap()
}

fn write(path: &str, plan: &str) -> Value {
    json!({"path": path, "content": "one", "plan": plan, "phase": "PHASE_1"})
}

fn dir() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// A gate before the built-in server, whose writes need a plan and whose sessions are not locked by what is tried here.
fn gate(dir: &Path) -> Gate {
    fs::write(
        dir.join("redress.toml"),
        "[governance]\nenabled = true\nlocks = []\nneed_plan = ['write_*', 'move', 'remove', 'apply_patch']\n\
         [ledger]\ndir = 'ledger'\n[server.files]\nworkspace = 'root'\n",
    )
    .unwrap();
    let mut gate = Gate::over(dir, &["--config", "redress.toml"]);
    assert_eq!(gate.begin(dir), "fine");
    gate
}

#[test]
fn what_is_approved_is_done_and_nothing_else() {
    let dir = dir();
    fs::create_dir_all(dir.path().join("root/src/deep")).unwrap();
    let hash = approved(dir.path(), "cache.md", "src/**, {a,b}.md");
    let mut gate = gate(dir.path());
    for (path, plan, code) in [
        ("src/a.rs", "cache.md", "fine"),
        ("src/deep/b.rs", hash.as_str(), "fine"),
        ("b.md", "docs/plans/cache.md", "fine"),
        ("./src//a.rs", "cache.md", "fine"),
        ("c.md", "cache.md", "PLAN_SCOPE_VIOLATION"),
        ("src", "cache.md", "PLAN_SCOPE_VIOLATION"),
        ("src/../c.md", "cache.md", "PATH_TRAVERSAL_BLOCKED"),
        ("src/a.rs", "cash.md", "PLAN_NOT_FOUND"),
        ("src/a.rs", "../plans/cache.md", "PLAN_NOT_FOUND"),
        ("src/a.rs", &"0".repeat(64), "PLAN_NOT_FOUND"),
        ("src/a.rs", "", "INVALID_INPUT_TYPE"),
    ] {
        assert_eq!(gate.code("write_file", &write(path, plan)), code, "{path} {plan}");
    }
    let (code, result) = gate.call("write_file", &json!({"path": "src/a.rs", "content": ""}));
    assert_eq!(code, "MISSING_REQUIRED_FIELD", "{result}");
    let (_, result) = gate.call("write_file", &write("c.md", "cache.md"));
    let fault = &result["_meta"]["dev.redress/fault"];
    assert!(fault["hint"].as_str().unwrap().contains("src/**, {a,b}.md"), "{fault}");
    assert_eq!(fault["context"]["plan_hash"], *hash);
    assert_eq!(fault["context"]["phase_id"], "PHASE_1");
    let (_, result) = gate.call("write_file", &write("src/a.rs", "cash.md"));
    let fault = &result["_meta"]["dev.redress/fault"];
    assert!(fault["hint"].as_str().unwrap().contains("cache.md"), "{fault}");
    assert_eq!(fault["similar_refs"][0]["ref"], "cache.md", "{fault}");
    for (tool, arguments, code) in [
        ("move", json!({"from": "src/a.rs", "to": "src/c.rs", "plan": "cache.md"}), "fine"),
        (
            "move",
            json!({"from": "src/c.rs", "to": "c.rs", "plan": "cache.md"}),
            "PLAN_SCOPE_VIOLATION",
        ),
        ("remove", json!({"path": "b.md"}), "MISSING_REQUIRED_FIELD"),
        ("remove", json!({"path": "b.md", "plan": "cache.md"}), "fine"),
        (
            "apply_patch",
            json!({"patch": "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+x\n", "plan": "cache.md"}),
            "PLAN_SCOPE_VIOLATION",
        ),
        (
            "apply_patch",
            json!({"patch": "--- /dev/null\n+++ b/src/x\n@@ -0,0 +1 @@\n+x\n", "plan": "cache.md"}),
            "fine",
        ),
        ("read_file", json!({"path": "src/x"}), "fine"),
    ] {
        assert_eq!(gate.code(tool, &arguments), code, "{tool} {arguments}");
    }
    let (_, list) = gate.call("list_plans", &json!({}));
    let list = &list["structuredContent"];
    assert_eq!(list["plans"][0]["hash"], *hash, "{list}");
    assert_eq!(list["plans"][0]["scope"], json!(["src/**", "{a,b}.md"]), "{list}");
    assert_eq!(list["plans"][0]["title"], "The plan cache.md", "{list}");
    let tools = gate.request("tools/list", &json!({}));
    let tools = tools["tools"].as_array().unwrap();
    let schema = |name: &str| &tools.iter().find(|it| it["name"] == name).unwrap()["inputSchema"];
    assert!(schema("write_file")["required"].as_array().unwrap().contains(&json!("plan")));
    assert_eq!(schema("write_file")["properties"]["phase"]["type"], "string");
    assert!(schema("read_file")["properties"].get("plan").is_none());
    gate.kill();
    let ledger = ledger(dir.path());
    assert!(ledger.contains(&format!(r#""plan_hash":"{hash}""#)), "{ledger}");
}

fn ledger(dir: &Path) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_redress"))
        .args(["ledger", "query", "ledger", "--format", "json"])
        .env("XDG_CONFIG_HOME", dir.join("config"))
        .current_dir(dir)
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn an_approval_is_for_the_text_that_a_person_saw() {
    let dir = dir();
    fs::create_dir_all(dir.path().join("root/src")).unwrap();
    let hash = approved(dir.path(), "cache.md", "src/**");
    let file = dir.path().join("root/docs/plans/cache.md");
    let good = fs::read_to_string(&file).unwrap();
    let mut gate = gate(dir.path());
    let mut code = |plan: &str, text: &str| {
        fs::write(&file, text).unwrap();
        gate.code("write_file", &write("src/a.rs", plan))
    };
    assert_eq!(code("cache.md", &good.replace('\n', " \r\n")), "fine", "an editor's line ends");
    for text in [
        good.replace("Steps.", "Other steps."),
        good.replace("src/**", "**"),
        good.replace("STATUS: APPROVED", "STATUS: APPROVED\nSCOPE: infra/**"),
    ] {
        assert_eq!(code("cache.md", &text), "PLAN_ENFORCEMENT_FAILED", "{text}");
        assert_eq!(code(&hash, &text), "PLAN_ENFORCEMENT_FAILED", "{text}");
    }
    let draft = "<!-- redress-plan\nSCOPE: **\nSTATUS: APPROVED\n-->\n# Mine\n";
    assert_eq!(code("cache.md", draft), "PLAN_ENFORCEMENT_FAILED", "approved by itself");
    let own = redress_govern::plan::decided(
        draft.as_bytes(),
        redress_govern::plan::Status::Approved,
        Some(&"5d".repeat(64)),
    );
    assert_eq!(code("cache.md", &own.unwrap()), "PLAN_ENFORCEMENT_FAILED", "a forged signature");
    assert_eq!(code("cache.md", "# no plan"), "PLAN_ENFORCEMENT_FAILED");
    assert_eq!(code("cache.md", &good), "fine", "restored");
    let (status, text) = said(dir.path(), &["revoke", "cache.md", "--yes"]);
    assert_eq!(status, 0, "{text}");
    let mut code = |plan: &str| gate.code("write_file", &write("src/a.rs", plan));
    assert_eq!(code("cache.md"), "PLAN_NOT_APPROVED");
    fs::write(&file, &good).unwrap();
    assert_eq!(code("cache.md"), "PLAN_NOT_APPROVED", "an old copy is still revoked");
    fs::copy(&file, file.with_file_name("other.md")).unwrap();
    assert_eq!(code("other.md"), "PLAN_NOT_APPROVED", "under another name as well");
    let (status, text) = said(dir.path(), &["approve", "cache.md", "--yes"]);
    assert_eq!(status, 0, "{text}");
    assert_eq!(code("cache.md"), "fine", "a person may decide again");
    fs::write(dir.path().join("config/redress/revoked-plans"), "not a hash\n").unwrap();
    assert_eq!(code("cache.md"), "PLAN_ENFORCEMENT_FAILED", "what cannot be known is not allowed");
    gate.kill();
}

#[test]
fn nobody_changes_plans_or_the_gate_over_the_protocol() {
    let dir = dir();
    let root = dir.path().join("root");
    fs::create_dir_all(root.join("src")).unwrap();
    approved(dir.path(), "all.md", "**");
    symlink("docs", root.join("d")).unwrap();
    symlink("../docs/plans", root.join("src/link")).unwrap();
    symlink("../docs/plans/all.md", root.join("src/one.md")).unwrap();
    let config = "[governance]\nenabled = true\nlocks = []\n[ledger]\ndir = 'ledger'\n[server.files]\nworkspace = 'root'\n";
    fs::write(dir.path().join("redress.toml"), config).unwrap();
    let mut gate = Gate::over(dir.path(), &["--config", "redress.toml"]);
    assert_eq!(gate.begin(dir.path()), "fine");
    for (tool, arguments) in [
        ("write_file", json!({"path": "docs/plans/new.md", "content": "x"})),
        ("write_file", json!({"path": "docs/plans/all.md", "content": "x"})),
        ("write_file", json!({"path": "d/plans/new.md", "content": "x"})),
        ("write_file", json!({"path": "src/link/new.md", "content": "x"})),
        ("write_file", json!({"path": "src/one.md", "content": "x"})),
        ("move", json!({"from": "docs", "to": "old"})),
        ("move", json!({"from": "docs/plans", "to": "old"})),
        ("move", json!({"from": "src/link", "to": "docs/plans2"})),
        ("move", json!({"from": "src", "to": "docs/plans/src"})),
        ("remove", json!({"path": "docs/plans/all.md"})),
        (
            "apply_patch",
            json!({"edits": [{"path": "docs/plans/all.md", "search": "Steps", "replace": "x"}]}),
        ),
        (
            "apply_patch",
            json!({"patch": "--- /dev/null\n+++ b/docs/plans/x.md\n@@ -0,0 +1 @@\n+x\n"}),
        ),
    ] {
        assert_eq!(gate.code(tool, &arguments), "INSUFFICIENT_PERMISSIONS", "{tool} {arguments}");
    }
    for (tool, arguments) in [
        ("read_file", json!({"path": "docs/plans/all.md"})),
        ("list_directory", json!({"path": "docs/plans"})),
        ("write_file", json!({"path": "docs/plans.md", "content": "x"})),
    ] {
        assert_eq!(gate.code(tool, &arguments), "fine", "{tool} {arguments}");
    }
    gate.kill();
}

#[test]
fn a_link_does_not_widen_a_plan() {
    let dir = dir();
    let root = dir.path().join("root");
    for it in ["src", "infra", "docs/reports"] {
        fs::create_dir_all(root.join(it)).unwrap();
    }
    fs::write(root.join("infra/main.tf"), "").unwrap();
    symlink("../infra", root.join("src/infra")).unwrap();
    symlink("../infra/main.tf", root.join("src/main.tf")).unwrap();
    symlink("../../infra/main.tf", root.join("docs/reports/r.md")).unwrap();
    symlink("../src", root.join("infra/src")).unwrap();
    approved(dir.path(), "narrow.md", "src/**");
    approved(dir.path(), "wide.md", "**");
    let mut gate = gate(dir.path());
    for (path, code) in [
        ("src/infra/main.tf", "PLAN_SCOPE_VIOLATION"),
        ("src/infra/new.tf", "PLAN_SCOPE_VIOLATION"),
        ("src/main.tf", "PLAN_SCOPE_VIOLATION"),
        ("infra/src/a.rs", "PLAN_SCOPE_VIOLATION"),
        ("docs/reports/r.md", "PLAN_SCOPE_VIOLATION"),
        ("src/new.tf", "fine"),
    ] {
        assert_eq!(gate.code("write_file", &write(path, "narrow.md")), code, "{path}");
    }
    let report = json!({"path": "docs/reports/fine.md", "content": "a report needs no plan"});
    assert_eq!(gate.code("write_file", &report), "fine");
    assert_eq!(
        gate.code("remove", &json!({"path": "src/infra", "plan": "narrow.md"})),
        "PLAN_SCOPE_VIOLATION"
    );
    assert_eq!(gate.code("write_file", &write("infra/main.tf", "wide.md")), "fine");
    gate.kill();
}

/// A server that notes what it hears, and answers everything.
const SERVER: &str = r#"while IFS= read -r line; do
  printf '%s\n' "$line" >> heard
  case "$line" in *'"look"'*) [ -e looked ] || { touch looked; exit 1; } ;; esac
  case "$line" in *'"id":'*) ;; *) continue ;; esac
  id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
    *'"tools/list"'*) result='{"tools":[{"name":"save","inputSchema":{"type":"object","properties":{"file":{"type":"string"}},"required":["file"]}},{"name":"shell","inputSchema":{"type":"object"}},{"name":"look","inputSchema":{"type":"object"}},{"name":"draw","inputSchema":{"type":"object","properties":{"plan":{"type":"string"}}}}]}' ;;
    *) result='{"content":[]}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

const CONTRACT: &str = "format = \"redress-registry/1\"\nextends = [\"core\"]\n[registry]\nname = \"own\"\nversion = \"1.0.0\"\n\
[tool.save]\noperation = \"command\"\npaths = [\"/file\"]\n\
[tool.shell]\noperation = \"command\"\n\
[tool.look]\noperation = \"query\"\nread_only = true\npaths = [\"/file\"]\n\
[tool.draw]\noperation = \"command\"\npaths = [\"/file\"]\n";

fn other_server(dir: &Path, more: &str) {
    fs::create_dir_all(dir.join("root/src")).unwrap();
    fs::write(dir.join("server.sh"), SERVER).unwrap();
    fs::write(dir.join("errors.toml"), CONTRACT).unwrap();
    let config = format!(
        "[governance]\nenabled = true\nlocks = []\nneed_plan = ['*']\n[ledger]\ndir = 'ledger'\n{more}\
         [server.own]\ncommand = ['sh', '../server.sh']\ncwd = 'root'\ncontract = 'errors.toml'\n"
    );
    fs::write(dir.join("redress.toml"), config).unwrap();
}

/// What the server heard of calls.
fn heard(dir: &Path) -> Vec<Value> {
    let heard = fs::read_to_string(dir.join("root/heard")).unwrap();
    let calls = heard.lines().map(|it| serde_json::from_str::<Value>(it).unwrap());
    calls.filter(|it| it["method"] == "tools/call").map(|it| it["params"].clone()).collect()
}

#[test]
fn any_server_is_asked_without_what_is_for_the_gate() {
    let dir = dir();
    other_server(dir.path(), "");
    let hash = approved(dir.path(), "narrow.md", "src/**");
    approved(dir.path(), "wide.md", "**");
    let mut gate = Gate::over(dir.path(), &["--config", "redress.toml"]);
    assert_eq!(gate.begin(dir.path()), "fine");
    let call = |file: &str, plan: &str| json!({"file": file, "plan": plan, "phase": "P", "x": 1.0});
    assert_eq!(gate.code("save", &call("src/a", "narrow.md")), "fine");
    assert_eq!(gate.code("save", &call("a", "narrow.md")), "PLAN_SCOPE_VIOLATION");
    assert_eq!(gate.code("save", &json!({"plan": hash})), "PLAN_SCOPE_VIOLATION", "no path at all");
    assert_eq!(gate.code("shell", &json!({"line": "ls", "plan": hash})), "PLAN_SCOPE_VIOLATION");
    assert_eq!(gate.code("shell", &json!({"line": "ls", "plan": "wide.md"})), "fine");
    assert_eq!(gate.code("shell", &json!({"line": "ls"})), "MISSING_REQUIRED_FIELD");
    let listed = gate.request("tools/list", &json!({}));
    let tools = listed["tools"].as_array().unwrap();
    let draw = tools.iter().find(|it| it["name"] == "draw").unwrap();
    assert!(draw["inputSchema"]["properties"]["plan"].get("description").is_none(), "{draw}");
    assert_eq!(gate.code("draw", &json!({"file": "src/b", "plan": "narrow.md"})), "fine");
    // The server dies of this one, and is asked again.
    assert_eq!(gate.code("look", &call("src/a", "narrow.md")), "fine");
    let calls = heard(dir.path());
    assert_eq!(
        calls,
        [
            json!({"name": "save", "arguments": {"file": "src/a", "x": 1.0}}),
            json!({"name": "shell", "arguments": {"line": "ls"}}),
            json!({"name": "draw", "arguments": {"file": "src/b", "plan": "narrow.md"}}),
            json!({"name": "look", "arguments": {"file": "src/a", "x": 1.0}}),
            json!({"name": "look", "arguments": {"file": "src/a", "x": 1.0}}),
        ],
        "its own argument is passed on"
    );
    gate.kill();
}

#[test]
fn a_workspace_around_the_gate_does_not_open_it() {
    let dir = dir();
    other_server(dir.path(), "");
    let mut gate = Gate::over(dir.path(), &["--config", "redress.toml"]);
    let (code, result) = gate.call("begin_session", &json!({"workspace_root": dir.path()}));
    assert_eq!(code, "SESSION_INITIALIZATION_FAILED");
    let card = result["content"][0]["text"].as_str().unwrap();
    assert!(card.contains("that does not hold the gate's own files"), "{card}");
    assert_eq!(gate.begin(dir.path()), "fine", "one below it is");
    gate.kill();
}

#[test]
fn plans_hold_over_http_as_well() {
    let dir = dir();
    let token = "the-token-of-somebody";
    let hash = redress_govern::eval::sha256(token);
    other_server(dir.path(), &format!("[auth.caller.one]\nsha256 = '{hash}'\n"));
    approved(dir.path(), "narrow.md", "src/**");
    let mut child = Command::new(env!("CARGO_BIN_EXE_redress"))
        .args(["serve", "--listen", "127.0.0.1:0", "--config", "redress.toml"])
        .env("XDG_CONFIG_HOME", dir.path().join("config"))
        .current_dir(dir.path())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let url = listening(child.stderr.take().unwrap());
    let session = open(&url, token);
    let code = |tool: &str, arguments: &Value| called(&url, (token, &session), tool, arguments);
    let begin = json!({"workspace_root": dir.path().join("root")});
    assert_eq!(code("begin_session", &begin), "fine");
    assert_eq!(code("save", &json!({"plan": "narrow.md", "file": "src/a"})), "fine");
    assert_eq!(code("save", &json!({"plan": "narrow.md", "file": "a"})), "PLAN_SCOPE_VIOLATION");
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(heard(dir.path()), [json!({"name": "save", "arguments": {"file": "src/a"}})]);
}

#[test]
fn a_person_sees_what_is_decided_and_bad_input_is_told_with_its_place() {
    let dir = dir();
    let root = dir.path().join("root");
    write_plan(dir.path(), "cache.md", "src/**, docs/*.md");
    let (code, text) = said(dir.path(), &["approve", "cache.md"]);
    assert_eq!(code, 2, "no terminal, no decision: {text}");
    assert!(text.contains("--yes") && text.contains("src/**, docs/*.md"), "{text}");
    assert_eq!(shown(dir.path(), "cache.md")["status"], "draft");
    let ledger = dir.path().join("ledger").to_string_lossy().into_owned();
    let (code, text) =
        said(dir.path(), &["approve", "docs/plans/cache.md", "--yes", "--ledger", &ledger]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("The plan cache.md"), "{text}");
    let hash = shown(dir.path(), "cache.md")["hash"].as_str().unwrap().to_owned();
    assert_eq!(shown(dir.path(), &hash[..12])["status"], "approved");
    assert_eq!(said(dir.path(), &["list"]).0, 0);
    let file = root.join("docs/plans/cache.md");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("Steps.", "Other steps.")).unwrap();
    let (code, text) = said(dir.path(), &["show", "cache.md"]);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("- Steps.\n+ Other steps."), "{text}");
    fs::write(root.join("docs/plans/broken.md"), "# no plan\n").unwrap();
    let (code, text) = said(dir.path(), &["list", "--format", "json"]);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains(r#""status":"changed""#) && text.contains(r#""no_plan""#), "{text}");
    let (code, text) = said(dir.path(), &["revoke", "cache.md", "--yes", "--ledger", &ledger]);
    assert_eq!(code, 0, "{text}");
    let revoked = fs::read_to_string(dir.path().join("config/redress/revoked-plans")).unwrap();
    assert!(revoked.contains(&hash), "the text that was approved is revoked, too: {revoked}");
    let gone = "0123456789abcdef".repeat(4);
    assert_eq!(said(dir.path(), &["revoke", &gone, "--yes"]).0, 0, "also where there is no file");
    let records = self::ledger(dir.path());
    assert!(records.contains("plan_approved") && records.contains("plan_revoked"), "{records}");
    write_plan(dir.path(), "../target.md", "**");
    symlink("../target.md", root.join("docs/plans/link.md")).unwrap();
    for command in ["approve", "revoke", "show"] {
        let (code, text) = said(dir.path(), &[command, "link.md"]);
        assert_eq!(code, 2, "{command}: {text}");
        assert!(text.contains("INVALID_PATH") && text.contains("it is a link"), "{text}");
    }
    let (_, text) = said(dir.path(), &["list"]);
    assert!(text.contains("no plan docs/plans/link.md: it is a link"), "{text}");
    fs::remove_file(root.join("docs/plans/link.md")).unwrap();

    for (name, bytes, words) in [
        ("none.md", b"# Title".as_slice(), "none.md: It is no plan: its first line"),
        ("line.md", b"<!-- redress-plan\nOWNER: me\n-->", "line.md:2: "),
        ("scope.md", b"<!-- redress-plan\n-->", "SCOPE"),
        ("bad.md", b"<!-- redress-plan\nSCOPE: /etc/**\n-->", "`/etc/**` is no pattern"),
        ("binary.md", b"<!-- redress-plan\n\xff\xfe\n-->", "binary.md:2: "),
        ("huge.md", &vec![b'x'; 300 << 10], "longer than 256 KiB"),
    ] {
        fs::write(root.join("docs/plans").join(name), bytes).unwrap();
        for command in ["approve", "revoke", "show"] {
            let (code, text) = said(dir.path(), &[command, name]);
            assert_eq!(code, 2, "{command} {name}: {text}");
            assert!(text.contains("CONFIG_INVALID") && text.contains(words), "{name}: {text}");
        }
    }
    let (code, text) = said(dir.path(), &["show", "cash.md"]);
    assert_eq!(code, 2);
    assert!(text.contains("Did you mean cache.md?"), "{text}");
    let (code, text) = said(dir.path(), &["show", "docs"]);
    assert!(code == 2 && text.contains("INVALID_PATH"), "{text}");
    let (code, text) = said(dir.path(), &["list", "nowhere"]);
    assert!(code == 2 && text.contains("FILE_NOT_FOUND"), "{text}");
}
