//! Writing files whole: a reader sees the old text or the new one, never half of either.

use std::{fs, io::Write, path::Path};

use crate::failure::Failure;

/// Replaces a file's text, or makes the file. Its permissions stay.
pub(crate) fn replace(path: &str, text: &str) -> Result<(), Failure> {
    write_whole(Path::new(path), text).map_err(|it| Failure::writing(path, &it))
}

fn write_whole(path: &Path, text: &str) -> std::io::Result<()> {
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
