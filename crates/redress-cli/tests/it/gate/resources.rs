//! How much of the machine a server may take, as its file says.

use std::{fs, process::Command};

use serde_json::{Value, json};

use crate::redress::run;

/// Answers a call with its own limits, and what comes of too much.
const SERVER: &str = r"
import json, sys
def limits():
    lines = open('/proc/self/limits').read().splitlines()
    return {it[:25].strip(): it[26:47].strip() for it in lines[1:]}
def too_much():
    try: return len(bytearray(512 << 20))
    except MemoryError: return 'MemoryError'
def too_many():
    files = []
    try:
        while True: files.append(open('/dev/null'))
    except OSError as error: return [error.errno, len(files)]
for line in sys.stdin:
    message = json.loads(line)
    text = json.dumps({'limits': limits(), 'memory': too_much(), 'files': too_many()})
    result = {'content': [{'type': 'text', 'text': text}]}
    print(json.dumps({'jsonrpc': '2.0', 'id': message['id'], 'result': result}), flush=True)
";

/// What the server says of itself under these settings.
fn told(settings: &str) -> Value {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("server.py"), SERVER).unwrap();
    let config = format!(
        "[ledger]\nenabled = false\n[server.bound]\ncommand = ['python3', 'server.py']\n{settings}"
    );
    fs::write(dir.path().join("redress.toml"), config).unwrap();
    let mut gate = Command::new(env!("CARGO_BIN_EXE_redress"));
    gate.args(["run", "--config", "redress.toml"]).current_dir(dir.path());
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "a"}});
    let ran = run(&mut gate, format!("{call}\n").as_bytes());
    let answer: Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}", ran.err));
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    serde_json::from_str(text).unwrap_or_else(|_| panic!("{text} {}", ran.err))
}

#[test]
fn a_server_has_no_more_than_its_file_gives_it() {
    let free = told("");
    assert_eq!(free["memory"], 512 << 20, "{free}");
    let bound = told("memory = 268435456\nprocesses = 64\nopen_files = 40\n");
    assert_eq!(bound["memory"], "MemoryError", "{bound}");
    assert_eq!(bound["files"][0], 24, "EMFILE: {bound}");
    assert!(bound["files"][1].as_u64().unwrap() <= 40, "{bound}");
    let of = |name: &str| bound["limits"][name].as_str().unwrap().to_owned();
    assert_eq!((of("Max data size"), of("Max open files")), ("268435456".into(), "40".into()));
    // Beside what this user has already.
    let processes: u64 = of("Max processes").parse().unwrap();
    assert!((64..10_000_000).contains(&processes), "{bound}");
}

#[test]
fn limits_that_mean_nothing_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let check = |text: &str| {
        fs::write(dir.path().join("a.toml"), format!("[server.a]\n{text}\n")).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_redress"));
        run(command.args(["config", "check", "a.toml"]).current_dir(dir.path()), b"").err
    };
    for (text, problem) in [
        ("url = 'http://127.0.0.1:1/'\nmemory = 1073741824", "a meaning only with `command`"),
        ("url = 'http://127.0.0.1:1/'\ninherit_env = 'all'", "a meaning only with `command`"),
        ("command = ['sh']\nmemory = 1", "must be"),
        ("command = ['sh']\nopen_files = 2", "must be"),
        ("command = ['sh']\ninherit_env = 'al'", "must be a list of names or \"all\""),
        ("command = ['sh']\ninherit_env = ['A=B']", "has a name that no variable can have"),
    ] {
        let said = check(text);
        assert!(said.contains(problem), "{text}: {said}");
    }
    assert!(check("command = ['sh']\ninherit_env = 'all'\nprocesses = 9").is_empty());
}
