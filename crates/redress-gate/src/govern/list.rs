//! The list of tools of a governed server: what has no operation type is not in it, and what the gate itself offers is.

use redress::{Fault, codes, fault::Similar, json::Value};
use redress_registry::nearest::nearest_n;

use super::{Extra, Governor, desk, extra, is_own, manifest::Manifest};

/// How many tools are named that may have been meant.
const MOST_NAMED: usize = 3;

/// A page of tools as clients see it.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) tools: String,
    /// Tools of which the contract does not say what they do.
    pub(super) unknown: Vec<String>,
    /// For each tool, the arguments of ours that it takes itself.
    pub(super) kept: Vec<(String, Vec<&'static str>)>,
}

/// A page of tools as clients see it, the gate's own first.
pub(super) fn served(
    manifest: &Manifest,
    extras: &[Extra],
    listed: Value<'_>,
    is_first: bool,
) -> Page {
    let (mut page, mut unknown, mut kept) = (String::from("["), Vec::new(), Vec::new());
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
        match manifest.get(&name) {
            // A tool of the server under a name of ours could never be called.
            _ if is_own(&name) => (),
            Some(doing) if manifest.is_served(&name, doing) => {
                let taken: Vec<&Extra> = extras.iter().filter(|it| it.is_of(&name)).collect();
                add(&extra::described(tool, &taken));
                if !taken.is_empty() {
                    kept.push((name.into_owned(), extra::kept(tool, &taken)));
                }
            }
            Some(_) => (),
            None => unknown.push(name.into_owned()),
        }
    }
    page.push(']');
    Page { tools: page, unknown, kept }
}

impl Governor {
    /// A tool that is not served, with those that this role may call and that have nearly its name.
    pub(super) fn unknown(&self, tool: &str, role: Option<&str>) -> Box<Fault> {
        let mut fault = codes::UNKNOWN_TOOL.raise([("tool", tool)]);
        let own = desk::TOOLS.iter().map(|it| it.0);
        let served = self.policy.manifest.served();
        let served = served.filter(|it| self.policy.roles.judge(role, it).is_ok());
        let near = nearest_n(tool, own.chain(served), MOST_NAMED);
        fault.similar_refs = near.into_iter().map(Similar::new).collect();
        Box::new(fault)
    }
}

#[cfg(test)]
mod tests {
    use redress::json::{Doc, Limits};
    use redress_registry::{Operation, Registry, model::Tool};

    use super::{Manifest, Page, served};

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
        let Page { tools: page, unknown, .. } = served(manifest, &[], doc.root(), is_first);
        let doc = Doc::parse(page.as_bytes(), Limits::DOCUMENT).unwrap();
        let name =
            |it: redress::json::Value<'_>| it.get("name").unwrap().as_str().unwrap().into_owned();
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
