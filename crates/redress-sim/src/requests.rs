//! What clients ask: requests of every kind, lines that are none, and arrays.

use crate::chance::Chance;

/// One of the few ids that clients use.
pub(crate) fn id(chance: &mut Chance) -> String {
    let ids = ["1", "2", "3", "4", "\"a\"", "\"b\"", "\"1\"", "12345678901234"];
    chance.of(&ids).copied().unwrap_or("1").to_owned()
}

/// A line, and the id of the request in it. `None`: it wants no answer. Without digits: an answer under whatever id can be read.
pub(crate) fn one(mark: &str, chance: &mut Chance) -> (Option<String>, String) {
    let id = id(chance);
    let request = |rest: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},{rest}}}"#);
    let line = match chance.below(40) {
        0 => request(&format!(
            r#""method":"initialize","params":{{"protocolVersion":"2025-06-18","capabilities":{{}},"clientInfo":{{"name":"{mark}c","version":"1"}}}}"#
        )),
        1 => request(r#""method":"tools/list""#),
        2 => request(r#""method":"prompts/list""#),
        3 => request(&format!(r#""method":"tasks/get","params":{{"taskId":"task-{mark}"}}"#)),
        4 => request(&format!(r#""method":"tasks/result","params":{{"taskId":"task-{mark}"}}"#)),
        5 => request(r#""method":"resources/subscribe","params":{"uri":"file:///a"}"#),
        6 => request(
            r#""method":"subscriptions/listen","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"},"notifications":{"toolsListChanged":true}}"#,
        ),
        7 => request(r#""method":"ping""#),
        8 => request(r#""method":"sys/errorStats""#),
        9 => return (Some(String::new()), format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"#)),
        10 => return (Some(String::new()), format!(r#"{{"jsonrpc":"1.0","id":{id},"method":7}}"#)),
        11 => {
            let line = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
            return (None, line.to_owned());
        }
        12 => return (Some(String::new()), array(mark, chance)),
        13 => {
            let long = "y".repeat(chance.index(5_000));
            call(&id, "read", &format!("{mark}{long}"), "")
        }
        14 => call(&id, "write", mark, r#","_meta":{"progressToken":"t"}"#),
        15 => call(&id, "read", mark, r#","task":{"ttl":60000}"#),
        16..20 => call(&id, "write", &format!("{mark}{}", chance.next()), ""),
        20..24 => call(&id, "write", mark, ""),
        24..26 => call(&id, "again", &format!("{mark}{}", chance.next()), ""),
        26..29 => call(&id, "again", mark, ""),
        29..32 => call(&id, "unknown", mark, ""),
        32..36 => call(&id, "read", mark, ""),
        _ => call(&id, "read", &format!("{mark}{}", chance.next()), ""),
    };
    (Some(id), line)
}

fn call(id: &str, tool: &str, text: &str, more: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{{"q":"{text}"}}{more}}}}}"#
    )
}

/// Several requests in an array.
fn array(mark: &str, chance: &mut Chance) -> String {
    let members: Vec<String> = (0..2 + chance.below(4))
        .map(|number| call(&format!("\"m{number}\""), "read", mark, ""))
        .collect();
    format!("[{}]", members.join(", "))
}
