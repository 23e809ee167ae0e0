//! The newest checkpoint of each chain, kept beside the signing key: a chain that is shorter than that was cut.

use std::{
    ffi::OsStr,
    fs, io,
    os::unix::ffi::OsStrExt as _,
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
        let mut found = Vec::new();
        for path in files(&self.dir)? {
            found.extend(path.file_name().and_then(|it| self.of(it.to_str()?)));
        }
        Ok(found)
    }
}

/// The ledgers of which a checkpoint was witnessed beside this key, whether they are still there or not.
pub fn witnessed_ledgers(key: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for path in files(&key.with_extension("heads"))? {
        let text = fs::read(path).unwrap_or_default();
        let ledger = text.split(|it| *it == b'\n').next().unwrap_or_default();
        let ledger = PathBuf::from(OsStr::from_bytes(ledger));
        if ledger.is_absolute() && !found.contains(&ledger) {
            found.push(ledger);
        }
    }
    found.sort();
    Ok(found)
}

/// The files of witnesses, by name.
fn files(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other?,
    };
    let mut found = Vec::new();
    for entry in entries {
        found.push(entry?.path());
    }
    // One with a dot is being written, or was when its process ended.
    let is_draft = |it: &PathBuf| it.file_name().is_some_and(|it| it.as_bytes().starts_with(b"."));
    found.retain(|it| !is_draft(it) && it.is_file());
    found.sort();
    Ok(found)
}
