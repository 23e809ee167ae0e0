//! The lint: what a registry file should be, beyond what it must be to be read.

mod exceptions;
mod identity;
mod lifecycle;
mod recovery;
mod scope;
mod text;

use std::sync::Arc;

use crate::{Registry, Source, draft::Draft, finding::Finding, rule::Rule};
use scope::{Hits, Scope};

/// A rule and how it looks at a file.
struct LintCheck {
    rule: Rule,
    run: fn(&Scope<'_>, &mut Hits<'_>),
}

/// The rules that look at the file, a module of them for each group, in the order of their ids.
const GROUPS: &[&[LintCheck]] =
    &[identity::CHECKS, text::CHECKS, recovery::CHECKS, lifecycle::CHECKS];

/// All that the rules find in a file, in its order. `find` knows what `extends` names; what it does
/// not know is left out, since [`resolve`](crate::resolve()) refuses it.
pub fn lint(draft: &Draft, find: &dyn Fn(&str) -> Option<Arc<Registry>>) -> Vec<Finding> {
    let taken = draft.extends.iter().filter_map(|it| find(&it.value)).collect();
    let mut scope = Scope::new(draft, taken);
    let found = GROUPS.iter().copied().flatten().flat_map(|it| run(it, &scope)).collect();
    let mut found = exceptions::silence(&mut scope, found);
    found.extend(exceptions::CHECKS.iter().flat_map(|it| run(it, &scope)));
    found.sort_by_key(|it| (it.span.start, it.rule));
    fill_in_places(&draft.source, &mut found);
    found
}

/// Every rule of the lint, in the order of their ids.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    GROUPS.iter().copied().flatten().chain(exceptions::CHECKS).map(|it| &it.rule)
}

fn run(check: &'static LintCheck, scope: &Scope<'_>) -> Vec<Finding> {
    let mut hits = Hits::new(scope.draft, &check.rule);
    (check.run)(scope, &mut hits);
    hits.into_list()
}

/// One walk over the file for all findings, which come in its order.
fn fill_in_places(source: &Source, found: &mut [Finding]) {
    let (mut at, mut line, mut column) = (0, 1, 1);
    for finding in found {
        for passed in source.text.get(at..finding.span.start).unwrap_or_default().chars() {
            (line, column) = if passed == '\n' { (line + 1, 1) } else { (line, column + 1) };
        }
        at = at.max(finding.span.start);
        (finding.place.line, finding.place.column) = (line, column);
    }
}
