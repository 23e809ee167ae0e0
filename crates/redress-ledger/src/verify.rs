//! Walks every chain of a ledger and says what was altered, what is missing, and what could still be altered unnoticed.

mod copies;
mod newest;
mod receipts;
mod report;
mod state;
mod walk;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
};

use redress::fault::Receipt;
pub use report::{ChainReport, ChainState, Found, Problem, ReceiptReport, Report, What};

use crate::{layout, sign::PublicKey, signed::Pruned, witness::Witness};
pub use copies::mark_copies;
use newest::Reach;
pub use newest::{Unread, verify_newest};
use receipts::Receipts;
use walk::Walked;

/// How often a ledger is looked at that is being pruned.
const MOST_LOOKS: usize = 5;

/// What a ledger is checked against.
#[derive(Debug, Clone, Default)]
pub struct Evidence {
    /// The keys that may have signed. Empty: signatures are checked against the keys that the records name.
    pub keys: Vec<PublicKey>,
    /// Receipts that somebody was given.
    pub receipts: Vec<Receipt>,
    /// The signing key's file, if it is on this machine: the newest checkpoints lie beside it.
    pub key_file: Option<PathBuf>,
}

/// Checks every record of every chain. A directory that is gone is a finding if anything was witnessed in it, else an error.
pub fn verify(dir: &Path, evidence: &Evidence) -> io::Result<Report> {
    verify_with(dir, evidence, &mut |_, _| ())
}

/// The same, and says before each chain how many were checked, of how many.
pub fn verify_with(
    dir: &Path,
    evidence: &Evidence,
    progress: &mut dyn FnMut(usize, usize),
) -> io::Result<Report> {
    examine(dir, evidence, None, progress).map(|it| it.0)
}

/// Examines a ledger; if something seems to be missing and segments were pruned meanwhile, once more.
fn examine(
    dir: &Path,
    evidence: &Evidence,
    most_bytes: Option<u64>,
    progress: &mut dyn FnMut(usize, usize),
) -> io::Result<(Report, Unread)> {
    let mut looks = 0;
    loop {
        looks += 1;
        let before = all_segments(dir);
        let found = look(dir, evidence, most_bytes, progress)?;
        if found.0.is_sound() || looks == MOST_LOOKS || before.is_subset(&all_segments(dir)) {
            return Ok(found);
        }
    }
}

/// Every segment that is there, as far as that can be read.
fn all_segments(dir: &Path) -> BTreeSet<(String, u32)> {
    let chains = layout::chains(dir).unwrap_or_default().into_iter();
    let segments = chains.map(|it| (layout::segment_numbers(&it.path).unwrap_or_default(), it));
    let named = segments
        .flat_map(|(numbers, it)| numbers.into_iter().map(move |number| (it.name.clone(), number)));
    named.collect()
}

fn look(
    dir: &Path,
    evidence: &Evidence,
    most_bytes: Option<u64>,
    progress: &mut dyn FnMut(usize, usize),
) -> io::Result<(Report, Unread)> {
    let found = fs::canonicalize(dir).and_then(|it| Ok((layout::chains(&it)?, it)));
    let (mut chains, dir) = match found {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let dir = true_path(dir)?;
            let key = evidence.key_file.as_deref();
            let is_missed =
                key.is_some_and(|it| Witness::new(it, &dir).all().is_ok_and(|it| !it.is_empty()));
            if !is_missed {
                return Err(error);
            }
            (Vec::new(), dir)
        }
        other => other?,
    };
    let witness = evidence.key_file.as_deref().map(|it| Witness::new(it, &dir));
    let mut receipts = Receipts::new(&evidence.receipts);
    let mut walked = Vec::new();
    let reach = Reach::within(most_bytes, &mut chains);
    let all = chains.len();
    for chain in chains {
        progress(walked.len(), all);
        let (from, witnessed) =
            (reach.from(&chain), witness.as_ref().and_then(|it| it.of(&chain.name)));
        walked.push(walk::walk(&chain, from, &evidence.keys, witnessed.as_ref(), &mut receipts));
    }
    let pruned = prunings(&mut walked);
    for chain in &mut walked {
        let of_chain = pruned.get(&chain.report.name).map(Vec::as_slice);
        // What is not read may tell that the start was pruned.
        let may_be_told = !reach.unread.is_nothing();
        check_start(chain, of_chain, may_be_told);
    }
    let missing = match &witness {
        None => Vec::new(),
        Some(witness) => {
            let mut missing = missing_chains(&dir, witness, &pruned)?;
            missing.retain(|it| reach.covers(it));
            missing
        }
    };
    let may_be_pruned = |seq| pruned.values().flatten().any(|it| it.next_seq > seq);
    let mut report = Report {
        receipts: receipts.report(may_be_pruned),
        chains: walked.into_iter().map(|it| it.report).collect(),
        missing,
        keys_given: !evidence.keys.is_empty(),
        witnessed: witness.is_some(),
    };
    mark_copies([&mut report]);
    Ok((report, reach.unread))
}

/// The one path of a directory under which its witnesses are kept, also after it is gone.
pub fn true_path(dir: &Path) -> io::Result<PathBuf> {
    let dir = std::path::absolute(dir)?;
    // Of what is gone nobody can say any more whether it was a link.
    let there = dir.ancestors().find_map(|it| Some((it, fs::canonicalize(it).ok()?)));
    Ok(match there {
        Some((there, real)) => dir.strip_prefix(there).map_or(real.clone(), |it| real.join(it)),
        None => dir,
    })
}

/// The receipt that `SEQ:HASH` writes; the hash may be a start of it, of at least eight digits.
pub fn parse_receipt(text: &str) -> Option<Receipt> {
    let (seq, hash) = text.split_once(':')?;
    let is_hex = hash.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'));
    if !is_hex || !(8..=64).contains(&hash.len()) {
        return None;
    }
    Some(Receipt { seq: seq.parse().ok()?, hash: hash.to_owned() })
}

type Prunings = BTreeMap<String, Vec<Pruned>>;

/// What was removed in good order, by chain.
fn prunings(walked: &mut [Walked]) -> Prunings {
    let mut all = Prunings::new();
    for pruned in walked.iter_mut().flat_map(|it| std::mem::take(&mut it.pruned)) {
        all.entry(pruned.chain.clone()).or_default().push(pruned);
    }
    all
}

/// A chain that does not start with its genesis needs a signed pruning that ends where it starts; one without any record, a pruning of all of it.
fn check_start(chain: &mut Walked, pruned: Option<&[Pruned]>, may_be_told: bool) {
    let newest = pruned.and_then(|all| all.iter().max_by_key(|it| it.next_seq));
    if let Some(problem) = chain.report.problem.as_mut().filter(|_| chain.is_empty) {
        // Whoever prunes the last segment forgets the witness.
        let is_all = chain.witnessed.is_none_or(|seq| newest.is_some_and(|it| it.next_seq > seq));
        if let Some(it) = newest {
            let missing = it.segment.saturating_add(1);
            problem.file = chain.report.path.join(layout::segment_name(missing));
            problem.what = What::SegmentMissing(missing);
            problem.seq = it.next_seq;
        }
        if is_all && (newest.is_some() || may_be_told) {
            chain.report.problem = None;
        }
    }
    let Some(start) = &chain.cut_start else { return };
    let is_told = pruned
        .is_some_and(|all| all.iter().any(|it| (it.next_seq, it.head) == (start.seq, start.prev)));
    if !is_told && !may_be_told {
        let what = What::StartMissing;
        let problem = Problem { file: start.file.clone(), line: 1, seq: start.seq, what };
        chain.report.problem = Some(problem);
    }
}

/// Chains that were witnessed, are not there, and were not pruned.
fn missing_chains(dir: &Path, witness: &Witness, pruned: &Prunings) -> io::Result<Vec<String>> {
    let witnessed = witness.all()?;
    // Looked for after the witnesses: a chain that began meanwhile is not missing.
    let there = layout::chains(dir).unwrap_or_default();
    let is_there = |name: &str| there.iter().any(|it| it.name == name);
    let is_pruned = |name: &str, seq| {
        pruned.get(name).is_some_and(|all| all.iter().any(|it| it.next_seq > seq))
    };
    Ok(witnessed
        .into_iter()
        .filter(|it| !is_there(&it.chain) && !is_pruned(&it.chain, it.seq))
        .map(|it| it.chain)
        .collect())
}
