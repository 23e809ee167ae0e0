//! Servers of others: they are asked without what is for the gate, whatever the way to it.

use std::fs;

use serde_json::{Value, json};

use super::{
    approval::approved,
    caller::{Served, caller},
    client::Gate,
    place::Place,
};

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

/// Before this server, whatever it is asked needs a plan.
fn place(more: &str) -> Place {
    let place = Place::new();
    fs::create_dir_all(place.at("root/src")).unwrap();
    place.write("server.sh", SERVER);
    place.write("errors.toml", CONTRACT);
    place.configure(
        &format!("locks = []\nneed_plan = ['*']\n{more}"),
        "command = ['sh', '../server.sh']\ncwd = 'root'\ncontract = 'errors.toml'",
    );
    place
}

/// What the server heard of calls.
fn heard(place: &Place) -> Vec<Value> {
    let heard = place.text("heard");
    let calls = heard.lines().map(|it| serde_json::from_str::<Value>(it).unwrap());
    calls.filter(|it| it["method"] == "tools/call").map(|it| it["params"].clone()).collect()
}

#[test]
fn any_server_is_asked_without_what_is_for_the_gate() {
    let place = place("");
    let hash = approved(&place, "narrow.md", "src/**");
    approved(&place, "wide.md", "**");
    let mut gate = Gate::begun(&place);
    let call = |file: &str, plan: &str| json!({"file": file, "plan": plan, "phase": "P", "x": 1.0});
    assert_eq!(gate.code("save", &call("src/a", "narrow.md")), "fine");
    assert_eq!(gate.code("save", &call("a", "narrow.md")), "PLAN_SCOPE_VIOLATION");
    assert_eq!(gate.code("save", &json!({"plan": hash})), "PLAN_SCOPE_VIOLATION", "no path at all");
    assert_eq!(gate.code("shell", &json!({"line": "ls", "plan": hash})), "PLAN_SCOPE_VIOLATION");
    assert_eq!(gate.code("shell", &json!({"line": "ls", "plan": "wide.md"})), "fine");
    assert_eq!(gate.code("shell", &json!({"line": "ls"})), "MISSING_REQUIRED_FIELD");
    let tools = gate.tools();
    let draw = tools.iter().find(|it| it["name"] == "draw").unwrap();
    assert!(draw["inputSchema"]["properties"]["plan"].get("description").is_none(), "{draw}");
    assert_eq!(gate.code("draw", &json!({"file": "src/b", "plan": "narrow.md"})), "fine");
    // The server dies of this one, and is asked again.
    assert_eq!(gate.code("look", &call("src/a", "narrow.md")), "fine");
    let calls = heard(&place);
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
    let place = place("");
    let mut gate = Gate::over(&place, &["--config", "redress.toml"]);
    let (code, result) = gate.call("begin_session", &json!({"workspace_root": place.at("")}));
    assert_eq!(code, "SESSION_INITIALIZATION_FAILED");
    let card = result["content"][0]["text"].as_str().unwrap();
    assert!(card.contains("that does not hold the gate's own files"), "{card}");
    assert_eq!(gate.begin(), "fine", "one below it is");
    gate.kill();
}

#[test]
fn plans_hold_over_http_as_well() {
    let token = "the-token-of-somebody";
    let place = place(&caller("one", token));
    approved(&place, "narrow.md", "src/**");
    let served = Served::start(&place);
    let somebody = served.open(token);
    let begin = json!({"workspace_root": place.at("root")});
    assert_eq!(somebody.code("begin_session", &begin), "fine");
    let save = |file: &str| somebody.code("save", &json!({"plan": "narrow.md", "file": file}));
    assert_eq!(save("src/a"), "fine");
    assert_eq!(save("a"), "PLAN_SCOPE_VIOLATION");
    served.kill();
    assert_eq!(heard(&place), [json!({"name": "save", "arguments": {"file": "src/a"}})]);
}
