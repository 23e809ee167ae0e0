//! Phrases and where they occur: all of them go through one automaton, so the cost does not grow with their number.

use std::{collections::BTreeMap, ops::Range};

use aho_corasick::{AhoCorasick, MatchKind};

use super::normal::normal;

/// Represents up to [`GAP`] bytes of the same line.
const ANYTHING: &str = " … ";
const GAP: usize = 90;
/// More occurrences than this say nothing new.
const MOST_HITS: usize = 1024;

/// One phrase of a rule: words, in one spelling, that stand apart from the letters around them.
///
/// `^` at its start ties it to the start of the message, `$` at its end to the end, `*` at either side lifts the word
/// boundary there, ` … ` represents anything on the same line.
#[derive(Debug)]
pub(crate) struct Phrase {
    parts: Vec<Part>,
    at_start: bool,
    at_end: bool,
}

#[derive(Debug)]
struct Part {
    pattern: u32,
    starts_word: bool,
    ends_word: bool,
}

impl Phrase {
    /// The pattern without which the phrase cannot occur.
    pub(crate) fn pattern(&self) -> Option<u32> {
        self.parts.first().map(|it| it.pattern)
    }
}

/// Gathers the phrases of all rules.
#[derive(Debug, Default)]
pub(crate) struct Gathering {
    patterns: BTreeMap<String, u32>,
}

impl Gathering {
    /// Takes a phrase as it is written in a rule.
    pub(crate) fn phrase(&mut self, written: &str) -> Phrase {
        let (at_start, rest) = written.strip_prefix('^').map_or((false, written), |it| (true, it));
        let (at_end, rest) = rest.strip_suffix('$').map_or((false, rest), |it| (true, it));
        let parts = rest.split(ANYTHING).map(|it| self.part(it)).collect();
        Phrase { parts, at_start, at_end }
    }

    fn part(&mut self, written: &str) -> Part {
        let (open_start, rest) =
            written.strip_prefix('*').map_or((false, written), |it| (true, it));
        let (open_end, rest) = rest.strip_suffix('*').map_or((false, rest), |it| (true, it));
        let text = normal(rest);
        let starts_word = !open_start && text.bytes().next().is_some_and(is_word);
        let ends_word = !open_end && text.bytes().next_back().is_some_and(is_word);
        let next = u32::try_from(self.patterns.len()).unwrap_or(u32::MAX);
        let pattern = *self.patterns.entry(text).or_insert(next);
        Part { pattern, starts_word, ends_word }
    }

    /// The automaton of all that were taken.
    pub(crate) fn build(self) -> Result<Finder, String> {
        if self.patterns.contains_key("") {
            return Err("a phrase has no words".to_owned());
        }
        let mut patterns: Vec<(u32, String)> =
            self.patterns.into_iter().map(|(t, i)| (i, t)).collect();
        patterns.sort_unstable();
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .build(patterns.iter().map(|(_, text)| text))
            .map_err(|it| it.to_string())?;
        Ok(Finder { automaton, patterns: patterns.len() })
    }
}

/// Finds every phrase in one pass.
#[derive(Debug)]
pub(crate) struct Finder {
    automaton: AhoCorasick,
    patterns: usize,
}

impl Finder {
    /// All occurrences in a text in our spelling.
    pub(crate) fn find<'t>(&self, text: &'t str) -> Hits<'t> {
        let mut present = vec![0_u64; self.patterns.div_ceil(64)];
        let mut list = Vec::with_capacity(32);
        for it in self.automaton.find_overlapping_iter(text).take(MOST_HITS) {
            let pattern = it.pattern().as_u32();
            if let Some(word) = present.get_mut(pattern as usize / 64) {
                *word |= 1 << (pattern % 64);
            }
            list.push(Hit { pattern, start: it.start(), end: it.end() });
        }
        Hits { text, present, list }
    }
}

/// Where phrases occur in one text.
#[derive(Debug)]
pub(crate) struct Hits<'t> {
    text: &'t str,
    present: Vec<u64>,
    list: Vec<Hit>,
}

#[derive(Debug, Clone, Copy)]
struct Hit {
    pattern: u32,
    start: usize,
    end: usize,
}

impl Hits<'_> {
    /// The patterns that occur, each at least once.
    pub(crate) fn patterns(&self) -> impl Iterator<Item = u32> {
        self.list.iter().map(|it| it.pattern)
    }

    /// How much of the window the phrase covers, where it occurs there first.
    pub(crate) fn find(&self, phrase: &Phrase, window: &Range<usize>) -> Option<Range<usize>> {
        let (first, rest) = phrase.parts.split_first()?;
        if !phrase.parts.iter().all(|it| self.present(it.pattern)) {
            return None;
        }
        self.of(first, window).find_map(|hit| {
            let end = self.rest_follows(rest, hit.end, window)?;
            let is_there = (!phrase.at_start || hit.start == window.start)
                && (!phrase.at_end || self.is_end(end, window.end));
            is_there.then_some(hit.start..end)
        })
    }

    fn present(&self, pattern: u32) -> bool {
        self.present.get(pattern as usize / 64).is_some_and(|it| it >> (pattern % 64) & 1 == 1)
    }

    fn of(&self, part: &Part, window: &Range<usize>) -> impl Iterator<Item = Hit> {
        self.list.iter().copied().filter(move |hit| {
            hit.pattern == part.pattern
                && hit.start >= window.start
                && hit.end <= window.end
                && (!part.starts_word || !self.is_word_at(hit.start.wrapping_sub(1)))
                && (!part.ends_word || !self.is_word_at(hit.end))
        })
    }

    /// Where the last part ends, if each part follows the one before it closely enough.
    fn rest_follows(&self, parts: &[Part], from: usize, window: &Range<usize>) -> Option<usize> {
        parts.iter().try_fold(from, |end, part| {
            let near = end..window.end.min(end + GAP);
            let hit = self.of(part, &near).next()?;
            let between = self.text.get(end..hit.start)?;
            (!between.contains('\n')).then_some(hit.end)
        })
    }

    fn is_end(&self, at: usize, end: usize) -> bool {
        self.text
            .get(at..end)
            .is_some_and(|it| it.trim_end_matches(['.', '!', ' ', '\n']).is_empty())
    }

    fn is_word_at(&self, at: usize) -> bool {
        self.text.as_bytes().get(at).copied().is_some_and(is_word)
    }
}

/// Whether a byte belongs to a word.
pub(crate) const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::Gathering;

    fn has(written: &str, text: &str) -> bool {
        let mut all = Gathering::default();
        let phrase = all.phrase(written);
        let finder = all.build().unwrap();
        finder.find(text).find(&phrase, &(0..text.len())).is_some()
    }

    #[test]
    fn a_phrase_stands_between_word_boundaries() {
        assert!(has("not found", "file not found: x"));
        assert!(!has("not found", "file not foundation"));
        assert!(has("not found*", "file not foundation"));
        assert!(!has("^not found", "file not found"));
        assert!(has("^file … found$", "file x/y was not found."));
        assert!(!has("file … found", "file\nfound"));
    }
}
