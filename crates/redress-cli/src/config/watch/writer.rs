//! Which process has a file open for writing.

use std::{fs, io, path::Path};

/// A process that has the file open for writing, as far as this user may see. A file that is written in pieces is not whole before
/// its writer has closed it.
pub(super) fn writer_of(path: &Path) -> Option<u32> {
    let path = path.canonicalize().ok()?;
    let processes = fs::read_dir("/proc").ok()?.flatten();
    let numbers = processes.filter_map(|it| it.file_name().to_str()?.parse::<u32>().ok());
    numbers.into_iter().find(|it| writes(*it, &path).unwrap_or_default())
}

/// Whether a process has it open for writing. An error means that the process has ended, or is another user's.
fn writes(process: u32, path: &Path) -> io::Result<bool> {
    for open in fs::read_dir(format!("/proc/{process}/fd"))?.flatten() {
        // The link is read and not followed: what it leads to may not answer.
        if fs::read_link(open.path()).is_ok_and(|it| it == path) {
            let number = open.file_name();
            let about = format!("/proc/{process}/fdinfo/{}", number.to_string_lossy());
            if is_for_writing(&fs::read_to_string(about).unwrap_or_default()) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Whether `fdinfo` tells of a file that is open for writing.
fn is_for_writing(about: &str) -> bool {
    const ACCESS: u32 = 0o3;
    let flags = about.lines().find_map(|it| it.strip_prefix("flags:"));
    let flags = flags.and_then(|it| u32::from_str_radix(it.trim(), 8).ok());
    flags.is_some_and(|it| it & ACCESS != 0)
}

#[cfg(test)]
mod tests {
    use std::{
        fs::{self, File, OpenOptions},
        process,
    };

    use super::writer_of;

    #[test]
    fn only_a_file_that_is_open_for_writing_has_a_writer() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("it");
        assert_eq!(writer_of(&path), None, "it is not there");
        fs::write(&path, "a").unwrap();
        assert_eq!(writer_of(&path), None);
        let reader = File::open(&path).unwrap();
        assert_eq!(writer_of(&path), None, "a reader");
        let writer = OpenOptions::new().append(true).open(&path).unwrap();
        assert_eq!(writer_of(&path), Some(process::id()));
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert_eq!(writer_of(&link), Some(process::id()), "behind a link");
        drop(writer);
        // A process that another test has just started may have it until it begins its own program.
        while writer_of(&path).is_some() {}
        drop(reader);
    }
}
