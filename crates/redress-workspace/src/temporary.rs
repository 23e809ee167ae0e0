//! `Staged`: new bytes beside the file that they are for, whole and on disk before they take its name.

use std::{fs::File, io::Write as _, os::fd::AsFd};

use rustix::{
    fs::{AtFlags, Dir, Mode, OFlags, RenameFlags, fchmod, fsync, openat, renameat_with, unlinkat},
    io::Errno,
};

use crate::{
    reserved_names::{JOURNAL, is_ours, new_name},
    root::OpenPath,
};

/// How many names of a directory are looked at for what a dead process left.
const MOST_NAMES: usize = 20_000;

/// Bytes in the directory of the file that they are for. Dropped without a place, they are removed.
#[derive(Debug)]
pub(crate) struct Staged<'p> {
    place: &'p OpenPath,
    name: String,
    has_place: bool,
}

impl<'p> Staged<'p> {
    /// Writes bytes for a place, and has the disk keep them. The directory must be held, so that no other process clears them away.
    pub(crate) fn new(place: &'p OpenPath, bytes: &[u8], mode: Option<u32>) -> Result<Self, Errno> {
        let name = new_name()?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let file = openat(place.dir(), &*name, flags, Mode::from_raw_mode(0o666))?;
        let staged = Self { place, name, has_place: false };
        // Before there is anything to read in it.
        if let Some(mode) = mode {
            fchmod(&file, Mode::from_raw_mode(mode & 0o777))?;
        }
        let mut file = File::from(file);
        file.write_all(bytes).map_err(|it| Errno::from_io_error(&it).unwrap_or(Errno::IO))?;
        fsync(&file)?;
        Ok(staged)
    }

    /// What it is called until it has its place.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Gives it the name that it is for. Without `replaces`, nothing may be there.
    pub(crate) fn take_place(mut self, replaces: bool) -> Result<(), Errno> {
        let how = if replaces { RenameFlags::empty() } else { RenameFlags::NOREPLACE };
        let place = self.place;
        renameat_with(place.dir(), &*self.name, place.dir(), &*place.name, how)?;
        self.has_place = true;
        Ok(())
    }
}

impl Drop for Staged<'_> {
    fn drop(&mut self) {
        if !self.has_place {
            // What cannot be removed now is cleared away by the next one who writes here.
            unlinkat(self.place.dir(), &*self.name, AtFlags::empty()).unwrap_or_default();
        }
    }
}

/// Clears away what a dead process left in a directory, which must be held.
pub(crate) fn sweep(dir: impl AsFd) {
    let Ok(entries) = Dir::read_from(&dir) else { return };
    for entry in entries.flatten().take(MOST_NAMES) {
        let name = entry.file_name().to_bytes();
        if is_ours(name) && name != JOURNAL.as_bytes() {
            unlinkat(&dir, entry.file_name(), AtFlags::empty()).unwrap_or_default();
        }
    }
}
