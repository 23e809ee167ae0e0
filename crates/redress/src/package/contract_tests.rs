//! Contract tests for a server in any language: for each declared code a call that provokes it, as one JSON file.

use redress_registry::Registry;
use serde_json::{Map, Value, json};

use super::{File, literal, template::Gaps};

/// The file that says which call provokes which code.
pub(super) const CALLS: &str = "contract.calls.json";

/// The codes that the registry declares itself, one literal a line.
pub(super) fn put_declared(registry: &Registry, indent: &str, gaps: &mut Gaps) {
    let declared = registry.own().map(|it| format!("{indent}{},", literal::text(&it.code)));
    gaps.lines("declared", declared);
}

/// A first draft of the calls, where the registry knows a tool that may fail so. What it leaves out fails until an author writes it.
pub(super) fn calls(registry: &Registry) -> File {
    let calls: Map<String, Value> = registry
        .own()
        .filter_map(|row| {
            let may = |(_, tool): &(_, &redress_registry::Tool)| {
                tool.may.iter().any(|it| **it == *row.code)
            };
            let (tool, _) = registry.tools.iter().find(may)?;
            Some((row.code.to_string(), json!({ "tool": tool, "arguments": {} })))
        })
        .collect();
    let text = json!({ "server": { "command": ["the", "command", "of", "your", "server"] }, "calls": calls });
    File { is_draft: true, ..File::new(CALLS, format!("{text:#}\n")) }
}
