//! Tools of a governed server that are not served, and the lines that would change that.

use redress::text;
use redress_wire::json::{Value, pointer_step, write_str};

/// Words under which tools take paths, alone or as the last word of a name, and words that are paths only alone.
const PATHS: &[&str] = &[
    "path",
    "paths",
    "file",
    "files",
    "filename",
    "filenames",
    "filepath",
    "filepaths",
    "dir",
    "dirs",
    "directory",
    "directories",
    "folder",
    "folders",
    "source",
    "sources",
    "src",
    "destination",
    "dest",
    "dst",
    "target",
    "targets",
    "root",
    "workspace",
    "cwd",
];
const ALONE: &[&str] = &["from", "to", "output"];

/// How deep in the arguments of a tool paths are looked for, and how many of its texts are named.
const MOST_DEEP: usize = 3;
const MOST_TEXTS: usize = 20;

/// Names under which tools take code.
const CODE: &[&str] = &["code", "script", "expression", "javascript", "python"];

/// The tools that are not served.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Unserved {
    /// How many tools the server has.
    pub all: usize,
    /// Those without an operation in the contract: what it could say.
    pub unknown: Vec<String>,
    /// Those that run code of their callers, which is not allowed.
    pub eval: Vec<String>,
    /// Those that have the name of a tool of the gate.
    pub hidden: Vec<String>,
}

/// What a contract could say of a tool, as lines that can be pasted. Whether it is true only its author knows.
pub fn tool_lines(name: &str, tool: Option<Value<'_>>) -> String {
    let is_bare = |it: u8| it.is_ascii_alphanumeric() || it == b'_' || it == b'-';
    let mut key = String::new();
    if !name.is_empty() && name.bytes().all(is_bare) {
        key.push_str(name);
    } else {
        write_str(&mut key, &text::strip(name));
    }
    let Some(tool) = tool else {
        return format!("[tool.{key}]\noperation = \"command\"{OTHERS}");
    };
    let reads = tool.path(&["annotations", "readOnlyHint"]).and_then(Value::as_bool) == Some(true);
    let properties = tool.path(&["inputSchema", "properties"]);
    let names = properties.into_iter().flat_map(Value::members).filter_map(|it| it.0.as_str());
    let names: Vec<_> = names.collect();
    let (operation, why) = if names.iter().any(|it| CODE.contains(&&**it)) {
        ("eval", "  # it takes code; else")
    } else if reads {
        ("query", "  # the server says that it only reads; else")
    } else {
        ("command", "  # or")
    };
    let others = OTHERS.trim_start_matches("  # or");
    let mut lines = format!("[tool.{key}]\noperation = \"{operation}\"{why}{others}");
    let mut texts = Vec::new();
    find_texts(properties, "", MOST_DEEP, &mut texts);
    let paths: Vec<String> =
        texts.iter().filter(|it| it.is_path).map(TextArgument::quoted).collect();
    if !paths.is_empty() {
        lines.push_str("\npaths     = [");
        lines.push_str(&paths.join(", "));
        lines.push(']');
    } else if !texts.is_empty() {
        let names: Vec<String> = texts.iter().take(MOST_TEXTS).map(TextArgument::quoted).collect();
        lines.push_str("\n# no argument looks like a path: ");
        lines.push_str(&names.join(", "));
    }
    lines
}

/// An argument that is text.
struct TextArgument {
    pointer: String,
    is_path: bool,
}

impl TextArgument {
    /// As TOML writes it.
    fn quoted(&self) -> String {
        let mut quoted = String::new();
        write_str(&mut quoted, &self.pointer);
        quoted
    }
}

/// The arguments that are or may be text, as JSON pointers.
fn find_texts(
    properties: Option<Value<'_>>,
    above: &str,
    deep: usize,
    found: &mut Vec<TextArgument>,
) {
    for (name, schema) in properties.into_iter().flat_map(Value::members) {
        let Some(name) = name.as_str() else { continue };
        let pointer = format!("{above}/{}", pointer_step(&text::strip(&name)));
        let items = schema.get("items");
        let (inner, below) = match items.and_then(|it| it.get("properties")) {
            Some(inner) => (Some(inner), format!("{pointer}/*")),
            None => (schema.get("properties"), pointer.clone()),
        };
        if inner.is_some() {
            if deep > 1 {
                find_texts(inner, &below, deep - 1, found);
            }
        } else if may_be_text(items.unwrap_or(schema)) {
            found.push(TextArgument { pointer, is_path: is_path(&name) });
        }
    }
}

/// Whether a schema lets texts through, as far as its type says.
fn may_be_text(schema: Value<'_>) -> bool {
    let Some(kind) = schema.get("type") else { return true };
    let is_text = |it: Value<'_>| it.as_str().is_some_and(|it| it == "string" || it == "array");
    is_text(kind) || kind.elements().any(is_text)
}

const OTHERS: &str = "  # or query, command, eval, screenshot, logs, window_info, dialog";

fn is_path(name: &str) -> bool {
    let words = words(name);
    let is_last = words.last().is_some_and(|it| PATHS.contains(&it.as_str()));
    is_last || matches!(words.as_slice(), [one] if ALONE.contains(&one.as_str()))
}

/// The words of a name, however they are joined.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for it in name.chars() {
        let is_joint = !it.is_alphanumeric();
        if is_joint || it.is_uppercase() && was_small {
            words.push(String::new());
        }
        was_small = it.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| !is_joint) {
            word.extend(it.to_lowercase());
        }
    }
    words.retain(|it| !it.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use redress_wire::json::{Doc, Limits};

    use super::tool_lines;

    fn of(tool: &str) -> String {
        let doc = Doc::parse(tool.as_bytes(), Limits::DOCUMENT).unwrap();
        let name = doc.root().get("name").unwrap().as_str().unwrap();
        tool_lines(&name, Some(doc.root()))
    }

    #[test]
    fn what_a_contract_could_say_is_valid_and_careful() {
        let read = of(
            r#"{"name":"read_file","annotations":{"readOnlyHint":true},"inputSchema":{"properties":{"path":{},"encoding":{}}}}"#,
        );
        assert!(
            read.starts_with("[tool.read_file]\noperation = \"query\"  # the server says"),
            "{read}"
        );
        assert!(read.ends_with("\npaths     = [\"/path\"]"), "{read}");
        let write = of(
            r#"{"name":"copy.all","inputSchema":{"properties":{"sourcePath":{},"target_dir":{},"x":{}}}}"#,
        );
        assert!(
            write.starts_with("[tool.\"copy.all\"]\noperation = \"command\"  # or query"),
            "{write}"
        );
        assert!(write.ends_with("paths     = [\"/sourcePath\", \"/target_dir\"]"), "{write}");
        let eval = of(
            r#"{"name":"run","annotations":{"readOnlyHint":true},"inputSchema":{"properties":{"code":{}}}}"#,
        );
        assert!(eval.contains("operation = \"eval\""), "{eval}");
        let copy = of(
            r#"{"name":"copy","inputSchema":{"properties":{"source":{"type":"string"},"destination":{"type":["string","null"]},"to":{"type":"boolean"}}}}"#,
        );
        assert!(copy.ends_with("paths     = [\"/source\", \"/destination\"]"), "{copy}");
        let edit = of(
            r#"{"name":"edit","inputSchema":{"properties":{"files":{"type":"array","items":{"type":"string"}},"edits":{"type":"array","items":{"type":"object","properties":{"old_path":{"type":"string"},"text":{"type":"string"}}}}}}}"#,
        );
        assert!(edit.ends_with("paths     = [\"/files\", \"/edits/*/old_path\"]"), "{edit}");
        let note = of(
            r#"{"name":"note","inputSchema":{"properties":{"title":{"type":"string"},"count":{"type":"integer"}}}}"#,
        );
        assert!(note.ends_with("\n# no argument looks like a path: \"/title\""), "{note}");
        let none =
            of(r#"{"name":"now","inputSchema":{"properties":{"count":{"type":"integer"}}}}"#);
        assert!(!none.contains("path"), "{none}");
        assert!(
            tool_lines("odd", None).starts_with("[tool.odd]\noperation = \"command\"  # or query")
        );
    }
}
