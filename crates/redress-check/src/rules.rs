//! The rules about sources, a group in each module, in the order of their ids.

mod codes;
pub(crate) mod files;

use redress_registry::rule::Rule;

use crate::rule::Check;

const GROUPS: &[&[Check]] = &[codes::CHECKS, files::CHECKS];

/// Every rule with its page and function.
pub fn checks() -> impl Iterator<Item = &'static Check> {
    GROUPS.iter().copied().flatten()
}

/// Every rule, in the order of their ids.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    checks().map(|it| it.rule)
}
