//! Files: read in bounds, written whole, changed by one at a time.

use std::{
    fs::{self, File},
    io::{self, Read, Write},
    path::Path,
};

use crate::failure::Failure;

/// More than any registry or lock may have; its own reader says so with a place.
const MAX_BYTES: u64 = (32 << 20) + 1;

/// Reads a regular file, no more of it than anybody takes. A pipe or device could go on for ever.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let kind = fs::metadata(path)?;
    if kind.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory"));
    }
    if !kind.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Holds the folder of a file, so that two changes come one after the other. Released when dropped.
pub(crate) fn hold_folder(path: &str) -> Result<File, Failure> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| Path::new(path).to_owned());
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let shown = folder.to_string_lossy();
    let held = File::open(folder).and_then(|it| it.lock().map(|()| it));
    held.map_err(|it| Failure::reading(&shown, &it))
}

/// Replaces a file's text, or makes the file. Its permissions stay.
pub(crate) fn replace(path: &str, text: &str) -> Result<(), Failure> {
    write_whole(Path::new(path), text).map_err(|it| Failure::writing(path, &it))
}

fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    // Through a link, the file behind it is meant.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut new = tempfile::Builder::new().prefix(".redress-").tempfile_in(folder)?;
    new.write_all(text.as_bytes())?;
    if let Ok(old) = fs::metadata(&path) {
        new.as_file().set_permissions(old.permissions())?;
    } else {
        use std::os::unix::fs::PermissionsExt;
        new.as_file().set_permissions(fs::Permissions::from_mode(0o644))?;
    }
    new.as_file().sync_all()?;
    new.persist(&path).map_err(|it| it.error)?;
    Ok(())
}
