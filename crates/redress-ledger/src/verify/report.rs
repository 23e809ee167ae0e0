//! What a verification found, for people and for programs.

use std::{fmt, path::PathBuf};

use redress::fault::Receipt;

use crate::{
    epochs::EpochProblem, hash::Hash, layout::ChainDir, record::BadLine, sign::PublicKey,
    time::Time,
};

/// What a verification found.
#[derive(Debug)]
#[non_exhaustive]
pub struct Report {
    /// Every chain, oldest first.
    pub chains: Vec<ChainReport>,
    /// Every receipt that was asked for.
    pub receipts: Vec<ReceiptReport>,
    /// Chains that were witnessed and are gone.
    pub missing: Vec<Missing>,
    /// Witnesses that are there, but cannot be read or are damaged. Each may be one of this ledger.
    pub witnesses: Vec<Problem>,
    /// What is wrong with the logs of epochs.
    pub epochs: Vec<Problem>,
    /// Whether the keys of the signatures were given, and not taken from the records themselves.
    pub keys_given: bool,
    /// Whether witnesses were looked for.
    pub witnessed: bool,
}

impl Report {
    /// Whether nothing was found to be wrong.
    pub fn is_sound(&self) -> bool {
        self.first_problem().is_none()
            && self.missing.is_empty()
            && self.receipts.iter().all(|it| !it.is_lost())
    }

    /// The first record that is wrong; if there is none, the first place that cannot be read.
    pub fn first_problem(&self) -> Option<&Problem> {
        let chains = || self.chains.iter().filter_map(|it| it.problem.as_ref());
        let all = || self.epochs.iter().chain(chains()).chain(&self.witnesses);
        all().find(|it| !it.is_unreadable()).or_else(|| all().next())
    }
}

/// A chain that was witnessed and is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Missing {
    /// Its name.
    pub chain: String,
    /// Who says that it was pruned, if only an unknown signer does.
    pub pruned_by: Option<PublicKey>,
}

/// What was found in one chain.
#[derive(Debug)]
#[non_exhaustive]
pub struct ChainReport {
    /// Its name.
    pub name: String,
    /// Its directory.
    pub path: PathBuf,
    /// Whether a process writes it.
    pub state: ChainState,
    /// How many records are sound, from the start.
    pub records: u64,
    /// When the first and the last of them were recorded.
    pub times: Option<(Time, Time)>,
    /// The hash of the last sound record.
    pub head: Option<Hash>,
    /// The first record that is wrong.
    pub problem: Option<Problem>,
    /// Bytes of a line that does not end; in a chain that is being written they will be a record.
    pub unfinished_bytes: u64,
    /// Up to which record everything is signed: it cannot be rewritten without the key.
    pub signed_to: Option<u64>,
    /// Up to which record a witness or a receipt exists: it cannot be cut off unnoticed.
    pub held_to: Option<u64>,
    /// The number of the last record.
    pub last_seq: Option<u64>,
    /// The keys that signed it, in the order in which they did.
    pub keys: Vec<PublicKey>,
    /// Whether all of them are keys of this user.
    pub is_own: bool,
    /// Whether a witness or a receipt holds it: a copy of it has none.
    pub is_witnessed: bool,
}

impl ChainReport {
    /// The report of a chain before anything of it is read.
    pub(super) fn empty(chain: &ChainDir, state: ChainState) -> Self {
        Self {
            name: chain.name.clone(),
            path: chain.path.clone(),
            state,
            records: 0,
            times: None,
            head: None,
            problem: None,
            unfinished_bytes: 0,
            signed_to: None,
            held_to: None,
            last_seq: None,
            keys: Vec::new(),
            is_witnessed: false,
            is_own: false,
        }
    }

    /// How many records at the end could be rewritten without the key.
    pub fn rewritable(&self) -> u64 {
        // What is held behind a break does not hold the records before it.
        self.behind(self.signed_to.max(self.held_to.filter(|it| Some(*it) <= self.last_seq)))
    }

    /// How many records at the end could be cut off without a trace.
    pub fn cuttable(&self) -> u64 {
        self.behind(self.held_to)
    }

    fn behind(&self, seq: Option<u64>) -> u64 {
        match (self.last_seq, seq) {
            (None, _) => 0,
            (Some(last), None) => last.saturating_add(1).min(self.records),
            (Some(last), Some(seq)) => last.saturating_sub(seq),
        }
    }
}

/// Whether a process writes a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChainState {
    /// Its process lives.
    Live,
    /// It was closed, and nothing may change any more.
    Closed,
    /// Its process ended without closing it; the next writer finishes it.
    Unfinished,
    /// It was found to be corrupt and put aside.
    Quarantined,
}

impl ChainState {
    /// One word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Closed => "closed",
            Self::Unfinished => "unfinished",
            Self::Quarantined => "quarantined",
        }
    }
}

/// The first place where a chain is not what it was.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1; 0 if it is not a line.
    pub line: u64,
    /// The number of the record that should stand there.
    pub seq: u64,
    /// What is wrong.
    pub what: RecordProblem,
}

impl Problem {
    /// Whether nothing is known to be wrong: something that would prove more cannot be read.
    pub const fn is_unreadable(&self) -> bool {
        matches!(self.what, RecordProblem::Unreadable(_) | RecordProblem::Witness)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, seq, what } = self;
        match line {
            0 => write!(f, "{}: {what}", file.display()),
            _ => write!(f, "{}:{line} (record {seq}): {what}", file.display()),
        }
    }
}

/// What is wrong with a record.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordProblem {
    /// The line was changed.
    Changed(BadLine),
    /// Records were dropped: this one is where an earlier one should be.
    Dropped {
        /// The number that is there.
        found: u64,
    },
    /// A record occurs twice, or too late.
    OutOfOrder {
        /// The number that is there.
        found: u64,
    },
    /// The record does not continue the one before: one of the two was put in or rewritten.
    Unlinked,
    /// The first line of a segment does not fit the segment before.
    BadStart,
    /// The chain is of a format that is not known.
    Format(String),
    /// A segment is missing.
    SegmentMissing(u32),
    /// Records before this one are gone, and no signed record tells of it.
    StartMissing,
    /// Records are gone, and who says that they were pruned is neither known nor signed what is left of the chain.
    PrunedByStranger(Box<PublicKey>),
    /// Bytes stand behind the end of a segment.
    Surplus,
    /// The signature is not over these records.
    Signature,
    /// The signature is that of another key than those that were asked for.
    OtherKey(Box<PublicKey>),
    /// The chain ends before a checkpoint that was witnessed.
    Cut {
        /// The number of the checkpoint.
        witnessed: u64,
    },
    /// The chain has another record where a witnessed checkpoint stood.
    Rewritten,
    /// A record is behind the end of a chain, as the log of epochs has it.
    AfterEnd {
        /// The number of the last record.
        end: u64,
    },
    /// The last signature is that of a key which the log of epochs gives to another chain, or to none.
    KeyOfAnother(Box<PublicKey>),
    /// The log of epochs is not what was written.
    Epoch(EpochProblem),
    /// The chain was closed, but its closing checkpoint is not its end.
    NotClosed,
    /// The chain is there twice.
    Copy {
        /// Where the other one is.
        of: PathBuf,
    },
    /// The lock of the chain is no file.
    Lock,
    /// The witness is no checkpoint, so that the length of the chain is unknown.
    Witness,
    /// The system does not let it be read, so that nothing is proven from there on.
    Unreadable(String),
}

impl fmt::Display for RecordProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed(why) => write!(f, "changed: {why}"),
            Self::Dropped { found } => {
                write!(f, "dropped: record {found} stands there instead")
            }
            Self::OutOfOrder { found } => {
                write!(f, "duplicated or reordered: record {found} stands there instead")
            }
            Self::Unlinked => {
                f.write_str("inserted or rewritten: it does not continue the record before")
            }
            Self::BadStart => f.write_str("the segment does not continue the one before"),
            Self::Format(format) => write!(f, "the format \"{format}\" is not known"),
            Self::SegmentMissing(number) => write!(f, "segment {number} is missing"),
            Self::StartMissing => {
                f.write_str("the records before are gone, and no signed record tells of it")
            }
            Self::PrunedByStranger(key) => write!(
                f,
                "records are gone, and that they were pruned is signed by the key {key}, which is not known and signed nothing that is left of the chain"
            ),
            Self::Surplus => f.write_str("inserted: bytes stand behind the end of the segment"),
            Self::Signature => f.write_str("the signature does not fit the records before"),
            Self::OtherKey(key) => {
                write!(f, "it is signed by the key {key}, which is none of those given")
            }
            Self::Cut { witnessed } => {
                write!(f, "cut: the checkpoint {witnessed}, which was witnessed, is gone")
            }
            Self::Rewritten => {
                f.write_str("rewritten: a checkpoint was witnessed with another hash")
            }
            Self::AfterEnd { end } => {
                write!(f, "inserted: the chain was closed with record {end}, an epoch says")
            }
            Self::KeyOfAnother(key) => {
                write!(f, "it is signed by the key {key}, which no epoch gives to this chain")
            }
            Self::Epoch(wrong) => wrong.fmt(f),
            Self::NotClosed => f.write_str("cut: the chain was closed and does not end like that"),
            Self::Copy { of } => write!(f, "copied: the same chain is {}", of.display()),
            Self::Lock => f.write_str("the lock of the chain is no file"),
            Self::Witness => f.write_str(
                "the witness is damaged: how long the chain was, and of which ledger, is not known",
            ),
            Self::Unreadable(why) => write!(f, "it cannot be read: {why}"),
        }
    }
}

/// What became of a receipt.
#[derive(Debug)]
#[non_exhaustive]
pub struct ReceiptReport {
    /// The receipt.
    pub receipt: Receipt,
    /// Where its record is.
    pub found: Found,
}

impl ReceiptReport {
    /// Whether its record should be there and is not.
    pub const fn is_lost(&self) -> bool {
        matches!(self.found, Found::Nowhere | Found::PrunedByStranger(_))
    }
}

/// Where the record of a receipt is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// In this chain.
    In(String),
    /// In this chain there is a record that fits it, but the receipt is too short to prove that it is the one: another one with the same digits is found
    /// in seconds.
    Similar(String),
    /// In none; but segments that may have held it were pruned in good order, as a key says that is known.
    PerhapsPruned,
    /// In none; and that segments were pruned which may have held it, only this key says, which is not known.
    PrunedByStranger(Box<PublicKey>),
    /// In none: it was cut off, or changed.
    Nowhere,
}
