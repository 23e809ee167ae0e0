//! A known secret with something between its letters that nobody sees: no way out of a real gate shows it.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write},
    net::TcpStream,
    path::Path,
    process::{ChildStdout, Stdio},
    thread,
};

use serde_json::{Value, json};

use super::client::{Via, bad_server, gate, wait};
use crate::redress::redress;

/// A variable of the gate holds it, whose name tells that it is secret.
const SECRET: &str = "correct-horse-battery";

/// What nobody sees, and sequences for terminals.
const UNSEEN: [&str; 9] = [
    "\0",
    "\u{7}",
    "\u{ad}",
    "\u{200b}",
    "\u{2060}",
    "\u{fe0f}",
    "\u{1b}[31m",
    "\u{1b}]0;title\u{7}",
    "\u{1b}]8;;x\u{1b}\\",
];

fn disguised(unseen: &str) -> String {
    let letters: Vec<String> = SECRET.chars().map(String::from).collect();
    format!("key {} is wrong", letters.join(unseen))
}

/// A text as it reads in several ways when what nobody sees is dropped, and the texts of a document in it.
fn read(text: &str, all: &mut Vec<String>) {
    let plain = redress_wire::unseen::without_unseen(text.as_bytes()).into_owned();
    all.extend([text.to_owned(), redress::text::strip(text), String::from_utf8(plain).unwrap()]);
    if text.starts_with(['{', '[', '"'])
        && let Ok(value) = serde_json::from_str::<Value>(text)
    {
        read_value(&value, all);
    }
}

fn read_value(value: &Value, all: &mut Vec<String>) {
    match value {
        Value::String(text) => read(text, all),
        Value::Array(values) => values.iter().for_each(|it| read_value(it, all)),
        Value::Object(members) => members.iter().for_each(|(key, it)| {
            read(key, all);
            read_value(it, all);
        }),
        _ => (),
    }
}

#[track_caller]
fn assert_clean(text: &str, what: &str) {
    for line in text.lines() {
        let mut all = Vec::new();
        read(line, &mut all);
        let shown = all.iter().find(|it| it.contains(SECRET));
        assert!(shown.is_none(), "{what}: {shown:?}");
    }
}

pub(super) fn ask(
    input: &mut impl Write,
    answers: &mut BufReader<ChildStdout>,
    method: &str,
    params: &Value,
) -> String {
    let line = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    input.write_all(format!("{line}\n").as_bytes()).unwrap();
    let mut answer = String::new();
    answers.read_line(&mut answer).unwrap();
    answer
}

pub(super) fn metrics(log: &str) -> String {
    let address = log.split_once("metrics on http://").unwrap().1;
    let address = address.split_once("/metrics").unwrap().0;
    let mut stream = TcpStream::connect(address).unwrap();
    let request = format!("GET /metrics HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).unwrap();
    page
}

/// Every file below a directory, as text.
pub(super) fn files(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap().map(|it| it.unwrap().path());
    entries
        .flat_map(|it| {
            if it.is_dir() {
                return files(&it);
            }
            vec![String::from_utf8_lossy(&fs::read(it).unwrap()).into_owned()]
        })
        .collect()
}

#[test]
fn no_way_out_shows_a_secret_that_hides_between_its_letters() {
    for unseen in UNSEEN {
        let dir = tempfile::tempdir().unwrap();
        look_at_all_ways_out(dir.path(), &disguised(unseen));
    }
}

fn look_at_all_ways_out(dir: &Path, said: &str) {
    let ledger = dir.join("ledger");
    let options =
        ["--ledger", ledger.to_str().unwrap(), "--server-text", "full", "--metrics", "127.0.0.1:0"];
    let mut command = gate(Via::Run, dir, &options, &[bad_server().to_str().unwrap()]);
    let mut gate = command.env("XDG_STATE_HOME", dir).stderr(Stdio::piped()).spawn().unwrap();
    let mut log = BufReader::new(gate.stderr.take().unwrap());
    let mut first = String::new();
    log.read_line(&mut first).unwrap();
    let log = thread::spawn(move || {
        let mut text = Vec::new();
        log.read_to_end(&mut text).unwrap();
        String::from_utf8_lossy(&text).into_owned()
    });
    let mut input = gate.stdin.take().unwrap();
    let mut answers = BufReader::new(gate.stdout.take().unwrap());
    let mut call = |tool: &str, arguments: Value| {
        ask(&mut input, &mut answers, "tools/call", &json!({"name": tool, "arguments": arguments}))
    };
    let long = format!("{}{said}\n{}", "a line of a log\n".repeat(60), "more\n".repeat(60));
    let nested = json!({"deep": [said]}).to_string();
    let failed = |text: &str| json!({"isError": true, "content": [{"type": "text", "text": text}], "_meta": {"m": said}, "structuredContent": {"s": said}});
    for mut answer in [
        json!({"error": {"code": -32600, "message": said, "data": {"x": [said], "y": nested}}}),
        json!({"error": {"code": -32603, "message": said, "data": {"x": said}}}),
        json!({"result": failed(said)}),
        json!({"result": failed(&long)}),
        json!({"result": failed(&nested)}),
    ] {
        answer["jsonrpc"] = json!("2.0");
        let line = answer.to_string().replacen('{', "{\"id\":ID,", 1);
        let told = call("replay", json!({"line": line}));
        assert!(told.contains("isError\":true") || told.contains("-32600"), "{told}");
        assert_clean(&told, "an answer");
    }
    assert_clean(&call("shout", json!({"text": format!("fatal: {said}")})), "an answer");
    let told = call("shout", json!({"text": format!("fatal: {said}"), "code": 3}));
    assert!(told.contains("UPSTREAM_CRASHED"), "{told}");
    assert_clean(&told, "a crash card");
    let page = metrics(&first);
    assert!(page.contains("UPSTREAM_CRASHED"), "{page}");
    assert_clean(&page, "the page of metrics");
    drop(input);
    assert_eq!(wait(&mut gate), 0);
    let log = log.join().unwrap();
    assert!(log.contains("fatal: "), "{log}");
    assert_clean(&log, "the log");
    let records = files(&ledger);
    assert!(records.iter().any(|it| it.contains("UPSTREAM_CRASHED")));
    for record in &records {
        assert_clean(record, "the ledger");
    }
    let shown = redress(&["ledger", "query", ledger.to_str().unwrap()], b"");
    assert!(shown.out.contains("UPSTREAM_CRASHED"), "{} {}", shown.out, shown.err);
    assert_clean(&shown.out, "what is shown of the ledger");
}
