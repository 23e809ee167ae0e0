//! Ways around a governed gate: messages that want no answer, methods that no role names, and names that stand twice inside.

use serde_json::json;

use super::{client::Gate, place::Place};

/// A server that answers everything, and writes down what it was asked to do.
const SERVER: &str = r#"while read line; do
    case $line in *tools/call*|*own/do*|*resources/read*) echo "$line" >> "$1";; esac
    case $line in *'"id":'*) id=${line#*'"id":'}; printf '{"jsonrpc":"2.0","id":%s,"result":{}}\n' "${id%%[,\}]*}";; esac
done"#;

#[test]
fn notifications_and_unnamed_methods_do_not_reach_the_server() {
    let place = Place::new();
    place.write("server.sh", SERVER);
    place.configure(
        "root = 'root'\nrole = 'r'\n[governance.roles.r]\nallow = ['resources/*']",
        &format!("command = ['sh', {:?}, {:?}]", place.at("server.sh"), place.at("root/heard")),
    );
    let mut gate = Gate::over(&place, &["--config", "redress.toml"]);
    let heard = || place.text("heard");
    gate.write(r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"look"}}"#);
    gate.request("resources/read", &json!({"uri": "file:///x"}));
    gate.request("ping", &json!({}));
    assert_eq!(heard(), "nothing", "before a session");
    assert_eq!(gate.begin(), "fine");
    gate.write(r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"look"}}"#);
    gate.request("own/do", &json!({}));
    gate.request("ping", &json!({}));
    assert_eq!(heard(), "nothing", "no role names it");
    let allowed = gate.request("resources/read", &json!({"uri": "file:///x"}));
    assert!(heard().contains("resources/read"), "{} {allowed}", heard());
    gate.kill();
}

#[test]
fn a_nested_duplicate_name_is_refused_before_the_server() {
    let place = Place::new();
    let mut gate = Gate::start(&place, &["--governed"]);
    gate.begin();
    place.write("root/a", "old");
    place.write("root/b", "old");
    for path in [r#""path":"a","path":"b""#, r#""path":"a","p\u0061th":"b""#] {
        let answer = gate.raw(&format!(
            r#"{{"jsonrpc":"2.0","id":"twice","method":"tools/call","params":{{"name":"apply_patch","arguments":{{"edits":[{{{path},"search":"old","replace":"new"}}]}}}}}}"#
        ));
        assert!(answer.contains("INVALID_INPUT_FORMAT"), "{answer}");
    }
    assert_eq!(place.text("b"), "old");
    gate.kill();
}
