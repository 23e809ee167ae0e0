//! The rules about sources, a group in each module.

mod codes;
pub(crate) mod files;
mod mirror;
mod texts;
mod tools;

use std::sync::LazyLock;

use redress_registry::rule::Rule;

use crate::rule::Check;

const GROUPS: &[&[Check]] =
    &[codes::CHECKS, mirror::CHECKS, texts::CHECKS, tools::CHECKS, files::CHECKS];

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
