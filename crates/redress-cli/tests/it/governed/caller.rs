//! A governed gate over HTTP, and whoever calls it with a token.

use std::process::{Child, Stdio};

use serde_json::{Value, json};

use super::{client::code, place::Place};
use crate::{
    gate::{
        client::hello,
        http::{Answer, listening, post},
    },
    redress::SERVE,
};

/// `redress serve` with the policy of its place.
pub(super) struct Served {
    child: Child,
    url: String,
}

impl Served {
    pub(super) fn start(place: &Place) -> Self {
        let mut command =
            place.redress(&["serve", "--listen", "127.0.0.1:0", "--config", "redress.toml"]);
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let url = listening(child.stderr.take().unwrap());
        Self { child, url }
    }

    /// An ungoverned one before the built-in server, for the workspace of a place.
    pub(super) fn open_to_all(place: &Place) -> Self {
        let mut command = place.redress(&SERVE);
        command.args(["--root", "root", "--no-ledger"]);
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let url = listening(child.stderr.take().unwrap());
        Self { child, url }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.url)
    }

    /// What somebody with a token hears.
    pub(super) fn say(
        &self,
        token: &str,
        session: Option<&str>,
        method: &str,
        params: &Value,
    ) -> Answer {
        let (address, path) = self.url.split_once('/').unwrap();
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let bearer = format!("Bearer {token}");
        let mut headers = vec![("Authorization", bearer.as_str())];
        headers.extend(session.map(|it| ("Mcp-Session-Id", it)));
        post(address, &format!("/{path}"), &headers, message.to_string().as_bytes()).head()
    }

    /// Somebody with a token, in a session of the protocol.
    pub(super) fn open<'a>(&'a self, token: &'a str) -> Caller<'a> {
        let answer = self.say(token, None, "initialize", &hello());
        let session = answer.header("mcp-session-id").unwrap().to_owned();
        Caller { served: self, token, session }
    }

    pub(super) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

pub(super) struct Caller<'a> {
    served: &'a Served,
    token: &'a str,
    session: String,
}

impl Caller<'_> {
    /// Calls a tool; gives the code that it fails with, or `fine`.
    pub(super) fn code(&self, tool: &str, arguments: &Value) -> String {
        let params = json!({"name": tool, "arguments": arguments});
        let answer = self.served.say(self.token, Some(&self.session), "tools/call", &params);
        code(&answer.json()["result"]).to_owned()
    }
}

/// The part of a policy that lets somebody with a token in.
pub(super) fn caller(name: &str, token: &str) -> String {
    format!("[auth.caller.{name}]\nsha256 = '{}'\n", redress_govern::eval::sha256(token))
}
