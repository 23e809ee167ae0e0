//! Chains that stand there twice: a copy is no chain of its own, and what one of the two says does not count.

use std::{collections::BTreeMap, path::PathBuf};

use super::report::{ChainReport, Problem, RecordProblem, Report};

/// Marks every chain whose name another one has, in the same ledger or in another of these. Not a copy is the one that a witness or a receipt holds, or
/// else the first.
pub fn mark_copies<'r>(reports: impl IntoIterator<Item = &'r mut Report>) {
    let mut by_name: BTreeMap<String, Vec<&mut ChainReport>> = BTreeMap::new();
    for chain in reports.into_iter().flat_map(|it| &mut it.chains) {
        by_name.entry(chain.name.clone()).or_default().push(chain);
    }
    for mut chains in by_name.into_values().filter(|it| it.len() > 1) {
        chains.sort_by_key(|it| (!it.is_witnessed, it.problem.is_some(), it.path.clone()));
        mark(chains);
    }
}

fn mark(chains: Vec<&mut ChainReport>) {
    let mut original: Option<PathBuf> = None;
    for chain in chains {
        let Some(of) = original.clone() else {
            original = Some(chain.path.clone());
            continue;
        };
        let file = chain.path.clone();
        let problem = Problem { file, line: 0, seq: 0, what: RecordProblem::Copy { of } };
        chain.problem.get_or_insert(problem);
    }
}
