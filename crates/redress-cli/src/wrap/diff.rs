//! The lines that edits change, for people.

use std::{fmt::Write as _, ops::Range};

use redress::text::visible;

use crate::clients::document::{Edit, edited, part};

/// The changed lines, in the form of `diff -u` without context; empty if nothing changes.
pub(super) fn lines(path: &str, text: &str, edits: &[Edit]) -> String {
    let mut edits: Vec<&Edit> = edits.iter().collect();
    edits.sort_by_key(|it| it.range.start);
    let mut hunks: Vec<(Range<usize>, Vec<Edit>)> = Vec::new();
    for edit in edits {
        let lines = whole_lines(text, &edit.range);
        match hunks.last_mut() {
            Some((range, inner)) if lines.start <= range.end => {
                range.end = range.end.max(lines.end);
                inner.push(edit.clone());
            }
            _ => hunks.push((lines, vec![edit.clone()])),
        }
    }
    let mut out = String::new();
    if hunks.is_empty() {
        return out;
    }
    writeln!(out, "--- {path}\n+++ {path}").unwrap_or_default();
    for (range, inner) in hunks {
        let from = range.start;
        let shifted: Vec<Edit> = inner
            .into_iter()
            .map(|it| Edit { range: it.range.start - from..it.range.end - from, text: it.text })
            .collect();
        let old = part(text, range.clone());
        let new = edited(old, &shifted);
        let line = part(text, 0..from).matches('\n').count() + 1;
        let (before, after) = (old.lines().count(), new.lines().count());
        writeln!(out, "@@ -{line},{before} +{line},{after} @@").unwrap_or_default();
        for (sign, lines) in [('-', old), ('+', new.as_str())] {
            for it in lines.lines() {
                writeln!(out, "{sign}{}", visible(it)).unwrap_or_default();
            }
        }
    }
    out
}

/// The lines that a part of a text is in, with their ends.
fn whole_lines(text: &str, range: &Range<usize>) -> Range<usize> {
    let start = part(text, 0..range.start).rfind('\n').map_or(0, |it| it + 1);
    let end = part(text, range.end..text.len());
    let end = end.find('\n').map_or(text.len(), |it| range.end + it + 1);
    start..end
}
