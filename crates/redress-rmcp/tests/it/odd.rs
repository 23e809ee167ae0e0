//! A server whose tools fail in every way there is, and clients of it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use redress::Fault;
use redress_registry::{Registry, Source, load};
use redress_rmcp::{Contract, ToolFault};
use rmcp::{
    ErrorData, RoleClient, ServerHandler, ServiceError, ServiceExt as _,
    handler::server::{common::schema_for_output, wrapper::Parameters},
    model::{
        CallToolRequestParams, CallToolResult, ContentBlock, ErrorCode, GetPromptRequestParams,
        GetPromptResponse, JsonObject, ServerCapabilities, ServerConfig,
    },
    schemars::{self, JsonSchema},
    service::{RequestContext, RoleServer, RunningService},
    tool, tool_handler, tool_router,
};
use serde::Deserialize;
use serde_json::{Value, json};

/// The contract of the server.
pub(crate) fn registry() -> Arc<Registry> {
    let source = Source::new("odd.toml", include_str!("odd.toml"));
    load(&source, &|_, _| None).unwrap()
}

#[derive(Debug, Clone)]
pub(crate) struct Odd {
    /// Whether a call of `slow` was dropped before its end.
    pub(crate) dropped: Arc<AtomicBool>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Number {
    /// Even, if possible.
    #[schemars(range(min = 0))]
    number: i64,
    unit: Option<Unit>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Unit {
    Apples,
    Pears,
}

#[derive(Debug, JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct Shape {
    sides: u32,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Answer {
    answer: Option<Value>,
}

struct Dropped(Arc<AtomicBool>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[tool_router]
impl Odd {
    pub(crate) fn new() -> Self {
        Self { dropped: Arc::default() }
    }

    #[tool(description = "Goes well.")]
    async fn well(&self) -> String {
        "well".to_owned()
    }

    #[tool(description = "Takes even numbers.")]
    async fn even(&self, Parameters(it): Parameters<Number>) -> Result<String, ToolFault> {
        if it.number % 2 == 1 {
            let row = registry();
            let mut fault = Fault::raise(row.get("ODD_NUMBER").unwrap(), [("number", it.number)]);
            fault
                .private
                .push_cause(redress::fault::Cause::Text("known to the operator".to_owned()));
            Err(fault)?;
        }
        Ok(format!("{} {:?}", it.number, it.unit))
    }

    #[tool]
    async fn error(&self, arguments: JsonObject) -> Result<String, ErrorData> {
        let code = arguments.get("code").and_then(Value::as_i64).unwrap_or(-32603);
        let code = ErrorCode(i32::try_from(code).unwrap());
        Err(ErrorData::new(
            code,
            "ENOENT: no such file or directory, open 'a'",
            Some(json!({"part": 1})),
        ))
    }

    #[tool]
    async fn prose(&self) -> Result<String, String> {
        Err("Error: 429 Too Many Requests".to_owned())
    }

    #[tool]
    async fn panic(&self) -> String {
        panic!("the secret of the panic")
    }

    #[tool]
    async fn slow(&self) -> String {
        let _dropped = Dropped(Arc::clone(&self.dropped));
        tokio::time::sleep(Duration::from_secs(600)).await;
        "late".to_owned()
    }

    #[tool]
    async fn large(&self) -> String {
        "\u{1}".repeat(2_000)
    }

    #[tool(output_schema = schema_for_output::<Shape>())]
    async fn shape(&self, Parameters(it): Parameters<Answer>) -> CallToolResult {
        match it.answer {
            None => CallToolResult::success(vec![ContentBlock::text("three")]),
            Some(answer) => CallToolResult::structured(answer),
        }
    }

    #[tool]
    async fn undeclared(&self) -> String {
        "nobody said what I do".to_owned()
    }
}

#[tool_handler]
impl ServerHandler for Odd {
    async fn get_prompt(
        &self,
        _: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        panic!("the secret of the prompt")
    }

    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}

/// A client of a handler, on a pipe.
pub(crate) async fn client<H: ServerHandler>(handler: H) -> RunningService<RoleClient, ()> {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    tokio::spawn(async move {
        if let Ok(running) = handler.serve(theirs).await {
            drop(running.waiting().await);
        }
    });
    ().serve(ours).await.unwrap()
}

/// A client of the odd server with its contract.
pub(crate) async fn odd() -> RunningService<RoleClient, ()> {
    client(
        Contract::new(Odd::new(), registry())
            .operation("undeclared", redress_registry::Operation::Query),
    )
    .await
}

/// Calls a tool; everybody else would wait for ever for some.
pub(crate) async fn call(
    client: &RunningService<RoleClient, ()>,
    tool: &str,
    arguments: Value,
) -> Result<CallToolResult, ServiceError> {
    let mut call = CallToolRequestParams::new(tool.to_owned());
    call.arguments = arguments.as_object().cloned();
    let answer = tokio::time::timeout(Duration::from_secs(20), client.call_tool(call));
    answer.await.expect("an answer in time")
}

/// The card and the envelope of a failed call.
pub(crate) fn failed(result: &CallToolResult) -> (String, Value) {
    assert_eq!(result.is_error, Some(true), "{result:?}");
    let Some(ContentBlock::Text(card)) = result.content.first() else { panic!("{result:?}") };
    let envelope = result.meta.as_ref().and_then(|it| it.0.get("dev.redress/fault")).unwrap();
    (card.text.clone(), envelope.clone())
}

/// The envelope in an error.
pub(crate) fn refused(error: &ServiceError) -> (i32, Value) {
    let ServiceError::McpError(error) = error else { panic!("{error:?}") };
    (error.code.0, error.data.as_ref().unwrap()["dev.redress/fault"].clone())
}
