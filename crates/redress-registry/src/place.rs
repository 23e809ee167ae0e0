//! Where something is in a file, and what is wrong with it there.

use std::{fmt, ops::Range, sync::Arc};

/// A value and the bytes it was written in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spanned<T> {
    /// What was written.
    pub value: T,
    /// Byte offsets into the file.
    pub span: Range<usize>,
}

impl<T> Spanned<T> {
    /// Puts a value at its place.
    pub const fn new(value: T, span: Range<usize>) -> Self {
        Self { value, span }
    }
}

/// A file that was read: its name as the user gave it, and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The name for messages.
    pub file: Arc<str>,
    /// The whole text.
    pub text: Arc<str>,
}

impl Source {
    /// A file of that name and text.
    pub fn new(file: &str, text: &str) -> Self {
        Self { file: file.into(), text: text.into() }
    }

    /// A file of that name and bytes; bytes that are not UTF-8 are refused at the first bad one.
    pub fn from_bytes(file: &str, bytes: &[u8]) -> Result<Self, Problem> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Self::new(file, text)),
            Err(bad) => {
                let good = bytes.get(..bad.valid_up_to()).unwrap_or_default();
                let before = Self::new(file, &String::from_utf8_lossy(good));
                Err(before.problem(good.len(), "This byte is not UTF-8."))
            }
        }
    }

    /// What is wrong at a byte offset, one sentence.
    pub fn problem(&self, offset: usize, message: impl Into<String>) -> Problem {
        Problem { place: self.place(offset), message: message.into(), did_you_mean: None }
    }

    /// Line and column (both from 1, columns in characters) of a byte offset.
    pub fn place(&self, offset: usize) -> Place {
        let mut end = offset.min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        let before = self.text.get(..end).unwrap_or_default();
        let line_start = before.rfind('\n').map_or_else(|| start(before), |it| it + 1);
        Place {
            file: Arc::clone(&self.file),
            line: lines(before) + 1,
            column: before.get(line_start..).unwrap_or_default().chars().count() + 1,
        }
    }
}

/// Where the first line of a file begins: behind the mark that some editors write and none shows.
pub fn start(text: &str) -> usize {
    if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 }
}

/// How many lines end in a text. Bytes are counted at once, where a search would stop at each line.
fn lines(text: &str) -> usize {
    text.bytes().fold(0, |count, it| count + usize::from(it == b'\n'))
}

/// File, line and column, printed as `file:line:column`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file as the user named it.
    pub file: Arc<str>,
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// Why a registry file cannot be read: what, where, and what was probably meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where it is.
    pub place: Place,
    /// What is wrong, one sentence.
    pub message: String,
    /// The nearest right spelling.
    pub did_you_mean: Option<String>,
}

impl Problem {
    /// The same problem with what was probably meant.
    #[must_use]
    pub fn meant(mut self, nearest: Option<&str>) -> Self {
        self.did_you_mean = nearest.map(str::to_owned);
        self
    }
}

impl std::error::Error for Problem {}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)?;
        match &self.did_you_mean {
            Some(meant) => write!(f, " Did you mean `{meant}`?"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Source;

    #[test]
    fn a_mark_that_no_editor_shows_is_no_column() {
        let source = Source::new("f", "\u{feff}ab\nc");
        let place = |offset: usize| {
            let place = source.place(offset);
            (place.line, place.column)
        };
        assert_eq!([0, 3, 4, 6].map(place), [(1, 1), (1, 1), (1, 2), (2, 1)]);
    }
}
