//! `HeaderParams`: the arguments of tools that requests repeat in their headers, since revision 2026-07-28.

use std::borrow::Cow;

use http::HeaderName;
use indexmap::IndexMap;
use redress_wire::json::{Doc, Kind, Value};
use rustc_hash::FxBuildHasher;

use crate::frame::limits;

/// How the name of such a header starts.
pub const PARAM: &str = "mcp-param-";

/// The most tools whose annotations are remembered.
const MOST_TOOLS: usize = 4_096;

/// The most arguments of one tool that are mirrored.
const MOST_PARAMS: usize = 32;

/// The arguments of each tool that requests repeat in their headers, learnt from the lists that pass.
#[derive(Debug, Default)]
pub struct HeaderParams {
    tools: IndexMap<String, Vec<HeaderParam>, FxBuildHasher>,
}

#[derive(Debug)]
struct HeaderParam {
    /// The keys that lead to the argument.
    path: Vec<String>,
    header: HeaderName,
}

impl HeaderParams {
    /// Learns from an answer to `tools/list`.
    pub fn learn(&mut self, line: &[u8]) {
        let Ok(doc) = Doc::parse(line, limits(usize::MAX)) else { return };
        let tools = doc.root().path(&["result", "tools"]);
        for tool in tools.into_iter().flat_map(Value::elements) {
            self.learn_tool(tool);
        }
    }

    /// Learns from one tool of a list.
    pub(crate) fn learn_tool(&mut self, tool: Value<'_>) {
        let Some(name) = tool.get("name").and_then(Value::as_str) else { return };
        let mut found = Vec::new();
        if let Some(schema) = tool.get("inputSchema") {
            annotated(schema, &mut Vec::new(), &mut found);
        }
        if found.is_empty() {
            self.tools.swap_remove(&*name);
        } else if self.tools.len() < MOST_TOOLS {
            self.tools.insert(name.into_owned(), found);
        }
    }

    /// Every header that a call of the tool may have, and what it must say; nothing, if it must not be there.
    pub fn of<'m, 'd>(
        &'m self,
        tool: &str,
        arguments: Option<Value<'d>>,
    ) -> impl Iterator<Item = (&'m HeaderName, Option<Cow<'d, str>>)> {
        let mirrors = self.tools.get(tool).map(Vec::as_slice).unwrap_or_default();
        mirrors.iter().map(move |HeaderParam { path, header }| {
            let found = arguments.and_then(|it| path.iter().try_fold(it, |it, key| it.get(key)));
            (header, found.and_then(plain))
        })
    }
}

/// Collects the annotated properties of a schema. Nesting is bounded by the reader of the message.
fn annotated(schema: Value<'_>, path: &mut Vec<String>, found: &mut Vec<HeaderParam>) {
    for (key, property) in schema.get("properties").into_iter().flat_map(Value::members) {
        let Some(key) = key.as_str() else { continue };
        path.push(key.into_owned());
        let name = property.get("x-mcp-header").and_then(Value::as_str);
        let name = name.filter(|it| !it.is_empty()).map(|it| format!("{PARAM}{it}"));
        if let Some(header) = name.and_then(|it| it.parse().ok())
            && found.len() < MOST_PARAMS
        {
            found.push(HeaderParam { path: path.clone(), header });
        }
        annotated(property, path, found);
        path.pop();
    }
}

/// An argument as a text; only plain values have one.
fn plain(value: Value<'_>) -> Option<Cow<'_, str>> {
    match value.kind() {
        Kind::String => value.as_str(),
        Kind::Number | Kind::Bool => Some(Cow::Borrowed(value.raw())),
        _ => None,
    }
}
