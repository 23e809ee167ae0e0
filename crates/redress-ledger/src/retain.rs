//! Removes the oldest segments of a ledger that is too large or too old, and leaves a signed record of each.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use rustix::fs::{FlockOperation, flock};

use crate::{
    error::LedgerError,
    layout::{self, ChainDir, Piece},
    lines::Lines,
    record::{Head, Kind, Line, Record},
    sign::{Signer, Statement},
    time::Time,
    witness::Witness,
    writer::Writer,
};

/// How much is kept.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Keep {
    pub bytes: Option<u64>,
    pub millis: Option<u64>,
}

/// A segment that may be removed.
struct Candidate {
    chain: usize,
    piece: Piece,
    bytes: u64,
    written: u64,
}

/// A segment that will be removed.
struct Victim {
    candidate: Candidate,
    why: &'static str,
    /// The end of the chain at the end of the segment.
    head: Head,
}

/// Prunes what is over the limits. Records come first, files after: what is gone is always told of.
pub(crate) fn prune(
    ledger: &Path,
    keep: Keep,
    writer: &mut Writer,
    now: Time,
) -> Result<(), LedgerError> {
    if keep.bytes.is_none() && keep.millis.is_none() {
        return Ok(());
    }
    // Of several processes one does it; the directory itself is the lock.
    let Ok(Some(_lock)) = lock(ledger) else { return Ok(()) };
    // A directory that cannot be read keeps what it has: nothing is lost by that.
    let Ok((chains, victims)) = select(ledger, keep, &writer.name, now) else { return Ok(()) };
    let records: Vec<Record> =
        victims.iter().map(|it| record(it, &chains, &writer.tools.signer)).collect();
    if records.is_empty() {
        return Ok(());
    }
    writer.commit(now, &records)?;
    for victim in &victims {
        // A file that stays is pruned again the next time.
        drop(fs::remove_file(&victim.candidate.piece.path));
    }
    remove_empty(&chains, &writer.tools.witness);
    Ok(())
}

fn lock(ledger: &Path) -> io::Result<Option<File>> {
    let file = File::open(ledger)?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Some(file)),
        Err(_) => Ok(None),
    }
}

/// The segments that have to go, oldest first; in a chain always from its start.
fn select(
    ledger: &Path,
    keep: Keep,
    own: &str,
    now: Time,
) -> io::Result<(Vec<ChainDir>, Vec<Victim>)> {
    let chains = layout::chains(ledger)?;
    let mut total = 0;
    let mut candidates = Vec::new();
    for (at, chain) in chains.iter().enumerate() {
        let is_own = chain.name == own;
        let may_go = !chain.corrupt && (is_own || chain.is_closed());
        let mut pieces = layout::pieces(&chain.path)?;
        let present = if is_own { pieces.pop() } else { None };
        total += present.map_or(Ok(0), |it| size(&it.path))?;
        for piece in pieces {
            let bytes = size(&piece.path)?;
            total += bytes;
            let written = written(&piece.path)?;
            candidates.extend(may_go.then_some(Candidate { chain: at, piece, bytes, written }));
        }
    }
    candidates.sort_by_key(|it| (it.written, it.chain, it.piece.number));
    let mut victims: Vec<Victim> = Vec::new();
    let mut kept: Vec<usize> = Vec::new();
    for candidate in candidates {
        let too_large = keep.bytes.is_some_and(|it| total > it);
        let too_old =
            keep.millis.is_some_and(|it| candidate.written.saturating_add(it) < now.millis());
        let why = match (too_large, too_old) {
            (_, true) => Some("age"),
            (true, false) => Some("size"),
            (false, false) => None,
        };
        let head = match why {
            Some(_) if !kept.contains(&candidate.chain) => end(&candidate.piece)?,
            _ => None,
        };
        match (why, head) {
            (Some(why), Some(head)) => {
                total -= candidate.bytes;
                victims.push(Victim { candidate, why, head });
            }
            _ => kept.push(candidate.chain),
        }
    }
    Ok((chains, victims))
}

fn size(path: &Path) -> io::Result<u64> {
    Ok(fs::metadata(path)?.len())
}

/// When a file was written last, in milliseconds since 1970.
fn written(path: &Path) -> io::Result<u64> {
    let since = fs::metadata(path)?.modified()?.duration_since(UNIX_EPOCH);
    Ok(since.map_or(0, |it| u64::try_from(it.as_millis()).unwrap_or(u64::MAX)))
}

/// The end of the chain at the end of a segment; `None` if its last line is no record, so that it must stay.
fn end(piece: &Piece) -> io::Result<Option<Head>> {
    let bytes = piece.end.map_or(u64::MAX, |it| it.bytes);
    let mut lines = Lines::new(io::Read::take(File::open(&piece.path)?, bytes));
    let mut head = None;
    while let Some(raw) = lines.next()? {
        head = Line::read(raw.bytes).ok().map(|it| it.head());
    }
    Ok(head)
}

fn record(victim: &Victim, chains: &[ChainDir], signer: &Signer) -> Record {
    let Victim { candidate, why, head } = victim;
    let chain = chains.get(candidate.chain).map_or("", |it| it.name.as_str());
    let segment = candidate.piece.number;
    let statement = Statement::Prune { chain, segment, next_seq: head.next, head: head.hash };
    let signature = signer.sign(&statement);
    Record::new(Kind::Prune, |it| {
        it.str("chain", chain).int("segment", segment).int("next_seq", head.next);
        it.str("head", &head.hash.to_string()).str("why", why);
        it.str("key", &signer.public().to_string()).str("sig", &signature);
    })
}

/// Removes the directories of closed chains that have no segment left, and their witnesses.
fn remove_empty(chains: &[ChainDir], witness: &Witness) {
    let is_empty = |path: &PathBuf| layout::segment_numbers(path).is_ok_and(|it| it.is_empty());
    for chain in chains.iter().filter(|it| !it.corrupt && it.is_closed() && is_empty(&it.path)) {
        if fs::remove_dir(&chain.path).is_ok() {
            drop(witness.forget(&chain.name));
        }
    }
}
