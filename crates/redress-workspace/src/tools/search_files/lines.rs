//! The lines of one file that match, read piece by piece.

use std::{
    fs::File,
    io::{BufRead as _, BufReader, Read as _},
    os::fd::OwnedFd,
    time::Instant,
};

use redress::text::cut;
use regex::bytes::Regex;
use rustix::fs::{FileType, Mode, OFlags, fstat, openat};

use crate::root::kind;

/// How much of a file is searched.
const MOST_BYTES: u64 = 64 << 20;
/// How much of a line is searched; what is behind it is another line for us.
const MOST_LINE_BYTES: u64 = 1 << 20;
/// How much of a line is shown.
const MOST_CHARS: usize = 300;
const PIECE: usize = 64 << 10;

/// Up to `room` lines that match, with their numbers; `None` if the file cannot be read or is no text.
pub(super) fn matching(
    dir: &OwnedFd,
    name: &str,
    pattern: &Regex,
    (room, until): (usize, Instant),
) -> Option<Vec<(u64, String)>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = openat(dir, name, flags, Mode::empty()).ok()?;
    if kind(&fstat(&file).ok()?) != FileType::RegularFile {
        return None;
    }
    let mut reader = BufReader::with_capacity(PIECE, File::from(file).take(MOST_BYTES));
    if reader.fill_buf().ok()?.contains(&0) {
        return None;
    }
    let (mut found, mut line, mut number) = (Vec::new(), Vec::new(), 1);
    while found.len() < room && Instant::now() < until {
        line.clear();
        let read = (&mut reader).take(MOST_LINE_BYTES).read_until(b'\n', &mut line).ok()?;
        if read == 0 {
            break;
        }
        let is_ended = line.last() == Some(&b'\n');
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        if pattern.is_match(text) {
            found.push((number, cut(&String::from_utf8_lossy(text), MOST_CHARS).into_owned()));
        }
        number += u64::from(is_ended);
    }
    Some(found)
}
