//! What is on the wire, for requests that no client of rmcp sends.

use redress::Dialect;
use redress_rmcp::{Contract, ErrorStats};
use rmcp::ServiceExt as _;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
    split,
};

use crate::odd::{Odd, registry};

/// A client that writes lines.
struct Raw {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    to: WriteHalf<DuplexStream>,
}

impl Raw {
    /// A client that has not said anything.
    fn silent(contract: Contract<Odd>) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let serve = async move { drop(contract.serve(theirs).await.unwrap().waiting().await) };
        tokio::spawn(Box::pin(serve));
        let (from, to) = split(ours);
        Self { lines: BufReader::new(from).lines(), to }
    }

    /// A client of the newest revision that `initialize` still belongs to.
    async fn new(contract: Contract<Odd>) -> Self {
        let mut raw = Self::silent(contract);
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "0"}});
        raw.ask("initialize", hello).await;
        raw.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        raw
    }

    async fn write(&mut self, message: &Value) {
        self.to.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.write(&json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params})).await;
        let line = self.lines.next_line().await.unwrap().unwrap();
        serde_json::from_str(&line).unwrap()
    }
}

#[tokio::test]
async fn a_malformed_call_stays_an_error_that_says_what_is_wrong() {
    let mut raw = Raw::new(Contract::new(Odd::new(), registry())).await;
    for (params, pointer) in [
        (json!({}), "/params/name"),
        (json!({"name": 7}), "/params/name"),
        (json!({"name": "well", "arguments": [1]}), "/params/arguments"),
    ] {
        let answer = raw.ask("tools/call", params).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        let envelope = &answer["error"]["data"]["dev.redress/fault"];
        assert_eq!(envelope["code"], "INVALID_REQUEST");
        assert_eq!(envelope["violations"][0]["pointer"], pointer);
    }
}

#[tokio::test]
async fn an_unknown_method_keeps_its_number() {
    let mut raw = Raw::new(Contract::new(Odd::new(), registry())).await;
    let answer = raw.ask("no/such", json!({})).await;
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
    assert_eq!(answer["error"]["data"]["dev.redress/fault"]["code"], "METHOD_NOT_FOUND");
}

#[tokio::test]
async fn a_panic_of_any_method_is_answered() {
    let mut raw = Raw::new(Contract::new(Odd::new(), registry())).await;
    let answer = raw.ask("prompts/get", json!({"name": "none"})).await;
    assert_eq!(answer["error"]["data"]["dev.redress/fault"]["code"], "INTERNAL_ERROR", "{answer}");
    assert!(!answer.to_string().contains("secret"), "{answer}");
    assert!(raw.ask("ping", json!({})).await["result"].is_object());
}

#[tokio::test]
async fn failures_are_counted_for_whoever_asks() {
    let mut raw =
        Raw::new(Contract::new(Odd::new(), registry()).error_stats(ErrorStats::default())).await;
    raw.ask("tools/call", json!({"name": "panic"})).await;
    raw.ask("tools/call", json!({"name": "nothing"})).await;
    raw.ask("tools/call", json!({"name": "even", "arguments": {"number": 3}})).await;
    raw.ask("tools/call", json!({"name": "well"})).await;
    let answer = raw.ask("sys/errorStats", json!({})).await;
    assert_eq!(answer["result"]["total"], 3, "{answer}");
    assert_eq!(answer["result"]["bySymbol"]["E_INTERNAL_ERROR"], 1, "{answer}");
    let mut off = Raw::new(Contract::new(Odd::new(), registry())).await;
    assert_eq!(off.ask("sys/errorStats", json!({})).await["error"]["code"], -32601);
}

#[tokio::test]
async fn a_failure_is_written_in_the_dialect_that_was_chosen() {
    let contract = |dialect| Contract::new(Odd::new(), registry()).dialect(dialect);
    let call = json!({"name": "panic"});
    let mut raw = Raw::new(contract(Dialect::Rpc)).await;
    let answer = raw.ask("tools/call", call.clone()).await;
    assert_eq!(answer["error"]["data"]["symbol"], "E_INTERNAL_ERROR", "{answer}");
    let mut raw = Raw::new(contract(Dialect::AtlasGate)).await;
    let answer = raw.ask("tools/call", call).await;
    assert_eq!(answer["result"]["structuredContent"]["error_code"], "INTERNAL_ERROR", "{answer}");
    assert_eq!(answer["result"]["structuredContent"]["tool_name"], "panic", "{answer}");
    assert!(answer["result"]["_meta"]["dev.redress/fault"].is_object());
}

#[tokio::test]
async fn a_client_of_the_newest_revision_hears_the_same() {
    let mut raw = Raw::silent(Contract::new(Odd::new(), registry()));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let found = raw.ask("server/discover", json!({"_meta": meta})).await;
    assert!(found["result"]["supportedVersions"].is_array(), "{found}");
    let answer = raw.ask("tools/call", json!({"name": "panic", "_meta": meta})).await;
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    assert_eq!(answer["result"]["structuredContent"]["code"], "INTERNAL_ERROR", "{answer}");
    let answer = raw.ask("tools/call", json!({"name": 7, "_meta": meta})).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
}
