//! The rules about sources, a group in each module.

mod answers;
mod codes;
mod envelopes;
pub(crate) mod files;
mod mirror;
mod raised;
mod swallowed;
mod texts;
mod tools;

use std::sync::LazyLock;

use redress_registry::rule::Rule;

use crate::rule::Check;

const GROUPS: &[&[Check]] = &[
    codes::CHECKS,
    mirror::CHECKS,
    texts::CHECKS,
    tools::CHECKS,
    files::CHECKS,
    answers::CHECKS,
    envelopes::CHECKS,
    raised::CHECKS,
    swallowed::CHECKS,
];

static SORTED: LazyLock<Vec<&'static Check>> = LazyLock::new(|| {
    let mut list: Vec<_> = GROUPS.iter().copied().flatten().collect();
    list.sort_by_key(|it| it.rule.id);
    list
});

/// Every rule with its page and function, in the order of their ids.
pub fn checks() -> impl Iterator<Item = &'static Check> {
    SORTED.iter().copied()
}

/// Every rule, in the order of their ids.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    checks().map(|it| it.rule)
}

/// The page of a rule: why, and in each language a bad and a good example.
pub fn page(id: &str) -> Option<&'static str> {
    checks().find(|it| it.rule.id == id).map(|it| it.page)
}
