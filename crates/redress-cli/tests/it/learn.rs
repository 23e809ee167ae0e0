//! `redress learn`: rows from ledgers and from a live server, and what a gate makes of them.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::redress::{Ran, run, shell};

/// A server that flags no failure of `get_order`, and fails in `add_order` in words of its own. The text of the last is in a file.
const SERVER: &str = r#"
put() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\("[^"]*"\|[0-9]*\)[,}].*/\1/p' | head -n 1)
  case "$line" in
    *'"initialize"'*) put '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"orders","version":"1"}}' ;;
    *'"tools/list"'*) put '{"tools":[
      {"name":"get_order","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","required":["order"],"properties":{"order":{"type":"string"}}}},
      {"name":"add_order","inputSchema":{"type":"object","required":["order"],"properties":{"order":{"type":"string"}}}}]}' | tr -d '\n'; echo ;;
    *get_order*'"order":"'*) put '{"content":[{"type":"text","text":"Invalid orders today: none. Order: 3 parts"}]}' ;;
    *get_order*) put '{"content":[{"type":"text","text":"Invalid order: say it as a text"}]}' ;;
    *add_order*) put "{\"content\":[{\"type\":\"text\",\"text\":$(cat "$1")}],\"isError\":true}" ;;
    *'"ping"'*) put '{}' ;;
    *'"id":'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"none"}}\n' "$id" ;;
  esac
done
"#;

const CONTRACT: &str = "format = \"redress-registry/1\"\n\n[registry]\nname = \"orders\"\nversion = \"0.1.0\"\nextends = [\"core\"]\n\n[domain.orders]\ntitle = \"Orders\"\n";

/// A folder with the server, its words, and a contract.
fn furnished(words: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
    put("server.sh", SERVER);
    put("words", &json!(words).to_string());
    put("errors.toml", CONTRACT);
    dir
}

fn file(dir: &Path, name: &str) -> String {
    fs::read_to_string(dir.join(name)).unwrap()
}

/// The answers of the server behind a gate with these options.
fn gated(dir: &Path, options: &str, calls: &[Value]) -> Vec<Value> {
    let greeting = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    let mut input =
        format!("{greeting}\n{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}}\n");
    for (at, params) in calls.iter().enumerate() {
        let call =
            json!({"jsonrpc": "2.0", "id": at + 1, "method": "tools/call", "params": params});
        input.extend([&*call.to_string(), "\n"]);
    }
    let mut command = std::process::Command::new("sh");
    let line = format!("\"$0\" run {options} -- sh server.sh words");
    command.args(["-c", &line, env!("CARGO_BIN_EXE_redress")]).current_dir(dir).env("HOME", dir);
    let Ran { out, err, .. } = run(&mut command, input.as_bytes());
    let mut answers: Vec<Value> = out
        .lines()
        .map(|it| serde_json::from_str(it).unwrap())
        .filter(|it: &Value| it["id"].as_u64().is_some_and(|it| it > 0))
        .collect();
    assert_eq!(answers.len(), calls.len(), "{err}");
    answers.sort_by_key(|it| it["id"].as_u64());
    answers
}

fn call(tool: &str, arguments: &Value) -> Value {
    json!({"name": tool, "arguments": arguments})
}

fn code(answer: &Value) -> Option<&str> {
    answer["result"]["_meta"]["dev.redress/fault"]["code"].as_str()
}

#[test]
fn a_gate_names_what_was_learnt_from_the_server() {
    let dir = furnished("Kaputt 17");
    let learn = "redress learn --write errors.toml -- sh server.sh words";
    let ran = shell(learn, dir.path());
    assert_eq!(ran.exit, 0, "{}{}", ran.out, ran.err);
    let taught = file(dir.path(), "errors.toml");
    assert!(taught.starts_with(CONTRACT), "{taught}");
    assert_eq!(taught.matches("[[match]]").count(), 2, "{taught}");
    assert_eq!(taught.matches("silent = true").count(), 1, "{taught}");
    let lint = shell("redress registry lint errors.toml", dir.path());
    assert_eq!(lint.exit, 0, "{}", lint.out);

    let calls = [
        call("get_order", &json!({"order": 7})),
        call("get_order", &json!({"order": "a"})),
        call("add_order", &json!({})),
    ];
    let with = gated(dir.path(), "--no-ledger --contract errors.toml", &calls);
    let without = gated(dir.path(), "--no-ledger", &calls);
    assert_eq!(with[0]["result"]["isError"], true, "{}", with[0]);
    assert_eq!(code(&with[0]), Some("INVALID_INPUT_TYPE"));
    assert_eq!(with[1], without[1], "a success is not touched");
    assert_eq!(
        (code(&without[2]), code(&with[2])),
        (Some("UNKNOWN_TOOL_FAILURE"), Some("INVALID_INPUT_VALUE"))
    );

    let again = shell(learn, dir.path());
    assert!(again.out.contains("nothing new"), "{}{}", again.out, again.err);
    assert_eq!(file(dir.path(), "errors.toml"), taught);
}

#[test]
fn rows_of_a_server_are_added_to_the_configuration() {
    let dir = furnished("Kaputt 17");
    let config = "# ours\n[server.orders]\ncommand = [\"sh\", \"server.sh\", \"words\"]\n\n[server.other]\ncommand = [\"sh\"]\n";
    fs::write(dir.path().join("redress.toml"), config).unwrap();
    let learn =
        "redress learn --write redress.toml --server orders --format json -- sh server.sh words";
    let ran = shell(learn, dir.path());
    assert_eq!(ran.exit, 0, "{}{}", ran.out, ran.err);
    let taught = file(dir.path(), "redress.toml");
    assert_eq!(taught.matches("[[server.orders.match]]").count(), 2, "{taught}");
    assert!(taught.starts_with("# ours\n[server.orders]\n"), "{taught}");
    let printed: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(printed["written"], 2);
    assert_eq!(shell("redress config check redress.toml", dir.path()).exit, 0);
    // Without its name, none of the two is meant.
    let ran = shell(&learn.replace("--server orders", ""), dir.path());
    assert_eq!(ran.exit, 2, "{}", ran.err);
    assert!(ran.err.contains("--server"), "{}", ran.err);
    assert_eq!(file(dir.path(), "redress.toml"), taught);
}

#[test]
fn what_a_ledger_holds_becomes_a_row_and_a_code() {
    let dir = furnished("Kaputt 17");
    let calls = [1, 2, 3].map(|it| call("add_order", &json!({"order": it})));
    gated(dir.path(), "--ledger ledger --name orders", &calls);
    let ran = shell("redress learn ledger --format json", dir.path());
    assert_eq!(ran.exit, 0, "{}", ran.err);
    let printed: Value = serde_json::from_str(&ran.out).unwrap();
    let cluster = &printed["clusters"][0];
    assert_eq!((&cluster["count"], &cluster["says"]), (&json!(3), &json!("Kaputt <number>")));
    assert_eq!(cluster["code"], "ADD_ORDER_FAILED", "{printed}");
    assert_eq!(printed["rows"][0]["text"], "Kaputt *");

    let ran = shell("redress learn ledger --write errors.toml", dir.path());
    assert_eq!(ran.exit, 0, "{}{}", ran.out, ran.err);
    let after = gated(dir.path(), "--no-ledger --contract errors.toml", &calls[..1]);
    assert_eq!(code(&after[0]), Some("ADD_ORDER_FAILED"));
    let ran = shell("redress learn ledger --write errors.toml", dir.path());
    assert!(ran.out.contains("nothing new"), "{}", ran.out);
    let ran = shell("redress learn ledger --server nobody --format json", dir.path());
    assert_eq!(serde_json::from_str::<Value>(&ran.out).unwrap()["clusters"], json!([]));
}

#[test]
fn hostile_words_become_an_inert_row_or_none() {
    let long = "(a+)+".repeat(2_000);
    for words in [
        "broken\"\n[[match]]\ntext = \"*\"\ncode = \"CANCELLED\"\nsilent = true\n",
        "'''\n[code.EVIL]\nclass = \"internal\"\n'''",
        "*broken*",
        "?*?*?*?*?",
        "\u{202e}gnp.exe\u{2066} broken \u{1b}[2J \u{0} thing",
        "broken \\Q.*\\E (?s:.*) {{{{ $1",
        &long,
    ] {
        let dir = furnished(words);
        let ran = shell("redress learn --write errors.toml -- sh server.sh words", dir.path());
        assert_eq!(ran.exit, 0, "{words:?}: {}{}", ran.out, ran.err);
        let taught = file(dir.path(), "errors.toml");
        let added = taught.strip_prefix(CONTRACT).unwrap();
        let is_plain =
            |it: char| it == '\n' || !(it.is_control() || ('\u{200b}'..='\u{206f}').contains(&it));
        assert!(added.chars().all(is_plain), "{added:?}");
        let heads = added.lines().filter(|it| it.starts_with('['));
        assert!(heads.clone().all(|it| it == "[[match]]") && heads.count() <= 2, "{added}");
        // Of what was flagged no row is silent, whatever the words say.
        let silent = added.lines().filter(|it| it.starts_with("silent"));
        assert_eq!(silent.count(), 1, "{added}");
        assert!(added.len() < 4_000, "{}", added.len());
        // Nothing but the same words fits.
        fs::write(dir.path().join("words"), json!("Something else is broken here").to_string())
            .unwrap();
        let calls = [call("add_order", &json!({})), call("get_order", &json!({"order": "a"}))];
        let with = gated(dir.path(), "--no-ledger --contract errors.toml", &calls);
        let without = gated(dir.path(), "--no-ledger", &calls);
        assert_eq!(code(&with[0]), code(&without[0]), "{added}");
        assert_eq!(with[1], without[1], "{added}");
    }
}

#[test]
fn what_cannot_be_learnt_from_or_written_is_refused() {
    let dir = furnished("Kaputt 17");
    fs::write(dir.path().join("broken.toml"), "format = \"redress-registry/1\"\nname = 7\n")
        .unwrap();
    fs::write(dir.path().join("notes.txt"), "a = \"").unwrap();
    for (args, exit, words) in [
        ("nowhere", 2, "NOT_FOUND"),
        ("--write nowhere.toml -- sh server.sh words", 2, "FILE_NOT_FOUND"),
        ("--write broken.toml -- sh server.sh words", 2, "broken.toml:2"),
        ("--write notes.txt -- sh server.sh words", 2, "notes.txt:1"),
        ("--contract nowhere -- sh server.sh words", 2, "CONFIG_INVALID"),
        ("-- /nowhere/server", 3, "NOT_INSTALLED"),
        ("--url http://127.0.0.1:9/mcp", 3, "UPSTREAM_UNAVAILABLE"),
    ] {
        let ran = shell(&format!("redress learn {args}"), dir.path());
        assert_eq!(ran.exit, exit, "{args}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains(words), "{args}: {}", ran.err);
    }
    assert_eq!(file(dir.path(), "errors.toml"), CONTRACT);
}
