//! The message inside a failing text: stacks cut off, JSON reduced to what it says, wrappers of SDKs taken away.

use std::{borrow::Cow, ops::Range};

use super::{extract, normal::normal, status, table::Table};
use crate::text::TRACEBACK;

/// A sentence this short is a label, not a sentence.
const SHORTEST_HEAD: usize = 12;
/// How many wrappers can stand around each other.
const MOST_WRAPPERS: usize = 5;

/// A failing text, ready to be searched.
#[derive(Debug)]
pub(crate) struct Message {
    /// The text in our spelling.
    pub(crate) text: String,
    /// Where the server's own words start.
    pub(crate) start: usize,
    /// Where each wrapper before them starts, the text's own start first.
    pub(crate) layers: Vec<usize>,
    /// The end of their first sentence.
    head_end: usize,
    /// The HTTP status that it speaks of.
    pub(crate) status: Option<u16>,
}

impl Message {
    /// Takes a text apart; `look` sees it in our spelling first and may hide parts of it.
    pub(crate) fn of(raw: &str, table: &Table, look: impl FnOnce(&mut String)) -> Self {
        let said = extract::said(without_stack(raw));
        let mut text = normal(&said);
        look(&mut text);
        let (start, layers) = after_wrappers(&text, table);
        let head_end = start + head(text.get(start..).unwrap_or_default());
        let status = status::find(&text);
        Self { text, start, layers, head_end, status }
    }

    /// Everything after the wrappers.
    pub(crate) fn whole(&self) -> Range<usize> {
        self.start..self.text.len()
    }

    /// Whether all of that was hidden.
    pub(crate) fn is_hidden(&self) -> bool {
        let own = self.text.get(self.whole()).unwrap_or_default();
        own.contains('~') && own.chars().all(|it| matches!(it, '~' | '\'' | '"' | '.' | ' ' | '\n'))
    }

    /// The first sentence after the wrappers.
    pub(crate) const fn head(&self) -> Range<usize> {
        self.start..self.head_end
    }
}

const FRAMES: [&str; 2] = ["\n    at ", "\n\tat "];

/// Whether a text has the stack of an exception in it.
pub(crate) fn has_stack(raw: &str) -> bool {
    raw.contains(TRACEBACK) || FRAMES.iter().any(|it| raw.contains(it))
}

/// A JavaScript stack is cut off; of a Python traceback the last line, which has the message, comes first.
fn without_stack(raw: &str) -> Cow<'_, str> {
    if let Some((before, trace)) = raw.split_once(TRACEBACK) {
        let last = trace.lines().rev().find(|it| !it.trim().is_empty()).unwrap_or_default();
        return Cow::Owned(format!("{before}{last}"));
    }
    let cuts = FRAMES.iter().chain(&["\nstack backtrace:"]).filter_map(|it| raw.find(it));
    let cut = cuts.min();
    Cow::Borrowed(cut.and_then(|it| raw.get(..it)).unwrap_or(raw))
}

fn after_wrappers(text: &str, table: &Table) -> (usize, Vec<usize>) {
    let mut layers = vec![0];
    let mut start = 0;
    for _ in 0..MOST_WRAPPERS {
        let rest = text.get(start..).unwrap_or_default();
        let own = rest.trim_start_matches([' ', '\n', ':', '*', '#', '!', '.']);
        let at = start + rest.len() - own.len();
        let wrapper = table.wrappers.iter().find_map(|it| it.length(own));
        match wrapper.filter(|it| own.get(*it..).is_some_and(|it| !it.trim().is_empty())) {
            Some(length) => start = at + length,
            None if own.is_empty() => break,
            None => return (at, layers),
        }
        let next = text.get(start..).unwrap_or_default();
        layers.push(start + next.len() - next.trim_start().len());
    }
    (start, layers)
}

/// The length of the first sentence.
fn head(own: &str) -> usize {
    let ends = own.match_indices(['\n', '.', '!', ';']).find(|(at, mark)| {
        *at >= SHORTEST_HEAD
            && (*mark == "\n"
                || own.as_bytes().get(at + 1).is_none_or(|it| matches!(it, b' ' | b'\n')))
    });
    ends.map_or(own.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::{Message, without_stack};
    use crate::classify::table::TABLE;

    #[test]
    fn wrappers_and_stacks_are_taken_away() {
        let own = |raw: &str| {
            let message = Message::of(raw, &TABLE, |_| ());
            message.text[message.whole()].to_owned()
        };
        assert_eq!(
            own("Error executing tool x: MCP error -32602: Query is empty"),
            "query is empty"
        );
        assert_eq!(own("### Error\nError: boom\n    at eval (x.js:1:1)"), "boom");
        assert_eq!(own("Error:"), "error:");
        let trace = "failed\nTraceback (most recent call last):\n  File \"x\"\nKeyError: 'a'\n";
        assert_eq!(without_stack(trace), "failed\nKeyError: 'a'");
    }
}
