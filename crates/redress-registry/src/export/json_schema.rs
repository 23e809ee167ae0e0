//! A JSON Schema of the native envelope, narrowed to the codes and details of one registry.

use serde_json::{Map, Value, json};

use crate::{Class, Effect, Entry, Param, Registry, RetryKind, Severity};

pub(super) fn write(registry: &Registry) -> String {
    format!("{:#}\n", schema(registry))
}

fn schema(registry: &Registry) -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("A fault of {} {}", registry.name, registry.version),
        "type": "object",
        "required": [
            "v", "code", "message", "hint", "class", "http", "retryable", "retry", "effect", "origin"
        ],
        "properties": members(registry),
        "allOf": registry.codes.values().map(|it| rule(it)).collect::<Vec<_>>(),
        "$defs": registry.codes.values().map(|it| (it.code.to_string(), details(it))).collect::<Map<_, _>>(),
    })
}

/// The members of the envelope, in its order.
fn members(registry: &Registry) -> Value {
    let codes: Vec<_> = registry.codes.keys().collect();
    let text = json!({ "type": "string" });
    let count = json!({ "type": "integer", "minimum": 0 });
    json!({
        "v": { "const": 1 },
        "code": { "enum": codes },
        "message": text,
        "hint": text,
        "class": { "enum": Class::ALL.map(Class::name) },
        "http": { "type": "integer", "minimum": 400, "maximum": 599 },
        "retryable": { "type": "boolean" },
        "retry": {
            "type": "object",
            "required": ["kind"],
            "properties": {
                "kind": { "enum": RetryKind::ALL.iter().map(|it| it.name()).collect::<Vec<_>>() },
                "after_ms": count,
                "not_before": count,
                "max": count,
            },
        },
        "effect": { "enum": Effect::ALL.iter().map(|it| it.name()).collect::<Vec<_>>() },
        "origin": { "enum": ["tool", "server", "gate", "client"] },
        "basis": { "enum": ["stated", "taught", "protocol", "inferred"] },
        "domain": text,
        "number": { "type": "integer" },
        "severity": { "enum": Severity::ALL.iter().map(|it| it.name()).collect::<Vec<_>>() },
        "next_actions": {
            "type": "array",
            "items": {
                "oneOf": [
                    {
                        "type": "object",
                        "required": ["tool"],
                        "properties": { "tool": text, "args": { "type": "object" } },
                    },
                    text,
                ],
            },
        },
        "similar_refs": { "type": "array", "items": { "type": "object", "required": ["ref"] } },
        "violations": {
            "type": "array",
            "items": { "type": "object", "required": ["pointer", "reason"] },
        },
        "details": {},
        "server_text": text,
        "context": { "type": "object", "additionalProperties": text },
        "timestamp": { "type": "string", "format": "date-time" },
        "elapsed_ms": count,
        "estimated_tokens": count,
        "ledger": {
            "type": "object",
            "required": ["seq", "hash"],
            "properties": { "seq": count, "hash": text },
        },
    })
}

/// What a code says about the other members.
fn rule(entry: &Entry) -> Value {
    json!({
        "if": { "required": ["code"], "properties": { "code": { "const": entry.code } } },
        "then": {
            "properties": {
                "class": { "const": entry.class.name() },
                "http": { "const": entry.http },
                "details": { "$ref": format!("#/$defs/{}", entry.code) },
            },
        },
    })
}

/// The details of a code. Others may stand beside the declared ones, such as `upstream`.
fn details(entry: &Entry) -> Value {
    let shown = || entry.params.iter().filter(|it| !it.secret);
    let required: Vec<_> = shown().filter(|it| it.required).map(|it| &it.name).collect();
    json!({
        "title": entry.title,
        "type": "object",
        "required": required,
        "properties": shown().map(|it| (it.name.to_string(), param(it))).collect::<Map<_, _>>(),
    })
}

fn param(param: &Param) -> Value {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!(param.kind.name()));
    if !param.doc.is_empty() {
        schema.insert("description".to_owned(), json!(param.doc));
    }
    if !param.values.is_empty() {
        schema.insert("enum".to_owned(), json!(param.values));
    }
    Value::Object(schema)
}
