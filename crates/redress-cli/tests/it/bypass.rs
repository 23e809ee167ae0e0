//! Ways around a governed gate: messages that want no answer, methods that no role names, and names that stand twice inside.

use std::{fs, path::Path};

use serde_json::json;
use tempfile::tempdir;

use crate::governed::Gate;

/// A server that answers everything, and writes down what it was asked to do.
const SERVER: &str = r#"while read line; do
    case $line in *tools/call*|*own/do*|*resources/read*) echo "$line" >> "$1";; esac
    case $line in *'"id":'*) id=${line#*'"id":'}; printf '{"jsonrpc":"2.0","id":%s,"result":{}}\n' "${id%%[,\}]*}";; esac
done"#;

fn write(dir: &Path, name: &str, text: &str) {
    fs::write(dir.join(name), text).unwrap();
}

#[test]
fn what_wants_no_answer_and_what_no_role_names_does_not_reach_the_server() {
    let dir = tempdir().unwrap();
    let at = |name: &str| dir.path().join(name).display().to_string();
    write(dir.path(), "server.sh", SERVER);
    let policy = format!(
        "[governance]\nenabled = true\nroot = \"root\"\nrole = \"r\"\n[governance.roles.r]\nallow = [\"resources/*\"]\n[server.s]\ncommand = [\"sh\", {:?}, {:?}]\n",
        at("server.sh"),
        at("root/heard"),
    );
    write(dir.path(), "c.toml", &policy);
    let mut gate = Gate::over(dir.path(), &["--ledger", "ledger", "--config", "c.toml"]);
    let heard = || fs::read_to_string(dir.path().join("root/heard")).unwrap_or_default();
    gate.send(r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"look"}}"#);
    gate.request("resources/read", &json!({"uri": "file:///x"}));
    gate.request("ping", &json!({}));
    assert_eq!(heard(), "", "before a session");
    assert_eq!(gate.begin(dir.path()), "fine");
    gate.send(r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"look"}}"#);
    gate.request("own/do", &json!({}));
    gate.request("ping", &json!({}));
    assert_eq!(heard(), "", "no role names it");
    let allowed = gate.request("resources/read", &json!({"uri": "file:///x"}));
    assert!(heard().contains("resources/read"), "{} {allowed}", heard());
    gate.kill();
}

#[test]
fn a_name_that_stands_twice_deep_inside_is_refused_before_the_server_takes_the_other() {
    let dir = tempdir().unwrap();
    let mut gate = Gate::start(dir.path(), &["--governed"]);
    gate.begin(dir.path());
    write(&dir.path().join("root"), "a", "old");
    write(&dir.path().join("root"), "b", "old");
    for path in [r#""path":"a","path":"b""#, r#""path":"a","p\u0061th":"b""#] {
        let answer = gate.raw(&format!(
            r#"{{"jsonrpc":"2.0","id":"twice","method":"tools/call","params":{{"name":"apply_patch","arguments":{{"edits":[{{{path},"search":"old","replace":"new"}}]}}}}}}"#
        ));
        assert!(answer.contains("INVALID_INPUT_FORMAT"), "{answer}");
    }
    assert_eq!(fs::read_to_string(dir.path().join("root/b")).unwrap(), "old");
    gate.kill();
}
