//! The newest checkpoint of each chain, kept beside the signing key: a chain that is shorter than that was cut.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    hash::Hash,
    record::{Kind, Line},
};

/// The directory of witnesses that belongs to a signing key.
#[derive(Debug, Clone)]
pub(crate) struct Witness {
    dir: PathBuf,
    ledger: PathBuf,
}

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
        Self { dir: key.with_extension("heads"), ledger: ledger.to_owned() }
    }

    /// Keeps a checkpoint's line. It is a second witness, so that a failure here must not hold up the first.
    pub(crate) fn keep(&self, chain: &str, line: &[u8]) -> io::Result<()> {
        fs::create_dir_all(&self.dir)?;
        let draft = self.dir.join(format!(".{chain}"));
        let text = [self.ledger.as_os_str().as_encoded_bytes(), b"\n", line].concat();
        fs::write(&draft, text)?;
        fs::rename(draft, self.dir.join(chain))
    }

    /// Forgets a chain that was pruned.
    pub(crate) fn forget(&self, chain: &str) -> io::Result<()> {
        fs::remove_file(self.dir.join(chain))
    }

    /// What is known of one chain.
    pub(crate) fn of(&self, chain: &str) -> Option<Witnessed> {
        let text = fs::read(self.dir.join(chain)).ok()?;
        let mut lines = text.split(|it| *it == b'\n');
        if lines.next()? != self.ledger.as_os_str().as_encoded_bytes() {
            return None;
        }
        let line = Line::read(lines.next()?).ok().filter(|it| it.kind == Kind::Checkpoint)?;
        Some(Witnessed { chain: chain.to_owned(), seq: line.seq, hash: line.hash })
    }

    /// What is known of all chains of the ledger, by name.
    pub(crate) fn all(&self) -> io::Result<Vec<Witnessed>> {
        let entries = match fs::read_dir(&self.dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            other => other?,
        };
        let mut found = Vec::new();
        for entry in entries {
            found.extend(entry?.file_name().to_str().and_then(|it| self.of(it)));
        }
        found.sort_by(|a, b| a.chain.cmp(&b.chain));
        Ok(found)
    }
}
