//! A client that recovers, against servers that really fail.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use redress::{
    Fault, codes,
    recover::{BudgetRule, Decision, Ended, Policy, StopReason},
};
use redress_registry::{Effect, Retry, RetryKind, Source, load};
use redress_rmcp::{ToolFault, client::Recovering};
use rmcp::{
    ErrorData, RoleClient, ServerHandler, ServiceExt as _,
    model::{
        CallToolRequestParams, CallToolResult, ContentBlock, ServerCapabilities, ServerConfig,
    },
    service::RunningService,
    tool, tool_handler, tool_router,
    transport::TokioChildProcess,
};
use serde_json::{Value, json};
use tokio::process::Command;

use crate::{notes, odd};

/// A server whose tools fail until they were called three times.
#[derive(Debug, Clone, Default)]
struct Flaky {
    calls: Arc<AtomicU32>,
}

impl Flaky {
    fn called(&self) -> u32 {
        self.calls.fetch_add(1, Ordering::SeqCst) + 1
    }

    fn third_time(&self, fault: Fault) -> Result<String, ToolFault> {
        if self.called() < 3 { Err(fault.into()) } else { Ok("well".to_owned()) }
    }
}

fn fault(effect: Effect) -> Fault {
    let mut fault = codes::UPSTREAM_UNAVAILABLE.raise([] as [(&str, &str); 0]);
    fault.retry = Retry { after_ms: Some(5), ..Retry::of(RetryKind::AfterDelay) };
    fault.effect = effect;
    fault
}

#[tool_router]
impl Flaky {
    #[tool(annotations(read_only_hint = true))]
    async fn reads(&self) -> Result<String, ToolFault> {
        self.third_time(fault(Effect::Unknown))
    }

    #[tool]
    async fn sends(&self) -> Result<String, ToolFault> {
        self.third_time(fault(Effect::Unknown))
    }

    #[tool]
    async fn refuses(&self) -> Result<String, ToolFault> {
        self.third_time(fault(Effect::None))
    }

    #[tool]
    async fn says_nothing(&self) -> String {
        self.called();
        String::new()
    }

    #[tool]
    async fn shrugs(&self) -> String {
        self.called();
        "Sold out: 7".to_owned()
    }

    #[tool]
    async fn mail(&self) -> Result<CallToolResult, ErrorData> {
        self.called();
        let text = r#"{"error":"auth_required","message":"Token expired."}"#;
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]))
    }

    #[tool]
    async fn digs(&self) -> CallToolResult {
        self.called();
        let deep = (0..70).fold(Value::Null, |inner, _| json!({ "a": inner }));
        CallToolResult::structured_error(deep)
    }

    #[tool(annotations(idempotent_hint = true))]
    async fn hangs(&self) -> String {
        self.called();
        tokio::time::sleep(Duration::from_secs(600)).await;
        "late".to_owned()
    }
}

#[tool_handler]
impl ServerHandler for Flaky {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}

async fn flaky() -> (Flaky, Recovering<()>) {
    let server = Flaky::default();
    let service: RunningService<RoleClient, ()> = odd::client(server.clone()).await;
    let policy = Policy { first_pause_ms: 5, ..Policy::default() };
    (server, Recovering::new(service).policy(policy))
}

fn params(tool: &str, arguments: &Value) -> CallToolRequestParams {
    let mut call = CallToolRequestParams::new(tool.to_owned());
    call.arguments = arguments.as_object().cloned();
    call
}

async fn call(client: &Recovering<()>, tool: &str) -> Ended<CallToolResult> {
    client.call_tool(params(tool, &json!({}))).await
}

fn rows(ended: &Ended<CallToolResult>) -> Vec<Option<&'static str>> {
    ended.tries.iter().map(|it| it.failed.as_ref().map(|it| it.decided.row)).collect()
}

#[tokio::test]
async fn what_had_no_effect_is_repeated_until_it_goes_well() {
    let (server, client) = flaky().await;
    let ended = call(&client, "refuses").await;
    assert_eq!(rows(&ended), [Some("again_later"), Some("again_later"), None]);
    assert!(format!("{:?}", ended.answer.unwrap()).contains("well"));
    assert_eq!(server.calls.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn what_may_have_had_an_effect_is_called_once() {
    let (server, client) = flaky().await;
    let ended = call(&client.trust_annotations(), "sends").await;
    assert_eq!(rows(&ended), [Some("in_doubt")]);
    assert!(matches!(ended.answer.unwrap_err().decided.decision, Decision::AskHuman { .. }));
    assert_eq!(server.calls.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn annotations_count_only_if_they_are_trusted() {
    let (server, client) = flaky().await;
    assert_eq!(rows(&call(&client, "reads").await), [Some("in_doubt")]);
    assert_eq!(server.calls.load(Ordering::SeqCst), 1);
    let (server, client) = flaky().await;
    assert!(call(&client.trust_annotations(), "reads").await.answer.is_ok());
    assert_eq!(server.calls.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn a_budget_is_shared_by_all_calls() {
    let (server, client) = flaky().await;
    let client = client.budget(BudgetRule { capacity: 1_000, per_success: 0, per_second: 0 });
    let ended = call(&client, "refuses").await;
    assert_eq!(rows(&ended), [Some("again_later"), Some("budget_spent")]);
    let why = ended.answer.unwrap_err().decided.decision;
    assert_eq!(why, Decision::Stop(StopReason::BudgetSpent));
    assert_eq!(server.calls.load(Ordering::SeqCst), 2);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_hangs_is_not_waited_for() {
    let (server, client) = flaky().await;
    let client = client.trust_annotations().time_limit(Duration::from_millis(80));
    let start = tokio::time::Instant::now();
    let ended = call(&client, "hangs").await;
    assert!(start.elapsed() < Duration::from_secs(20));
    assert_eq!(ended.answer.unwrap_err().fault.code(), "TIMEOUT");
    assert_eq!(server.calls.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_failure_that_nobody_flagged_is_read() {
    let (_, client) = flaky().await;
    let trouble = call(&client, "mail").await.answer.unwrap_err();
    assert_eq!(trouble.fault.code(), "AUTH_REQUIRED");
    assert!(matches!(trouble.decided.decision, Decision::AskHuman { .. }));
}

#[tokio::test]
async fn a_flag_is_a_failure_however_deep_the_rest_nests() {
    let (server, client) = flaky().await;
    let ended = call(&client, "digs").await;
    assert_eq!(ended.answer.unwrap_err().fault.effect, Effect::Unknown);
    assert_eq!(server.calls.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn an_error_of_the_protocol_is_read() {
    let client = Recovering::new(odd::odd().await);
    let trouble = call(&client, "wel").await.answer.unwrap_err();
    assert_eq!(trouble.fault.code(), "UNKNOWN_TOOL");
    assert!(matches!(trouble.decided.decision, Decision::ChangeArguments { .. }));
}

#[tokio::test]
async fn another_server_is_asked_when_one_cannot() {
    let (near, near_client) = flaky().await;
    let (_, far_client) = flaky().await;
    let near_client = near_client.policy(Policy { attempts: 1, ..Policy::default() });
    let chain = near_client.step(near_client.chain(), "near", params("refuses", &json!({}))).await;
    let chain = far_client.step(chain, "far", params("mail", &json!({}))).await;
    let ended = near_client.run(chain).await;
    let steps: Vec<_> = ended.tries.iter().map(|it| &*it.step).collect();
    assert_eq!(steps, ["near", "far"]);
    assert_eq!(near.calls.load(Ordering::SeqCst), 1);
    assert_eq!(ended.answer.unwrap_err().fault.code(), "AUTH_REQUIRED");
    let chain = near_client.step(near_client.chain(), "near", params("refuses", &json!({}))).await;
    let chain = far_client.step(chain, "far", params("says_nothing", &json!({}))).await;
    let trouble = near_client.run(chain).await.answer.unwrap_err();
    assert_eq!(trouble.fault.code(), "UNKNOWN_TOOL_FAILURE", "nothing is no success");
}

#[tokio::test(start_paused = true)]
async fn the_time_of_another_server_begins_when_it_is_asked() {
    let [(_, near), (_, far)] = [flaky().await, flaky().await];
    let limited =
        |it: Recovering<()>| it.trust_annotations().time_limit(Duration::from_millis(150));
    let [near, far] = [near, far].map(limited);
    let chain = near.step(near.chain(), "near", params("hangs", &json!({}))).await;
    let chain = far.step(chain, "far", params("mail", &json!({}))).await;
    let trouble = near.run(chain).await.answer.unwrap_err();
    assert_eq!(trouble.fault.code(), "AUTH_REQUIRED", "what the other one said");
}

#[tokio::test]
async fn a_server_that_is_gone_is_a_failure_like_any_other() {
    let home = tempfile::tempdir().unwrap();
    let client = Recovering::new(notes::client(home.path()).await);
    client.cancellation_token().cancel();
    let trouble = call(&client, "list_notes").await.answer.unwrap_err();
    assert!(["UPSTREAM_CRASHED", "UPSTREAM_UNAVAILABLE"].contains(&trouble.fault.code()));
    assert!(matches!(trouble.decided.decision, Decision::AskHuman { .. }), "it may have happened");
}

#[tokio::test]
async fn through_the_gate_a_client_hears_what_to_do() {
    let mut command = Command::new(notes::built().join("redress"));
    command.args(["run", "--no-ledger", "--contract"]);
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/errors.toml"));
    command.arg("--").arg(notes::program());
    let service = ().serve(TokioChildProcess::new(command).unwrap()).await.unwrap();
    let client = Recovering::new(service);
    let added = client.call_tool(params("add_note", &json!({"text": "milk"}))).await;
    assert!(added.answer.is_ok(), "{added:?}");
    let missing = client.call_tool(params("read_note", &json!({"id": 7}))).await;
    let trouble = missing.answer.unwrap_err();
    assert_eq!(trouble.fault.code(), "NOTE_NOT_FOUND", "kept, though no registry here has it");
    assert!(matches!(trouble.decided.decision, Decision::ChangeArguments { .. }));
    let panicked = call(&client, "panic").await.answer.unwrap_err();
    assert_eq!(panicked.decided.decision, Decision::Stop(StopReason::CannotSucceed));
}

#[tokio::test]
async fn a_taught_row_makes_an_answer_a_failure() {
    let file = "format = \"redress-registry/1\"\n[registry]\nname = \"shop\"\nversion = \"0.1.0\"\nextends = [\"core\"]\n\
        [[match]]\ntool = \"shrugs\"\ntext = \"Sold out: *\"\ncode = \"LIMIT_EXCEEDED\"\nsilent = true\nexample = \"Sold out: 1\"\n";
    let source = Source::from_bytes("errors.toml", file.as_bytes()).unwrap();
    let (_, client) = flaky().await;
    let ended = call(&client, "shrugs").await;
    assert!(format!("{:?}", ended.answer.unwrap()).contains("Sold out: 7"), "without the contract");
    let client = client.contract(load(&source, &|_, _| None).unwrap());
    let trouble = call(&client, "shrugs").await.answer.unwrap_err();
    assert_eq!(trouble.fault.code(), "LIMIT_EXCEEDED");
    assert_eq!(trouble.fault.server_text.as_deref(), Some("Sold out: 7"));
}
