//! Private keys as blocks of base64 between two lines, and what is left of one that was cut or is written line by line.

use std::ops::Range;

use super::{behind, near};

/// The longest block.
const MOST: usize = 64 << 10;

/// What is in the lines before and behind such a block.
const LABEL: &str = "PRIVATE KEY";

/// How far from its start a label ends.
const LONGEST_LABEL: usize = 40;

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";

/// A run of base64 that is so long is a line of a key, not a word.
const LONG_RUN: usize = 32;

/// The longest line of a block, with what a log writes before it.
const LONGEST_LINE: usize = 256;

/// So many lines that are none of a key say that its end will not come.
const MOST_OTHERS: usize = 16;

/// Everything from the begin of a block to its end; of a block that was cut, everything there is.
pub(super) fn from_begin(text: &str, at: Range<usize>) -> Option<Range<usize>> {
    let block = near(text, at.end, MOST);
    is_labelled(block).then_some(())?;
    let after = block.find(END).map(|it| it + END.len());
    let length = after.and_then(|it| Some(it + block.get(it..)?.find("-----")? + 5));
    Some(at.start..at.end + length.unwrap_or(block.len()))
}

/// The lines of a block before its end: what is left when the start was cut off.
pub(super) fn before_end(text: &str, at: Range<usize>) -> Option<Range<usize>> {
    is_labelled(text.get(at.end..)?).then_some(())?;
    let line_before = |end: usize| {
        let line = behind(text, end, LONGEST_LINE).rsplit('\n').next()?;
        (line.len() < LONGEST_LINE).then_some(line)
    };
    let last = at.start - line_before(at.start)?.len();
    let mut start = last;
    while let Some(line) = start.checked_sub(1).and_then(line_before) {
        // Only the last line is short.
        let is_short = start < last && last_run(line).len() < LONG_RUN;
        if at.start - start > MOST || line.contains("-----") || is_short || !is_body(line) {
            break;
        }
        start -= line.len() + 1;
    }
    Some(start..at.start)
}

/// The lines of a key as `PuTTY` keeps it, behind their number.
pub(super) fn lines(text: &str, at: Range<usize>) -> Option<Range<usize>> {
    let rest = near(text, at.end, MOST);
    let first = rest.find('\n').filter(|it| *it <= 4)? + 1;
    let is_line = |it: &&str| !it.contains([':', ' ']) && !it.trim_end().is_empty();
    let lines = rest.get(first..)?.split_inclusive('\n').take_while(is_line);
    let key = rest.get(first..first + lines.map(str::len).sum::<usize>())?.trim_end();
    (!key.is_empty()).then_some(at.end + first..at.end + first + key.len())
}

fn is_labelled(text: &str) -> bool {
    near(text, 0, LONGEST_LABEL).contains(LABEL)
}

/// Whether a line is one of a key: with a long run of base64, whatever is before it, or nothing but such characters, as the last one has it.
fn is_body(line: &str) -> bool {
    let last = last_run(line).len();
    last >= LONG_RUN || last > 0 && last == line.trim().len()
}

/// The base64 that a line ends with.
fn last_run(line: &str) -> &str {
    let is_base64 = |it: char| it.is_ascii_alphanumeric() || matches!(it, '+' | '/' | '=');
    line.trim().rsplit(|it| !is_base64(it)).next().unwrap_or_default()
}

/// A private key whose end has not been read yet, for those who read a text line by line.
#[derive(Debug)]
pub struct OpenKey {
    /// How many bytes of it may still come.
    left: usize,
    /// How many lines of others may still come.
    others: usize,
    /// Whether a long line of it has come, and the last one, which is short, has not.
    is_inside: bool,
}

impl OpenKey {
    /// The key that begins in a text and does not end there.
    pub fn after(text: &str) -> Option<Self> {
        let begin = text.rfind(BEGIN)?;
        let block = text.get(begin + BEGIN.len()..)?;
        let is_open = is_labelled(block) && !block.contains(END);
        is_open.then_some(Self { left: MOST, others: MOST_OTHERS, is_inside: false })
    }

    /// Whether the next line belongs to the key.
    pub fn takes(&mut self, line: &str) -> bool {
        self.left = self.left.saturating_sub(line.len());
        if line.contains(END) {
            self.left = 0;
            return true;
        }
        // Of an encrypted key, how it is encrypted.
        let is_head = ["Proc-Type:", "DEK-Info:"].iter().any(|it| line.contains(it));
        let is_long = last_run(line).len() >= LONG_RUN;
        let is_last = !is_long && self.is_inside && is_body(line);
        let takes = is_head || is_long || is_last;
        self.is_inside = is_long || self.is_inside && !is_last;
        if !takes && !line.trim().is_empty() {
            self.others = self.others.saturating_sub(1);
        }
        takes
    }

    /// Whether its end has been read, or will not come.
    pub const fn is_over(&self) -> bool {
        self.left == 0 || self.others == 0
    }
}
