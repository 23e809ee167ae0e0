//! What is in a file: its hash, whether it is text, and its bytes as far as they are wanted.

use std::{fmt::Write as _, fs::File, io::Read as _};

use redress::fault::NextAction;
use rustix::{fs::Stat, io::Errno};
use sha2::{Digest as _, Sha256};

use crate::{error::WorkspaceError, path::Relative};

/// The largest file that is written, patched or hashed.
pub(crate) const MOST_BYTES: u64 = 64 << 20;

/// The hash of bytes, as calls write it: SHA-256, hexadecimal.
pub(crate) fn hash(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(64), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap_or_default();
        text
    })
}

/// The size of a file.
pub(crate) fn size(stat: &Stat) -> u64 {
    u64::try_from(stat.st_size).unwrap_or_default()
}

/// All of a file, if it is not too large.
pub(crate) fn whole(
    path: &Relative,
    (file, stat): (File, Stat),
) -> Result<Vec<u8>, WorkspaceError> {
    let mut bytes = Vec::with_capacity(usize::try_from(size(&stat).min(MOST_BYTES)).unwrap_or(0));
    let read = file.take(MOST_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|it| failed(path, &it))?;
    let size_bytes = size(&stat).max(bytes.len() as u64);
    if size_bytes > MOST_BYTES {
        let limit_bytes = MOST_BYTES;
        return Err(WorkspaceError::InputTooLarge { field: "/path", size_bytes, limit_bytes });
    }
    Ok(bytes)
}

/// Why reading a file that is open failed.
pub(crate) fn failed(path: &Relative, error: &std::io::Error) -> WorkspaceError {
    WorkspaceError::reading(path.as_str(), Errno::from_io_error(error).unwrap_or(Errno::IO))
}

/// Refuses a file that is not the one whose hash was given.
pub(crate) fn expect(
    path: &Relative,
    expected: &str,
    actual: Option<&[u8]>,
) -> Result<(), WorkspaceError> {
    let actual = actual.map(hash);
    if actual.as_deref().is_some_and(|it| it.eq_ignore_ascii_case(expected)) {
        return Ok(());
    }
    let path = path.as_str().to_owned();
    let look = NextAction::call("read_file", [("path", path.as_str())]);
    Err(WorkspaceError::HashMismatch { path, expected: expected.to_owned(), actual, look })
}
