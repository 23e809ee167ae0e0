//! Removes the oldest segments of a ledger that is too large or too old, and leaves a signed record of each.
//!
//! What a file system says about a file, anybody can change who may write the ledger. So age is what the records say, only chains count that this
//! ledger's key has closed, and a segment goes only if that key signed its records.

mod carry;
mod vouch;

use std::{fmt, io, path::Path, sync::Arc, time::Duration};

use crate::{
    disk,
    epoch::{EpochEntry, Event, ledger_id},
    epochs::KeySet,
    error::{LedgerError, OpenError},
    layout::{self, ChainDir, Piece},
    lock::Brief,
    record::{Head, Kind, Record, RecordLine},
    sign::{PublicKey, Signer, Statement},
    time::Time,
    witness::Witness,
    writer::{Tools, Writer},
};
use vouch::PruneRecord;

/// The most chains that one record of the log of epochs names.
const MOST_NAMES: usize = 1_000;

/// How long a pruning waits for its turn.
const PRUNE_WAIT: Duration = Duration::from_millis(100);

/// Tells whether a copy elsewhere lacks records of a chain before a number.
type Lacks = Arc<dyn Fn(&str, u64) -> bool + Send + Sync>;

/// What is not pruned yet.
#[derive(Clone)]
pub struct Hold {
    /// Whether a copy elsewhere lacks records of a chain before a number.
    pub lacks: Lacks,
    /// How many bytes stay for that at most; of more, the oldest go.
    pub most_bytes: u64,
}

impl fmt::Debug for Hold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hold").field("most_bytes", &self.most_bytes).finish_non_exhaustive()
    }
}

/// How much is kept.
#[derive(Debug, Clone, Default)]
pub(crate) struct Keep {
    pub bytes: Option<u64>,
    /// How old a segment is at least that goes for the size.
    pub young: u64,
    pub millis: Option<u64>,
    pub hold: Option<Hold>,
}

impl Keep {
    /// Whether a segment may go because the ledger has so many bytes.
    fn is_too_large(&self, total: u64, written: Time, now: Time) -> bool {
        let is_young = written.millis().saturating_add(self.young) > now.millis();
        self.bytes.is_some_and(|it| total > it) && !is_young
    }

    fn is_too_old(&self, written: Time, now: Time) -> bool {
        self.millis.is_some_and(|it| written.millis().saturating_add(it) < now.millis())
    }
}

/// A segment that may be removed.
struct Candidate {
    chain: usize,
    piece: Piece,
    /// The segment behind it, which signs its end.
    next: Option<Piece>,
    bytes: u64,
    /// When the newest record up to its end was written, so that the segments of a chain are in order whatever the clock did.
    written: Time,
}

/// A segment that will be removed.
struct Victim {
    candidate: Candidate,
    why: &'static str,
    /// The end of the chain at the end of the segment.
    head: Head,
    /// What it says was removed before.
    told: Vec<PruneRecord>,
}

/// Prunes what is over the limits. Records come first, files after: each loss is on record.
pub(crate) fn prune(
    keep: &Keep,
    first: PublicKey,
    writer: &mut Writer,
    now: Time,
) -> Result<(), LedgerError> {
    if keep.bytes.is_none() && keep.millis.is_none() {
        return Ok(());
    }
    let ledger = writer.tools.ledger.clone();
    // Of several processes one does it; the directory itself is the lock.
    let Ok(Some(_lock)) = Brief::take(&ledger) else { return Ok(()) };
    // A directory that cannot be read keeps what it has: nothing is lost by that.
    let Ok(chains) = layout::chains(&ledger) else { return Ok(()) };
    let mut own = KeySet::of_own(writer.tools.keys.path(), first);
    own.insert(writer.signer.public());
    let victims = select(&chains, keep, (writer, &own), now);
    if !victims.is_empty() {
        let pruned = victims.iter().map(|it| record(it, &chains, &writer.signer));
        let records: Vec<Record> = pruned.chain(carry::carried(&victims, &chains, &own)).collect();
        writer.commit(now, &records)?;
        if tell(&victims, &chains, writer, now).is_ok() {
            remove(&victims, &chains, &writer.tools.witness);
        }
    }
    remove_empty(&chains, &writer.tools.witness);
    Ok(())
}

/// The segments that have to go, oldest first; in a chain always from its start.
fn select(
    chains: &[ChainDir],
    keep: &Keep,
    (writer, own_keys): (&Writer, &KeySet),
    now: Time,
) -> Vec<Victim> {
    let mut total = 0;
    let mut candidates = Vec::new();
    for (at, chain) in chains.iter().enumerate() {
        // One that cannot be read stays, and does not drive out others.
        let found = if chain.corrupt {
            None
        } else if chain.name == writer.name {
            own(at, chain).ok()
        } else {
            closed(at, chain, own_keys).ok()
        };
        let (bytes, found) = found.unwrap_or_default();
        total += bytes;
        candidates.extend(found);
    }
    candidates.sort_by_key(|it| (it.written, it.chain, it.piece.number));
    let mut victims: Vec<Victim> = Vec::new();
    let mut kept: Vec<usize> = Vec::new();
    let mut waiting = keep.hold.as_ref().map_or(0, |it| waiting_bytes(it, &candidates, chains));
    for candidate in candidates {
        let too_large = keep.is_too_large(total, candidate.written, now);
        let may_go = too_large || keep.is_too_old(candidate.written, now);
        let name = chains.get(candidate.chain).map(|it| it.name.as_str());
        let vouched = name.filter(|_| may_go && !kept.contains(&candidate.chain)).and_then(|it| {
            vouch::vouch(it, &candidate.piece, candidate.next.as_ref(), own_keys).ok()?
        });
        let Some(vouched) = vouched else {
            kept.push(candidate.chain);
            continue;
        };
        let why = if keep.is_too_old(vouched.newest, now) {
            "age"
        } else if too_large && keep.is_too_large(total, vouched.newest, now) {
            "size"
        } else {
            kept.push(candidate.chain);
            continue;
        };
        if let Some((hold, name)) = keep.hold.as_ref().zip(name)
            && (hold.lacks)(name, vouched.head.next)
        {
            // Of more than may wait, the oldest goes.
            if waiting <= hold.most_bytes {
                kept.push(candidate.chain);
                continue;
            }
            waiting = waiting.saturating_sub(candidate.bytes);
        }
        total -= candidate.bytes;
        victims.push(Victim { candidate, why, head: vouched.head, told: vouched.told });
    }
    victims
}

/// The bytes of the segments that a copy elsewhere lacks.
fn waiting_bytes(hold: &Hold, candidates: &[Candidate], chains: &[ChainDir]) -> u64 {
    let end = |it: &Candidate| match &it.next {
        Some(next) => layout::end_before(next).ok().flatten().map(|it| it.next),
        None => {
            let last = layout::last_line(&it.piece).ok().flatten()?;
            RecordLine::read(&last).ok().map(|it| it.seq + 1)
        }
    };
    let lacks = |it: &&Candidate| {
        let chain = chains.get(it.chain).map(|it| it.name.as_str());
        chain.zip(end(it)).is_some_and(|(chain, end)| (hold.lacks)(chain, end))
    };
    candidates.iter().filter(lacks).map(|it| it.bytes).sum()
}

/// The bytes that a chain counts for, and its segments that may go.
type Counted = (u64, Vec<Candidate>);

/// Of this process's own chain all but the present segment may go.
fn own(at: usize, chain: &ChainDir) -> io::Result<Counted> {
    let (bytes, mut candidates) = candidates(at, layout::pieces(&chain.path)?)?;
    candidates.pop();
    Ok((bytes, candidates))
}

/// A chain of another process counts once it is closed, and all of it may go.
fn closed(at: usize, chain: &ChainDir, keys: &KeySet) -> io::Result<Counted> {
    if !chain.is_closed() {
        return Ok(Counted::default());
    }
    let pieces = layout::pieces(&chain.path)?;
    match pieces.last() {
        Some(last) if vouch::is_closed_by(&chain.name, last, keys)? => candidates(at, pieces),
        _ => Ok(Counted::default()),
    }
}

fn candidates(chain: usize, pieces: Vec<Piece>) -> io::Result<Counted> {
    let mut total = 0;
    let mut written = Time::default();
    let mut found = Vec::with_capacity(pieces.len());
    let mut pieces = pieces.into_iter().peekable();
    while let Some(piece) = pieces.next() {
        let bytes = size(&piece)?;
        total += bytes;
        let latest = layout::latest_time(&piece)?;
        // What does not end with a record is not vouched for; so it does not matter when it was written.
        written = written.max(latest.unwrap_or_default());
        found.push(Candidate { chain, next: pieces.peek().cloned(), piece, bytes, written });
    }
    Ok((total, found))
}

/// What a segment takes of the disk: a file can claim any length.
fn size(piece: &Piece) -> io::Result<u64> {
    let file = disk::metadata(&piece.path)?;
    Ok(file.len.min(file.taken))
}

fn record(victim: &Victim, chains: &[ChainDir], signer: &Signer) -> Record {
    let Victim { candidate, why, head, .. } = victim;
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

/// Enters into the log of epochs which chains are removed whole, so that they are not missed.
fn tell(
    victims: &[Victim],
    chains: &[ChainDir],
    writer: &Writer,
    now: Time,
) -> Result<(), OpenError> {
    let whole = victims.iter().filter(|it| it.candidate.next.is_none());
    let names = whole.filter_map(|it| Some(chains.get(it.candidate.chain)?.name.clone()));
    let names: Vec<String> = names.collect();
    let Tools { keys, ledger, .. } = &writer.tools;
    for chains in names.chunks(MOST_NAMES) {
        let (ledger_id, chains) = (ledger_id(ledger), chains.to_vec());
        let entry = EpochEntry { event: Event::Prune, ledger: ledger_id, chains, position: None };
        // A process that holds the lock of the keys for long delays no other: what remains is pruned the next time.
        keys.turn((ledger, now), PRUNE_WAIT, |_| Ok(((), entry)))?;
    }
    Ok(())
}

/// Removes the files. The witness of a chain that goes whole is removed first: without it, an empty directory means nothing.
fn remove(victims: &[Victim], chains: &[ChainDir], witness: &Witness) {
    for Victim { candidate, .. } in victims {
        if candidate.next.is_none()
            && let Some(chain) = chains.get(candidate.chain)
        {
            drop(witness.forget(&chain.name));
        }
        // A file that stays is pruned again the next time.
        drop(disk::remove_file(&candidate.piece.path));
    }
}

/// Removes the directories of chains that were pruned. One that is still witnessed was emptied by another process.
fn remove_empty(chains: &[ChainDir], witness: &Witness) {
    let is_empty = |path: &Path| layout::segment_numbers(path).is_ok_and(|it| it.is_empty());
    let is_pruned = |it: &&ChainDir| {
        !it.corrupt
            && it.is_closed()
            && is_empty(&it.path)
            && matches!(witness.of(&it.name), Ok(None))
    };
    for chain in chains.iter().filter(is_pruned) {
        drop(disk::remove_dir(&chain.path));
    }
}
