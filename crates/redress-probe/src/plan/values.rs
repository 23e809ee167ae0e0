//! Values for arguments: those that look valid, and those of a wrong type.

use serde_json::{Map, Value, json};

use super::schema::Schema;

/// How deep a valid value is built.
const DEEPEST: usize = 6;

/// Longer examples of a server are not taken over.
const LONGEST_EXAMPLE: usize = 4 << 10;

/// The most elements of a list that a schema can ask for.
const MOST_ITEMS: usize = 8;

/// The longest text that a schema can ask for.
const MOST_CHARS: usize = 4 << 10;

/// An address without a listener, so that a tool that goes there fails at once.
pub(super) const NOWHERE: &str = "http://127.0.0.1:9/redress-probe";

/// A value that looks valid: what the server gives as an example, else what the schema asks for.
pub(super) fn valid(name: &str, schema: Schema<'_>) -> Value {
    valid_at(name, schema, 0)
}

fn valid_at(name: &str, schema: Schema<'_>, depth: usize) -> Value {
    if let Some(given) = given(schema) {
        return given;
    }
    match schema.kind() {
        Some("integer") => whole(schema).into(),
        Some("number") => number(schema),
        Some("boolean") => false.into(),
        Some("null") => Value::Null,
        Some("array") => {
            let items = schema.count("minItems").unwrap_or_default().min(MOST_ITEMS);
            let of = schema.items().filter(|_| depth < DEEPEST);
            let one = of.map_or(Value::Null, |it| valid_at(name, it, depth + 1));
            vec![one; items].into()
        }
        Some("object") => object(schema, depth),
        _ => text(name, schema).into(),
    }
}

/// The required properties, each with a value that looks valid.
fn object(schema: Schema<'_>, depth: usize) -> Value {
    let mut members = Map::new();
    if depth < DEEPEST {
        let described = schema.properties();
        for name in schema.required() {
            let value = described.iter().find(|(known, _)| *known == name);
            let value =
                value.map_or_else(|| "redress-probe".into(), |it| valid_at(name, it.1, depth + 1));
            members.insert(name.to_owned(), value);
        }
    }
    members.into()
}

/// What the schema itself gives.
fn given(schema: Schema<'_>) -> Option<Value> {
    let first = |key| schema.get(key).and_then(Value::as_array).and_then(|it| it.first());
    let found = schema
        .get("const")
        .or_else(|| first("enum"))
        .or_else(|| schema.get("default").filter(|it| !it.is_null()))
        .or_else(|| first("examples"));
    found.filter(|it| it.to_string().len() <= LONGEST_EXAMPLE).cloned()
}

fn whole(schema: Schema<'_>) -> i64 {
    let bound = |key: &str| schema.get(key).and_then(Value::as_i64);
    let least =
        bound("minimum").or_else(|| bound("exclusiveMinimum").map(|it| it.saturating_add(1)));
    let most =
        bound("maximum").or_else(|| bound("exclusiveMaximum").map(|it| it.saturating_sub(1)));
    let step = bound("multipleOf").filter(|it| *it > 0).unwrap_or(1);
    let wanted = 1.max(least.unwrap_or(1)).min(most.unwrap_or(i64::MAX));
    wanted.checked_add(step - 1).map_or(wanted, |it| it / step * step)
}

fn number(schema: Schema<'_>) -> Value {
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    let least = bound("minimum").or_else(|| bound("exclusiveMinimum").map(|it| it + 0.5));
    let most = bound("maximum").or_else(|| bound("exclusiveMaximum").map(|it| it - 0.5));
    let wanted = 1.0_f64.max(least.unwrap_or(1.0)).min(most.unwrap_or(f64::MAX));
    json!(wanted)
}

fn text(name: &str, schema: Schema<'_>) -> String {
    let text = match schema.text("format").unwrap_or_default() {
        "date-time" => "2026-01-01T00:00:00Z",
        "date" => "2026-01-01",
        "time" => "00:00:00Z",
        "duration" => "PT1S",
        "email" => "probe@example.com",
        "uri" | "url" | "iri" => NOWHERE,
        "uuid" => "00000000-0000-4000-8000-000000000000",
        "ipv4" => "192.0.2.1",
        "ipv6" => "2001:db8::1",
        "hostname" => "example.com",
        _ if is_address(name) => NOWHERE,
        _ => "redress-probe",
    };
    let least = schema.count("minLength").unwrap_or_default().min(MOST_CHARS);
    let most = schema.count("maxLength").unwrap_or(MOST_CHARS);
    let padded = text.chars().chain(std::iter::repeat('x'));
    padded.take(text.chars().count().max(least).min(most)).collect()
}

fn is_address(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["url", "uri", "endpoint", "href"].iter().any(|it| name.ends_with(it))
}

/// A value of a type that the schema does not allow, chosen so that a server that does not look most likely stumbles
/// over it: no text that becomes a name, nothing that counts as true.
pub(super) fn of_wrong_type(schema: Schema<'_>) -> Option<Value> {
    let types = schema.types();
    let first = match schema.kind()? {
        "boolean" => json!(""),
        "string" => json!({"redress": "probe"}),
        "array" | "object" => json!(7),
        _ => json!("redress-probe"),
    };
    let others = [json!({"redress": "probe"}), json!(7), json!(["redress-probe"])];
    std::iter::once(first)
        .chain(others)
        .find(|it| !types.contains(&type_of(it)) && !is_whole(it, &types))
}

/// A whole number is a number, too.
fn is_whole(value: &Value, types: &[&str]) -> bool {
    value.is_i64() && types.contains(&"number")
}

const fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Lists within lists.
pub(super) fn nested(depth: usize) -> Value {
    (0..depth).fold(Value::Array(Vec::new()), |inner, _| Value::Array(vec![inner]))
}
