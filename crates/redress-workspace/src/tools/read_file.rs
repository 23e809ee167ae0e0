//! `read_file`: the lines of a text, or the bytes of any file as Base64, as many as fit.

use std::{
    fs::File,
    io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom},
};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{Brief, counted};
use crate::{
    Workspace,
    content::{MOST_BYTES, failed, hex, size},
    error::{Refused, WorkspaceError},
    path::Relative,
};

/// How many lines come unless the call says otherwise.
const LINES: u64 = 2_000;
/// The most bytes of a file in one answer.
const MOST_SHOWN: usize = 256 << 10;
/// How much of a file must be free of NUL for the rest to be tried as text.
const PIECE: usize = 64 << 10;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadFileArguments {
    /// The file, relative to the root.
    path: String,
    /// Where to begin: the first line, from 1; with base64 the first byte, from 0.
    offset: Option<u64>,
    /// How many lines (2000 by default), with base64 how many bytes. An answer has at most 256 KiB of the file.
    #[schemars(range(min = 1))]
    limit: Option<u64>,
    /// How the content is written: text, or base64 for any bytes.
    #[serde(default)]
    encoding: Encoding,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Encoding {
    #[default]
    Text,
    Base64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReadFileAnswer {
    path: String,
    encoding: Encoding,
    /// The lines, or the bytes.
    content: String,
    /// How large the file is, in bytes.
    size_bytes: u64,
    /// The SHA-256 of the whole file, for `previous_hash`; absent if it is larger than 64 MiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hash: Option<String>,
    /// How many lines it has; absent if it was not read to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    total_lines: Option<u64>,
    /// Where to go on; absent at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next_offset: Option<u64>,
    /// Whether the last line is cut, because it alone is longer than an answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    cut_line: bool,
    /// The first line or byte that was asked for.
    #[serde(skip)]
    first: u64,
}

impl Brief for ReadFileAnswer {
    fn brief(&self) -> String {
        self.content.clone()
    }

    fn note(&self) -> Option<String> {
        let (first, end) = (self.first, self.next_offset);
        let go_on = |it| format!("Go on with offset {it}.");
        let part = match (self.encoding, end) {
            (Encoding::Text, None) if self.content.is_empty() => return Some(self.nothing()),
            (Encoding::Text, Some(end)) => {
                let of = self.total_lines.map(|it| format!(" of {it}")).unwrap_or_default();
                Some(format!("Lines {first} to {}{of}. {}", end - 1, go_on(end)))
            }
            (Encoding::Base64, None) if self.content.is_empty() => {
                Some(format!("No byte is at {first} or behind: the file has {}.", self.size_bytes))
            }
            (Encoding::Base64, Some(end)) => {
                let of = self.size_bytes;
                Some(format!("Bytes {first} to {} of {of}. {}", end - 1, go_on(end)))
            }
            (_, None) => None,
        };
        let cut = "The last line is cut, as it alone is longer than an answer; its rest comes as bytes, with encoding base64.";
        match part {
            Some(part) if self.cut_line => Some(format!("{part} {cut}")),
            None if self.cut_line => Some(cut.to_owned()),
            part => part,
        }
    }
}

impl ReadFileAnswer {
    /// Why no line came.
    fn nothing(&self) -> String {
        match self.total_lines {
            Some(0) => "The file is empty.".to_owned(),
            Some(total) => {
                let lines = counted(usize::try_from(total).unwrap_or(usize::MAX), "line", "lines");
                format!("Line {} is behind the end: the file has {lines}.", self.first)
            }
            None => format!(
                "Line {} is not in the first 64 MiB; ask for bytes, with encoding base64.",
                self.first
            ),
        }
    }
}

pub(crate) fn run(
    workspace: &Workspace,
    ask: &ReadFileArguments,
) -> Result<ReadFileAnswer, Refused> {
    let read = || {
        let path = workspace.root.below(&ask.path)?;
        let (file, stat) = workspace.root.file(&path)?;
        let size_bytes = size(&stat);
        match ask.encoding {
            Encoding::Text => lines(ask, &path, file, size_bytes),
            Encoding::Base64 => bytes(ask, &path, file, size_bytes),
        }
    };
    read().map_err(|error| error.at("/path"))
}

fn bytes(
    ask: &ReadFileArguments,
    path: &Relative,
    mut file: File,
    size_bytes: u64,
) -> Result<ReadFileAnswer, WorkspaceError> {
    let offset = ask.offset.unwrap_or_default();
    let limit = ask.limit.unwrap_or(u64::MAX).min(MOST_SHOWN as u64);
    let failed = |error: std::io::Error| failed(path, &error);
    let hash =
        if size_bytes <= MOST_BYTES { Some(hash_of(&mut file).map_err(failed)?) } else { None };
    file.seek(SeekFrom::Start(offset)).map_err(failed)?;
    let mut part = Vec::new();
    file.take(limit).read_to_end(&mut part).map_err(failed)?;
    let end = offset.saturating_add(part.len() as u64);
    Ok(ReadFileAnswer {
        path: path.as_str().to_owned(),
        encoding: Encoding::Base64,
        content: BASE64_STANDARD.encode(&part),
        size_bytes,
        hash,
        total_lines: None,
        next_offset: (end < size_bytes && !part.is_empty()).then_some(end),
        cut_line: false,
        first: offset,
    })
}

fn hash_of(file: &mut File) -> std::io::Result<String> {
    let (mut hash, mut piece) = (Sha256::new(), vec![0; PIECE]);
    let mut rest = file.take(MOST_BYTES);
    loop {
        match rest.read(&mut piece)? {
            0 => return Ok(hex(&hash.finalize())),
            some => hash.update(piece.get(..some).unwrap_or_default()),
        }
    }
}

fn lines(
    ask: &ReadFileArguments,
    path: &Relative,
    file: File,
    size_bytes: u64,
) -> Result<ReadFileAnswer, WorkspaceError> {
    let first = ask.offset.unwrap_or(1).max(1);
    let mut shown = Shown::new(first, ask.limit.unwrap_or(LINES));
    let mut hash = Sha256::new();
    let mut reader = BufReader::with_capacity(PIECE, file);
    let mut read = 0_u64;
    let binary = || WorkspaceError::BinaryFile { path: path.as_str().to_owned(), size_bytes };
    while read < MOST_BYTES {
        let piece = reader.fill_buf().map_err(|it| failed(path, &it))?;
        if piece.is_empty() {
            break;
        }
        if piece.contains(&0) {
            return Err(binary());
        }
        hash.update(piece);
        shown.take(piece);
        let bytes = piece.len();
        reader.consume(bytes);
        read += bytes as u64;
    }
    let is_whole = read >= size_bytes;
    let (content, cut_line) = shown.text().ok_or_else(binary)?;
    let total = shown.lines();
    let next = shown.next();
    Ok(ReadFileAnswer {
        path: path.as_str().to_owned(),
        encoding: Encoding::Text,
        content,
        size_bytes,
        hash: is_whole.then(|| hex(&hash.finalize())),
        total_lines: is_whole.then_some(total),
        next_offset: (next <= total).then_some(next),
        cut_line,
        first,
    })
}

/// The lines that were asked for, taken from a file piece by piece.
struct Shown {
    first: u64,
    limit: u64,
    /// The line that the next byte belongs to, from 1.
    line: u64,
    kept: Vec<u8>,
    /// The line behind the last that is kept whole or in part.
    end: u64,
    /// Whether the last byte ended a line.
    is_between: bool,
    is_full: bool,
}

impl Shown {
    const fn new(first: u64, limit: u64) -> Self {
        let kept = Vec::new();
        Self { first, limit, line: 1, kept, end: first, is_between: true, is_full: false }
    }

    fn take(&mut self, piece: &[u8]) {
        for part in piece.split_inclusive(|it| *it == b'\n') {
            self.is_between = part.ends_with(b"\n");
            let is_wanted = self.line >= self.first && self.line - self.first < self.limit;
            if is_wanted && !self.is_full {
                self.keep(part);
            }
            if self.is_between {
                self.line += 1;
            }
        }
    }

    /// Keeps a part of a line, or gives up with the lines before it where it does not fit.
    fn keep(&mut self, part: &[u8]) {
        if self.kept.len() + part.len() > MOST_SHOWN {
            self.is_full = true;
            let before = self.kept.iter().rposition(|it| *it == b'\n').map_or(0, |it| it + 1);
            if before > 0 {
                // A line that does not fit is the first of the next answer.
                self.kept.truncate(before);
                self.end = self.line;
            } else {
                let room = MOST_SHOWN - self.kept.len();
                self.kept.extend_from_slice(part.get(..room).unwrap_or(part));
                self.end = self.line + 1;
            }
            return;
        }
        self.kept.extend_from_slice(part);
        self.end = self.line + 1;
    }

    /// The lines as text, and whether the last is cut; `None` if it is no text.
    fn text(&self) -> Option<(String, bool)> {
        let is_cut = self.is_full && !self.kept.ends_with(b"\n");
        match std::str::from_utf8(&self.kept) {
            Ok(text) => Some((text.to_owned(), is_cut)),
            // A character may be cut in two with its line.
            Err(error) if is_cut && error.error_len().is_none() => {
                let whole = self.kept.get(..error.valid_up_to()).unwrap_or_default();
                std::str::from_utf8(whole).ok().map(|it| (it.to_owned(), true))
            }
            Err(_) => None,
        }
    }

    const fn lines(&self) -> u64 {
        if self.is_between { self.line - 1 } else { self.line }
    }

    /// The first line that is not in this answer.
    const fn next(&self) -> u64 {
        self.end
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST_SHOWN, Shown};

    fn shown(text: &str, first: u64, limit: u64, piece: usize) -> (String, u64, u64) {
        let mut shown = Shown::new(first, limit);
        text.as_bytes().chunks(piece).for_each(|it| shown.take(it));
        (shown.text().unwrap().0, shown.next(), shown.lines())
    }

    #[test]
    fn lines_are_the_same_in_whatever_pieces_they_come() {
        for piece in 1..8 {
            assert_eq!(shown("a\nbb\nccc", 2, 1, piece), ("bb\n".to_owned(), 3, 3));
            assert_eq!(shown("a\nbb\nccc", 3, 9, piece), ("ccc".to_owned(), 4, 3));
            assert_eq!(shown("a\nbb\n", 1, 9, piece), ("a\nbb\n".to_owned(), 3, 2));
            assert_eq!(shown("", 1, 9, piece), (String::new(), 1, 0));
        }
    }

    #[test]
    fn a_cut_never_splits_a_character() {
        let text = "é".repeat(MOST_SHOWN);
        let (kept, next, lines) = shown(&format!("{text}\nend\n"), 1, 9, 1 << 16);
        assert!(kept.chars().all(|it| it == 'é') && kept.len() <= MOST_SHOWN);
        assert_eq!((next, lines), (2, 2));
    }

    #[test]
    fn a_line_that_does_not_fit_begins_the_next_answer() {
        let text = format!("short\n{}\n", "x".repeat(MOST_SHOWN));
        assert_eq!(shown(&text, 1, 9, 1 << 16), ("short\n".to_owned(), 2, 2));
    }
}
