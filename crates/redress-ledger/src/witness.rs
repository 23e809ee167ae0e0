//! The newest checkpoint of each chain, kept beside the signing key: a chain that is shorter than that was cut.

use std::{
    ffi::OsStr,
    fs, io,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
};

use crate::{
    hash::Hash,
    notes::{self, Notes},
    record::{Kind, Line},
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
    pub(crate) fn of(&self, chain: &str) -> Option<Witnessed> {
        let line = self.0.of(chain)?;
        let line = Line::read(&line).ok().filter(|it| it.kind == Kind::Checkpoint)?;
        Some(Witnessed { chain: chain.to_owned(), seq: line.seq, hash: line.hash })
    }

    /// What is known of all chains of the ledger, by name.
    pub(crate) fn all(&self) -> io::Result<Vec<Witnessed>> {
        Ok(self.0.chains()?.iter().filter_map(|it| self.of(it)).collect())
    }
}

/// The ledgers of which a checkpoint was witnessed beside this key, whether they are still there or not.
pub fn witnessed_ledgers(key: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for path in notes::files(&key.with_extension(HEADS))? {
        let text = fs::read(path).unwrap_or_default();
        let ledger = notes::parts(&text).map(|it| it.0).unwrap_or_default();
        let ledger = PathBuf::from(OsStr::from_bytes(ledger));
        if ledger.is_absolute() && !found.contains(&ledger) {
            found.push(ledger);
        }
    }
    found.sort();
    Ok(found)
}
