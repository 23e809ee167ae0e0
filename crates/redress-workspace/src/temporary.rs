//! `Staged`: new bytes beside the file that they are for, whole and on disk before they take its name.

use std::{fmt::Write as _, fs::File, io::Write as _, os::fd::AsFd};

use rustix::{
    fs::{AtFlags, Dir, Mode, OFlags, RenameFlags, fchmod, fsync, openat, renameat_with, unlinkat},
    io::Errno,
};

use crate::{journal, root::Place};

const START: &str = ".redress-";
const END: &str = ".tmp";
const DIGITS: usize = 16;

/// How many names of a directory are looked at for what a dead process left.
const MOST_NAMES: usize = 20_000;

/// Whether a name is one of files that are being written.
pub(crate) fn is_ours(name: &[u8]) -> bool {
    let random = name.strip_prefix(START.as_bytes()).and_then(|it| it.strip_suffix(END.as_bytes()));
    random.is_some_and(|it| it.len() == DIGITS && it.iter().all(u8::is_ascii_hexdigit))
}

/// A new name of that kind.
pub(crate) fn new_name() -> Result<String, Errno> {
    let mut random = [0; DIGITS / 2];
    // Requests for so few bytes are never cut short.
    rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty())?;
    let mut name = START.to_owned();
    for byte in random {
        write!(name, "{byte:02x}").unwrap_or_default();
    }
    name.push_str(END);
    Ok(name)
}

/// Bytes in the directory of the file that they are for. Dropped without a place, they are removed.
#[derive(Debug)]
pub(crate) struct Staged<'p> {
    place: &'p Place,
    name: String,
    has_place: bool,
}

impl<'p> Staged<'p> {
    /// Writes bytes for a place, and has the disk keep them. The directory must be held, so that nobody clears them away.
    pub(crate) fn new(place: &'p Place, bytes: &[u8], mode: Option<u32>) -> Result<Self, Errno> {
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
        if is_ours(name) && name != journal::NAME.as_bytes() {
            unlinkat(&dir, entry.file_name(), AtFlags::empty()).unwrap_or_default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{is_ours, new_name};

    #[test]
    fn names_of_files_that_are_being_written_are_known() {
        let (one, two) = (new_name().unwrap(), new_name().unwrap());
        assert!(is_ours(one.as_bytes()) && is_ours(two.as_bytes()) && one != two);
        for other in
            [".redress-.tmp", ".redress-0123456789abcdeg.tmp", ".redress-0123456789abcdef", "a.tmp"]
        {
            assert!(!is_ours(other.as_bytes()), "{other}");
        }
    }
}
