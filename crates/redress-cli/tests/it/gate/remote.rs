//! `redress run` and `redress serve` before a server behind a URL: the failure matrix of HTTP, with real sockets.

mod answers;
mod batches;
mod cuts;
mod load;
mod network;
mod pressure;
mod reach;
mod secrets;
mod served;
mod server;
mod sessions;
mod stated;
mod stateless;
mod statuses;

use serde_json::{Value, json};

use self::server::Server;
use super::client::{Client, Via, envelope, pause};

impl Client {
    /// A gate before a server behind a URL, with options.
    fn far(via: Via, server: &Server, options: &[&str]) -> Self {
        let mut client = Self::far_unopened(via, &server.url(), options, &[]);
        client.initialize();
        client
    }

    /// The same, before the session is open.
    fn far_unopened(via: Via, url: &str, options: &[&str], env: &[(&str, &str)]) -> Self {
        let key = "headers = { X-Key = 'correct-horse-battery' }";
        // Every failure is to be seen as it is.
        let rules = "retry = { attempts = 1 }\nbreaker = { failures = 0 }";
        // Other calls may take as long as they do on a busy machine.
        let tools = "[server.far.tool.slow]\ndeadline_ms = 400\n[server.far.tool.unreachable]\ndeadline_ms = 700";
        let config = format!("[server.far]\nurl = '{url}'\n{key}\n{rules}\n{tools}\n");
        Self::with_config(via, &config, "far", options, env)
    }
}

/// Waits until something holds.
fn until(mut holds: impl FnMut() -> bool) {
    for _ in 0..2_000 {
        if holds() {
            return;
        }
        pause();
    }
    panic!("it never came");
}

/// Calls the tool that does what the server was told.
fn call(client: &mut Client) -> Value {
    let answer = client.call("call", &json!({}));
    assert_nothing_leaks(&answer);
    answer
}

/// The next call works, whatever happened before.
fn assert_fine(client: &mut Client) {
    let answer = call(client);
    assert_eq!(answer["result"]["content"][0]["text"], "fine", "{answer}");
    assert!(envelope(&answer).is_none(), "{answer}");
}

/// Nobody learns where the server is, or what it is told.
fn assert_nothing_leaks(answer: &Value) {
    let text = answer.to_string();
    for secret in ["localhost", "127.0.0.1", "hidden-path", "x.invalid", "X-Key", "correct-horse"] {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
}
