//! The list of plans whose approval was taken back.

use std::{
    collections::BTreeSet,
    fs::File,
    io::{self, Read as _},
    path::Path,
};

/// The longest list of revoked plans, in bytes.
const MOST_REVOKED: u64 = 1 << 20;

/// The hashes of the plans whose approval was taken back, one a line.
///
/// # Errors
/// The file is there and cannot be read, or is no such list.
pub fn revoked(path: &Path) -> io::Result<BTreeSet<String>> {
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeSet::new()),
        file => file?,
    };
    let mut text = String::new();
    file.take(MOST_REVOKED + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MOST_REVOKED || !text.lines().all(is_hash) {
        return Err(io::ErrorKind::InvalidData.into());
    }
    Ok(text.lines().map(str::to_owned).collect())
}

/// Whether a text is a hash as plans have it.
pub fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'))
}
