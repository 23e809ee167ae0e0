//! Tools: which codes and classes a caller of each must be ready for.

use std::collections::BTreeSet;

use super::{
    pair::Both,
    rules::{DF041, DF042, DF043, DF044, DF045, DF046},
};
use crate::{Class, Operation, Registry, Tool, finding::part, rule::Impact};

pub(super) fn judge(both: &mut Both<'_>) {
    let (old, new) = (both.old, both.new);
    for (name, before) in &old.tools {
        match new.tools.get(name) {
            Some(after) => {
                codes(both, name, before, after);
                promises(both, name, before, after);
            }
            None => _ = both.tool(&DF044, name, "{tool} was removed.", [part("tool", &**name)]),
        }
    }
    for name in new.tools.keys().filter(|it| !old.tools.contains_key(*it)) {
        both.tool(&DF046, name, "{tool} was added.", [part("tool", &**name)]);
    }
}

fn codes(both: &mut Both<'_>, tool: &str, before: &Tool, after: &Tool) {
    let possible: BTreeSet<Class> =
        before.may.iter().filter_map(|it| class(both.old, it)).collect();
    let (had, has): (BTreeSet<_>, BTreeSet<_>) =
        (before.may.iter().collect(), after.may.iter().collect());
    for code in after.may.iter().filter(|it| !had.contains(it)) {
        let class = class(both.new, code);
        let context = [
            part("tool", tool),
            part("code", code.as_str()),
            part("class", class.map(Class::name)),
        ];
        if class.is_none_or(|it| possible.contains(&it)) {
            both.tool(&DF041, tool, "{tool} may answer {code} now.", context).about(code);
        } else {
            let message = "{tool} may answer {code} now, the first of the class {class}.";
            both.tool(&DF042, tool, message, context).about(code);
        }
    }
    for code in before.may.iter().filter(|it| !has.contains(it)) {
        let context = [part("tool", tool), part("code", code.as_str())];
        both.tool(&DF043, tool, "{tool} no longer answers {code}.", context).about(code);
    }
}

fn class(registry: &Registry, code: &str) -> Option<Class> {
    registry.get(code).map(|it| it.class)
}

fn promises(both: &mut Both<'_>, tool: &str, before: &Tool, after: &Tool) {
    let promises = [
        ("read-only", before.read_only, after.read_only),
        ("idempotent", before.idempotent, after.idempotent),
    ];
    for (promise, was, is) in promises {
        let context = [part("tool", tool), part("promise", promise)];
        match (was, is) {
            (true, false) => _ = both.tool(&DF045, tool, "{tool} is no longer {promise}.", context),
            (false, true) => {
                both.tool(&DF045, tool, "{tool} is {promise} now.", context).only(Impact::Additive);
            }
            _ => {}
        }
    }
    if subject(before) != subject(after) {
        let message = "The operation or the paths of {tool} changed.";
        both.tool(&DF045, tool, message, [part("tool", tool)]).only(Impact::Text);
    }
}

/// What it does, and which arguments say to what.
fn subject(tool: &Tool) -> (Option<Operation>, [&[String]; 3]) {
    (tool.operation, [&tool.paths, tool.content.as_slice(), tool.patch.as_slice()])
}
