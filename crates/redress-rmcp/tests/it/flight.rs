//! That every request has one answer: when ids come twice, when the client has said all, when the server ends.

use std::{
    io,
    pin::Pin,
    task::{self, Poll},
    time::Duration,
};

use redress_registry::Operation;
use redress_rmcp::Contract;
use rmcp::{
    ErrorData, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListToolsResult,
        PaginatedRequestParams, PingRequest, ProgressNotificationParam, ProgressToken, RequestId,
        ServerCapabilities, ServerConfig, ServerRequest, Tool,
    },
    service::{RequestContext, RoleServer},
};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, ReadBuf};

use crate::{
    odd::registry,
    raw::{Raw, fault},
};

type Context = RequestContext<RoleServer>;

/// A server that takes its time.
struct Slow;

impl ServerHandler for Slow {
    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        let millis = call.arguments.as_ref().and_then(|it| it.get("ms")?.as_u64());
        let nap = || tokio::time::sleep(Duration::from_millis(millis.unwrap_or(300)));
        nap().await;
        match &*call.name {
            "notes" => {
                let token = ProgressToken(RequestId::Number(1));
                let step = ProgressNotificationParam::new(token, 1.0);
                context.peer.notify_progress(step).await.unwrap();
                nap().await;
            }
            "asks" => {
                let ask = ServerRequest::PingRequest(PingRequest::default());
                let said = context.peer.send_request(ask).await;
                said.map_err(|it| ErrorData::internal_error(it.to_string(), None))?;
            }
            _ => (),
        }
        Ok(CallToolResult::success(vec![ContentBlock::text("done")]).into())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = json!({"type": "object"}).as_object().unwrap().clone();
        let tool = |name| Tool::new(name, "", schema.clone());
        Ok(ListToolsResult::with_all_items(TOOLS.map(tool).to_vec()))
    }

    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}

const TOOLS: [&str; 3] = ["naps", "notes", "asks"];

fn slow() -> Contract<Slow> {
    let contract = Contract::new(Slow, registry());
    TOOLS.into_iter().fold(contract, |it, tool| it.operation(tool, Operation::Command))
}

fn call(id: &Value, tool: &str, ms: u64) -> Value {
    let params = json!({"name": tool, "arguments": {"ms": ms}});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}

/// The answers among lines, by their ids.
fn answers(lines: Vec<Value>) -> Vec<Value> {
    let mut all: Vec<_> = lines.into_iter().filter(|it| it.get("method").is_none()).collect();
    all.sort_by_key(|it| it["id"].to_string());
    all
}

#[tokio::test(start_paused = true)]
async fn a_client_that_has_said_all_has_every_answer() {
    let mut raw = Raw::new(slow()).await;
    for (id, tool) in TOOLS.into_iter().enumerate() {
        raw.write(&call(&json!(id), tool, 200)).await;
    }
    raw.write(&call(&json!(3), "naps", 6_500)).await;
    let all = answers(raw.rest().await);
    let texts: Vec<_> = all.iter().map(|it| &it["result"]["content"][0]["text"]).collect();
    assert_eq!(all.len(), 4, "{all:?}");
    assert_eq!([texts[0], texts[1], texts[3]], ["done"; 3], "{all:?}");
    assert_eq!(all[2]["result"]["isError"], true, "nobody answers what it asks: {all:?}");
}

#[tokio::test(start_paused = true)]
async fn an_id_in_use_is_refused_and_the_first_request_keeps_it() {
    let mut raw = Raw::new(slow()).await;
    for id in [json!(1), json!("1")] {
        for _ in 0..3 {
            raw.write(&call(&id, "naps", 300)).await;
        }
        let mut texts = Vec::new();
        for _ in 0..3 {
            let answer = raw.next().await.unwrap();
            assert_eq!(answer["id"], id, "{answer}");
            texts.push(match fault(&answer)["code"].as_str() {
                Some(code) => code.to_owned(),
                None => answer["result"]["content"][0]["text"].as_str().unwrap().to_owned(),
            });
        }
        assert_eq!(texts, ["INVALID_REQUEST", "INVALID_REQUEST", "done"]);
        // Once it is answered, it is free.
        raw.write(&call(&id, "naps", 0)).await;
        assert_eq!(raw.next().await.unwrap()["result"]["isError"], false);
    }
    raw.write(&call(&json!(9), "naps", 600_000)).await;
    let cancel =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}});
    raw.write(&cancel).await;
    let start = tokio::time::Instant::now();
    assert_eq!(raw.rest().await.len(), 0, "who cancels waits for nothing");
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[tokio::test(start_paused = true)]
async fn what_a_server_does_not_finish_is_answered_when_it_ends() {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let mut raw = Raw::over(ours);
    let serving = tokio::spawn(slow().serve(theirs));
    raw.greet().await;
    let running = serving.await.unwrap().unwrap();
    raw.write(&call(&json!(1), "naps", 600_000)).await;
    raw.write(&call(&json!(2), "naps", 500)).await;
    assert!(raw.ask("ping", json!({})).await["result"].is_object());
    running.cancellation_token().cancel();
    let mut all = Vec::new();
    while let Some(line) = raw.next().await {
        all.push(line);
    }
    let all = answers(all);
    assert_eq!(all.len(), 2, "{all:?}");
    let envelope = &all[0]["result"]["_meta"]["dev.redress/fault"];
    assert_eq!(envelope["code"], "SHUTTING_DOWN", "{all:?}");
    assert_eq!(
        (&envelope["effect"], &envelope["context"]["tool"]),
        (&json!("unknown"), &json!("naps"))
    );
    assert_eq!(all[1]["result"]["isError"], false, "{all:?}");
}

#[tokio::test(start_paused = true)]
async fn a_question_of_a_call_that_took_too_long_is_withdrawn() {
    let mut raw = Raw::new(slow().tool_timeout("asks", Duration::from_millis(300))).await;
    raw.write(&call(&json!(1), "asks", 0)).await;
    let question = raw.next().await.unwrap();
    assert_eq!(question["method"], "ping", "{question}");
    let withdrawn = raw.next().await.unwrap();
    assert_eq!(withdrawn["method"], "notifications/cancelled", "{withdrawn}");
    assert_eq!(withdrawn["params"]["requestId"], question["id"], "{withdrawn}");
    let answer = raw.next().await.unwrap();
    assert_eq!(answer["result"]["structuredContent"]["code"], "TIMEOUT", "{answer}");
}

/// A client whose connection breaks.
struct Breaks(&'static [u8]);

impl AsyncRead for Breaks {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut task::Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.0.is_empty() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        into.put_slice(std::mem::take(&mut self.0));
        Poll::Ready(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_breaks_is_not_waited_for() {
    let lines = concat!(
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"0"}}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"naps","arguments":{"ms":600000}}}"#,
        "\n",
    );
    let run = slow().run((Breaks(lines.as_bytes()), tokio::io::sink()));
    tokio::time::timeout(Duration::from_secs(20), run).await.unwrap().unwrap();
    let nobody = slow().run((tokio::io::empty(), tokio::io::sink()));
    nobody.await.expect("who leaves before it begins is no failure");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_cannot_be_read_is_not_waited_for() {
    let mut raw = Raw::new(slow()).await;
    for result in [r#"{"a":"\ud800"}"#, "{\"a\":1e400}", "tru"] {
        raw.write(&call(&json!(1), "asks", 0)).await;
        let question = raw.next().await.unwrap();
        let line = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, question["id"]);
        raw.put(&line).await;
        let answer = raw.next().await.unwrap();
        assert_eq!(answer["result"]["isError"], true, "{result}: {answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_comes_before_the_start_of_a_session_does_not_end_it() {
    let mut raw = Raw::silent(slow());
    for _ in 0..20 {
        raw.put("what?").await;
    }
    raw.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    raw.write(&json!({"jsonrpc": "2.0", "id": 1, "result": {}})).await;
    for _ in 0..20 {
        assert_eq!(fault(&raw.next().await.unwrap())["code"], "PARSE_FAILED");
    }
    raw.greet().await;
    raw.write(&call(&json!(1), "naps", 0)).await;
    assert_eq!(raw.next().await.unwrap()["result"]["isError"], false);
}
