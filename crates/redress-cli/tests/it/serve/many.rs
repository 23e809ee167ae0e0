//! Many clients at once.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{INITIALIZE, ask, call, say};
use crate::{
    gate::{
        client::{Client, Via, bad_server, fault, pause},
        http::{Http, post},
    },
    redress::SERVE,
};

pub(super) fn begin(http: &Http) -> String {
    let answer = say(http, &[], INITIALIZE);
    assert_eq!(answer.status, 200);
    let id = answer.header("mcp-session-id").unwrap().to_owned();
    assert!(answer.json()["result"].is_object());
    id
}

#[test]
fn clients_that_share_a_server_are_told_when_the_gate_ends() {
    let server = bad_server().display().to_string();
    let config = format!("[server.bad]\ncommand = [{server:?}]\nsharing = \"shared\"\n");
    let mut client = Client::with_config(Via::Serve, &config, "bad", &[], &[]);
    client.initialize();
    let ids: Vec<_> = (0..3).map(|_| client.begin("sleep", &json!({"ms": 60_000}))).collect();
    client.call("say", &json!({"lines": [r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}"#]}));
    client.signal("-TERM");
    for id in &ids {
        assert_eq!(fault(&client.answer(id))["code"], "SHUTTING_DOWN");
    }
    assert_eq!(client.end().0, 0);
}

#[test]
fn a_thousand_sessions_of_one_server_hear_only_what_is_theirs() {
    let server = bad_server().display().to_string();
    let config = format!(
        "[server.bad]\ncommand = [{server:?}]\nsharing = \"shared\"\nmax_sessions = 1000\n"
    );
    let client = Client::with_config(Via::Serve, &config, "bad", &[], &[]);
    let http = client.http();
    let workers: Vec<_> = (0..8)
        .map(|worker| {
            let http = http.clone();
            thread::spawn(move || {
                let sessions: Vec<_> = (0..125).map(|_| begin(&http)).collect();
                for (at, id) in sessions.iter().enumerate() {
                    let mine = format!("{worker}-{at}");
                    let line = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"MINE"}]}}"#;
                    let lines = json!({"lines": [line.replace("MINE", &mine)]});
                    // All use the same id at the same time.
                    let message = call(&json!(1), "say", &lines);
                    let answer = say(&http, &[("Mcp-Session-Id", id)], &message);
                    assert_eq!(answer.json()["result"]["content"][0]["text"], mine);
                }
            })
        })
        .collect();
    for worker in workers {
        worker.join().unwrap();
    }
    client.end();
}

#[test]
fn nothing_is_left_of_clients_that_are_gone() {
    let server = bad_server().display().to_string();
    let config = format!("[server.bad]\ncommand = [{server:?}]\nmax_sessions = 20\n");
    let client = Client::with_config(Via::Serve, &config, "bad", &[], &[]);
    let http = client.http();
    let pid = client.gate_pid();
    let count = |what: &str| fs::read_dir(format!("/proc/{pid}/{what}")).unwrap().count();
    let round = || {
        let ids: Vec<_> = (0..10).map(|_| begin(&http)).collect();
        for (at, id) in ids.iter().enumerate() {
            let headers = [("Mcp-Session-Id", &**id), ("Accept", "text/event-stream")];
            let stream = ask(&http, "GET", &headers);
            let call = call(&json!(at), "never", &json!({}));
            post(&http.address, &http.path, &headers[..1], call.as_bytes()).leave();
            drop(stream);
        }
        for id in &ids {
            assert_eq!(ask(&http, "DELETE", &[("Mcp-Session-Id", id)]).status, 204);
        }
    };
    let settled = || {
        // Processes end in their own time.
        for _ in 0..600 {
            if client.left_behind().len() <= 1 {
                break;
            }
            pause();
        }
        (0..40).for_each(|_| pause());
        (count("fd"), count("task"))
    };
    round();
    let (fds, tasks) = settled();
    (0..3).for_each(|_| round());
    let after = settled();
    assert!(after.0 <= fds + 2, "{fds} descriptors became {}", after.0);
    assert!(after.1 <= tasks + 2, "{tasks} threads became {}", after.1);
    client.end();
}

#[test]
fn sessions_have_processes_of_their_own_unless_they_share() {
    for (sharing, is_one) in [("per_session", false), ("shared", true)] {
        let server = bad_server().display().to_string();
        let config = format!("[server.bad]\ncommand = [{server:?}]\nsharing = \"{sharing}\"\n");
        let client = Client::with_config(Via::Serve, &config, "bad", &[], &[]);
        let http = client.http();
        let pids: Vec<Value> = (0..2)
            .map(|_| {
                let id = begin(&http);
                let call = call(&json!(2), "pid", &json!({}));
                let answer = say(&http, &[("Mcp-Session-Id", &id)], &call).json();
                answer["result"]["content"][0]["text"].clone()
            })
            .collect();
        assert!(pids[0].is_string(), "{pids:?}");
        assert_eq!(pids[0] == pids[1], is_one, "{sharing}: {pids:?}");
        client.end();
    }
}

#[test]
fn whoever_ends_its_session_hears_so_where_it_waits() {
    for sharing in ["per_session", "shared"] {
        let server = bad_server().display().to_string();
        let config = format!("[server.bad]\ncommand = [{server:?}]\nsharing = \"{sharing}\"\n");
        let client = Client::with_config(Via::Serve, &config, "bad", &[], &[]);
        let http = client.http();
        let (own, other) = (begin(&http), begin(&http));
        let headers = [("Mcp-Session-Id", &*own)];
        let message = call(&json!(9), "never", &json!({}));
        let waiting = post(&http.address, &http.path, &headers, message.as_bytes());
        (0..40).for_each(|_| pause());
        let start = client.stopwatch();
        assert_eq!(ask(&http, "DELETE", &headers).status, 204);
        drop(waiting.head().body());
        assert!(start.elapsed() < Duration::from_secs(20), "{sharing}: only its deadline ended it");
        let fine = call(&json!(2), "pid", &json!({}));
        assert_eq!(say(&http, &[("Mcp-Session-Id", &other)], &fine).status, 200);
        client.end();
    }
}

#[test]
fn a_client_that_crashes_its_server_keeps_no_other_waiting() {
    let server = bad_server().display().to_string();
    let config = format!(
        "[server.bad]\ncommand = [{server:?}]\nbreaker = {{ failures = 2, open_ms = 60000 }}\n"
    );
    let client = Client::with_config(Via::Serve, &config, "bad", &[], &[]);
    let http = client.http();
    let (bad, good) = (begin(&http), begin(&http));
    let asked = |id: &str, tool: &str| {
        say(&http, &[("Mcp-Session-Id", id)], &call(&json!(2), tool, &json!({"code": 1}))).json()
    };
    let codes: Vec<_> = (0..3).map(|_| fault(&asked(&bad, "exit"))["code"].clone()).collect();
    assert_eq!(codes, ["UPSTREAM_CRASHED", "UPSTREAM_CRASHED", "CIRCUIT_OPEN"]);
    assert!(asked(&good, "pid")["result"]["content"][0]["text"].is_string());
    assert!(asked(&begin(&http), "pid")["result"]["content"][0]["text"].is_string());
    client.end();
}

#[test]
fn each_line_of_a_log_has_its_servers_name_and_no_secret() {
    let noisy = "echo \"it is $API_TOKEN\" >&2; printf 'no end' >&2; sleep 60";
    let config = format!(
        "[ledger]\nenabled = false\n[server.one]\ncommand = ['sh', '-c', {noisy:?}]\nenv = {{ API_TOKEN = 'correct-horse-battery' }}\n[server.two]\ncommand = ['sh', '-c', {noisy:?}]\ninherit_env = ['API_TOKEN']\n"
    );
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("redress.toml");
    fs::write(&file, config).unwrap();
    let mut gate = Command::new(env!("CARGO_BIN_EXE_redress"))
        .args(SERVE)
        .arg("--config")
        .arg(file)
        .env("API_TOKEN", "the-token-of-the-gate-itself")
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(gate.stderr.take().unwrap()).lines().map(Result::unwrap);
    let at = lines.find_map(|it| Some(it.split_once("http://")?.1.to_owned())).unwrap();
    let address = at.split('/').next().unwrap().to_owned();
    let waiting: Vec<_> = ["/one/mcp", "/two/mcp"]
        .iter()
        .map(|path| post(&address, path, &[], INITIALIZE.as_bytes()))
        .collect();
    let mut told: Vec<_> = lines.by_ref().filter(|it| it.contains("it is")).take(2).collect();
    told.sort();
    assert!(told[0].starts_with("[server one] it is "), "{told:?}");
    assert!(told[1].starts_with("[server two] it is "), "{told:?}");
    assert!(!told.concat().contains("correct-horse") && !told.concat().contains("the-token"));
    drop(waiting);
    Command::new("kill").arg(gate.id().to_string()).status().unwrap();
    assert!(lines.any(|it| it == "[server one] no end"), "the last line needs no line break");
    gate.wait().unwrap();
}

#[test]
fn an_unused_session_ends_after_the_configured_time() {
    let server = bad_server().display().to_string();
    let config =
        format!("[limits]\nsession_idle_ms = 1000\n[server.bad]\ncommand = [{server:?}]\n");
    let client = Client::with_config(Via::Serve, &config, "bad", &[], &[]);
    let http = client.http();
    let id = begin(&http);
    let until = Instant::now() + Duration::from_secs(60);
    while client.left_behind().len() > 1 {
        assert!(Instant::now() < until, "its process is still there");
        pause();
    }
    let ping = r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;
    assert_eq!(say(&http, &[("Mcp-Session-Id", &id)], ping).status, 404);
    client.end();
}
