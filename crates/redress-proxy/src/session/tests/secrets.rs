//! Secrets with something between their letters that nobody sees, on every way out of a session.

use serde_json::{Value, json};

use super::{CALL, Rig, settings};
use crate::{
    exposition::render,
    session::Exit,
    settings::{Mode, ServerText, Settings},
};

/// One that the redactor of these tests knows.
const SECRET: &str = "hunter2hunter2";

/// What nobody sees, and sequences for terminals.
const UNSEEN: [&str; 12] = [
    "\0",
    "\u{7}",
    "\u{8}",
    "\u{ad}",
    "\u{200b}",
    "\u{202e}",
    "\u{2060}",
    "\u{fe0f}",
    "\u{feff}",
    "\u{1b}[31m",
    "\u{1b}]0;title\u{7}",
    "\u{1b}]8;;x\u{1b}\\",
];

const PROMPT: &str = r#"{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"p"}}"#;
const TASK: &str = r#"{"jsonrpc":"2.0","id":7,"method":"tasks/get","params":{"taskId":"t"}}"#;

fn disguised(unseen: &str) -> String {
    let letters: Vec<String> = SECRET.chars().map(String::from).collect();
    format!("key {} is wrong", letters.join(unseen))
}

/// Every text in a value, also in documents in texts, as it reads when what nobody sees is dropped.
fn read(value: &Value, all: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            let plain = redress_wire::unseen::without_unseen(text.as_bytes()).into_owned();
            all.extend([
                text.clone(),
                redress::text::strip(text),
                String::from_utf8(plain).unwrap(),
            ]);
            if text.starts_with(['{', '['])
                && let Ok(inner) = serde_json::from_str(text)
            {
                read(&inner, all);
            }
        }
        Value::Array(values) => values.iter().for_each(|it| read(it, all)),
        Value::Object(members) => members.iter().for_each(|(key, it)| {
            read(&Value::from(key.clone()), all);
            read(it, all);
        }),
        _ => (),
    }
}

#[track_caller]
fn assert_clean(heard: &[Value], what: &str) {
    assert!(!heard.is_empty(), "{what}");
    let mut all = Vec::new();
    for message in heard {
        read(message, &mut all);
    }
    let shown: Vec<_> = all.iter().filter(|it| it.contains(SECRET)).collect();
    assert!(shown.is_empty(), "{what}: {shown:?} in {heard:?}");
}

fn rig(server_text: ServerText) -> Rig {
    let mut rig = Rig::gated(Settings { server_text, ..settings(Mode::Enforce) });
    rig.ready();
    rig.client(r#"{"jsonrpc":"2.0","id":"t","method":"tools/list"}"#);
    rig.server(super::TOOLS);
    rig
}

#[test]
fn what_hides_between_its_letters_shows_no_secret_in_an_answer() {
    for unseen in UNSEEN {
        let said = disguised(unseen);
        let nested = json!({"deep": [said, {"x": said}]}).to_string();
        let long = format!("{}\n{said}\n{}", "a line of a log\n".repeat(40), "more\n".repeat(40));
        for (asked, answer) in [
            (
                CALL,
                json!({"result": {"isError": true, "content": [{"type": "text", "text": said}]}}),
            ),
            (
                CALL,
                json!({"result": {"isError": true, "content": [{"type": "text", "text": nested}]}}),
            ),
            (
                CALL,
                json!({"result": {"isError": true, "content": [{"type": "text", "text": long}]}}),
            ),
            (
                CALL,
                json!({"result": {"isError": true, "content": [{"type": "text", "text": "no"}],
                "structuredContent": {"a": said}, "_meta": {"b": said}}}),
            ),
            (
                CALL,
                json!({"result": {"isError": true, "content": [{"type": "text", "text": "no"},
                {"type": "text", "text": said}]}}),
            ),
            (CALL, json!({"error": {"code": -32603, "message": said, "data": {"x": [said]}}})),
            (
                CALL,
                json!({"error": {"code": -32600, "message": said, "data": {"x": [said], (said.clone()): 1}}}),
            ),
            (CALL, json!({"error": {"code": -32042, "message": said, "data": {"url": said}}})),
            (CALL, json!({"error": {"code": -32600, "message": "m", "data": said}})),
            (CALL, json!({"error": {"code": -32600, "message": "m", "data": nested}})),
            (PROMPT, json!({"error": {"code": -32000, "message": said, "data": {"x": said}}})),
            (TASK, json!({"result": {"taskId": "t", "status": "failed", "statusMessage": said}})),
            (
                TASK,
                json!({"result": {"taskId": "t", "status": "failed", "error": {"code": 1, "message": said, "data": said}}}),
            ),
        ] {
            for server_text in [ServerText::Quote, ServerText::Full] {
                let mut rig = rig(server_text);
                rig.client(asked);
                let mut answer = answer.clone();
                answer["jsonrpc"] = json!("2.0");
                answer["id"] = json!("ID");
                let line = answer.to_string().replace("\"ID\"", "ID");
                let heard = rig.server(&line);
                assert_clean(&heard, &format!("{unseen:?} {line}"));
                assert_clean(&rig.recorded, "a record");
                let page = render(std::slice::from_ref(&rig.session.server));
                assert!(!page.contains(SECRET) && !redress::text::strip(&page).contains(SECRET));
            }
        }
    }
}

#[test]
fn what_hides_between_its_letters_shows_no_secret_of_a_crash() {
    for unseen in UNSEEN {
        let said = disguised(unseen);
        for server_text in [ServerText::Quote, ServerText::Full] {
            let mut rig = rig(server_text);
            rig.client(CALL);
            rig.stderr.add(format!("fatal: {said}\n").as_bytes());
            let heard = rig.gone(&Exit { code: Some(3), ..Exit::default() });
            assert_clean(&heard, &format!("{unseen:?}"));
            assert_clean(&rig.recorded, "a record");
        }
        let mut rig = rig(ServerText::Full);
        rig.client(CALL);
        rig.server_bytes(said.as_bytes());
        let heard = rig.after(std::time::Duration::from_secs(61));
        assert_clean(&heard, "a deadline");
    }
}

#[test]
fn a_mask_that_a_server_writes_hides_no_secret_beside_it() {
    let said = json!({"auth": "password=abc[redacted]Zq7RtYp9", "password": "[redacted]Zq7RtYp9"});
    let mut rig = rig(ServerText::Quote);
    rig.client(CALL);
    let error = json!({"code": -32600, "message": "m", "data": said});
    let heard = rig.server(&format!(r#"{{"jsonrpc":"2.0","id":ID,"error":{error}}}"#));
    assert!(!heard[0].to_string().contains("Zq7RtYp9"), "{heard:?}");
}
