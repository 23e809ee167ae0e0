//! `ListedTool`: what a server says of a tool, as far as calls are made from it.

use jsonschema::Validator;
use redress_registry::Registry;
use serde_json::{Value, json};

use super::schema::Schema;

/// Longer schemas are not read; a tool that has one gets the calls that need none.
const LONGEST_SCHEMA: usize = 256 << 10;

/// A tool as it was listed.
#[derive(Debug)]
pub(crate) struct ListedTool {
    pub(crate) name: String,
    pub(crate) read_only: bool,
    pub(crate) destructive: bool,
    /// What its arguments must be.
    pub(super) input: Value,
    /// Tells whether arguments fit; none if the schema is none that can be checked.
    validator: Option<Validator>,
    /// Tells whether a structured result fits.
    pub(crate) output: Option<Validator>,
    /// The names of arguments that the contract calls paths.
    pub(super) paths: Vec<String>,
}

impl ListedTool {
    /// A tool as listed; none, if it has no name. The contract's word goes before the server's.
    pub(crate) fn read(listed: &Value, contract: Option<&Registry>) -> Option<Self> {
        let name = listed.get("name")?.as_str()?.to_owned();
        let row = contract.and_then(|it| it.tools.get(name.as_str()));
        let hint =
            |key: &str| listed.pointer(&format!("/annotations/{key}")).and_then(Value::as_bool);
        let read_only = row.is_some_and(|it| it.read_only) || hint("readOnlyHint") == Some(true);
        let schema =
            |key: &str| listed.get(key).filter(|it| it.to_string().len() <= LONGEST_SCHEMA);
        let input = schema("inputSchema").cloned().unwrap_or_else(|| json!({"type": "object"}));
        let paths = row.into_iter().flat_map(|it| &it.paths);
        Some(Self {
            name,
            read_only,
            destructive: !read_only && hint("destructiveHint") != Some(false),
            validator: compiled(&input),
            output: schema("outputSchema").and_then(compiled),
            input,
            paths: paths.map(|it| it.trim_start_matches('/').to_owned()).collect(),
        })
    }

    /// Whether arguments fit the schema; none, if that cannot be decided.
    pub(super) fn fits(&self, arguments: &Value) -> Option<bool> {
        self.validator.as_ref().map(|it| it.is_valid(arguments))
    }
}

/// What checks a schema, if it is one, and checking it comes to an end.
fn compiled(schema: &Value) -> Option<Validator> {
    if Schema::of(schema).is_endless() {
        return None;
    }
    jsonschema::validator_for(schema).ok()
}
