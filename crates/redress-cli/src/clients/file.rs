//! The file of a client: read, and replaced whole with a copy of what it was beside it.

use std::{
    fs::{self, Permissions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use super::document::Unread;
use crate::{failure::Failure, files};

/// What the copy of the old text is called: the file's name and this.
const BACKUP: &str = ".before-redress";

/// A file that was read.
#[derive(Debug)]
pub(crate) struct File {
    /// Its path, through links.
    path: PathBuf,
    pub(crate) shown: String,
    pub(crate) text: String,
}

impl File {
    /// Reads the file of a client.
    pub(crate) fn read(file: &super::ClientFile) -> Result<Self, Failure> {
        let shown = file.path.display().to_string();
        let failed = |it: &io::Error| Failure::reading(&shown, it);
        let path = fs::canonicalize(&file.path).map_err(|it| failed(&it))?;
        let is_link = file.path.symlink_metadata().is_ok_and(|it| it.is_symlink());
        let home = fs::canonicalize(&file.home).map_err(|it| failed(&it))?;
        if is_link && !file.is_managed && !path.starts_with(&home) {
            let problem = format!("It is a link that leaves {}.", home.display());
            return Err(Failure::config(&shown, &problem)
                .fix("Change the file behind the link by hand, or replace the link by a file."));
        }
        let bytes = files::read(&path).map_err(|it| failed(&it))?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            Failure::config(&shown, &format!("Byte {at} is no UTF-8."))
        })?;
        Ok(Self { path, shown, text })
    }

    /// A problem in the text, with its line and column.
    pub(crate) fn unread(&self, why: &Unread) -> Failure {
        let (line, column) = place(&self.text, why.offset);
        let at = format!("{}:{line}:{column}", self.shown);
        Failure::config(&at, &format!("{}.", why.problem.trim_end_matches('.')))
    }

    /// Replaces the text, if it is still the one that was read. The old text is kept beside it.
    pub(crate) fn replace(&self, text: &str) -> Result<PathBuf, Failure> {
        let failed = |it: &io::Error| Failure::writing(&self.shown, it);
        let meta = fs::metadata(&self.path).map_err(|it| failed(&it))?;
        if meta.permissions().readonly() {
            return Err(failed(&io::Error::new(
                io::ErrorKind::PermissionDenied,
                "the file may not be written",
            )));
        }
        let _held = files::hold_folder(&self.path.to_string_lossy())?;
        let mut name = self.path.file_name().unwrap_or_default().to_owned();
        name.push(BACKUP);
        let backup = self.path.with_file_name(name);
        write(&backup, &self.text, meta.permissions()).map_err(|it| failed(&it))?;
        let now = files::read(&self.path).map_err(|it| failed(&it))?;
        if now != self.text.as_bytes() {
            return Err(Failure::changed(&self.shown));
        }
        write(&self.path, text, meta.permissions()).map_err(|it| failed(&it))?;
        Ok(backup)
    }
}

fn write(path: &Path, text: &str, permissions: Permissions) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut new = tempfile::Builder::new().prefix(".redress-").tempfile_in(folder)?;
    new.write_all(text.as_bytes())?;
    new.as_file().set_permissions(permissions)?;
    new.as_file().sync_all()?;
    new.persist(path).map_err(|it| it.error)?;
    Ok(())
}

/// Line and column of a place, from 1.
fn place(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|it| *it != '\n').count() + 1;
    (line, column)
}
