//! What a caller hears of a write that failed: whatever was put back, it is true.

use serde_json::json;

use super::{client::Gate, place::Place};

/// A server of somebody else, whose writes fail in every way.
const SCRIPT: &str = r#"
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  fine='{"jsonrpc":"2.0","id":'$id',"result":{"content":[{"type":"text","text":"saved"}]}}'
  failed='{"jsonrpc":"2.0","id":'$id',"result":{"isError":true,"content":[{"type":"text","text":"ENOENT: no such file or directory, open root/made.txt"}]}}'
  case $line in
    *'"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}';;
    *'"tools/list"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[]}}';;
    *'"idle"'*) echo "$failed";;
    *'"save"'*) printf 'later: FIXME' > root/made.txt; echo "$fine";;
    *'"half"'*) printf half > root/made.txt; echo "$failed";;
    *'"stray"'*) printf half > root/made.txt; printf half > root/other.txt; echo "$failed";;
    *'"flood"'*) rm root/made.txt; mkdir root/made.txt; (cd root/made.txt; seq 10001 | xargs touch); echo "$failed";;
    *'"dies"'*) printf half > root/made.txt; exit 1;;
    *'"mumble"'*) cat words > root/made.txt; echo '{"jsonrpc":"2.0","id":'$id',"result":{"content":[{"type":"text","text":"Error: ENOENT: no such file or directory"}]}}';;
  esac
done
"#;

const TOOLS: [&str; 7] = ["idle", "save", "half", "stray", "flood", "dies", "mumble"];

fn place() -> Place {
    let place = Place::new();
    let head = "format = 'redress-registry/1'\nextends = ['core']\n[registry]\nname = 'script'\nversion = '0.1.0'";
    let tool = |it| format!("[tool.{it}]\noperation = 'command'\npaths = ['/where']");
    place.write(
        "contract.toml",
        &[head.to_owned()].into_iter().chain(TOOLS.map(tool)).collect::<Vec<_>>().join("\n"),
    );
    place.write("server.sh", SCRIPT);
    place.configure(
        "locks = []\n[governance.write_rules.finished]\nforbid_text = ['FIXME']",
        "command = ['sh', 'server.sh']\ncontract = 'contract.toml'",
    );
    place
}

#[test]
fn what_a_failed_write_is_told_to_have_changed_is_true() {
    let place = place();
    place.write("root/made.txt", "old");
    let mut gate = Gate::begun(&place);
    let mut told = |tool: &str| {
        let (code, failed) = gate.call(tool, &json!({"where": "root/made.txt"}));
        let effect = failed["_meta"]["dev.redress/fault"]["effect"].as_str().unwrap_or_default();
        let card = failed["content"][0]["text"].as_str().unwrap_or_default();
        (format!("{code} {effect}"), card.to_owned())
    };
    // A server that says of itself that nothing happened, and of which nothing was seen, is believed.
    let (verdict, card) = told("idle");
    assert_eq!(verdict, "FILE_NOT_FOUND none", "{card}");
    // One that has changed what its call names may have changed more.
    for (tool, expected) in [
        ("half", "FILE_NOT_FOUND unknown"),
        ("stray", "FILE_NOT_FOUND unknown"),
        ("save", "POLICY_VIOLATION unknown"),
    ] {
        let (verdict, card) = told(tool);
        assert_eq!(place.text("made.txt"), "old", "it is told when it was put back: {card}");
        assert_eq!(verdict, expected, "{card}");
        assert!(!card.contains("Nothing was changed"), "{card}");
        assert!(card.contains("What the call names is as it was"), "{card}");
    }
    assert_eq!(place.text("other.txt"), "half", "which nobody has seen");
    let (verdict, card) = told("flood");
    assert_eq!(verdict, "FILE_NOT_FOUND partial", "{card}");
    assert!(card.contains("not every file is as it was"), "{card}");
    std::fs::remove_dir_all(place.at("root/made.txt")).unwrap();
    let (verdict, card) = told("dies");
    assert_eq!(verdict, "UPSTREAM_CRASHED unknown", "{card}");
    place.until(|it| it.text("made.txt") == "nothing");
    gate.end();
}

#[test]
fn an_answer_that_sounds_like_a_failure_keeps_its_writes() {
    let place = place();
    let mut gate = Gate::begun(&place);
    let made = json!({"where": "root/made.txt"});
    place.write("words", "new");
    let (_, passed) = gate.call("mumble", &made);
    assert_ne!(passed["isError"], true, "{passed}");
    assert_eq!(place.text("made.txt"), "new");
    assert_eq!(passed["_meta"]["dev.redress/fault"]["effect"], "unknown", "{passed}");
    place.write("words", "FIXME");
    assert_eq!(gate.code("mumble", &made), "POLICY_VIOLATION");
    assert_eq!(place.text("made.txt"), "new");
    gate.end();
}
