//! The newest checkpoint of each chain, kept beside the signing key: a chain that is shorter than that was cut.

use std::{
    ffi::OsStr,
    io::{self, Write as _},
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
};

use redress_wire::json::{Doc, Members, Value};

use crate::{
    LINE_LIMITS,
    disk::OpenOptions,
    epoch::{Position, ledger_id},
    error::Failure,
    hash::Hash,
    notes::{self, Notes},
    record::{Kind, RecordLine},
    sign::PublicKey,
    signed,
};

/// The extension of their directory.
const HEADS: &str = "heads";

/// The witnesses of a ledger.
#[derive(Debug, Clone)]
pub(crate) struct Witness(Notes);

/// The checkpoint that a chain must still have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Witnessed {
    pub chain: String,
    pub seq: u64,
    pub hash: Hash,
    line: String,
}

impl Witnessed {
    /// Who signed it.
    pub(crate) fn signer(&self) -> Option<PublicKey> {
        let line = RecordLine::read(self.line.as_bytes()).ok()?;
        signed::signer_of_line(&line, &self.chain)
    }
}

/// A file to which every checkpoint is also written, so that a copy can be kept out of reach of processes that can write the ledger and the
/// keys.
#[derive(Debug, Clone)]
pub(crate) struct WitnessFile(PathBuf);

impl WitnessFile {
    /// Makes the file if it is not there.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        let file = Self(path.to_owned());
        file.append(b"").map_err(|it| Failure::new("open the witness", path, it))?;
        Ok(file)
    }

    fn append(&self, line: &[u8]) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.append(true).create(true).mode(0o600).open(&self.0)?.write_all(line)
    }

    /// Tells of a checkpoint. A failure must not hold up the ledger itself.
    pub(crate) fn tell(&self, ledger: &Path, chain: &str, position: Position) {
        let mut line = String::new();
        let mut members = Members::open(&mut line);
        members.str("ledger", &ledger_id(ledger)).str("chain", chain);
        members.int("seq", position.seq).str("hash", &position.hash.to_string());
        members.close();
        line.push('\n');
        drop(self.append(line.as_bytes()));
    }
}

/// A checkpoint in a witness file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Attested {
    pub ledger: String,
    pub chain: String,
    pub position: Position,
}

impl Attested {
    /// Reads a line without its newline.
    pub(crate) fn read(line: &[u8]) -> Option<Self> {
        let doc = Doc::parse(line, LINE_LIMITS).ok()?;
        let text = |key| doc.root().get(key).and_then(Value::as_str);
        let seq = doc.root().get("seq")?.as_u64()?;
        let position = Position { seq, hash: Hash::parse(&text("hash")?)? };
        Some(Self {
            ledger: text("ledger")?.into_owned(),
            chain: text("chain")?.into_owned(),
            position,
        })
    }
}

/// All witnesses of a ledger, and those that cannot be used.
#[derive(Debug, Default)]
pub(crate) struct Heads {
    /// By name.
    pub known: Vec<Witnessed>,
    /// Where they are, the names of their chains, and why they cannot be used. Their ledgers are unknown.
    pub unusable: Vec<(PathBuf, String, io::Error)>,
}

impl Witness {
    /// The witnesses of a ledger, whose path must be canonical.
    pub(crate) fn new(key: &Path, ledger: &Path) -> Self {
        Self(Notes::new(key, HEADS, ledger))
    }

    /// Keeps a checkpoint's line. It is a second witness, so that a failure here must not hold up the first.
    pub(crate) fn keep(&self, chain: &str, line: &[u8]) -> io::Result<()> {
        self.0.keep(chain, line)
    }

    /// Forgets a chain that was pruned.
    pub(crate) fn forget(&self, chain: &str) -> io::Result<()> {
        self.0.forget(chain)
    }

    /// What is known of one chain.
    ///
    /// # Errors
    /// It is there, but cannot be read, or is no checkpoint: then `InvalidData`, or `UnexpectedEof` for what a power failure leaves.
    pub(crate) fn of(&self, chain: &str) -> io::Result<Option<Witnessed>> {
        let Some(line) = self.0.of(chain)? else { return Ok(None) };
        let line = RecordLine::read(&line).ok().filter(|it| it.kind == Kind::Checkpoint);
        let RecordLine { seq, hash, text, .. } = line.ok_or(io::ErrorKind::InvalidData)?;
        Ok(Some(Witnessed { chain: chain.to_owned(), seq, hash, line: text.to_owned() }))
    }

    /// What is known of all chains of the ledger.
    pub(crate) fn all(&self) -> Heads {
        let mut heads = Heads::default();
        let chains = self.0.chains().unwrap_or_else(|error| {
            heads.unusable.push((self.0.dir().to_owned(), String::new(), error));
            Vec::new()
        });
        for chain in chains {
            match self.of(&chain) {
                Ok(found) => heads.known.extend(found),
                Err(error) => heads.unusable.push((self.0.path(&chain), chain, error)),
            }
        }
        heads
    }
}

/// The ledgers that have a witnessed checkpoint beside this key, whether they are still there or not.
///
/// # Errors
/// The path that cannot be read, and why. A witness that is damaged names no ledger.
pub fn witnessed_ledgers(key: &Path) -> Result<Vec<PathBuf>, (PathBuf, io::Error)> {
    let mut found = Vec::new();
    let dir = key.with_extension(HEADS);
    for path in notes::files(&dir).map_err(|it| (dir, it))? {
        let text = match notes::read(&path) {
            Ok(text) => text.unwrap_or_default(),
            Err(error) if notes::is_damage(&error) => continue,
            Err(error) => return Err((path, error)),
        };
        let ledger = notes::parts(&text).map(|it| it.0).unwrap_or_default();
        let ledger = PathBuf::from(OsStr::from_bytes(ledger));
        if ledger.is_absolute() && !found.contains(&ledger) {
            found.push(ledger);
        }
    }
    found.sort();
    Ok(found)
}
