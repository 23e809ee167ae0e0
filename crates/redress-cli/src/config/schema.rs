//! JSON Schema of the file, so that editors complete and check it.

use serde_json::{Value as Json, json};

use super::shape;

/// JSON Schema 2020-12 of `redress.toml`, as text.
pub fn schema() -> String {
    let mut schema = serde_json::Map::new();
    schema.insert("$schema".to_owned(), "https://json-schema.org/draft/2020-12/schema".into());
    schema.insert("title".to_owned(), "redress.toml".into());
    if let Json::Object(members) = shape().schema() {
        schema.extend(members);
    }
    schema.insert("required".to_owned(), json!(["server"]));
    let mut schema = Json::Object(schema);
    let either = json!([{ "required": ["command"] }, { "required": ["url"] }, { "required": ["workspace"] }]);
    let names = json!({ "pattern": "^[a-z0-9][a-z0-9._-]{0,63}$" });
    add(&mut schema, "/properties/server", "propertyNames", names);
    add(&mut schema, "/properties/server/additionalProperties", "oneOf", either);
    format!("{schema:#}\n")
}

/// What the checks of a section say, in the words of the schema.
fn add(schema: &mut Json, pointer: &str, key: &str, value: Json) {
    if let Some(Json::Object(members)) = schema.pointer_mut(pointer) {
        members.insert(key.to_owned(), value);
    }
}
