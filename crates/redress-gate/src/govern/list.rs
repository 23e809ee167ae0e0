//! The list of tools of a governed server: what has no operation type is not in it, and what the gate itself offers is.

use redress::json::Value;

use super::{desk, is_own, manifest::Manifest};

/// A page of tools as clients see it; the gate's own come first.
pub(super) fn served(manifest: &Manifest, listed: Value<'_>, is_first: bool) -> String {
    let mut page = String::from("[");
    let mut add = |tool: &str| {
        if page.len() > 1 {
            page.push(',');
        }
        page.push_str(tool);
    };
    if is_first {
        for (_, tool) in desk::TOOLS {
            add(tool);
        }
    }
    for tool in listed.elements() {
        let Some(name) = tool.get("name").and_then(Value::as_str) else { continue };
        let doing = manifest.get(&name).filter(|it| manifest.is_served(&name, it));
        // A tool of the server under a name of ours could never be called.
        if doing.is_some() && !is_own(&name) {
            add(tool.raw());
        }
    }
    page.push(']');
    page
}
