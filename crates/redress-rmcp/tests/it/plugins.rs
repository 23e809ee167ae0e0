//! Codes that plugins bring while a server runs.

use redress::{Dialect, Fault};
use redress_registry::{Class, Registry, Source, load, shipped};
use redress_rmcp::{Contract, ErrorStats, PluginCode, PluginError, ToolFault};
use rmcp::{
    ServerHandler,
    handler::server::wrapper::Parameters,
    model::{CallToolResult, ContentBlock, ServerCapabilities, ServerConfig},
    schemars::{self, JsonSchema},
    tool, tool_handler, tool_router,
};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

use crate::odd::{call, client, failed};

/// The registry of a plugin.
fn plugin(hint: &str) -> Arc<Registry> {
    let text = format!(
        "format = \"redress-registry/1\"\n[registry]\nname = \"signing\"\nversion = \"1.0.0\"\n[plugin]\nnamespace = \"signing\"\n\
         [domain.signing]\ntitle = \"Signing\"\n[code.NOTARIZATION_FAILED]\ndomain = \"signing\"\nclass = \"failed_precondition\"\n\
         retry = \"never\"\neffect = \"none\"\ntitle = \"Notarization failed\"\nmessage = \"The build was not notarized.\"\n\
         hint = \"{hint}\"\n[tool.sign]\noperation = \"command\"\nmay = [\"signing.NOTARIZATION_FAILED\"]\n"
    );
    load(&Source::new("signing.toml", &text), &|_, _| None).unwrap()
}

const CODE: &str = "signing.NOTARIZATION_FAILED";

/// An envelope of the seed with a code of a plugin.
const ENVELOPE: &str = r#"{"ok":false,"error":"Apple refused it","code":"signing.NOTARIZATION_FAILED","hint":"Sign it first.","retryable":true,"http":409,"_meta":{"estimated_tokens":31,"elapsed_ms":12},"details":{"id":"b1"}}"#;

#[derive(Clone, Default)]
struct Studio(Arc<Mutex<Option<Fault>>>);

#[derive(Deserialize, JsonSchema)]
struct Text {
    text: String,
}

#[tool_router]
impl Studio {
    /// Answers with an envelope of its own.
    #[tool(description = "Signs.")]
    async fn sign(&self, Parameters(it): Parameters<Text>) -> CallToolResult {
        CallToolResult::error(vec![ContentBlock::text(it.text)])
    }

    /// Fails with a fault that was raised from a row.
    #[tool]
    async fn raise(&self) -> Result<String, ToolFault> {
        let fault = self.0.lock().unwrap().take();
        fault.map_or_else(|| Ok("fine".to_owned()), |it| Err(it.into()))
    }
}

#[tool_handler]
impl ServerHandler for Studio {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}

fn studio() -> Contract<Studio> {
    let stagewright = Arc::clone(shipped::get("stagewright").unwrap());
    Contract::new(Studio::default(), stagewright)
        .operation("raise", redress_registry::Operation::Query)
        .error_stats(ErrorStats::from_switches(Some("1"), None).unwrap())
}

#[tokio::test]
async fn seed_003_40_a_plugin_comes_and_goes_while_clients_are_served() {
    let contract = studio();
    let client = client(contract.clone()).await;
    let text = json!({"text": ENVELOPE});
    let (card, _) = failed(&call(&client, "sign", text.clone()).await.unwrap());
    assert!(card.starts_with("BOOTSTRAP_FAILURE: "), "nobody says yet what the tool does: {card}");
    assert!(contract.lookup(CODE).is_none());

    let first = contract.register(&plugin("Sign the build.")).unwrap();
    let second = contract.register(&plugin("Sign the build.")).unwrap();
    let refused = contract.register(&plugin("Do something else.")).unwrap_err();
    assert_eq!(refused, PluginError::Collision(CODE.to_owned()));
    assert_eq!(contract.lookup(CODE).unwrap().hint, "Sign the build.");
    let tools = client.list_all_tools().await.unwrap();
    let sign = tools.iter().find(|it| it.name == "sign").unwrap();
    assert_eq!(
        sign.description.as_deref(),
        Some("Signs.\nErrors: signing.NOTARIZATION_FAILED (do not retry).")
    );
    let (_, envelope) = failed(&call(&client, "sign", text.clone()).await.unwrap());
    assert_eq!(
        (&envelope["code"], &envelope["class"]),
        (&json!(CODE), &json!("failed_precondition"))
    );

    contract.unregister(first);
    assert!(contract.lookup(CODE).is_some(), "the other registration holds it");
    contract.unregister(second);
    assert!(contract.lookup(CODE).is_none());
    let tools = client.list_all_tools().await.unwrap();
    assert!(tools.iter().all(|it| it.name != "sign"), "{tools:?}");
    let stats: Value = serde_json::from_str(&contract.stats().unwrap()).unwrap();
    assert_eq!(stats["total"], 2, "{stats}");
}

#[tokio::test]
async fn seed_003_42_a_code_that_nobody_registered_keeps_its_name() {
    let contract = studio()
        .operation("sign", redress_registry::Operation::Command)
        .dialect(Dialect::Stagewright);
    let client = client(contract.clone()).await;
    let (text, envelope) = failed(&call(&client, "sign", json!({"text": ENVELOPE})).await.unwrap());
    assert_eq!(text, ENVELOPE);
    assert_eq!((&envelope["code"], &envelope["http"]), (&json!(CODE), &json!(409)));
    let stats: Value = serde_json::from_str(&contract.stats().unwrap()).unwrap();
    assert_eq!(
        stats["bySymbol"],
        json!({"E_UNKNOWN_TOOL_FAILURE": 1}),
        "names come from registries"
    );
}

#[tokio::test]
async fn seed_003_43_a_plugins_error_is_raised_from_its_row() {
    let handler = Studio::default();
    let contract = studio().around(handler.clone()).dialect(Dialect::Stagewright);
    let code =
        PluginCode { http: Some(422), ..PluginCode::new("NOT_READY", Class::Unavailable, "Wait.") };
    let _kept = contract.register_codes("beta", &[code]).unwrap();
    let row = contract.lookup("beta.NOT_READY").unwrap();
    *handler.0.lock().unwrap() = Some(Fault::raise(&row, [] as [(&str, &str); 0]));
    let client = client(contract).await;
    let (text, _) = failed(&call(&client, "raise", json!({})).await.unwrap());
    let told: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (&told["code"], &told["http"], &told["hint"]),
        (&json!("beta.NOT_READY"), &json!(422), &json!("Wait."))
    );
}
