//! A client that writes lines, and what stands in the answers.

use std::time::Duration;

use redress_rmcp::Contract;
use rmcp::ServerHandler;
use serde_json::{Value, json};
use tokio::{
    io::{
        AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf,
        WriteHalf, split,
    },
    time::timeout,
};

/// A client that writes lines.
pub(crate) struct Raw {
    pub(crate) lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    pub(crate) to: WriteHalf<DuplexStream>,
}

impl Raw {
    /// A client that has not said anything.
    pub(crate) fn silent<H: ServerHandler>(contract: Contract<H>) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let serve = async move { drop(contract.serve(theirs).await.unwrap().waiting().await) };
        tokio::spawn(Box::pin(serve));
        Self::over(ours)
    }

    /// A client of whoever is at the other end.
    pub(crate) fn over(pipe: DuplexStream) -> Self {
        let (from, to) = split(pipe);
        Self { lines: BufReader::new(from).lines(), to }
    }

    /// A client of the newest revision that `initialize` still belongs to.
    pub(crate) async fn new<H: ServerHandler>(contract: Contract<H>) -> Self {
        let mut raw = Self::silent(contract);
        raw.greet().await;
        raw
    }

    /// Begins a session.
    pub(crate) async fn greet(&mut self) {
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "0"}});
        self.ask("initialize", hello).await;
        self.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    }

    pub(crate) async fn write(&mut self, message: &Value) {
        self.put(&message.to_string()).await;
    }

    pub(crate) async fn put(&mut self, line: &str) {
        self.to.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    /// The answer to a line, whatever it is.
    pub(crate) async fn answer(&mut self, line: &str) -> Value {
        self.to.write_all(format!("{line}\n").as_bytes()).await.unwrap();
        serde_json::from_str(&self.lines.next_line().await.unwrap().unwrap()).unwrap()
    }

    /// The next line; `None` if there is no other.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        let line = timeout(Duration::from_secs(30), self.lines.next_line()).await;
        let line = line.expect("a line or the end in time").unwrap();
        line.map(|it| serde_json::from_str(&it).unwrap())
    }

    /// Says nothing more, and hears what is left.
    pub(crate) async fn rest(&mut self) -> Vec<Value> {
        self.to.shutdown().await.unwrap();
        let mut all = Vec::new();
        while let Some(line) = self.next().await {
            all.push(line);
        }
        all
    }

    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.write(&json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params})).await;
        let line = self.lines.next_line().await.unwrap().unwrap();
        serde_json::from_str(&line).unwrap()
    }
}

/// The fault of an error.
pub(crate) fn fault(answer: &Value) -> &Value {
    &answer["error"]["data"]["dev.redress/fault"]
}
