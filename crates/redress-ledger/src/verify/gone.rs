//! What is not there any more, and whether it was pruned in good order.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::{
    epochs::Epochs,
    prunings::{PruneTrust, Prunings},
    report::{Missing, Problem, RecordProblem},
    walk::Walked,
};
use crate::{
    disk,
    layout::{self, ChainDir},
    notes,
    witness::{Heads, Witnessed},
};

/// A chain that does not start with its genesis needs a signed pruning that ends where it starts; one without any record, a pruning of all of it.
pub(super) fn check_start(chain: &mut Walked, prunings: &Prunings<'_>, may_be_told: bool) {
    if chain.is_empty {
        check_empty(chain, prunings, may_be_told);
    }
    let Some(start) = &chain.cut_start else { return };
    let told =
        prunings.told_of(&chain.report.name, chain.first_signer, |it| it.end() == start.after);
    let what = match told {
        PruneTrust::Believed => return,
        _ if may_be_told => return,
        // Whose chain it is cannot be seen, since it breaks before anybody signed it.
        PruneTrust::ByStranger(_)
            if chain.first_signer.is_none() && chain.report.problem.is_some() =>
        {
            return;
        }
        PruneTrust::ByStranger(key) => RecordProblem::PrunedByStranger(Box::new(key)),
        PruneTrust::Not => RecordProblem::StartMissing,
    };
    let problem = Problem { file: start.file.clone(), line: 1, seq: start.after.next, what };
    chain.report.problem = Some(problem);
}

/// An empty directory of a chain without a witness means no more than none at all, even if a record says that it was pruned.
fn check_empty(chain: &mut Walked, prunings: &Prunings<'_>, may_be_told: bool) {
    let Some(problem) = &mut chain.report.problem else { return };
    let name = &chain.report.name;
    let newest = prunings.newest(name);
    if let Some(it) = newest {
        let missing = it.segment.saturating_add(1);
        problem.file = chain.report.path.join(layout::segment_name(missing));
        problem.what = RecordProblem::SegmentMissing(missing);
        problem.seq = it.next_seq;
    }
    let is_fine = match (chain.witnessed, prunings.told_of(name, None, |_| true)) {
        (None, told) => told != PruneTrust::Not || may_be_told,
        // Pruning the last segment removes the witness.
        (Some(seq), _) if newest.is_some_and(|it| it.next_seq > seq) => true,
        (Some(_), PruneTrust::ByStranger(key)) => {
            problem.what = RecordProblem::PrunedByStranger(Box::new(key));
            false
        }
        (Some(_), _) => false,
    };
    if is_fine {
        chain.report.problem = None;
    }
}

/// Chains that were witnessed, are not there, and were not pruned.
pub(super) fn missing_chains(
    heads: &Heads,
    there: &[ChainDir],
    prunings: &Prunings<'_>,
) -> Vec<Missing> {
    let gone = heads.known.iter().filter(|it| !is_there(&it.chain, there));
    gone.filter_map(|Witnessed { chain, seq, .. }| {
        let pruned_by = match prunings.told_of(chain, None, |it| it.next_seq > *seq) {
            PruneTrust::Believed => return None,
            PruneTrust::ByStranger(key) => Some(key),
            PruneTrust::Not => None,
        };
        Some(Missing { chain: chain.clone(), pruned_by })
    })
    .collect()
}

/// Adds the chains that the log of epochs misses.
pub(super) fn add_missing_epochs(
    missing: &mut Vec<Missing>,
    epochs: &Epochs,
    dir: &Path,
    prunings: &Prunings<'_>,
) {
    for chain in epochs.missing(dir) {
        if missing.iter().any(|it| it.chain == chain) {
            continue;
        }
        let pruned_by = match prunings.told_of(&chain, None, |_| true) {
            PruneTrust::ByStranger(key) => Some(key),
            PruneTrust::Believed | PruneTrust::Not => None,
        };
        missing.push(Missing { chain, pruned_by });
    }
}

/// Witnesses that cannot be used: what they proved, and for which ledger, is unknown, unless the chain is there or in a ledger beside this
/// one. One that a power failure took is no worse than none, if its chain is there.
pub(super) fn unusable(heads: &Heads, there: &[ChainDir], ledger: &Path) -> Vec<Problem> {
    let concerns = |chain: &str, error: &io::Error| {
        let is_torn = error.kind() == io::ErrorKind::UnexpectedEof;
        if is_there(chain, there) { !is_torn } else { !is_beside(chain, ledger) }
    };
    let unusable = heads.unusable.iter().filter(|(_, chain, error)| concerns(chain, error));
    let problem = |(file, _, error): &(PathBuf, String, io::Error)| {
        let is_damaged = notes::is_damage(error);
        let what = if is_damaged {
            RecordProblem::Witness
        } else {
            RecordProblem::Unreadable(error.to_string())
        };
        Problem { file: file.clone(), line: 0, seq: 0, what }
    };
    unusable.map(problem).collect()
}

/// Whether a ledger beside this one has a chain of that name.
fn is_beside(chain: &str, ledger: &Path) -> bool {
    let beside = ledger.parent().and_then(|it| disk::read_dir(it).ok());
    let mut ledgers = beside.into_iter().flatten().flatten().map(|it| it.path());
    !chain.is_empty() && ledgers.any(|it| it != ledger && disk::is_dir(&it.join(chain)))
}

fn is_there(name: &str, chains: &[ChainDir]) -> bool {
    chains.iter().any(|it| it.name == name)
}
