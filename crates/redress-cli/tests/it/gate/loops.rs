//! A client that makes the same failing call again and again, before a server that counts what reaches it.

use std::fs;

use serde_json::json;

use super::client::{Client, both_ways, fault};

both_ways! {
    of_sixty_equal_calls_a_handful_reaches_the_server,
}

/// Refuses every call, after it has written a line to a file.
const SERVER: &str = r#"while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9][0-9]*\).*/\1/p')
  case "$line" in
    *'"initialize"'*) body='"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
    *tools/list*) body='"result":{"tools":[{"name":"read","inputSchema":{"type":"object"}}]}' ;;
    *tools/call*) echo called >> "$1"; body='"result":{"content":[{"type":"text","text":"MCP error -32602: Input validation error: Invalid arguments for tool read: [{\"code\":\"invalid_type\",\"expected\":\"number\",\"received\":\"string\",\"path\":[\"path\"],\"message\":\"Expected number, received string\"}]"}],"isError":true}' ;;
    *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$body"
done"#;

fn of_sixty_equal_calls_a_handful_reaches_the_server(via: super::client::Via) {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("calls");
    let command = ["sh", "-c", SERVER, "sh", file.to_str().unwrap()];
    let mut client = Client::before(via, &[], &command);
    client.initialize();
    let mut codes = Vec::new();
    for _ in 0..60 {
        let answer = client.call("read", &json!({"path": "a.txt"}));
        codes.push(fault(&answer)["code"].as_str().unwrap().to_owned());
    }
    let calls = fs::read_to_string(&file).unwrap().lines().count();
    // A slow machine may take so long that single calls are let through: the pauses double.
    assert!((3..=8).contains(&calls), "{calls}");
    let repeated = codes.iter().filter(|it| *it == "REPEATED_FAILURE").count();
    assert_eq!(repeated, 60 - calls, "{codes:?}");
    assert_eq!(client.end().0, 0);
}
