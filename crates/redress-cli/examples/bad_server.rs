//! An MCP server on stdio that fails in every way there is: each tool is one way. For the tests of the gate.
#![expect(
    clippy::disallowed_methods,
    clippy::exit,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "misbehaving is its work"
)]

use std::{
    env,
    io::{self, BufRead as _, Write as _},
    os::unix::process::CommandExt as _,
    process::{self, Command, Stdio},
    thread,
    time::Duration,
};

use serde_json::{Value, json};

const TOOLS: &str = r#"[
    {"name":"say","inputSchema":{"type":"object"}},
    {"name":"read","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},
    {"name":"schema","inputSchema":{"type":"object"},"outputSchema":{"type":"object","required":["sum"]}},
    {"name":"sleep"},{"name":"half"},{"name":"stump"},{"name":"bytes"},{"name":"never"},{"name":"exit"},{"name":"kill"},{"name":"cut"},
    {"name":"close"},{"name":"close_input"},{"name":"flood"},{"name":"large"},{"name":"deep"},{"name":"orphan"},{"name":"leave"},{"name":"deaf"},{"name":"pid"},
    {"name":"replay"},{"name":"shout"},
    {"name":"tally","annotations":{"destructiveHint":true,"readOnlyHint":false}},
    {"name":"tally_read","annotations":{"readOnlyHint":true}},
    {"name":"tally_again","annotations":{"idempotentHint":true}}
]"#;

fn main() {
    let args: Vec<String> = env::args().collect();
    let has = |flag: &str| args.iter().any(|it| it == flag);
    if has("--exit-at-start") {
        eprint("cannot read the configuration");
        process::exit(9);
    }
    for line in io::stdin().lock().lines() {
        let Ok(message) = serde_json::from_str::<Value>(&line.unwrap_or_default()) else {
            continue;
        };
        let id = message["id"].clone();
        match message["method"].as_str().unwrap_or_default() {
            "initialize" if has("--exit-on-initialize") => {
                eprint("no licence found");
                process::exit(4);
            }
            "initialize" => answer(
                &id,
                &json!({
                    "protocolVersion": message["params"]["protocolVersion"],
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "bad", "version": "1"},
                }),
            ),
            "tools/list" if has("--no-list") => (),
            "tools/list" => {
                answer(&id, &json!({"tools": serde_json::from_str::<Value>(TOOLS).unwrap()}));
            }
            "tools/call" => {
                let params = message["params"].clone();
                // The reading thread must go on, or nothing could overtake a slow call.
                thread::spawn(move || call(&id, &params));
            }
            "ping" => answer(&id, &json!({})),
            method if !id.is_null() => {
                let error = json!({"code": -32601, "message": format!("no method {method}")});
                put(&json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string());
            }
            _ => (),
        }
        if DEAF.load(std::sync::atomic::Ordering::SeqCst) {
            thread::sleep(Duration::from_secs(600));
        }
    }
    if has("--ignore-eof") {
        thread::sleep(Duration::from_secs(600));
    }
}

static DEAF: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);

fn call(id: &Value, params: &Value) {
    let args = &params["arguments"];
    let number = |key: &str| args[key].as_u64().unwrap_or_default();
    match params["name"].as_str().unwrap_or_default() {
        // Writes lines as they are given, with the id of the call for `ID`, perhaps after a while.
        "say" | "read" | "schema" => {
            thread::sleep(Duration::from_millis(number("ms")));
            for line in args["lines"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                put(&line.replace("ID", &id.to_string()));
            }
        }
        "bytes" => {
            let before = format!(
                r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":""#
            );
            raw(&[before.as_bytes(), b"\xff\xfe\"}]}}\n"].concat());
        }
        "sleep" => {
            thread::sleep(Duration::from_millis(number("ms")));
            text(id, "slept");
        }
        "half" => {
            raw(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":["#).as_bytes());
            thread::sleep(Duration::from_millis(number("ms")));
            raw(b"]}}\n");
        }
        // Begins a line and never ends it.
        "stump" => {
            raw(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"ty"#).as_bytes());
        }
        "exit" => {
            eprint("FATAL: the database is gone");
            process::exit(i32::try_from(number("code")).unwrap_or(1));
        }
        "kill" => {
            let signal = format!("-{}", args["signal"].as_str().unwrap_or("KILL"));
            Command::new("kill").args([signal, process::id().to_string()]).status().unwrap();
        }
        "cut" => {
            raw(format!(
                r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":""#
            )
            .as_bytes());
            raw(&vec![b'a'; 3 << 20]);
            process::exit(7);
        }
        // Becomes another program that lives on, without our output.
        "close" => drop(Command::new("sleep").arg("600").stdout(Stdio::null()).exec()),
        "close_input" => drop(Command::new("sleep").arg("600").stdin(Stdio::null()).exec()),
        "flood" => {
            let line = "x".repeat(1023) + "\n";
            for _ in 0..number("kib") {
                io::stderr().write_all(line.as_bytes()).unwrap_or_default();
            }
            text(id, "flooded");
        }
        "large" => {
            let tail_first = args["id_last"] == true;
            let (before, after) = if tail_first {
                (String::from("{"), format!(r#","jsonrpc":"2.0","id":{id}}}"#))
            } else {
                (format!(r#"{{"jsonrpc":"2.0","id":{id},"#), "}".to_owned())
            };
            let mut out = io::stdout().lock();
            out.write_all(before.as_bytes()).unwrap_or_default();
            out.write_all(br#""result":{"content":[{"type":"text","text":""#).unwrap_or_default();
            for _ in 0..number("mib") {
                out.write_all(&vec![b'a'; 1 << 20]).unwrap_or_default();
            }
            out.write_all(b"\"}]}").unwrap_or_default();
            out.write_all(after.as_bytes()).unwrap_or_default();
            out.write_all(b"\n").unwrap_or_default();
            out.flush().unwrap_or_default();
        }
        "deep" => {
            let (open, close) = ("[".repeat(10_000), "]".repeat(10_000));
            put(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":{open}{close}}}}}"#));
        }
        "orphan" => {
            drop(Command::new("sleep").arg("600").spawn());
            process::exit(5);
        }
        // Starts a process that leaves its group and keeps our streams, and says its number.
        "leave" => text(id, &leave(args["how"].as_str().unwrap_or_default(), number("ms"))),
        "deaf" => DEAF.store(true, std::sync::atomic::Ordering::SeqCst),
        // Counts its calls in a file, and fails until there are enough of them.
        "tally" | "tally_read" | "tally_again" => {
            let path = args["file"].as_str().unwrap_or_default();
            let mut file = std::fs::File::options().append(true).create(true).open(path).unwrap();
            file.write_all(b"x").unwrap();
            if file.metadata().unwrap().len() >= number("until") {
                return text(id, "done");
            }
            match args["fail"].as_str().unwrap_or_default() {
                "exit" => process::exit(7),
                "close" => drop(Command::new("sleep").arg("600").stdout(Stdio::null()).exec()),
                line => put(&answering(line, id)),
            }
        }
        // Says a line as it is, but for the id.
        "replay" => put(&answering(args["line"].as_str().unwrap_or_default(), id)),
        // Says something in its log, and exits if it is asked to.
        "shout" => {
            eprint(args["text"].as_str().unwrap_or_default());
            if let Some(code) = args["code"].as_i64() {
                process::exit(i32::try_from(code).unwrap_or(1));
            }
            text(id, "shouted");
        }
        "pid" => text(id, &process::id().to_string()),
        "never" => (),
        other => {
            let error = json!({"code": -32602, "message": format!("Unknown tool: {other}")});
            put(&json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string());
        }
    }
}

/// A line under an id. Codes have an `ID` in them, too.
fn answering(line: &str, id: &Value) -> String {
    line.replace("\"id\":ID", &format!("\"id\":{id}"))
}

/// The number of a process in a session of its own: a child of ours, or one that has nothing of ours, or an orphan, or one without an
/// environment.
fn leave(how: &str, ms: u64) -> String {
    let seconds = format!("{}.{:03}", ms / 1_000, ms % 1_000);
    let mut sleep = Command::new("setsid");
    sleep.args(["sleep", &seconds]).stdin(Stdio::null());
    match how {
        "child" => return sleep.spawn().unwrap().id().to_string(),
        "stranger" => {
            sleep.env_clear().stdout(Stdio::null()).stderr(Stdio::null());
            return sleep.spawn().unwrap().id().to_string();
        }
        _ => (),
    }
    // What it gives us is on a pipe of its own; ours goes in as another one.
    let ours = io::stdout();
    let ours = std::os::fd::AsFd::as_fd(&ours).try_clone_to_owned().unwrap();
    let script = format!("exec 3<&0; setsid sleep {seconds} >&3 2>&3 & echo $!");
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).stdin(ours);
    if how == "bare" {
        shell.env_clear();
    }
    let said = shell.output().unwrap().stdout;
    String::from_utf8(said).unwrap().trim().to_owned()
}

fn text(id: &Value, text: &str) {
    answer(id, &json!({"content": [{"type": "text", "text": text}]}));
}

fn answer(id: &Value, result: &Value) {
    put(&json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string());
}

fn put(line: &str) {
    raw(format!("{line}\n").as_bytes());
}

fn raw(bytes: &[u8]) {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).unwrap_or_default();
}

fn eprint(text: &str) {
    writeln!(io::stderr(), "{text}").unwrap_or_default();
}
