//! Tools of a governed server that are not served, and the lines that would change that.

use redress::{
    json::{Doc, Limits, Value, write_str},
    text,
};

use super::{Governor, is_own};

/// Names under which tools take paths, and endings of such names.
const PATHS: &[&str] =
    &["path", "paths", "file", "files", "filename", "dir", "directory", "folder"];
const ENDINGS: &[&str] = &["path", "paths", "_file", "_dir", "_directory", "_folder"];

/// Names under which tools take code.
const CODE: &[&str] = &["code", "script", "expression", "javascript", "python"];

/// The tools that are not served.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Unserved {
    /// How many tools the server has.
    pub all: usize,
    /// Those of which the contract does not say what they do: what it could say.
    pub unknown: Vec<String>,
    /// Those that run code of their callers, which is not allowed.
    pub eval: Vec<String>,
    /// Those that have the name of a tool of the gate.
    pub hidden: Vec<String>,
}

impl Governor {
    /// Takes note of all tools of the server, and gives those that are not served. None of them is told a second time.
    pub fn take_tools(&self, tools: &[String]) -> Unserved {
        let list = format!("[{}]", tools.join(","));
        let limits = Limits { bytes: list.len(), ..Limits::DOCUMENT };
        let mut unserved = Unserved { all: tools.len(), ..Unserved::default() };
        let Ok(doc) = Doc::parse(list.as_bytes(), limits) else { return unserved };
        for tool in doc.root().elements() {
            let Some(name) = tool.get("name").and_then(Value::as_str) else { continue };
            match self.policy.manifest.get(&name) {
                _ if is_own(&name) => unserved.hidden.push(text::strip(&name)),
                Some(doing) if self.policy.manifest.is_served(&name, doing) => (),
                Some(_) => unserved.eval.push(text::strip(&name)),
                None => {
                    unserved.unknown.push(tool_lines(&name, Some(tool)));
                    self.lock().unserved.insert(name.into_owned());
                }
            }
        }
        // What it learns from a list that a client asks for, it learns from this one.
        self.tools(doc.root(), true);
        unserved
    }
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
    let paths: Vec<String> = names.iter().filter(|it| is_path(it)).map(|it| pointer(it)).collect();
    if !paths.is_empty() {
        lines.push_str("\npaths     = [");
        lines.push_str(&paths.join(", "));
        lines.push(']');
    }
    lines
}

const OTHERS: &str = "  # or query, command, eval, screenshot, logs, window_info, dialog";

fn is_path(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    PATHS.contains(&name.as_str()) || ENDINGS.iter().any(|it| name.ends_with(it))
}

/// A JSON pointer to an argument, as TOML writes it.
fn pointer(name: &str) -> String {
    let mut quoted = String::new();
    let name = text::strip(name).replace('~', "~0").replace('/', "~1");
    write_str(&mut quoted, &format!("/{name}"));
    quoted
}

#[cfg(test)]
mod tests {
    use redress::json::{Doc, Limits};

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
        assert!(
            tool_lines("odd", None).starts_with("[tool.odd]\noperation = \"command\"  # or query")
        );
    }
}
