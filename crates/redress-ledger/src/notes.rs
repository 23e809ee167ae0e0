//! Notes about the chains of a ledger, kept beside its signing key: one file for each chain, with the ledger's path, one line, and the hash of both.

use std::{
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
};

use crate::{disk, hash::Hash, layout};

/// What the last line of a note begins with: the hash of all before it follows.
const CHECK: &[u8] = b"check ";

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
        disk::create_private_dirs(&self.dir)?;
        let draft = self.dir.join(format!(".{chain}"));
        let mut text = [self.ledger.as_os_str().as_encoded_bytes(), b"\n", line].concat();
        let check = Hash::of(&text);
        text.extend_from_slice(CHECK);
        check.write(&mut text);
        text.push(b'\n');
        // Else a power failure could leave a part of it under its final name, which looks as if it was tampered with.
        disk::write_durably(&draft, &text)?;
        disk::rename(draft, self.path(chain))
    }

    pub(crate) fn forget(&self, chain: &str) -> io::Result<()> {
        disk::remove_file(self.path(chain))
    }

    /// The line about a chain, without its end; `None` if there is none, or it is about another ledger.
    ///
    /// # Errors
    /// Those of [`read`], and `InvalidData` where the note has no form.
    pub(crate) fn of(&self, chain: &str) -> io::Result<Option<Vec<u8>>> {
        let Some(text) = read(&self.path(chain))? else { return Ok(None) };
        let (ledger, line) = parts(&text).ok_or(io::ErrorKind::InvalidData)?;
        let is_meant = ledger == self.ledger.as_os_str().as_encoded_bytes();
        Ok(is_meant.then(|| line.to_vec()))
    }

    /// The names of all chains, of any ledger.
    pub(crate) fn chains(&self) -> io::Result<Vec<String>> {
        let names = files(&self.dir)?;
        Ok(names.iter().filter_map(|it| it.file_name()?.to_str().map(str::to_owned)).collect())
    }

    /// Where all notes are.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Where the note about a chain is.
    pub(crate) fn path(&self, chain: &str) -> PathBuf {
        self.dir.join(chain)
    }
}

/// What a note holds; `None` if it is not there.
///
/// # Errors
/// `UnexpectedEof` for what a power failure leaves of a file that was never synced, `InvalidData` for what is no file, and whatever the system says.
pub(crate) fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let found = disk::metadata(path).and_then(|it| {
        // A pipe could be read for ever.
        if it.is_file() { disk::read(path) } else { Err(io::ErrorKind::InvalidData.into()) }
    });
    let Some(text) = found.map_or_else(layout::unless_gone, |it| Ok(Some(it)))? else {
        return Ok(None);
    };
    if text.iter().all(|it| *it == 0) {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some(text))
}

/// Whether a note could be read, and is none.
pub(crate) fn is_damage(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof)
}

/// The ledger's path and the line, which is an object. A path may have any byte in it, a line has no line break. `None` if a byte was changed: every byte
/// is under the hash, which only notes of older versions lack.
pub(crate) fn parts(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    let (before, last) = split_last_line(text)?;
    let (ledger, line) = match last.strip_prefix(CHECK) {
        None => (before, last),
        Some(check) => {
            let covered = text.get(..before.len() + 1)?;
            Hash::parse_bytes(check).filter(|it| *it == Hash::of(covered))?;
            split_last_line(before)?
        }
    };
    (line.starts_with(b"{") && line.ends_with(b"}")).then_some((ledger, line))
}

/// What is before the last line break, and what is behind it.
fn split_last_line(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = memchr::memrchr(b'\n', text)?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

/// The notes, by name.
pub(crate) fn files(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match disk::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other?,
    };
    let mut found = Vec::new();
    for entry in entries {
        found.push(entry?.path());
    }
    // One with a dot is being written, or was when its process ended.
    let is_note = |it: &OsStr| it.to_str().is_some_and(|it| layout::start_of(it).is_some());
    found.retain(|it| it.file_name().is_some_and(is_note));
    found.sort();
    Ok(found)
}
