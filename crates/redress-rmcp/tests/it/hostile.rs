//! Handlers that break every promise, and that each request of theirs is answered all the same.
//!
//! The clock stands while there is work to do and moves on when all wait, so that no limit of time depends on the machine.

use std::{future::pending, panic::panic_any, sync::Arc, time::Duration};

use redress_ledger::Redactor;
use redress_registry::Operation;
use redress_rmcp::{Contract, client::Recovering};
use rmcp::{
    ErrorData, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams,
        CompleteResult, ContentBlock, ErrorCode, ListPromptsResult, ListResourcesResult,
        ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
        ServerCapabilities, ServerConfig, Tool,
    },
    service::{RequestContext, RoleServer},
};
use serde_json::{Value, json};

use crate::odd::{call, client, failed, odd, registry};

type Context = RequestContext<RoleServer>;

/// What panics when it is dropped, too.
struct Twice;

impl Drop for Twice {
    fn drop(&mut self) {
        panic!("the secret of the drop")
    }
}

/// A handler whose every method panics, but for those that never end.
#[derive(Debug)]
struct Broken {
    lists_tools: bool,
    schema: Value,
}

impl ServerHandler for Broken {
    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        _: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        match &*call.name {
            "payload" => panic_any(4711_u32),
            "twice" => panic_any(Twice),
            "blocking" => {
                let end = tokio::task::spawn_blocking(|| panic!("the secret of the thread"));
                end.await.unwrap()
            }
            "pending" => pending().await,
            "blocks" => {
                let (_open, silent) = std::sync::mpsc::channel::<()>();
                assert!(silent.recv_timeout(Duration::from_millis(150)).is_err());
                tokio::time::sleep(Duration::from_millis(150)).await;
                Ok(CallToolResult::success(Vec::new()).into())
            }
            "leaks" => {
                let data = json!({"env": {"API_KEY": TOKEN}, "said": [format!("token={TOKEN}")], "at": "db"});
                let message = format!("refused: Authorization: Bearer {TOKEN}");
                Err(ErrorData::new(ErrorCode(-32_050), message, Some(data)))
            }
            "tells" => {
                let data = json!({"dsn": [{"password": SECRET}], "at": "db"});
                let message = format!("no way in with {SECRET}");
                Err(ErrorData::new(ErrorCode(-32_042), message, Some(data)))
            }
            _ => Ok(CallToolResult::success(vec![ContentBlock::text("well")]).into()),
        }
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        if !self.lists_tools {
            pending::<()>().await;
        }
        let schema = Arc::new(self.schema.as_object().unwrap().clone());
        let tool = |name| Tool::new(name, "", Arc::clone(&schema));
        Ok(ListToolsResult::with_all_items(TOOLS.map(tool).to_vec()))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        panic!("the secret of the resources")
    }

    async fn read_resource(
        &self,
        _: ReadResourceRequestParams,
        _: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        panic_any(Twice)
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        panic!("the secret of the prompts")
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: Context,
    ) -> Result<CompleteResult, ErrorData> {
        panic!("the secret of the completion")
    }

    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(
            ServerCapabilities::builder()
                .enable_tools()
                .enable_resources()
                .enable_prompts()
                .enable_completions()
                .build(),
        )
    }
}

const TOOLS: [&str; 8] =
    ["payload", "twice", "blocking", "pending", "blocks", "tells", "leaks", "fine"];

/// Nobody knows it, but it looks like what it is.
const TOKEN: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

const SECRET: &str = "hunter2hunter2";

fn broken(schema: Value, lists_tools: bool) -> Contract<Broken> {
    let contract = Contract::new(Broken { lists_tools, schema }, registry());
    let contract = contract.timeout(Duration::from_millis(200));
    TOOLS.into_iter().fold(contract, |it, tool| it.operation(tool, Operation::Query))
}

#[tokio::test]
async fn work_that_blocks_counts_as_time() {
    let client = client(broken(json!({"type": "object"}), true)).await;
    let result = call(&client, "blocks", json!({})).await.unwrap();
    assert_eq!(failed(&result).1["code"], "TIMEOUT");
}

#[tokio::test(start_paused = true)]
async fn a_known_secret_is_not_in_an_error_that_stays_one() {
    let contract = broken(json!({"type": "object"}), true);
    let client = client(contract.redactor(Redactor::new([SECRET]))).await;
    let told = format!("{:?}", call(&client, "tells", json!({})).await.unwrap_err());
    assert!(
        told.contains("-32042") && told.contains("no way in with") && told.contains("\"db\""),
        "{told}"
    );
    assert!(!told.contains(SECRET), "{told}");
}

#[tokio::test(start_paused = true)]
async fn a_credential_is_told_nobody_in_an_error_that_stays_one() {
    let client = client(broken(json!({"type": "object"}), true)).await;
    let told = format!("{:?}", call(&client, "leaks", json!({})).await.unwrap_err());
    assert!(
        told.contains("-32050") && told.contains("refused") && told.contains("\"db\""),
        "{told}"
    );
    assert!(!told.contains(TOKEN), "{told}");
}

#[tokio::test(start_paused = true)]
async fn whatever_is_thrown_is_answered_and_nothing_of_it_is_told() {
    let client = client(broken(json!({"type": "object"}), true)).await;
    for tool in ["payload", "twice", "blocking", "twice"] {
        let result = call(&client, tool, json!({})).await.unwrap();
        failed(&result);
        assert!(!format!("{result:?}").contains("secret"), "{tool}: {result:?}");
    }
    let limit = Duration::from_secs(10);
    let told = [
        format!("{:?}", tokio::time::timeout(limit, client.list_resources(None)).await.unwrap()),
        format!("{:?}", tokio::time::timeout(limit, client.list_prompts(None)).await.unwrap()),
        format!(
            "{:?}",
            tokio::time::timeout(
                limit,
                client.read_resource(ReadResourceRequestParams::new("note://1"))
            )
            .await
            .unwrap()
        ),
    ];
    for told in told {
        assert!(told.contains("INTERNAL_ERROR") && !told.contains("secret"), "{told}");
    }
    assert_eq!(call(&client, "fine", json!({})).await.unwrap().is_error, Some(false));
}

#[tokio::test(start_paused = true)]
async fn a_list_that_never_comes_keeps_no_call_from_its_answer() {
    let client = client(broken(json!({"type": "object"}), false)).await;
    assert_eq!(call(&client, "fine", json!({})).await.unwrap().is_error, Some(false));
    let (card, _) = failed(&call(&client, "pending", json!({})).await.unwrap());
    assert!(card.starts_with("TIMEOUT: "), "{card}");
    assert!(call(&client, "no_such_tool", json!({})).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_list_that_never_comes_keeps_no_server_from_saying_so() {
    let error = broken(json!({"type": "object"}), false).start().await.unwrap_err();
    assert!(error.to_string().contains("no answer within 200 ms"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn no_schema_makes_a_call_hang() {
    for schema in [
        json!({"type": "object", "properties": {"a": {"$ref": "http://192.0.2.1/never.json"}}}),
        json!({"type": "object", "properties": {"a": {"$ref": "#"}}}),
        json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/none"}}}),
        json!({"type": "object", "properties": {"a": {"pattern": "^(a+)+$"}}}),
        json!({"type": "object", "properties": {"a": {"pattern": "(?=(a+))\\1*b"}}}),
        json!({"type": 7}),
    ] {
        let client = client(broken(schema.clone(), true)).await;
        let argument = format!("{}!", "a".repeat(5_000));
        let answer = call(&client, "fine", json!({"a": argument})).await;
        assert!(answer.is_ok(), "{schema}: {answer:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_thousand_calls_at_once_are_each_answered_once() {
    let client = Arc::new(odd().await);
    let calls = (0..1_000).map(|at| {
        let client = Arc::clone(&client);
        tokio::spawn(async move {
            let tool = ["well", "panic", "prose", "error"][at % 4];
            (at % 4, call(&client, tool, json!({})).await.unwrap().is_error)
        })
    });
    for answer in calls.collect::<Vec<_>>() {
        let (kind, is_error) = answer.await.unwrap();
        assert_eq!(is_error, Some(kind != 0));
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_without_a_limit_waits_and_does_not_panic() {
    let client = Recovering::new(odd().await).time_limit(Duration::MAX);
    let ended = client.call_tool(CallToolRequestParams::new("well")).await;
    assert!(ended.answer.is_ok(), "{:?}", ended.answer);
}
