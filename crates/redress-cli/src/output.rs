//! Where text leaves the program: buffered, in colour on a terminal, plain in a pipe.

use std::{
    borrow::Cow,
    fmt::Write as _,
    io::{self, BufWriter, IsTerminal as _, Write},
    os::fd::AsFd,
};

use clap::ValueEnum;
use redress::text;
use rustix::fs::{FileType, fstat};

use crate::failure::Failure;
pub(crate) use crate::stderr::{CODE, Err, LABEL, TITLE, TROUBLE};

/// The audience of an output, where there are just these two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Text,
    /// For programs.
    Json,
}

impl Format {
    /// What was asked for; else text on a terminal, and JSON for a program.
    pub(crate) fn or_fitting(given: Option<Self>, out: &Out) -> Self {
        given.unwrap_or(if out.is_terminal() { Self::Text } else { Self::Json })
    }
}

/// Standard output.
pub(crate) struct Out {
    stdout: BufWriter<io::Stdout>,
    colour: bool,
}

impl Out {
    pub(crate) fn stdout() -> Self {
        let choice = anstream::AutoStream::choice(&io::stdout());
        let stdout = BufWriter::with_capacity(1 << 16, io::stdout());
        Self { stdout, colour: choice != anstream::ColorChoice::Never }
    }

    /// Whether a person reads it as it comes.
    pub(crate) fn is_terminal(&self) -> bool {
        self.stdout.get_ref().is_terminal()
    }

    /// For those who write bytes themselves.
    pub(crate) fn writer(&mut self) -> &mut dyn Write {
        &mut self.stdout
    }

    /// Appends bytes as they are: data goes out as fast as it can.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.stdout.write_all(bytes).map_err(|it| Failure::stream(&it))
    }

    /// Appends a text, without its colours unless a terminal shows them. A terminal gets nothing else that it obeys.
    pub(crate) fn text(&mut self, text: &str) -> Result<(), Failure> {
        if self.colour {
            return self.bytes(only_styled(text).as_bytes());
        }
        let plain = anstream::adapter::strip_str(text).to_string();
        self.bytes(plain.as_bytes())
    }

    /// Appends a line.
    pub(crate) fn line(&mut self, line: &str) -> Result<(), Failure> {
        self.text(line)?;
        self.text("\n")
    }

    /// Appends a line that starts with a label.
    pub(crate) fn labelled(&mut self, label: &str, text: &str) -> Result<(), Failure> {
        self.line(&format!("{LABEL}{label}{LABEL:#} {text}"))
    }

    /// Writes what is still in the buffer.
    pub(crate) fn finish(&mut self) -> Result<(), Failure> {
        self.stdout.flush().map_err(|it| Failure::stream(&it))
    }
}

/// A text whose only control characters are line ends, tabs and our own styles. What else a terminal might obey is spelled as in a
/// string of JSON, so that JSON still means the same.
fn only_styled(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|it| matches!(it, b'\n' | b'\t' | b' '..=b'~')) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let taken = style_at(rest).map_or(first.len_utf8(), str::len);
        let (now, later) = rest.split_at(taken);
        if !first.is_control() || matches!(first, '\n' | '\t') || taken > first.len_utf8() {
            out.push_str(now);
        } else {
            // Writing to a string cannot fail.
            write!(out, "\\u{:04x}", u32::from(first)).unwrap_or_default();
        }
        rest = later;
    }
    Cow::Owned(out)
}

/// The style with which a text begins, if it is one that we write: an end, bold, or a colour.
fn style_at(text: &str) -> Option<&str> {
    let codes = text.strip_prefix("\x1b[")?.split_once('m')?.0;
    let is_ours = |it: &str| matches!(it, "0" | "1" | "31" | "32" | "33" | "36");
    codes.split(';').all(is_ours).then(|| text.get(..codes.len() + 3)).flatten()
}

/// One line on a terminal that says how far long work is. Not printed elsewhere.
pub(crate) struct ProgressLine {
    is_shown: bool,
}

impl ProgressLine {
    pub(crate) fn new() -> Self {
        Self { is_shown: io::stderr().is_terminal() }
    }

    pub(crate) fn say(&self, text: &str) {
        if self.is_shown {
            write!(io::stderr(), "\r\x1b[K{}", text::visible(text)).unwrap_or_default();
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.say("");
    }
}

/// The part of a mode that says what other users may do.
const NOT_THE_OWNER: u32 = 0o077;

/// Whether only this user reads what is printed on a stream: a terminal, a pipe, or a file with such a mode. A socket leads to a system's log,
/// which others read.
pub(crate) fn is_private(stream: &impl AsFd) -> bool {
    let Ok(found) = fstat(stream.as_fd()) else { return false };
    match FileType::from_raw_mode(found.st_mode) {
        FileType::CharacterDevice | FileType::Fifo => true,
        FileType::RegularFile => found.st_mode & NOT_THE_OWNER == 0,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{TITLE, TROUBLE, only_styled};

    #[test]
    fn a_terminal_gets_our_styles_and_nothing_else_that_it_obeys() {
        let ours = format!("{TITLE}a{TITLE:#} {TROUBLE}ü{TROUBLE:#}\tb\n");
        assert_eq!(only_styled(&ours), ours);
        let foreign = "a\x1b]52;c;eA==\x07b\x1b[2Jc\u{9b}31m\x1b[8md\r\x1b[";
        let shown = r"a\u001b]52;c;eA==\u0007b\u001b[2Jc\u009b31m\u001b[8md\u000d\u001b[";
        assert_eq!(only_styled(foreign), shown);
    }
}
