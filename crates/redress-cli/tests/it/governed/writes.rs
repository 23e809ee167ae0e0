//! Writes before a governed gate: rules about what they say, and what becomes of those that must not stay.

use serde_json::{Value, json};

use super::{client::Gate, place::Place};

/// A policy that locks no session by what is tried here.
pub(super) fn place(policy: &str) -> Place {
    Place::with(&format!("locks = []\n{policy}"))
}

pub(super) fn write(path: &str, content: &str) -> Value {
    json!({"path": path, "content": content})
}

const RULES: &str = "[governance.write_rules.no-unwrap]\npaths = ['**/*.rs']\nforbid_code = ['.unwrap()']\n\
                     [governance.write_rules.finished]\nforbid_text = ['FIXME']\n\
                     [governance.write_rules.why]\npaths = ['lib/**']\nintent_chars = 21\n";

#[test]
fn what_breaks_a_rule_is_never_written() {
    let place = place(RULES);
    let mut gate = Gate::begun(&place);
    let bad = "fn a() {\n    b().unwrap();\n}\n";
    let (code, refused) = gate.call("write_file", &write("a.rs", bad));
    let fault = &refused["_meta"]["dev.redress/fault"];
    assert_eq!(code, "RUST_POLICY_VIOLATION");
    assert_eq!(
        (&fault["effect"], &fault["details"]["line"]),
        (&json!("none"), &json!(2)),
        "{fault}"
    );
    assert_eq!(fault["hint"], "Write line 2 without `.unwrap()`, then repeat the call.");
    assert_eq!(gate.code("write_file", &write("a.rs", "fn a() {} // unwrap()")), "fine");
    assert_eq!(gate.code("write_file", &write("b.md", "FIXME")), "POLICY_VIOLATION");
    assert_eq!(gate.code("write_file", &write("lib/a.md", "x")), "POLICY_VIOLATION", "no intent");
    let why = json!({"path": "lib/a.md", "content": "x", "create_parents": true, "intent": "So that there is a library."});
    assert_eq!(gate.code("write_file", &why), "fine", "the server does not get it");
    let tools = gate.tools();
    let takes = |name: &str| {
        &tools.iter().find(|it| it["name"] == name).unwrap()["inputSchema"]["properties"]["intent"]
    };
    assert!(takes("apply_patch").is_object() && takes("read_file").is_null());
    // What the gate cannot read before is judged when it is written, and put back.
    let base64 = json!({"path": "a.rs", "content": "Zm4gYSgpIHsgYi51bndyYXAoKTsgfQ==", "encoding": "base64"});
    assert_eq!(gate.code("write_file", &base64), "RUST_POLICY_VIOLATION");
    let edit = json!({"edits": [{"path": "a.rs", "search": "{}", "replace": "{ b.unwrap() }"}]});
    assert_eq!(gate.code("apply_patch", &edit), "RUST_POLICY_VIOLATION");
    let patch = "--- a/a.rs\n+++ b/a.rs\n@@ -1 +1 @@\n-fn a() {} // unwrap()\n\\ No newline at end of file\n+fn a() { b.unwrap() }\n\
                 --- /dev/null\n+++ b/new.rs\n@@ -0,0 +1 @@\n+fn c() {}\n";
    let (code, refused) = gate.call("apply_patch", &json!({"patch": patch}));
    assert_eq!(code, "RUST_POLICY_VIOLATION", "{refused}");
    assert_eq!(
        (place.text("a.rs").as_str(), place.text("new.rs").as_str()),
        ("fn a() {} // unwrap()", "nothing")
    );
    let outside = "--- a/../x\n+++ b/../x\n@@ -1 +1 @@\n-a\n+b\n";
    assert_eq!(gate.code("apply_patch", &json!({"patch": outside})), "PATH_TRAVERSAL_BLOCKED");
    assert_eq!(gate.code("apply_patch", &json!({"patch": "x"})), "PATCH_INVALID");
    gate.end();
    assert!(place.recorded().contains("no-unwrap"));
}

#[test]
fn a_link_that_leads_out_can_only_be_removed() {
    let place = place(RULES);
    place.write("secret.txt", "secret");
    std::fs::create_dir(place.at("outside")).unwrap();
    place.write("outside/a.txt", "old");
    let link = |to: &str, name: &str| {
        std::os::unix::fs::symlink(place.at(to), place.at("root").join(name)).unwrap();
    };
    link("secret.txt", "out");
    link("outside", "dir");
    link("nowhere", "dangling");
    let mut gate = Gate::begun(&place);
    let remove = |path: &str| json!({"path": path, "recursive": true});
    for path in ["out", "dir/a.txt"] {
        assert_eq!(gate.code("write_file", &write(path, "x")), "OUTSIDE_WORKSPACE", "{path}");
        assert_eq!(gate.code("read_file", &json!({"path": path})), "OUTSIDE_WORKSPACE", "{path}");
    }
    assert_eq!(gate.code("remove", &remove("dir/a.txt")), "OUTSIDE_WORKSPACE");
    for path in ["out", "dir", "dangling"] {
        assert_eq!(gate.code("remove", &remove(path)), "fine", "{path}");
        assert!(place.at("root").join(path).symlink_metadata().is_err(), "{path}");
    }
    gate.end();
    let texts = ["secret.txt", "outside/a.txt"].map(|it| std::fs::read_to_string(place.at(it)));
    assert_eq!(texts.map(Result::unwrap), ["secret", "old"], "what they led to is there");
}

#[test]
fn a_file_in_another_encoding_is_judged_by_its_text() {
    let place = place(RULES);
    let mut gate = Gate::begun(&place);
    // FF FE and `FIXME` in UTF-16
    let hidden = json!({"path": "a.txt", "content": "//5GAEkAWABNAEUA", "encoding": "base64"});
    assert_eq!(gate.code("write_file", &hidden), "POLICY_VIOLATION");
    assert_eq!(place.text("a.txt"), "nothing");
    gate.end();
}

/// A server of somebody else: it writes where it likes, and says what it likes.
const SCRIPT: &str = r#"
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  fine='{"jsonrpc":"2.0","id":'$id',"result":{"content":[{"type":"text","text":"saved"}]}}'
  case $line in
    *'"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}';;
    *'"tools/list"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[{"name":"save"},{"name":"half"},{"name":"slow"}]}}';;
    *'"save"'*) printf 'later: FIXME' > root/made.txt; echo "$fine";;
    *'"half"'*) printf half > root/made.txt; echo '{"jsonrpc":"2.0","id":'$id',"result":{"isError":true,"content":[{"type":"text","text":"disk full"}]}}';;
    *'"slow"'*) printf slow > root/made.txt; while [ ! -e answer ]; do sleep 0.01; done; echo "$fine";;
  esac
done
"#;

const CONTRACT: &str = r#"
format = "redress-registry/1"
extends = ["core"]
[registry]
name = "script"
version = "0.1.0"
[tool.save]
operation = "command"
paths = ["/where"]
[tool.half]
operation = "command"
paths = ["/where"]
[tool.slow]
operation = "command"
paths = ["/where"]
"#;

#[test]
fn any_server_is_checked_and_failed_writes_are_undone() {
    let place = Place::new();
    place.write("server.sh", SCRIPT);
    place.write("contract.toml", CONTRACT);
    place.configure(
        "locks = []\n[governance.write_rules.finished]\nforbid_text = ['FIXME']",
        "command = ['sh', 'server.sh']\ncontract = 'contract.toml'",
    );
    place.write("root/made.txt", "old");
    let mut gate = Gate::begun(&place);
    let made = json!({"where": "root/made.txt"});
    assert_eq!(gate.code("save", &made), "POLICY_VIOLATION");
    assert_eq!(place.text("made.txt"), "old");
    assert_ne!(gate.code("half", &made), "fine");
    place.until(|it| it.text("made.txt") == "old");
    let id = gate.ask("slow", &made);
    place.until(|it| it.text("made.txt") == "slow");
    gate.cancel(id);
    gate.status();
    place.write("answer", "");
    place.until(|it| it.text("made.txt") == "old");
    assert_eq!(gate.code("slow", &made), "fine");
    assert_eq!(place.text("made.txt"), "slow");
    gate.end();
    assert!(place.recorded().contains("undone"));
}
