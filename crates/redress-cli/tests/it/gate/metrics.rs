//! What an operator sees of `redress run`: the page of metrics, `sys/errorStats`, and what is left of it afterwards.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::{Child, ChildStderr, ChildStdout, Stdio},
};

use serde_json::{Value, json};

use super::{
    client::{Client, Via, bad_server, fault, gate, wait},
    http::post,
};

/// A gate whose stderr is read.
struct Watched {
    gate: Child,
    out: BufReader<ChildStdout>,
    log: BufReader<ChildStderr>,
}

impl Watched {
    fn start(dir: &Path, options: &[&str], env: &[(&str, &str)]) -> Self {
        let mut command = gate(Via::Run, dir, options, &[bad_server().to_str().unwrap()]);
        let state = dir.join("state");
        command.env("XDG_STATE_HOME", state).envs(env.iter().copied()).stderr(Stdio::piped());
        let mut gate = command.spawn().unwrap();
        let out = BufReader::new(gate.stdout.take().unwrap());
        let log = BufReader::new(gate.stderr.take().unwrap());
        Self { gate, out, log }
    }

    fn log_line(&mut self) -> String {
        let mut line = String::new();
        self.log.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        let line = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        self.gate.stdin.as_mut().unwrap().write_all(format!("{line}\n").as_bytes()).unwrap();
        let mut answer = String::new();
        self.out.read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).unwrap()
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.ask("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    fn end(mut self) -> i32 {
        drop(self.gate.stdin.take());
        wait(&mut self.gate)
    }
}

fn get(address: &str, host: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let request = format!("GET /metrics HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).unwrap();
    page
}

#[test]
fn the_page_counts_what_clients_were_told() {
    let dir = tempfile::tempdir().unwrap();
    let ledger = dir.path().join("ledger");
    let options = ["--metrics", "127.0.0.1:0", "--ledger", ledger.to_str().unwrap()];
    let mut gate = Watched::start(dir.path(), &options, &[]);
    let line = gate.log_line();
    let address =
        line.strip_prefix("redress: metrics on http://").unwrap().strip_suffix("/metrics").unwrap();
    let address = address.to_owned();
    gate.ask("tools/list", &json!({}));
    gate.call("pid", &json!({}));
    let answer = gate.call("exit", &json!({"code": 3}));
    assert_eq!(fault(&answer)["code"], "UPSTREAM_CRASHED");
    gate.call("pid", &json!({}));
    gate.call("a tool of nobody", &json!({}));
    let page = get(&address, &address);
    for line in [
        r#"redress_calls_total{server="bad",outcome="ok"} 3"#,
        r#"redress_calls_total{server="bad",outcome="fault"} 2"#,
        r#"redress_faults_total{server="bad",code="UPSTREAM_CRASHED",class="unavailable",origin="server"} 1"#,
        r#"redress_restarts_total{server="bad"} 1"#,
        r#"redress_breaker_state{server="bad"} 0"#,
        r#"redress_in_flight{server="bad"} 0"#,
        r#"redress_ledger_commit_seconds_count{server="bad"} 2"#,
        r#"redress_ledger_waiting{server="bad"} 0"#,
    ] {
        assert!(page.lines().any(|it| it == line), "{line}\n{page}");
    }
    assert!(!page.contains("nobody"), "a name from outside became a label");
    assert!(get(&address, "evil.example").starts_with("HTTP/1.1 403"));
    assert_eq!(gate.end(), 0);
}

#[test]
fn serve_has_the_page_of_all_its_servers_beside_them() {
    let mut client = Client::open(Via::Serve, &[]);
    client.call("exit", &json!({"code": 3}));
    let http = client.http();
    let ping = br#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;
    let lost = [("Mcp-Session-Id", "0123456789abcdef0123456789abcdef")];
    assert_eq!(post(&http.address, &http.path, &lost, ping).head().status, 404);
    let address = http.address;
    let page = get(&address, &address);
    assert!(page.contains("application/openmetrics-text"), "{page}");
    for line in [
        r#"redress_faults_total{server="bad",code="UPSTREAM_CRASHED",class="unavailable",origin="server"} 1"#,
        r#"redress_calls_total{server="bad",outcome="fault"} 1"#,
        r#"redress_refused_total{server="bad",code="SESSION_NOT_FOUND"} 1"#,
        r#"redress_calls_total{server="bad",outcome="refused"} 1"#,
    ] {
        assert!(page.lines().any(|it| it == line), "{line}\n{page}");
    }
    assert!(get(&address, "evil.example").starts_with("HTTP/1.1 403"));
    client.end();
}

#[test]
fn error_stats_are_answered_and_kept() {
    let dir = tempfile::tempdir().unwrap();
    let env = [("MCP_ERROR_METRICS", "true")];
    let mut gate = Watched::start(dir.path(), &["--no-ledger"], &env);
    let ready: Value = serde_json::from_str(&gate.log_line()).unwrap();
    let expected = json!({"type": "ready", "methods": ["sys/errorStats"], "schema": {"errorCodes": 1}, "server": "bad"});
    assert_eq!(ready, expected);
    gate.call("exit", &json!({}));
    gate.ask("sys/nothing", &json!({}));
    let stats = gate.ask("sys/errorStats", &json!({}));
    let stats = &stats["result"];
    assert_eq!((&stats["total"], &stats["byCode"]), (&json!(2), &json!({"-32601": 1, "4801": 1})));
    assert_eq!(stats["bySymbol"]["E_UPSTREAM_CRASHED"], 1);
    assert_eq!(gate.end(), 0);
    let kept = fs::read_to_string(dir.path().join("state/redress/bad/error-stats.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&kept).unwrap(), *stats);
}

#[test]
fn seed_002_31_failures_count_under_the_domain_that_raised_them() {
    let dir = tempfile::tempdir().unwrap();
    let options = ["--no-ledger", "--contract", "rpc-taxonomy", "--dialect", "rpc"];
    let mut gate = Watched::start(dir.path(), &options, &[("MCP_ERROR_METRICS", "1")]);
    let own = [
        json!({"code": 1005, "message": "Input too large", "data": {"domain": "python", "symbol": "E_INPUT_TOO_LARGE"}}),
        json!({"code": 1005, "message": "Input too large", "data": {"domain": "python", "symbol": "E_INPUT_TOO_LARGE"}}),
        json!({"code": 2300, "message": "invalid file", "data": {"domain": "memory-bank", "symbol": "E_MB_FILE_NOT_FOUND"}}),
    ];
    for error in own {
        let line = json!({"jsonrpc": "2.0", "id": "ID", "error": error}).to_string();
        let line = line.replace("\"ID\"", "ID");
        let answer = gate.call("replay", &json!({"line": line}));
        assert_eq!(answer["error"], error, "seed 002-19: {answer}");
    }
    let stats = gate.ask("sys/errorStats", &json!({}));
    let expected = json!({
        "total": 3,
        "byCode": {"1005": 2, "2300": 1},
        "byDomain": {"memory-bank": 1, "python": 2},
        "bySymbol": {"E_INPUT_TOO_LARGE": 2, "E_MB_FILE_NOT_FOUND": 1},
    });
    assert_eq!(stats["result"], expected);
    let strange = json!({"code": 1005, "message": "Input too large", "data": {"domain": "no-such", "symbol": "E_INPUT_TOO_LARGE"}});
    let line = json!({"jsonrpc": "2.0", "id": "ID", "error": strange}).to_string();
    gate.call("replay", &json!({"line": line.replace("\"ID\"", "ID")}));
    let stats = gate.ask("sys/errorStats", &json!({}));
    assert_eq!(stats["result"]["byDomain"], json!({"common": 1, "memory-bank": 1, "python": 2}));
    assert_eq!(gate.end(), 0);
}

#[test]
fn without_them_the_question_is_the_servers() {
    let dir = tempfile::tempdir().unwrap();
    let mut gate = Watched::start(dir.path(), &["--no-ledger"], &[("MCP_ERROR_METRICS", "off")]);
    let answer = gate.ask("sys/errorStats", &json!({}));
    assert_eq!(answer["error"]["code"], -32601);
    assert_eq!(gate.end(), 0);
    assert!(!dir.path().join("state").exists());
}

#[test]
fn an_address_for_everybody_needs_a_token() {
    let dir = tempfile::tempdir().unwrap();
    let gate = Watched::start(dir.path(), &["--no-ledger", "--metrics", "0.0.0.0:0"], &[]);
    assert_eq!(gate.end(), 2);
}

#[test]
fn a_taken_port_costs_the_metrics_and_not_the_server() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let dir = tempfile::tempdir().unwrap();
    let mut gate = Watched::start(dir.path(), &["--no-ledger", "--metrics", &address], &[]);
    let line = gate.log_line();
    assert_eq!(
        line,
        format!(
            "redress: no metrics: {address} is taken by another program; port 0 is any that is free"
        )
    );
    assert!(gate.call("pid", &json!({}))["result"].is_object());
    assert_eq!(gate.end(), 0);
}
