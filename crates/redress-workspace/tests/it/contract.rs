//! The contract that the server is read as an example of: every code that a tool may fail with can be had.

use redress_registry::{Source, lint::lint, read, shipped};
use serde_json::{Value, json};

use crate::client::Client;

#[test]
fn the_contract_is_clean() {
    let text = include_str!("../../errors.toml");
    let draft = read(&Source::new("errors.toml", text)).unwrap();
    let findings = lint(&draft, &|name| shipped::get(name).cloned());
    assert!(findings.is_empty(), "{findings:#?}");
}

#[test]
fn every_tool_says_what_it_takes_gives_and_does() {
    let mut client = Client::with(&[]);
    let answer = client.ask("tools/list", &json!({}));
    let tools = answer["result"]["tools"].as_array().unwrap();
    let registry = redress_workspace::registry();
    assert_eq!(tools.len(), registry.tools.len());
    for tool in tools {
        let row = &registry.tools[tool["name"].as_str().unwrap()];
        assert!(tool["inputSchema"]["additionalProperties"] == json!(false), "{tool:#}");
        assert!(tool["outputSchema"]["properties"].is_object(), "{tool:#}");
        assert!(!tool.to_string().contains("\"format\":\"uint"), "no client knows it: {tool:#}");
        assert!(tool["description"].as_str().unwrap().contains("Errors: "), "{tool:#}");
        let hints = &tool["annotations"];
        assert_eq!(hints["readOnlyHint"], json!(row.read_only), "{tool:#}");
        assert_eq!(hints["openWorldHint"], json!(false));
        if !row.read_only {
            assert_eq!(hints["idempotentHint"], json!(row.idempotent), "{tool:#}");
            assert_eq!(hints["destructiveHint"], json!(true));
        }
    }
}

#[test]
fn arguments_that_do_not_fit_are_named() {
    let mut client = Client::with(&[]);
    let mut refused = |tool: &str, arguments: Value| {
        let fault = client.fails(tool, arguments);
        let pointer = fault["violations"][0]["pointer"].as_str().unwrap().to_owned();
        (fault["code"].as_str().unwrap().to_owned(), pointer)
    };
    let expected = |code: &str, pointer: &str| (code.to_owned(), pointer.to_owned());
    assert_eq!(refused("read_file", json!({})), expected("MISSING_REQUIRED_FIELD", "/path"));
    assert_eq!(refused("read_file", json!({"path": 7})), expected("INVALID_INPUT_TYPE", "/path"));
    assert_eq!(
        refused("read_file", json!({"path": "a", "lines": 7})),
        expected("INVALID_INPUT_VALUE", "/lines")
    );
    let short = json!({"path": "a", "content": "", "previous_hash": "abc"});
    assert_eq!(refused("write_file", short).1, "/previous_hash");
    let bytes = json!({"path": "a", "content": "!", "encoding": "base64"});
    assert_eq!(refused("write_file", bytes), expected("INVALID_INPUT_FORMAT", "/content"));
}
