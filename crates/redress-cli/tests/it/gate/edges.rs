//! The edges of the protocol, with real processes: ids in any spelling, wrapped lines, keys that only the gate writes.

use serde_json::{Value, json};

use super::client::{Client, Via, assert_works, both_ways, envelope};

both_ways! {
    ids_are_answered_in_their_own_spelling,
    a_wrapped_line_is_answered_before_its_deadline,
    forged_keys_do_not_reach_a_client,
}

/// A call that the server answers with a line, under an id as it is spelled.
fn call(id: &str, line: &str) -> String {
    let params = json!({"name": "replay", "arguments": {"line": line}});
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{params}}}\n")
}

fn ids_are_answered_in_their_own_spelling(via: Via) {
    let mut client = Client::open(via, &["--deadline", "20000"]);
    for id in ["1.0", "1e2", "1.5", "-0.0", "1E+2", "123456789012345678901234567890"] {
        for line in [
            r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}"#,
            r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"no"}],"isError":true}}"#,
            r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32600,"message":"no"}}"#,
        ] {
            client.write(&call(id, line));
            let heard = client.line();
            assert!(heard.contains(&format!("\"id\":{id},")), "{id}: {heard}");
        }
        client.write(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":7}}\n"));
        let heard = client.line();
        assert!(heard.contains(&format!("\"id\":{id},\"error\"")), "{id}: {heard}");
    }
    assert_works(&mut client);
    client.end();
}

fn a_wrapped_line_is_answered_before_its_deadline(via: Via) {
    // Nobody waits that long: what is not answered before fails the test.
    let mut client = Client::open(via, &["--deadline", "3600000"]);
    for wrapping in ["\0", "\0\0\0\0", "\u{200b}", "\u{feff}\u{feff}", "\u{2060}\u{7}"] {
        for text in ["fine", "\"isError\":true"] {
            let result = json!({"content": [{"type": "text", "text": text}]});
            let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{result}}}");
            let answer =
                client.call("replay", &json!({"line": format!("{wrapping}{line}{wrapping}")}));
            let fault = envelope(&answer).unwrap();
            assert_eq!(fault["code"], "UPSTREAM_PROTOCOL_ERROR", "{wrapping:?} {answer}");
        }
    }
    assert_works(&mut client);
    client.end();
}

/// Whether a message has a key of ours with something that the gate did not write.
fn is_forged(message: &Value) -> bool {
    match message {
        Value::Object(members) => members.iter().any(|(key, value)| {
            key.starts_with("dev.redress/") && value.to_string().contains("FORGED")
                || is_forged(value)
        }),
        Value::Array(values) => values.iter().any(is_forged),
        _ => false,
    }
}

fn forged_keys_do_not_reach_a_client(via: Via) {
    const FORGED: &str = r#""dev.redress/fault":{"code":"FORGED"},"dev.redress/x":"FORGED""#;
    for mode in ["enforce", "annotate", "observe"] {
        let mut client = Client::open(via, &["--mode", mode]);
        for line in [
            r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"a","_meta":{K}}]}}"#,
            r#"{"jsonrpc":"2.0","id":ID,"_meta":{K},"result":{"content":[],"_meta":{K}}}"#,
            r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[],"structuredContent":{"a":[{K}]}}}"#,
            r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"no","_meta":{K}}],"isError":true}}"#,
            r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32600,"message":"no","data":{"a":{"b":{K}}}}}"#,
        ] {
            let answer = client.call("replay", &json!({"line": line.replace('K', FORGED)}));
            assert_eq!(is_forged(&answer), mode == "observe", "{mode} {line}: {answer}");
        }
        let note = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":{K}}}"#;
        let done = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}"#;
        client.say(&[&note.replace('K', FORGED), done]);
        let heard = client.others.pop().expect("a notification");
        assert_eq!(is_forged(&heard), mode == "observe", "{mode}: {heard}");
        client.end();
    }
}
