//! Walks every chain of a ledger and says what was altered, what is missing, and what could still be altered unnoticed.

mod copies;
mod epochs;
mod gone;
mod newest;
mod prunings;
mod receipts;
mod report;
mod state;
mod walk;

use std::{
    collections::BTreeSet,
    io,
    path::{Path, PathBuf},
};

use redress::fault::Receipt;
pub use report::{
    ChainReport, ChainState, Found, Missing, Problem, ReceiptReport, RecordProblem, Report,
};

use crate::{disk, layout, sign::PublicKey, witness::Witness};
pub use copies::mark_copies;
use epochs::Epochs;
use newest::Reach;
pub use newest::{Unread, verify_newest};
use prunings::Prunings;
use receipts::Receipts;

/// How often a ledger is looked at that is being pruned.
const MOST_LOOKS: usize = 5;

/// What a ledger is checked against.
#[derive(Debug, Clone, Default)]
pub struct Evidence {
    /// The keys that may have signed. Empty: signatures are checked against the keys that the records name.
    pub keys: Vec<PublicKey>,
    /// Receipts that clients were given.
    pub receipts: Vec<Receipt>,
    /// The signing key's file, if it is on this machine: the newest checkpoints and the log of epochs lie beside it.
    pub key_file: Option<PathBuf>,
    /// Further directories with logs of epochs. A ledger also has copies of those that tell of it.
    pub logs: Vec<PathBuf>,
    /// Files to which checkpoints were also written.
    pub witnesses: Vec<PathBuf>,
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
    let found = disk::canonicalize(dir).and_then(|it| Ok((layout::chains(&it)?, it)));
    let (mut chains, dir) = match found {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let dir = true_path(dir)?;
            let key = evidence.key_file.as_deref();
            let is_missed = key.is_some_and(|it| !Witness::new(it, &dir).all().known.is_empty());
            if !is_missed {
                return Err(error);
            }
            (Vec::new(), dir)
        }
        other => other?,
    };
    let witness = evidence.key_file.as_deref().map(|it| Witness::new(it, &dir));
    let epochs = Epochs::read(&dir, evidence, most_bytes.is_some())?;
    let mut receipts = Receipts::new(&evidence.receipts);
    let mut walked = Vec::new();
    let reach = Reach::within(most_bytes, &mut chains);
    let all = chains.len();
    for chain in chains {
        progress(walked.len(), all);
        // A witness that cannot be used is reported below.
        let witnessed = witness.as_ref().and_then(|it| it.of(&chain.name).ok().flatten());
        let from = reach.from(&chain);
        walked.push(walk::walk(&chain, from, &epochs, witnessed.as_ref(), &mut receipts));
    }
    let heads = witness.as_ref().map(Witness::all).unwrap_or_default();
    // Looked for after the witnesses: a chain that began meanwhile is not missing.
    let there = layout::chains(&dir).unwrap_or_default();
    let prunings = Prunings::new(&mut walked, &epochs, &heads, evidence);
    for chain in &mut walked {
        // What is not read may tell that the start was pruned.
        gone::check_start(chain, &prunings, !reach.unread.is_nothing());
    }
    let mut missing = gone::missing_chains(&heads, &there, &prunings);
    missing.retain(|it| reach.covers(&it.chain));
    if most_bytes.is_none() {
        gone::add_missing_epochs(&mut missing, &epochs, &dir, &prunings);
    }
    let mut report = Report {
        receipts: receipts.report(&prunings),
        chains: walked.into_iter().map(|it| it.report).collect(),
        missing,
        witnesses: gone::unusable(&heads, &there, &dir),
        epochs: epochs.problems,
        keys_given: !evidence.keys.is_empty(),
        witnessed: witness.is_some(),
    };
    mark_copies([&mut report]);
    Ok((report, reach.unread))
}

/// The one path of a directory under which its witnesses are kept, also after it is gone.
pub fn true_path(dir: &Path) -> io::Result<PathBuf> {
    let dir = std::path::absolute(dir)?;
    // Whether a path that is gone was a link is not known any more.
    let there = dir.ancestors().find_map(|it| Some((it, disk::canonicalize(it).ok()?)));
    Ok(match there {
        Some((there, real)) => dir.strip_prefix(there).map_or(real.clone(), |it| real.join(it)),
        None => dir,
    })
}

/// How many digits of a hash older versions gave out in a receipt.
const OLD_RECEIPT: usize = 12;

/// With fewer digits of the hash, another record with the same receipt can be found: 32 are 128 bits.
pub(crate) const RECEIPT_DIGITS: usize = 32;

/// The receipt that `SEQ:HASH` writes: the hash has 32 to 64 digits, or 12, as older versions gave them out.
pub fn parse_receipt(text: &str) -> Option<Receipt> {
    let (seq, hash) = text.split_once(':')?;
    let is_hex = hash.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'));
    if !is_hex || !matches!(hash.len(), OLD_RECEIPT | RECEIPT_DIGITS..=64) {
        return None;
    }
    Some(Receipt { seq: seq.parse().ok()?, hash: hash.to_owned() })
}
