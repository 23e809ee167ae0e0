//! Rows of the matrix: what servers have started and left in a session of its own. It ends with its server, and with the gate.

use std::{fs, process::Command, time::Duration};

use serde_json::json;

use super::client::{Client, Via, assert_works, both_ways, fault, pause};
use crate::stopwatch::Stopwatch;

/// As a child of the server, as an orphan, and as one without an environment.
const WAYS: [&str; 3] = ["child", "orphan", "bare"];

both_ways! {
    what_a_server_has_started_ends_with_it,
    what_a_server_has_started_ends_with_the_gate,
    what_a_server_has_started_lives_as_long_as_it_does,
    a_server_that_is_ended_takes_along_what_it_has_started,
    an_orphan_that_ends_is_reaped,
    the_gate_keeps_nothing_of_servers_that_ended,
    who_was_there_before_the_gate_is_left_alone,
}

/// Has the server start something, and gives its number.
fn leave(client: &mut Client, how: &str) -> u32 {
    let answer = client.call("leave", &json!({"how": how, "ms": 600_000}));
    let pid = answer["result"]["content"][0]["text"].as_str().unwrap().parse().unwrap();
    assert!(is_alive(pid), "{how}");
    pid
}

fn leave_all(client: &mut Client) -> Vec<u32> {
    WAYS.iter().map(|it| leave(client, it)).collect()
}

fn is_alive(pid: u32) -> bool {
    state(pid).is_some_and(|it| it != "Z")
}

/// The state of a process, if it is there.
fn state(pid: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(") ").and_then(|(_, it)| Some(it.split(' ').next()?.to_owned()))
}

/// Children of the gate, but for the one that watches it.
fn children(client: &Client) -> Vec<u32> {
    let watches = |it: &u32| {
        let words = fs::read(format!("/proc/{it}/cmdline")).unwrap_or_default();
        words.starts_with(b"redress\0__watch\0")
    };
    let threads = fs::read_dir(format!("/proc/{}/task", client.gate_pid())).unwrap().flatten();
    let lists = threads.filter_map(|it| fs::read_to_string(it.path().join("children")).ok());
    lists
        .flat_map(|it| it.split(' ').filter_map(|it| it.parse().ok()).collect::<Vec<_>>())
        .filter(|it| !watches(it))
        .collect()
}

/// Waits until something holds, for two seconds and not for ever.
fn soon(what: &str, holds: impl Fn() -> bool) {
    let start = Stopwatch::start(std::process::id());
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(2), "{what}");
        pause();
    }
}

fn kill(pid: u32) {
    assert!(Command::new("kill").args(["-KILL", &pid.to_string()]).status().unwrap().success());
}

fn what_a_server_has_started_ends_with_it(via: Via) {
    let mut client = Client::open(via, &[]);
    for how in WAYS {
        let pid = leave(&mut client, how);
        let answer = client.call("exit", &json!({"code": 3}));
        assert_eq!(fault(&answer)["details"]["exit_code"], 3, "{how}");
        assert!(fault(&answer)["elapsed_ms"].as_u64().unwrap() < 3_000, "{how}");
        soon(how, || state(pid).is_none());
        assert_works(&mut client);
    }
    client.end();
}

fn what_a_server_has_started_ends_with_the_gate(via: Via) {
    let mut client = Client::open(via, &[]);
    let pids = leave_all(&mut client);
    let start = client.stopwatch();
    client.end();
    assert!(start.elapsed() < Duration::from_secs(5));
    assert_eq!(pids.into_iter().filter(|it| is_alive(*it)).collect::<Vec<_>>(), [0; 0]);
}

fn what_a_server_has_started_lives_as_long_as_it_does(via: Via) {
    let mut client = Client::open(via, &[]);
    let pids = leave_all(&mut client);
    if via == Via::Serve {
        open_another(&mut client);
        let others = leave_all(&mut client);
        client.call("exit", &json!({"code": 3}));
        soon("its own", || !is_alive(others[0]) && !is_alive(others[1]));
        assert_works(&mut client);
    }
    (0..100).for_each(|_| pause());
    assert_eq!(pids.iter().filter(|it| !is_alive(**it)).collect::<Vec<_>>(), [&0; 0]);
    client.end();
    assert_eq!(pids.iter().filter(|it| is_alive(**it)).collect::<Vec<_>>(), [&0; 0]);
}

fn a_server_that_is_ended_takes_along_what_it_has_started(via: Via) {
    let mut client = Client::open(via, &[]);
    if via == Via::Serve {
        // So that it is not the only one.
        open_another(&mut client);
    }
    let pid = leave(&mut client, "stranger");
    client.call("close", &json!({}));
    soon("ended", || !is_alive(pid));
    assert_works(&mut client);
    client.end();
}

fn an_orphan_that_ends_is_reaped(via: Via) {
    let mut client = Client::open(via, &[]);
    for how in ["orphan", "bare"] {
        let answer = client.call("leave", &json!({"how": how, "ms": 1}));
        let pid = answer["result"]["content"][0]["text"].as_str().unwrap().parse().unwrap();
        soon("reaped while its server lives", || state(pid).is_none());
    }
    assert_eq!(children(&client).len(), 1);
    assert_works(&mut client);
    client.end();
}

/// Another session, with a process of its own.
fn open_another(client: &mut Client) {
    *client.http().session.lock().unwrap() = None;
    client.initialize();
}

/// How many file descriptors and threads the gate has after a while.
fn held_at_rest(client: &Client) -> (usize, usize) {
    (0..120).for_each(|_| pause());
    held(client)
}

/// How many it has now.
fn held(client: &Client) -> (usize, usize) {
    let count =
        |it: &str| fs::read_dir(format!("/proc/{}/{it}", client.gate_pid())).unwrap().count();
    (count("fd"), count("task"))
}

fn the_gate_keeps_nothing_of_servers_that_ended(via: Via) {
    let mut client = Client::open(via, &[]);
    client.call("exit", &json!({"code": 3}));
    assert_works(&mut client);
    let before = held_at_rest(&client);
    for _ in 0..3 {
        leave_all(&mut client);
        client.call("exit", &json!({"code": 3}));
        assert_works(&mut client);
    }
    soon("the same as before", || held(&client).0 <= before.0 && held(&client).1 <= before.1);
    soon("the server alone", || children(&client).len() == 1);
    client.end();
}

fn who_was_there_before_the_gate_is_left_alone(via: Via) {
    let mut client = Client::beside_another(via);
    client.call("exit", &json!({"code": 3}));
    assert_works(&mut client);
    let before = held_at_rest(&client);
    let other = children(&client)[0];
    // Of what has no mark nobody knows whose it is: it stays, and is not listened to.
    let bare = leave(&mut client, "bare");
    let marked = leave(&mut client, "orphan");
    let start = client.stopwatch();
    client.call("exit", &json!({"code": 3}));
    assert!(start.elapsed() < Duration::from_secs(3));
    assert_works(&mut client);
    soon("the marked one", || !is_alive(marked));
    soon("the same as before", || held(&client).0 <= before.0 && held(&client).1 <= before.1);
    client.close();
    assert_eq!(client.wait(), 0);
    assert!(is_alive(other) && is_alive(bare));
    kill(other);
    kill(bare);
}
