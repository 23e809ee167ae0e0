//! JSON Schemas (2020-12) of a registry file and of its lock, so that editors complete and check them. What the schemas cannot say is the
//! business of the reader and of the lint.

use serde_json::{Map, Value, json};

use crate::{
    Class, Effect, Operation, RetryKind, Severity, Stability, dialects::DIALECTS, lock, read,
};

/// The draft of the language that all our schemas are written in.
const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The names of codes: `NOTE_NOT_FOUND`, and of a plugin `signing.KEY_LOST`.
const CODE: &str = "^([a-z][a-z0-9_-]*\\.)?[A-Z][A-Z0-9_]*$";

/// The schema of `errors.toml`.
pub fn registry_schema() -> String {
    let schema = table(
        "A registry of error codes: the contract of one MCP server.",
        &["format"],
        [
            (
                "format",
                json!({ "const": read::FORMAT, "description": "The format; the first key of the file." }),
            ),
            ("extends", texts("Registries whose codes this one takes in, such as `core`.")),
            ("registry", about()),
            ("plugin", plugin()),
            ("defaults", defaults()),
            ("domain", rows("A range of numbers for codes that belong together.", ".", &domain())),
            ("code", rows("The codes, each under its name.", CODE, &code())),
            (
                "retired",
                rows("Codes that are gone: name and number never come back.", CODE, &retired()),
            ),
            ("override", rows("Another text for a code that was taken in.", CODE, &overriding())),
            ("tool", rows("The tools of the server.", ".", &tool())),
            ("allow", list("Findings of the lint that are accepted.", &allow())),
            (
                "match",
                list(
                    "Words and forms of a server that has no envelope, and the code that they mean.",
                    &matching(),
                ),
            ),
        ],
    );
    titled("errors.toml", schema)
}

/// The schema of a lock, `errors.lock`.
pub fn lock_schema() -> String {
    let named = |row: Value| json!({ "type": "object", "additionalProperties": row });
    let row = || json!({ "type": "object" });
    let schema = table(
        "A registry as it was released. `redress registry lock` writes it.",
        &[
            "format", "hash", "name", "version", "extends", "domains", "codes", "retired", "tools",
            "allows",
        ],
        [
            ("format", json!({ "const": lock::FORMAT, "description": "The format." })),
            (
                "hash",
                json!({ "type": "string", "pattern": "^[0-9a-f]{64}$", "description": "SHA-256 of all that follows." }),
            ),
            ("name", text("The name of the registry.")),
            ("version", text("Its version.")),
            ("docs_base", text("Where its codes are explained.")),
            ("namespace", text("The namespace of a plugin.")),
            ("extends", texts("Registries whose codes it takes in.")),
            ("domains", named(row())),
            ("codes", named(locked_code())),
            ("retired", named(row())),
            ("tools", named(row())),
            ("allows", json!({ "type": "array", "items": row() })),
        ],
    );
    titled("errors.lock", schema)
}

fn titled(title: &str, schema: Value) -> String {
    let mut whole = Map::new();
    whole.insert("$schema".to_owned(), DRAFT.into());
    whole.insert("title".to_owned(), title.into());
    if let Value::Object(members) = schema {
        whole.extend(members);
    }
    format!("{:#}\n", Value::Object(whole))
}

fn about() -> Value {
    table(
        "What the registry is.",
        &[],
        [
            ("name", text("Its name: lower-case letters, digits and `-`.")),
            ("version", text("Its version, by semantic versioning.")),
            ("docs_base", text("The URL below which each code has a page.")),
            ("extends", texts("Registries whose codes this one takes in, such as `core`.")),
        ],
    )
}

fn plugin() -> Value {
    table(
        "Says that this is the registry of a plugin.",
        &["namespace"],
        [
            ("namespace", text("What its codes begin with.")),
            ("core", text("The versions of the registry that it adds to.")),
        ],
    )
}

fn defaults() -> Value {
    table(
        "What holds for codes that do not say it.",
        &[],
        [
            ("severity", severity()),
            ("stability", stability()),
            ("effect", effect()),
            ("since", text("The version that has a code first.")),
        ],
    )
}

fn domain() -> Value {
    table(
        "A domain.",
        &[],
        [
            ("title", text("What its codes are about.")),
            (
                "range",
                json!({
                    "type": "array", "items": { "type": "integer" }, "minItems": 2, "maxItems": 2,
                    "description": "The first and the last of its numbers.",
                }),
            ),
        ],
    )
}

fn code() -> Value {
    let classes = Class::ALL.iter().map(|it| it.name());
    table(
        "What is known about a code.",
        &[],
        [
            (
                "number",
                integer("Its number where a protocol wants one, in the range of its domain."),
            ),
            ("domain", text("The domain that its number is in.")),
            ("class", one_of("What a client does that does not know the code.", classes)),
            (
                "http",
                json!({ "type": "integer", "minimum": 400, "maximum": 599, "description": "Its HTTP status, where it is not that of the class." }),
            ),
            ("retry", retry()),
            ("effect", effect()),
            ("severity", severity()),
            ("title", text("A few words for lists.")),
            ("message", text("What happened, one sentence. `{param}` stands for a parameter.")),
            ("hint", text("What to do: a verb first.")),
            ("next", list("Calls that help.", &next())),
            ("similar", text("The parameter for which similar values are offered.")),
            ("params", rows("What a failure with this code says besides.", ".", &param())),
            ("explain", text("The page of the code: why it happens.")),
            ("example", open("Values of the parameters, for pages and tests.")),
            ("since", text("The version that has it first.")),
            ("stability", stability()),
            ("deprecated", deprecated()),
            ("alias", alias()),
        ],
    )
}

fn next() -> Value {
    table(
        "A call.",
        &["tool"],
        [
            ("tool", text("The tool to call.")),
            ("args", open("Its arguments. `{param}` stands for a parameter.")),
        ],
    )
}

fn param() -> Value {
    let types = ["string", "integer", "number", "boolean", "array", "object"];
    table(
        "A parameter.",
        &["type"],
        [
            ("type", one_of("Its type.", types)),
            ("doc", text("What it is.")),
            ("required", boolean("Whether each failure has it.")),
            ("enum", texts("The values that it takes.")),
            ("untrusted", boolean("Whether a caller or a foreign server wrote it.")),
            ("secret", boolean("Whether it is shown to no reader.")),
            ("max_chars", integer("How much of it is shown.")),
        ],
    )
}

fn deprecated() -> Value {
    table(
        "Says that the code is to go.",
        &[],
        [
            ("since", text("The version from which on.")),
            ("reason", text("Why.")),
            ("to", text("The code to use in its place.")),
            ("until", text("The version that does not have it any more.")),
        ],
    )
}

fn alias() -> Value {
    let spelling = json!({ "oneOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }] });
    let spellings = DIALECTS.iter().map(|it| (*it, spelling.clone()));
    table("How dialects spell the code.", &[], spellings)
}

fn retired() -> Value {
    table(
        "A code that is gone.",
        &[],
        [
            ("number", integer("The number that it had.")),
            ("since", text("The version that does not have it any more.")),
            ("why", text("Why it is gone.")),
            ("to", text("The code to use in its place.")),
        ],
    )
}

fn overriding() -> Value {
    table(
        "The texts that differ.",
        &[],
        [
            ("message", text("What happened, one sentence.")),
            ("hint", text("What to do: a verb first.")),
            ("next", list("Calls that help.", &next())),
        ],
    )
}

fn tool() -> Value {
    let operations = Operation::ALL.iter().map(|it| it.name());
    table(
        "A tool.",
        &[],
        [
            ("may", texts("The codes that it can fail with.")),
            ("operation", one_of("What it does, for the guards of a governed gate.", operations)),
            ("read_only", boolean("Whether it changes nothing.")),
            ("idempotent", boolean("Whether a second call does no more than the first.")),
            ("paths", texts("JSON pointers to the arguments that are paths.")),
            ("content", text("The JSON pointer to the argument that is the text of a file.")),
            ("patch", text("The JSON pointer to the argument that is a patch.")),
        ],
    )
}

fn allow() -> Value {
    table(
        "A finding that is accepted.",
        &["rule", "why"],
        [
            ("rule", text("The rule, by id or name.")),
            ("code", text("The code; without one, the whole file.")),
            ("why", text("Why it is accepted.")),
            ("until", text("The version until which.")),
        ],
    )
}

fn matching() -> Value {
    table(
        "A form of a failure, and the code that it means.",
        &["code"],
        [
            ("tool", text("The tool whose answers are looked at; by default all.")),
            ("text", text("The text; `*` stands for anything.")),
            (
                "pattern",
                text("A regular expression for the text. Its named groups are parameters."),
            ),
            ("json", open("Members that the answer has.")),
            ("rpc_code", integer("The number of a JSON-RPC error.")),
            ("status", integer("The HTTP status.")),
            ("code", text("The code that it means.")),
            ("effect", effect()),
            ("silent", boolean("Whether an answer without `isError` is looked at, too.")),
            ("example", text("A text that it must fit.")),
        ],
    )
}

fn locked_code() -> Value {
    let effects = Effect::ALL.iter().map(|it| it.name());
    json!({
        "type": "object",
        "required": ["class", "effect", "hint", "http", "message", "retry", "title"],
        "properties": {
            "class": { "enum": Class::ALL.map(Class::name) },
            "effect": { "enum": effects.collect::<Vec<_>>() },
            "retry": { "type": "object", "required": ["kind"] },
        },
    })
}

fn retry() -> Value {
    let kinds = || RetryKind::ALL.iter().map(|it| it.name());
    let whole = table(
        "The rule, with its numbers.",
        &["kind"],
        [
            ("kind", one_of("When the same call may be made again.", kinds())),
            ("after_ms", integer("The least time to wait, in milliseconds.")),
            ("max", integer("How many repeats make sense.")),
        ],
    );
    json!({ "oneOf": [one_of("When the same call may be made again.", kinds()), whole] })
}

fn effect() -> Value {
    one_of("What the failed call may have changed.", Effect::ALL.iter().map(|it| it.name()))
}

fn severity() -> Value {
    one_of("How bad it is for the operator.", Severity::ALL.iter().map(|it| it.name()))
}

fn stability() -> Value {
    one_of("Whether the row may still change freely.", Stability::ALL.iter().map(|it| it.name()))
}

fn text(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

fn integer(description: &str) -> Value {
    json!({ "type": "integer", "description": description })
}

fn boolean(description: &str) -> Value {
    json!({ "type": "boolean", "description": description })
}

fn texts(description: &str) -> Value {
    json!({ "type": "array", "items": { "type": "string" }, "description": description })
}

fn list(description: &str, row: &Value) -> Value {
    json!({ "type": "array", "items": row, "description": description })
}

fn one_of<'n>(description: &str, names: impl IntoIterator<Item = &'n str>) -> Value {
    let names: Vec<&str> = names.into_iter().collect();
    json!({ "type": "string", "enum": names, "description": description })
}

/// A table with any keys.
fn open(description: &str) -> Value {
    json!({ "type": "object", "description": description, "additionalProperties": true })
}

/// A table whose keys are names.
fn rows(description: &str, pattern: &str, row: &Value) -> Value {
    json!({
        "type": "object",
        "description": description,
        "patternProperties": { pattern: row },
        "additionalProperties": false,
    })
}

/// A table whose keys are known.
fn table<'n>(
    description: &str,
    required: &[&str],
    keys: impl IntoIterator<Item = (&'n str, Value)>,
) -> Value {
    let keys: Map<String, Value> = keys.into_iter().map(|(key, it)| (key.to_owned(), it)).collect();
    let mut table = json!({
        "type": "object",
        "description": description,
        "properties": keys,
        "additionalProperties": false,
    });
    if let (Value::Object(members), false) = (&mut table, required.is_empty()) {
        members.insert("required".to_owned(), json!(required));
    }
    table
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::{CODE, registry_schema};
    use crate::{Source, read};

    /// Every key of the schema, with the table that it is in.
    fn keys(at: &str, schema: &Value, found: &mut Vec<(String, String)>) {
        for (key, inner) in schema["properties"].as_object().into_iter().flatten() {
            found.push((at.to_owned(), key.clone()));
            let is_list = inner["type"] == "array";
            let inner = if is_list { &inner["items"] } else { inner };
            let (row, name) = match inner["patternProperties"].as_object() {
                Some(rows) => (rows.values().next().unwrap(), ".X"),
                None => (inner, ""),
            };
            let list = if is_list { "[]" } else { "" };
            let dot = if at.is_empty() { "" } else { "." };
            keys(&format!("{at}{dot}{key}{list}{name}"), row, found);
        }
    }

    #[test]
    fn the_reader_knows_every_key_of_the_schema() {
        let schema: Value = serde_json::from_str(&registry_schema()).unwrap();
        let mut found = Vec::new();
        keys("", &schema, &mut found);
        assert!(found.len() > 60, "{found:?}");
        for (table, key) in found {
            // A value of no type that any key has: what is reported is the type, and never the key.
            let inside = table.split('.').filter(|it| !it.is_empty());
            let mut file = "format = \"redress-registry/1\"\n".to_owned();
            if table.is_empty() {
                file = format!("{file}{key} = 1979-05-27\n");
            } else {
                let path: Vec<_> = inside.map(|it| it.trim_end_matches("[]")).collect();
                let header = if table.ends_with("[]") { "[[T]]" } else { "[T]" };
                file =
                    format!("{file}{}\n{key} = 1979-05-27\n", header.replace('T', &path.join(".")));
            }
            let problems = read(&Source::new("f", file.as_str())).err().unwrap_or_default();
            let unknown = problems.iter().find(|it| it.message.contains("is not a key"));
            assert!(unknown.is_none(), "{table} {key}: {unknown:?}");
        }
        assert!(regex::Regex::new(CODE).unwrap().is_match("a.B_1"));
    }
}
