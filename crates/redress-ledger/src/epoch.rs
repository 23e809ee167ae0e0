//! The `epoch` record: one turn of the signing key, signed by the key that it retires.

use std::fmt;

use redress_wire::json::{Doc, Value, write_list, write_str};

use crate::{
    LINE_LIMITS,
    hash::Hash,
    record::{Head, Kind, Record, RecordLine},
    sign::{PublicKey, Signer, Statement},
    time::Time,
};

/// The version of the log of epochs; its first record names it.
const FORMAT: &str = "redress-epochs/1";

/// Why the key was replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    /// A chain began; the retired key signs it.
    Begin,
    /// A segment ended; the retired key signs the chain from here on.
    Rotate,
    /// The chain of a dead process was finished and signed with the retired key.
    Recovered,
    /// A chain was closed by its own key.
    Close,
    /// Chains were removed by age or size.
    Prune,
}

impl Event {
    const ALL: [Self; 5] = [Self::Begin, Self::Rotate, Self::Recovered, Self::Close, Self::Prune];

    const fn name(self) -> &'static str {
        match self {
            Self::Begin => "begin",
            Self::Rotate => "rotate",
            Self::Recovered => "recovered",
            Self::Close => "close",
            Self::Prune => "prune",
        }
    }

    /// Whether the retired key signs checkpoints of the chain.
    pub(crate) const fn gives_key(self) -> bool {
        matches!(self, Self::Begin | Self::Rotate | Self::Recovered)
    }

    /// Whether no record of the chain follows.
    pub(crate) const fn ends_chain(self) -> bool {
        matches!(self, Self::Recovered | Self::Close)
    }
}

/// A record of a chain: its number and its hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position {
    pub seq: u64,
    pub hash: Hash,
}

/// What a turn of the key is for. Its text is part of the signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EpochEntry {
    pub event: Event,
    /// The ledger, as [`ledger_id`] names it.
    pub ledger: String,
    /// The chains: one, but for prunings.
    pub chains: Vec<String>,
    /// A record that the chain has from now on.
    pub position: Option<Position>,
}

impl EpochEntry {
    /// What happened to one chain.
    pub(crate) fn of(event: Event, ledger: &str, chain: &str, position: Position) -> Self {
        let (ledger, chains) = (ledger.to_owned(), vec![chain.to_owned()]);
        Self { event, ledger, chains, position: Some(position) }
    }
}

impl fmt::Display for EpochEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { event, ledger, chains, position } = self;
        write!(f, "{}\n{ledger}\n{}\n", event.name(), chains.join(" "))?;
        match position {
            Some(Position { seq, hash }) => write!(f, "{seq}\n{hash}\n"),
            None => f.write_str("-\n-\n"),
        }
    }
}

/// The name of a ledger in the log of epochs: digits of the hash of its canonical path, which tell nothing about the path.
pub(crate) fn ledger_id(ledger: &std::path::Path) -> String {
    let mut id = Hash::of(ledger.as_os_str().as_encoded_bytes()).to_string();
    id.truncate(16);
    id
}

/// An `epoch` record whose signature is that of its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Epoch {
    pub number: u64,
    pub prev: Hash,
    pub hash: Hash,
    /// The key of this epoch, retired by this record.
    pub key: PublicKey,
    /// The key of the next epoch.
    pub next: PublicKey,
    pub entry: EpochEntry,
}

impl Epoch {
    /// The record's line, with its newline.
    pub(crate) fn write(
        mut head: Head,
        signer: &Signer,
        next: PublicKey,
        entry: &EpochEntry,
        now: Time,
    ) -> Vec<u8> {
        let (number, prev) = (head.next, head.hash);
        let signature =
            signer.sign(&Statement::Epoch { number, prev, next, entry: &entry.to_string() });
        let record = Record::new(Kind::Epoch, |it| {
            it.opt_str("format", (number == 0).then_some(FORMAT));
            it.str("key", &signer.public().to_string()).str("next", &next.to_string());
            it.str("event", entry.event.name()).str("ledger", &entry.ledger);
            write_list(it.key("chains"), &entry.chains, |chain, out| write_str(out, chain));
            if let Some(Position { seq, hash }) = entry.position {
                it.int("seq", seq).str("hash", &hash.to_string());
            }
            it.str("sig", &signature);
        });
        let mut line = Vec::new();
        head.write(&record, &now.to_string(), &mut line);
        line
    }

    /// Reads a line without its newline; `None` if it is no `epoch` record of its own key.
    pub(crate) fn read(line: &[u8]) -> Option<Self> {
        Self::parse(line).filter(|(it, signature)| it.is_signed(signature)).map(|it| it.0)
    }

    fn is_signed(&self, signature: &str) -> bool {
        let Self { number, prev, next, entry, .. } = self;
        let (number, prev, next) = (*number, *prev, *next);
        self.key.has_signed(
            &Statement::Epoch { number, prev, next, entry: &entry.to_string() },
            signature,
        )
    }

    /// The same with its signature, which is not checked: the reader of a log that only this process may write need not spend the time.
    pub(crate) fn parse(line: &[u8]) -> Option<(Self, String)> {
        let line = RecordLine::read(line).ok().filter(|it| it.kind == Kind::Epoch)?;
        let doc = Doc::parse(line.text.as_bytes(), LINE_LIMITS).ok()?;
        let object = doc.root().get(Kind::Epoch.name())?;
        let text = |key| object.get(key).and_then(Value::as_str);
        if line.seq == 0 && text("format")? != FORMAT {
            return None;
        }
        let event = text("event")?;
        let event = Event::ALL.into_iter().find(|it| it.name() == event)?;
        let chains = object.get("chains")?.elements().map(|it| Some(it.as_str()?.into_owned()));
        let position = match object.get("seq").and_then(Value::as_u64) {
            Some(seq) => Some(Position { seq, hash: Hash::parse(&text("hash")?)? }),
            None => None,
        };
        let ledger = text("ledger")?.into_owned();
        let entry = EpochEntry { event, ledger, chains: chains.collect::<Option<_>>()?, position };
        let (key, next) = (PublicKey::parse(&text("key")?)?, PublicKey::parse(&text("next")?)?);
        let (number, prev, hash) = (line.seq, line.prev, line.hash);
        let signature = text("sig")?.into_owned();
        Some((Self { number, prev, hash, key, next, entry }, signature))
    }
}

#[cfg(test)]
mod tests {
    use super::{Epoch, EpochEntry, Event, Position};
    use crate::{hash::Hash, record::Head, sign::Signer, time::Time};

    #[test]
    fn a_record_is_read_as_written_and_no_byte_can_change() {
        let (signer, next) = (Signer::generate().unwrap(), Signer::generate().unwrap());
        let position = Position { seq: 3, hash: Hash::of(b"x") };
        let entry = EpochEntry::of(Event::Begin, "0011", "20260119T153210000Z-1-aa", position);
        let line = Epoch::write(Head::START, &signer, next.public(), &entry, Time::default());
        let line = line.strip_suffix(b"\n").unwrap();
        let read = Epoch::read(line).unwrap();
        assert_eq!((read.number, &read.entry), (0, &entry));
        assert_eq!((read.key, read.next), (signer.public(), next.public()));
        for at in 0..line.len() {
            let mut changed = line.to_vec();
            changed[at] ^= 1;
            assert_eq!(Epoch::read(&changed), None, "byte {at}");
        }
    }

    #[test]
    fn a_pruning_names_several_chains_and_no_record() {
        let signer = Signer::generate().unwrap();
        let chains = vec!["a".to_owned(), "b".to_owned()];
        let entry =
            EpochEntry { event: Event::Prune, ledger: "00".to_owned(), chains, position: None };
        let head = Head { next: 7, hash: Hash::of(b"y") };
        let line = Epoch::write(head, &signer, signer.public(), &entry, Time::default());
        let read = Epoch::read(line.strip_suffix(b"\n").unwrap()).unwrap();
        assert_eq!((read.number, read.prev, read.entry), (7, head.hash, entry));
    }
}
