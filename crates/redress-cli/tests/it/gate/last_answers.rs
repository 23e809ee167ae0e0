//! A server that exits right after it wrote its answers: all of them arrive, and no call is made again.

use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use serde_json::json;

use super::client::{Client, Via, both_ways};

/// A server that collects its calls, notes them in a file, writes all answers at once and exits. Its tool only reads, so that a call
/// whose answer is lost would be made again.
const SERVER: &str = r"
import json, os, sys
calls = []

def say(id, result):
    return json.dumps({'jsonrpc': '2.0', 'id': id, 'result': result}) + '\n'

for line in sys.stdin:
    asked = json.loads(line)
    method = asked.get('method')
    if method == 'tools/call':
        arguments = asked['params']['arguments']
        with open(arguments['notes'], 'a') as notes:
            notes.write('%d\n' % arguments['number'])
        calls.append((asked['id'], arguments))
        if len(calls) == arguments['calls']:
            said = ''
            for id, it in calls:
                size = 200000 if it['number'] < 2 else 1500
                text = 'File not found: %d' % it['number'] if it['fails'] else 'found %d' % it['number']
                said += say(id, {'content': [{'type': 'text', 'text': text}], 'isError': it['fails'], '_meta': {'pad': 'x y' * (size // 3)}})
            if arguments['held']:
                # A process that goes on holds the pipes.
                if os.fork() == 0:
                    os.setsid()
                    os.execvp('sleep', ['sleep', '20'])
            said = said.encode()
            while said:
                said = said[os.write(1, said):]
            os._exit(0)
    elif method == 'initialize':
        told = {'protocolVersion': asked['params']['protocolVersion'], 'capabilities': {'tools': {}}, 'serverInfo': {'name': 'py', 'version': '1'}}
        print(say(asked['id'], told), end='', flush=True)
    elif method == 'tools/list':
        tool = {'name': 'find', 'inputSchema': {'type': 'object'}, 'annotations': {'readOnlyHint': True}}
        print(say(asked['id'], {'tools': [tool]}), end='', flush=True)
    elif 'id' in asked:
        print(say(asked['id'], {}), end='', flush=True)
";

const CALLS: usize = 62;

both_ways! {
    answers_of_a_server_that_exits_at_once_arrive,
    they_arrive_beside_busy_threads,
    they_arrive_if_another_process_holds_the_pipes,
}

fn answers_of_a_server_that_exits_at_once_arrive(via: Via) {
    every_answer_arrives(via, false);
}

fn they_arrive_beside_busy_threads(via: Via) {
    let is_over = Arc::new(AtomicBool::new(false));
    let busy: Vec<_> = (0..16)
        .map(|_| {
            let is_over = Arc::clone(&is_over);
            thread::spawn(move || while !is_over.load(Ordering::Relaxed) {})
        })
        .collect();
    every_answer_arrives(via, false);
    is_over.store(true, Ordering::Relaxed);
    for it in busy {
        it.join().unwrap();
    }
}

fn they_arrive_if_another_process_holds_the_pipes(via: Via) {
    every_answer_arrives(via, true);
}

fn every_answer_arrives(via: Via, held: bool) {
    let dir = tempfile::tempdir().unwrap();
    let notes = dir.path().join("notes");
    let config = format!("[server.py]\ncommand = ['python3', '-c', '''{SERVER}''']\n");
    for fails in [false, true] {
        let mut client = Client::with_config(via, &config, "py", &["--deadline", "50000"], &[]);
        client.initialize();
        client.request("tools/list", &json!({}));
        drop(fs::remove_file(&notes));
        let call = |number: usize| {
            let arguments = json!({
                "notes": notes, "number": number, "calls": CALLS, "fails": fails, "held": held,
            });
            client.begin("find", &arguments)
        };
        let ids: Vec<String> = (0..CALLS).map(call).collect();
        for (number, id) in ids.iter().enumerate() {
            let answer = client.answer(id);
            let expected =
                if fails { format!("File not found: {number}") } else { format!("found {number}") };
            assert!(answer["result"].to_string().contains(&expected), "{number}: {answer}");
            assert_eq!(answer["result"]["isError"], fails, "{number}");
        }
        let made = fs::read_to_string(&notes).unwrap();
        assert_eq!(made.lines().count(), CALLS, "no call is made again");
    }
}
