//! Plugins of a server behind the gate: their codes and tools, codes that nobody registered, and descriptions with codes.

use std::fs;

use serde_json::{Value, json};

use super::client::{Client, Via, both_ways, fault};

/// The registry of a plugin, whose tool is one of the server.
pub(crate) const PLUGIN: &str = r#"format = "redress-registry/1"

[registry]
name = "signing"
version = "1.0.0"

[plugin]
namespace = "signing"

[domain.signing]
title = "Signing"

[code.NOTARIZATION_FAILED]
domain = "signing"
class = "failed_precondition"
retry = "after_state"
effect = "none"
title = "Notarization failed"
message = "The build was not notarized."
hint = "Sign the build, then notarize it again."

[tool.replay]
may = ["signing.NOTARIZATION_FAILED"]
"#;

/// An envelope with a code of the plugin, as a server sends it.
pub(crate) const ENVELOPE: &str = r#"{"ok":false,"error":"Apple refused it","code":"signing.NOTARIZATION_FAILED","hint":"Sign it first.","retryable":true,"http":409,"_meta":{"estimated_tokens":31,"elapsed_ms":12},"details":{"id":"b1"}}"#;

both_ways! {
    seed_003_42_an_envelope_with_an_unregistered_code_passes,
    seed_003_40_the_codes_of_a_plugin_count_beside_the_contract,
    seed_003_01_descriptions_name_the_codes_of_their_tools,
    without_the_option_the_list_of_tools_passes_byte_for_byte,
}

/// A gate before a server that has a plugin, in a dialect.
fn gate(via: Via, dialect: &str, settings: &str) -> (Client, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("signing.toml");
    fs::write(&file, PLUGIN).unwrap();
    let plugins = format!("plugins = ['{}']\ndialect = '{dialect}'\n{settings}", file.display());
    (Client::with_settings(via, &plugins, &[]), dir)
}

fn replayed(client: &mut Client, envelope: &str) -> Value {
    let text = Value::from(envelope);
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":ID,"result":{{"content":[{{"type":"text","text":{text}}}],"isError":true}}}}"#
    );
    client.call("replay", &json!({"line": line}))
}

fn seed_003_42_an_envelope_with_an_unregistered_code_passes(via: Via) {
    let settings = "contract = 'stagewright'\ndialect = 'stagewright'\n";
    let mut client = Client::with_settings(via, settings, &[]);
    let answer = replayed(&mut client, ENVELOPE);
    assert_eq!(answer["result"]["content"][0]["text"], ENVELOPE);
    let told = fault(&answer);
    assert_eq!(
        (&told["code"], &told["class"]),
        (&json!("signing.NOTARIZATION_FAILED"), &json!("failed_precondition"))
    );
    assert_eq!((&told["http"], &told["retryable"]), (&json!(409), &json!(true)));
    // Without trust the words are ours; the code and what it is known by stay.
    let mut client = Client::with_settings(via, &(settings.to_owned() + "trust = false\n"), &[]);
    let answer = replayed(&mut client, ENVELOPE);
    let told = fault(&answer);
    assert_eq!(
        (&told["code"], &told["http"]),
        (&json!("signing.NOTARIZATION_FAILED"), &json!(409))
    );
    assert!(!told["message"].as_str().unwrap().contains("Apple"), "{told}");
}

fn seed_003_40_the_codes_of_a_plugin_count_beside_the_contract(via: Via) {
    for contract in ["core", "stagewright"] {
        let settings = format!("contract = '{contract}'\n");
        let (mut client, _dir) = gate(via, "stagewright", &settings);
        let answer = replayed(&mut client, ENVELOPE);
        assert_eq!(answer["result"]["content"][0]["text"], ENVELOPE, "{contract}");
        // The row knows that nothing was changed; of a code that nobody registered nobody does.
        assert_eq!(fault(&answer)["effect"], "none", "{contract}");
    }
    let (mut client, _dir) = gate(via, "native", "trust = false\n");
    let answer = replayed(&mut client, ENVELOPE);
    let told = fault(&answer);
    assert_eq!(told["code"], "signing.NOTARIZATION_FAILED", "{told}");
    assert_eq!(told["message"], "The build was not notarized.");
}

fn described(client: &mut Client) -> Value {
    let answer = client.request("tools/list", &json!({}));
    let tools = answer["result"]["tools"].as_array().unwrap();
    tools.iter().find(|it| it["name"] == "replay").unwrap()["description"].clone()
}

fn seed_003_01_descriptions_name_the_codes_of_their_tools(via: Via) {
    let line = "Errors: signing.NOTARIZATION_FAILED (change the state first).";
    let (mut client, _dir) = gate(via, "native", "emit = { describe = true }\n");
    assert_eq!(described(&mut client), line);
    for mode in ["observe", "annotate"] {
        let settings = format!("mode = '{mode}'\nemit = {{ describe = true }}\n");
        let (mut client, _dir) = gate(via, "native", &settings);
        assert_eq!(described(&mut client), Value::Null, "{mode}");
    }
}

/// The answer to a request for the list of tools, as it is written.
fn listed(client: &mut Client) -> String {
    client.write("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/list\"}\n");
    client.line()
}

fn without_the_option_the_list_of_tools_passes_byte_for_byte(via: Via) {
    let (mut client, _dir) = gate(via, "native", "");
    let mut bare = Client::with_settings(via, "mode = 'observe'\n", &[]);
    let list = listed(&mut client);
    assert!(list.contains(r#""name":"replay""#), "{list}");
    assert_eq!(list, listed(&mut bare));
}
