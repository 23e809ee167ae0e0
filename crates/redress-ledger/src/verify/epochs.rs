//! What the logs of epochs say of the chains of a ledger: which keys count, and what must be there.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::Path,
};

use super::{
    Evidence,
    report::{Problem, RecordProblem},
};
use crate::{
    disk,
    epoch::{Epoch, Event, Position, ledger_id},
    epochs::{self, EpochProblem, KeySet, Sequence},
    hash::Hash,
    keys, layout,
    lines::{LineEnd, Lines},
    sign::PublicKey,
    witness::Attested,
};

/// Everything that the logs say.
#[derive(Debug, Default)]
pub(super) struct Epochs {
    /// Whether keys were given, so that no others count.
    is_given: bool,
    /// The key of each epoch, with the chain that it signs.
    keys: BTreeMap<[u8; 32], Option<String>>,
    /// Keys that may sign any chain: older versions signed all chains with one key, whose secret is gone since.
    for_all: KeySet,
    /// The first key of the sequence that a key is of.
    first_of: BTreeMap<[u8; 32], PublicKey>,
    /// The keys of this user.
    own: KeySet,
    chains: BTreeMap<String, Fixed>,
    /// The chains that epochs name.
    told: BTreeSet<String>,
    /// The chains that must be there, unless they were pruned.
    begun: Vec<Begun>,
    pruned: BTreeSet<String>,
    pub(super) problems: Vec<Problem>,
}

/// What is fixed of a chain.
#[derive(Debug, Default)]
pub(super) struct Fixed {
    /// The hashes of some of its records.
    positions: BTreeMap<u64, Hash>,
    /// Its last record.
    end: Option<u64>,
    /// The last record that a log outside of the ledger names: a process that can write the ledger cannot cut that log, too.
    held: Option<u64>,
}

#[derive(Debug)]
struct Begun {
    chain: String,
    ledger: String,
    /// Whether the log was found with the ledger, or given for it: then it also tells of a ledger that was moved.
    is_with_ledger: bool,
}

/// What a key is to a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// It may sign the chain.
    Right,
    /// It is known, but signs another chain.
    OfAnother,
    /// It is not known, and keys are.
    Stranger,
}

/// Where a log was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum LogOrigin {
    /// Beside the user's own key.
    Own,
    /// The caller named it.
    Named,
    /// In the ledger.
    Copy,
}

/// The longest log of a sequence.
struct Longest {
    sequence: Sequence,
    origin: LogOrigin,
    /// How many of its epochs also stand in a log outside of the ledger.
    outside: usize,
}

impl Epochs {
    /// Reads the logs: those beside the user's key, those that were named, and the copies in the ledger.
    ///
    /// # Errors
    /// One of them cannot be read.
    pub(super) fn read(dir: &Path, evidence: &Evidence, is_fast: bool) -> io::Result<Self> {
        let mut all = Self { is_given: !evidence.keys.is_empty(), ..Self::default() };
        let read = if is_fast { Sequence::read_fast } else { Sequence::read };
        let mut found: Vec<(Sequence, LogOrigin)> = Vec::new();
        if let Some(key) = &evidence.key_file {
            // The key first: what is logged meanwhile only makes the log longer.
            let last = keys::last_epoch(key);
            for path in epochs::files(&epochs::beside(key)) {
                found.push((read(&path).map_err(|it| named(&path, &it))?, LogOrigin::Own));
            }
            all.compare_with_key(key, last, &mut found);
        }
        let further = evidence.logs.iter().flat_map(|it| epochs::files(it));
        let further = further.map(|it| (it, LogOrigin::Named));
        for (path, origin) in
            further.chain(epochs::copies(dir).into_iter().map(|it| (it, LogOrigin::Copy)))
        {
            if found.iter().all(|it| it.0.path != path) {
                found.push((read(&path).map_err(|it| named(&path, &it))?, origin));
            }
        }
        all.take(found, evidence);
        for path in &evidence.witnesses {
            all.take_witness(path).map_err(|it| named(path, &it))?;
        }
        Ok(all)
    }

    /// Takes the checkpoints of a witness file.
    fn take_witness(&mut self, path: &Path) -> io::Result<()> {
        let mut lines = Lines::new(disk::File::open(path)?);
        while let Some(raw) = lines.next()? {
            // A last line that does not end is being written.
            if raw.end == LineEnd::EndOfFile {
                break;
            }
            let Some(Attested { ledger, chain, position }) = Attested::read(raw.bytes) else {
                let file = path.to_owned();
                self.problems.push(Problem {
                    file,
                    line: raw.number,
                    seq: 0,
                    what: RecordProblem::Witness,
                });
                break;
            };
            let fixed = self.chains.entry(chain.clone()).or_default();
            fixed.fix(position, true);
            self.begun.push(Begun { chain, ledger, is_with_ledger: true });
        }
        Ok(())
    }

    /// The log must reach up to the epoch before that of the key; that one may be missing after a crash.
    fn compare_with_key(
        &mut self,
        key: &Path,
        last: Option<Epoch>,
        found: &mut [(Sequence, LogOrigin)],
    ) {
        let Some(last) = last else { return };
        let first = keys::first_public(key).ok().flatten();
        let log = found.iter_mut().find(|it| it.0.first() == first).map(|it| &mut it.0);
        let len = log.as_ref().map_or(0, |it| it.epochs.len() as u64);
        if len < last.number && log.as_ref().is_none_or(|it| it.wrong.is_none()) {
            let beside = epochs::beside(key);
            let file = log.map_or(beside, |it| it.path.clone());
            self.note(&file, len + 1, len, EpochProblem::Missing);
        } else if let Some(log) = log {
            log.add(last);
        }
    }

    fn note(&mut self, file: &Path, line: u64, seq: u64, wrong: EpochProblem) {
        let (file, what) = (file.to_owned(), RecordProblem::Epoch(wrong));
        self.problems.push(Problem { file, line, seq, what });
    }

    /// Takes what counts: from the keys on that were given; if there are none, everything.
    fn take(&mut self, mut found: Vec<(Sequence, LogOrigin)>, evidence: &Evidence) {
        let own = evidence.key_file.as_deref().and_then(|it| keys::first_public(it).ok().flatten());
        self.own.extend(own.into_iter());
        found.sort_by_key(|it| it.1);
        let mut taken: Vec<Longest> = Vec::new();
        for (sequence, origin) in found {
            self.take_wrong(&sequence, evidence);
            if sequence.epochs.is_empty() {
                continue;
            }
            let len = sequence.epochs.len();
            let outside = if origin == LogOrigin::Copy { 0 } else { len };
            match taken.iter_mut().find(|it| it.sequence.first() == sequence.first()) {
                Some(before) => {
                    self.compare(&before.sequence, &sequence);
                    before.outside = before.outside.max(outside);
                    if before.sequence.epochs.len() < len {
                        before.sequence = sequence;
                    }
                }
                None => taken.push(Longest { sequence, origin, outside }),
            }
        }
        for key in &evidence.keys {
            let is_later = |it: &Epoch| it.key == *key && it.number > 0;
            if !taken.iter().any(|it| it.sequence.epochs.iter().any(is_later)) {
                self.for_all.insert(*key);
            }
            self.keys.insert(key.bytes(), None);
        }
        for Longest { sequence, origin, outside } in &taken {
            let is_own = *origin == LogOrigin::Own || sequence.first() == own;
            let is_given = |it: &Epoch| evidence.keys.contains(&it.key);
            let from =
                if self.is_given { sequence.epochs.iter().position(is_given) } else { Some(0) };
            if is_own {
                self.own.extend(sequence.keys());
            }
            if let Some(first) = sequence.first() {
                self.first_of.extend(sequence.keys().map(|it| (it.bytes(), first)));
            }
            if let Some(from) = from {
                let epochs = sequence.epochs.get(from..).unwrap_or_default();
                self.learn(epochs, (*origin, is_own), *outside as u64);
            }
        }
    }

    /// A damaged log is reported, unless it belongs to a user who was not asked for.
    fn take_wrong(&mut self, sequence: &Sequence, evidence: &Evidence) {
        let Some((line, seq, wrong)) = sequence.wrong else { return };
        let is_asked_for = |it: &Sequence| {
            it.epochs.is_empty() || it.epochs.iter().any(|it| evidence.keys.contains(&it.key))
        };
        if !self.is_given || is_asked_for(sequence) {
            self.note(&sequence.path, line, seq, wrong);
        }
    }

    /// Two logs of one sequence agree as far as both go: else an epoch was used twice.
    fn compare(&mut self, one: &Sequence, other: &Sequence) {
        let differs = |it: &(&Epoch, &Epoch)| it.0.hash != it.1.hash;
        if let Some((_, epoch)) = one.epochs.iter().zip(&other.epochs).find(differs) {
            self.note(&other.path, epoch.number + 1, epoch.number, EpochProblem::Doubled);
        }
    }

    fn learn(&mut self, epochs: &[Epoch], (origin, is_own): (LogOrigin, bool), outside: u64) {
        for epoch in epochs {
            let entry = &epoch.entry;
            let signs = entry.chains.first().filter(|_| entry.event.gives_key());
            self.keys.insert(epoch.key.bytes(), signs.cloned());
            if epoch.number == 0 {
                self.for_all.insert(epoch.key);
            }
            if entry.event == Event::Prune {
                self.pruned.extend(entry.chains.iter().cloned());
            }
            if let (Some(chain), Some(position)) = (entry.chains.first(), entry.position) {
                self.told.insert(chain.clone());
                let fixed = self.chains.entry(chain.clone()).or_default();
                fixed.fix(position, epoch.number < outside);
                if entry.event.ends_chain() && fixed.end.is_none() {
                    fixed.end = Some(position.seq);
                }
            }
            if entry.event == Event::Begin && (self.is_given || is_own) {
                let is_with_ledger = origin != LogOrigin::Own;
                let ledger = &entry.ledger;
                self.begun.extend(entry.chains.iter().map(|chain| Begun {
                    chain: chain.clone(),
                    ledger: ledger.clone(),
                    is_with_ledger,
                }));
            }
        }
        if let Some(last) = epochs.last() {
            self.keys.entry(last.next.bytes()).or_default();
        }
    }

    /// What is fixed of a chain.
    pub(super) fn of(&self, chain: &str) -> Option<&Fixed> {
        self.chains.get(chain)
    }

    /// What a key is to a chain.
    pub(super) fn standing(&self, key: &PublicKey, chain: &str) -> Standing {
        match self.keys.get(&key.bytes()) {
            _ if self.for_all.contains(key) => Standing::Right,
            Some(signs) if signs.as_deref() == Some(chain) => Standing::Right,
            Some(_) => Standing::OfAnother,
            None if self.is_given || self.told.contains(chain) => Standing::Stranger,
            None => Standing::Right,
        }
    }

    /// Whether two keys are one, or of one sequence.
    pub(super) fn is_same_owner(&self, one: &PublicKey, other: &PublicKey) -> bool {
        let first = |it: &PublicKey| self.first_of.get(&it.bytes()).copied().unwrap_or(*it);
        first(one) == first(other)
    }

    /// Whether a key is one of this user's.
    pub(super) fn is_own(&self, key: &PublicKey) -> bool {
        self.own.contains(key)
    }

    /// Whether a key is known to be one of the ledger's: given or certified by one, or else this user's own.
    pub(super) fn is_known(&self, key: &PublicKey) -> bool {
        if self.is_given { self.keys.contains_key(&key.bytes()) } else { self.is_own(key) }
    }

    /// The chains of this ledger that began, are not there, and were not pruned.
    pub(super) fn missing(&self, dir: &Path) -> Vec<String> {
        let is_there = |chain: &str| {
            let draft = dir.join(layout::draft_name(chain));
            // Looked for again behind its draft, which may have got its name meanwhile.
            [dir.join(chain), draft, dir.join(chain)].iter().any(|it| disk::exists(it))
                || is_put_aside(dir, chain)
        };
        let here = ledger_id(dir);
        let of_ledger = |it: &&Begun| it.is_with_ledger && is_there(&it.chain);
        let moved: BTreeSet<&str> =
            self.begun.iter().filter(of_ledger).map(|it| it.ledger.as_str()).collect();
        let belongs =
            |it: &&Begun| it.ledger == here || it.is_with_ledger && moved.contains(&*it.ledger);
        let gone = self.begun.iter().filter(belongs).map(|it| &it.chain);
        let gone: BTreeSet<&String> = gone.filter(|it| !self.pruned.contains(*it)).collect();
        gone.into_iter().filter(|it| !is_there(it)).cloned().collect()
    }
}

impl Fixed {
    /// Fixes a record. Two hashes for one: neither is right.
    fn fix(&mut self, Position { seq, hash }: Position, is_held: bool) {
        let fixed = self.positions.entry(seq).or_insert(hash);
        if *fixed != hash {
            *fixed = Hash::ZERO;
        }
        if is_held {
            self.held = self.held.max(Some(seq));
        }
    }

    /// What is wrong with a record at its place.
    pub(super) fn mistrust(&self, seq: u64, hash: Hash) -> Option<RecordProblem> {
        if self.positions.get(&seq).is_some_and(|it| *it != hash) {
            return Some(RecordProblem::Rewritten);
        }
        self.end.filter(|it| seq > *it).map(|end| RecordProblem::AfterEnd { end })
    }

    /// The last record that must be there.
    pub(super) fn newest(&self) -> Option<u64> {
        self.positions.last_key_value().map(|it| *it.0)
    }

    /// The last record that a log outside of the ledger names.
    pub(super) const fn held(&self) -> Option<u64> {
        self.held
    }
}

/// Whether a chain was put aside.
fn is_put_aside(dir: &Path, chain: &str) -> bool {
    let aside = format!("{chain}.corrupt");
    let names = disk::read_dir(dir).into_iter().flatten().flatten();
    names.map(|it| it.file_name()).any(|it| it.to_string_lossy().starts_with(&aside))
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}
