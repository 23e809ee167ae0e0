//! The list of tools of a governed server: what has no operation type is not in it, and what the gate itself offers is.

use redress_wire::json::Value;

use crate::{
    builtin_tools::{self, is_own},
    gate_argument::{self, GateArgument},
    manifest::Manifest,
};

/// A page of tools as clients see it.
#[derive(Debug)]
pub(crate) struct ToolPage {
    pub(crate) tools: String,
    /// Tools without an operation in the contract.
    pub(crate) unknown: Vec<String>,
    /// For each tool, the arguments of ours that it takes itself.
    pub(crate) kept: Vec<(String, Vec<&'static str>)>,
}

/// A page of tools as clients see it, the gate's own first.
pub(crate) fn served(
    manifest: &Manifest,
    extras: &[GateArgument],
    listed: Value<'_>,
    is_first: bool,
) -> ToolPage {
    let (mut page, mut unknown, mut kept) = (String::from("["), Vec::new(), Vec::new());
    let mut add = |tool: &str| {
        if page.len() > 1 {
            page.push(',');
        }
        page.push_str(tool);
    };
    if is_first {
        for (_, tool) in builtin_tools::TOOLS {
            add(tool);
        }
    }
    for tool in listed.elements() {
        let Some(name) = tool.get("name").and_then(Value::as_str) else { continue };
        match manifest.get(&name) {
            // A tool of the server under a name of ours could never be called.
            _ if is_own(&name) => (),
            Some(known) if manifest.is_served(&name, known) => {
                let taken: Vec<&GateArgument> =
                    extras.iter().filter(|it| it.is_of(&name)).collect();
                add(&gate_argument::described(tool, &taken));
                if !taken.is_empty() {
                    kept.push((name.into_owned(), gate_argument::kept(tool, &taken)));
                }
            }
            Some(_) => (),
            None => unknown.push(name.into_owned()),
        }
    }
    page.push(']');
    ToolPage { tools: page, unknown, kept }
}

#[cfg(test)]
mod tests {
    use redress_registry::{Operation, Registry, model::Tool};
    use redress_wire::json::{Doc, Limits};

    use super::{Manifest, ToolPage, served};

    fn manifest(allow_eval: &[String]) -> Manifest {
        let mut contract = Registry::clone(redress_registry::shipped::core());
        for (name, operation) in [
            ("look", Some(Operation::Query)),
            ("run", Some(Operation::Eval)),
            ("odd", None),
            ("read_ledger", Some(Operation::Logs)),
        ] {
            contract.tools.insert(name.into(), Tool { operation, ..Tool::default() });
        }
        Manifest::new(&contract, allow_eval).unwrap()
    }

    fn names(manifest: &Manifest, is_first: bool) -> (Vec<String>, Vec<String>) {
        let page =
            br#"[{"name":"look"},{"name":"run"},{"name":"odd"},{"name":"read_ledger"},{"x":1}]"#;
        let doc = Doc::parse(page, Limits::DOCUMENT).unwrap();
        let ToolPage { tools: page, unknown, .. } = served(manifest, &[], doc.root(), is_first);
        let doc = Doc::parse(page.as_bytes(), Limits::DOCUMENT).unwrap();
        let name = |it: redress_wire::json::Value<'_>| {
            it.get("name").unwrap().as_str().unwrap().into_owned()
        };
        (doc.root().elements().map(name).collect(), unknown)
    }

    #[test]
    fn a_page_has_what_is_known_and_only_the_first_has_ours() {
        let (first, unknown) = names(&manifest(&[]), true);
        let ours = [
            "begin_session",
            "session_status",
            "submit_failure_report",
            "list_plans",
            "read_ledger",
        ];
        assert_eq!(
            first,
            ours.iter().chain(&["look"]).map(ToString::to_string).collect::<Vec<_>>()
        );
        assert_eq!(unknown, ["odd"]);
        assert_eq!(names(&manifest(&[]), false).0, ["look"]);
        assert_eq!(names(&manifest(&["r*".to_owned()]), false).0, ["look", "run"]);
    }
}
