//! Chains that stand there twice: a copy is no chain of its own, and what one of the two says does not count.

use std::collections::BTreeMap;

use super::report::{Problem, Report, What};

/// Marks every chain whose name another one has, in the same ledger or in another of these, except the first.
pub fn mark_copies<'r>(reports: impl IntoIterator<Item = &'r mut Report>) {
    let mut seen = BTreeMap::new();
    for chain in reports.into_iter().flat_map(|it| &mut it.chains) {
        let Some(first) = seen.get(&chain.name) else {
            seen.insert(chain.name.clone(), chain.path.clone());
            continue;
        };
        let what = What::Copy { of: first.clone() };
        let problem = Problem { file: chain.path.clone(), line: 0, seq: 0, what };
        if *first != chain.path {
            chain.problem.get_or_insert(problem);
        }
    }
}
