//! What a server is not begun with, and what it does not serve.

use redress_registry::Operation;
use redress_rmcp::Contract;
use serde_json::json;

use crate::odd::{Odd, call, client, failed, registry};

#[tokio::test]
async fn a_server_with_an_undescribed_tool_is_not_started() {
    let error = Contract::new(Odd::new(), registry()).start().await.unwrap_err();
    assert_eq!(error.fault().code(), "BOOTSTRAP_FAILURE");
    assert!(error.to_string().contains("\"undeclared\""), "{error}");
    let declared = Contract::new(Odd::new(), registry()).operation("undeclared", Operation::Query);
    assert!(declared.start().await.is_ok());
}

#[tokio::test]
async fn a_tool_that_does_not_say_what_it_does_is_not_served() {
    let client = client(Contract::new(Odd::new(), registry())).await;
    let tools = client.list_all_tools().await.unwrap();
    assert!(tools.iter().all(|it| it.name != "undeclared") && tools.len() == 8, "{tools:?}");
    let (card, _) = failed(&call(&client, "undeclared", json!({})).await.unwrap());
    assert!(card.starts_with("BOOTSTRAP_FAILURE: "), "{card}");
}

#[tokio::test]
async fn a_code_that_no_registry_has_is_refused_at_start() {
    let mut registry = (*registry()).clone();
    registry.tools["well"].may.push("NO_SUCH_CODE".to_owned());
    let contract = Contract::new(Odd::new(), registry).operation("undeclared", Operation::Query);
    let error = contract.start().await.unwrap_err();
    assert!(error.to_string().contains("NO_SUCH_CODE"), "{error}");
}

#[tokio::test]
async fn descriptions_name_errors_and_annotations_name_effects() {
    let client = client(Contract::new(Odd::new(), registry())).await;
    let tools = client.list_all_tools().await.unwrap();
    let even = tools.iter().find(|it| it.name == "even").unwrap();
    let expected = "Takes even numbers.\nErrors: ODD_NUMBER (change number), RATE_LIMITED (retry later), INVALID_INPUT_TYPE (change arguments).";
    assert_eq!(even.description.as_deref(), Some(expected));
    let reads = |name: &str| {
        let tool = tools.iter().find(|it| it.name == name).unwrap();
        tool.annotations.as_ref().and_then(|it| it.read_only_hint)
    };
    assert_eq!(["well", "even", "panic"].map(reads), [Some(true), Some(true), None]);
}
