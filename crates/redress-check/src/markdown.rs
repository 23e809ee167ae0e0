//! Markdown: code-shaped words in tables, lists, examples and sentences.

use crate::{
    facts::WordHint,
    scan::Scan,
    suppress::allowances,
    words::{is_said, keep, words},
};

/// Columns of one table, distinguished by number.
const MAX_COLUMNS: u32 = 64;

/// Reads the words of a document.
pub(crate) fn read(scan: &mut Scan<'_>) {
    let text = scan.text;
    scan.facts.allowances = allowances(0, 0, text);
    let mut at = 0;
    let mut fence: Option<(&str, bool)> = None;
    let mut block = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim();
        if let Some(mark) = ["```", "~~~"].into_iter().find(|it| bare.starts_with(it)) {
            fence = match fence {
                Some((open, _)) if open == mark => None,
                Some(open) => Some(open),
                None => {
                    Some((mark, is_of_error(text.get(at + line.len()..).unwrap_or_default(), mark)))
                }
            };
        } else if let Some((_, of_error)) = fence {
            in_example(scan, line, at, of_error);
        } else {
            if !bare.starts_with('|') && !is_item(bare) {
                block += 1;
            }
            in_sentence(scan, line, at, block);
        }
        at += line.len();
    }
}

/// Whether the example that begins here shows a failure.
fn is_of_error(rest: &str, mark: &str) -> bool {
    let body = rest.split(mark).next().unwrap_or_default();
    ["\"error\"", "error:", "isError", "error_code", "errorCode"].iter().any(|it| body.contains(it))
}

/// In an example only the value of a member counts: `"code": "X"`.
fn in_example(scan: &mut Scan<'_>, line: &str, start: usize, of_error: bool) {
    for (at, word) in words(line).filter(|_| of_error) {
        let before = line.get(..at).unwrap_or_default();
        let key = before.trim_end_matches(['"', '\'', ' ', ':', '=']);
        if key.len() < before.len() && (key.ends_with("code") || key.ends_with("Code")) {
            keep(scan, word, start + at, WordHint::Said);
        }
    }
}

fn in_sentence(scan: &mut Scan<'_>, line: &str, start: usize, block: u32) {
    let is_row = line.trim_start().starts_with('|');
    for (at, word) in words(line) {
        let before = line.get(..at).unwrap_or_default();
        let cell = before.rsplit('|').next().unwrap_or_default();
        let hint = if is_row && is_first(cell) {
            let column = before.bytes().filter(|it| *it == b'|').count();
            WordHint::Listed(
                block * MAX_COLUMNS
                    + u32::try_from(column).unwrap_or_default().min(MAX_COLUMNS - 1),
            )
        } else if is_item(line.trim_start()) && is_first(before) {
            WordHint::Listed(block * MAX_COLUMNS)
        } else if is_said(before) {
            WordHint::Said
        } else {
            WordHint::Plain
        };
        keep(scan, word, start + at, hint);
    }
}

fn is_item(line: &str) -> bool {
    ["- ", "* ", "+ "].iter().any(|it| line.starts_with(it))
}

/// Whether nothing but marks is before a word.
fn is_first(before: &str) -> bool {
    before.chars().all(|it| it.is_whitespace() || "-*+`_[".contains(it))
}
