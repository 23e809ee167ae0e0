//! Notes about the chains of a ledger, kept beside its signing key: one file for each chain, with the ledger's path and one line.

use std::{
    fs, io,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
};

/// A directory of notes, and the ledger whose notes are meant.
#[derive(Debug, Clone)]
pub(crate) struct Notes {
    dir: PathBuf,
    ledger: PathBuf,
}

impl Notes {
    /// The notes of a ledger, whose path must be canonical, in the directory beside the key that has this extension.
    pub(crate) fn new(key: &Path, extension: &str, ledger: &Path) -> Self {
        Self { dir: key.with_extension(extension), ledger: ledger.to_owned() }
    }

    /// Keeps a line, which ends, in the place of the one before.
    pub(crate) fn keep(&self, chain: &str, line: &[u8]) -> io::Result<()> {
        fs::create_dir_all(&self.dir)?;
        let draft = self.dir.join(format!(".{chain}"));
        let text = [self.ledger.as_os_str().as_encoded_bytes(), b"\n", line].concat();
        fs::write(&draft, text)?;
        fs::rename(draft, self.dir.join(chain))
    }

    pub(crate) fn forget(&self, chain: &str) -> io::Result<()> {
        fs::remove_file(self.dir.join(chain))
    }

    /// The line about a chain, without its end.
    pub(crate) fn of(&self, chain: &str) -> Option<Vec<u8>> {
        let text = fs::read(self.dir.join(chain)).ok()?;
        let (ledger, line) = parts(&text)?;
        (ledger == self.ledger.as_os_str().as_encoded_bytes()).then(|| line.to_vec())
    }

    /// The names of all chains, of any ledger.
    pub(crate) fn chains(&self) -> io::Result<Vec<String>> {
        let names = files(&self.dir)?;
        Ok(names.iter().filter_map(|it| it.file_name()?.to_str().map(str::to_owned)).collect())
    }
}

/// The ledger's path and the line. A path may have any byte in it, a line has no line break.
pub(crate) fn parts(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    let at = memchr::memrchr(b'\n', text)?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

/// The files of notes, by name.
pub(crate) fn files(dir: &Path) -> io::Result<Vec<PathBuf>> {
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
