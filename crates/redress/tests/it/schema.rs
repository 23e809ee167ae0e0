//! The exported JSON Schema speaks of the envelope that we write.

use redress::fault::fields::ENVELOPE;
use redress_registry::{export, shipped};
use serde_json::Value;

#[test]
fn the_schema_has_the_members_of_the_envelope_in_their_order() {
    let schema = (export::format("json-schema").unwrap().write)(shipped::core());
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let members = schema["properties"].as_object().unwrap().keys().map(String::as_str);
    let written = ENVELOPE.iter().map(|it| it.key);
    let others: Vec<_> = members.filter(|it| !["v", "code", "retryable"].contains(it)).collect();
    assert_eq!(others, written.collect::<Vec<_>>());
}
