//! Whether a failing answer tells of work that was done before it failed: then nobody may say that nothing was changed.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::{extract, normal::normal};
use crate::json::{Doc, Kind, Value};

/// How far back a word can be taken back.
const REACH: usize = 5;
/// A larger number counts nothing; it is a time or an id.
const MOST_COUNTED: u64 = 1_000_000_000;
const DEEPEST: usize = 5;
const MOST_MEMBERS: usize = 64;

/// Declares what a word can mean here, with its name in the rules.
macro_rules! senses {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)+) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        enum Sense { $($(#[$doc])* $name,)+ }

        impl Sense {
            fn parse(name: &str) -> Option<Self> {
                match name { $($text => Some(Self::$name),)+ _ => None }
            }
        }
    };
}

senses! {
    /// Work was done.
    Did = "did",
    /// A part of it was.
    Partly = "partly",
    /// The name of a member that counts what was done.
    Tallies = "tallies",
    /// What follows in its clause was not done.
    Denies = "denies",
    /// The next word was not done.
    Modal = "modal",
    /// The next word describes a thing.
    Names = "names",
    /// It was done before the call.
    Earlier = "earlier",
    /// The word before was done by others.
    Others = "others",
    /// A new clause begins.
    Breaks = "breaks",
    /// It was done and taken back.
    Undone = "undone",
    /// No work, although it is counted.
    Idle = "idle",
    /// What is counted is no work.
    Tries = "tries",
}

/// Senses, a bit each.
type Senses = u16;

impl Sense {
    const fn bit(self) -> Senses {
        1 << self as Senses
    }
}

/// What words mean, as the rules say.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    words: IndexMap<Box<str>, Senses, FxBuildHasher>,
    /// Ends of words.
    ends: Vec<(Box<str>, Senses)>,
}

impl Vocabulary {
    /// Takes a line of the rules: a sense and its words.
    pub(crate) fn read(&mut self, line: &str) -> Result<(), String> {
        let mut words = line.split_whitespace();
        let sense = words.next().and_then(Sense::parse).ok_or("no such sense")?;
        for word in words {
            match word.strip_prefix('*') {
                Some(end) => self.ends.push((end.into(), sense.bit())),
                None => *self.words.entry(word.into()).or_default() |= sense.bit(),
            }
        }
        Ok(())
    }

    /// Whether a text, in our spelling, tells of work that was done.
    pub(crate) fn tells_of_work(&self, text: &str) -> bool {
        let words = self.words_of(text);
        let mut clauses = words.chunk_by(|_, it| !it.opens);
        let tells = |it: &[Word<'_>]| (0..it.len()).any(|at| is_done(it, at));
        clauses.clone().any(tells) && !clauses.any(is_undone)
    }

    /// Whether a payload counts work that was done: `{"inserted":3}`, `{"created":["a"]}`, `{"charged":true}`.
    pub(crate) fn counts_work(&self, payload: Value<'_>) -> bool {
        self.counts(payload, 0)
    }

    /// The same of the first payload inside a text.
    pub(crate) fn counts_work_in(&self, text: &str) -> bool {
        extract::payload(text).is_some_and(|it: Doc<'_>| self.counts_work(it.root()))
    }

    fn counts(&self, value: Value<'_>, depth: usize) -> bool {
        if depth > DEEPEST {
            return false;
        }
        let members = value.members().take(MOST_MEMBERS);
        members.into_iter().any(|(key, it)| self.is_count(key, it) || self.counts(it, depth + 1))
            || value.elements().take(MOST_MEMBERS).any(|it| self.counts(it, depth + 1))
    }

    fn is_count(&self, key: Value<'_>, value: Value<'_>) -> bool {
        let is_some = match value.kind() {
            Kind::Number => value.as_u64().is_some_and(|it| (1..MOST_COUNTED).contains(&it)),
            Kind::Array => value.elements().next().is_some(),
            Kind::Bool => value.as_bool() == Some(true),
            _ => false,
        };
        if !is_some {
            return false;
        }
        let key = normal(&key.as_str().unwrap_or_default());
        let all = key.split(' ').fold(0, |all, it| all | self.senses(it));
        let is_denied = all & (Sense::Denies.bit() | Sense::Others.bit() | Sense::Modal.bit()) != 0;
        let is_did = all & Sense::Did.bit() != 0;
        let is_tally = all & Sense::Tallies.bit() != 0 && value.kind() != Kind::Bool;
        !is_denied && (is_did || is_tally)
    }

    /// Every sense of a word.
    fn senses(&self, word: &str) -> Senses {
        let own = self.words.get(word).copied().unwrap_or_default();
        let ends = self.ends.iter().filter(|it| word.ends_with(&*it.0));
        ends.fold(own, |all, it| all | it.1)
    }

    /// The words of a text. Those that only part clauses are left out.
    fn words_of<'t>(&self, text: &'t str) -> Vec<Word<'t>> {
        let mut all = Vec::with_capacity(text.len() / 5);
        let (mut is_after, mut opens) = (false, true);
        let mut from = 0;
        while let Some(start) = next(text, from, is_letter) {
            let end = word_end(text, start);
            let gap = text.get(from..start).unwrap_or_default();
            let word = text.get(start..end).unwrap_or_default();
            from = end.max(start + 1);
            opens |= gap.contains(['.', ',', ';', ':', '!', '?', '(', ')', '[', ']', '\n']);
            let quote = text.get(end..).and_then(|it| it.chars().next());
            let is_quoted = matches!(quote, Some('\'' | '"')) && quote == gap.chars().next_back();
            let it = Word { text: word, senses: self.senses(word), opens, is_quoted, is_after };
            opens = it.has(Sense::Breaks);
            if !opens {
                all.push(it);
            }
            is_after = word == "after";
        }
        all
    }
}

/// One word of a text.
#[derive(Debug, Clone, Copy, Default)]
struct Word<'t> {
    text: &'t str,
    senses: Senses,
    /// It is the first of its clause.
    opens: bool,
    /// It is a name, not a word: `'updated'`.
    is_quoted: bool,
    /// The word before was `after`.
    is_after: bool,
}

impl Word<'_> {
    const fn has(self, sense: Sense) -> bool {
        self.senses & sense.bit() != 0
    }

    /// How many, at least one.
    fn count(self) -> Option<u64> {
        count(self.text)
    }

    fn is_counted_thing(self) -> bool {
        self.text.len() > 2 && self.text.ends_with('s') && !self.has(Sense::Tries)
    }
}

/// Whether the word at this place, with those around it, tells of work.
fn is_done(clause: &[Word<'_>], at: usize) -> bool {
    let word = |at: usize| clause.get(at).copied().unwrap_or_default();
    let this = word(at);
    let before = |far: usize| at.checked_sub(far).map(word).unwrap_or_default();
    let tells = || {
        if this.has(Sense::Did) {
            let is_thing = before(1).has(Sense::Names)
                || [1, 2].iter().any(|it| before(*it).has(Sense::Earlier))
                || word(at + 1).has(Sense::Others);
            let nearby = clause.get(at.saturating_sub(3)..(at + 3).min(clause.len()));
            return !is_thing || nearby.unwrap_or_default().iter().any(|it| it.count().is_some());
        }
        this.has(Sense::Partly)
            || is_part(clause, at)
            || this.text.ends_with("ed")
                && !this.has(Sense::Idle)
                && (before(2).count().is_some() && before(1).is_counted_thing()
                    || word(at + 1).count().is_some() && word(at + 2).is_counted_thing())
    };
    !this.is_quoted && tells() && !is_denied(clause, at)
}

/// `2 of 5`, `2 out of the 5`, `2/5`; at the start of a clause `3 rows`, which stands after `after`.
fn is_part(clause: &[Word<'_>], at: usize) -> bool {
    let Some([this, rest @ ..]) = clause.get(at..) else { return false };
    let is_number = this.text.starts_with(|it: char| it.is_ascii_digit());
    let is_try = |it: &Word<'_>| it.has(Sense::Tries);
    if !is_number || at.checked_sub(1).and_then(|it| clause.get(it)).is_some_and(is_try) {
        return false;
    }
    if let Some((done, all)) = this.text.split_once('/') {
        return is_part_of(count(done), count(all));
    }
    let Some(done) = this.count() else { return false };
    if this.is_after && rest.first().is_some_and(|it| it.is_counted_thing()) {
        return true;
    }
    let mut words = rest.iter().skip_while(|it| it.text == "out");
    let is_of = words.next().is_some_and(|it| it.text == "of");
    let all = words.find(|it| it.text != "the");
    is_of && is_part_of(Some(done), all.and_then(|it| it.count()))
}

fn is_denied(clause: &[Word<'_>], at: usize) -> bool {
    let before = clause.get(at.saturating_sub(REACH)..at).unwrap_or_default();
    let is_none = |it: &Word<'_>| matches!(it.text, "0" | "no" | "none" | "nothing" | "zero");
    before.iter().any(|it| it.has(Sense::Denies))
        || before.last().is_some_and(|it| it.has(Sense::Modal))
        || clause.get(at + 1).is_some_and(is_none)
}

fn is_undone(clause: &[Word<'_>]) -> bool {
    let undone = |it: &Word<'_>| it.has(Sense::Undone);
    (0..clause.len()).any(|at| clause.get(at).is_some_and(undone) && !is_denied(clause, at))
}

fn count(word: &str) -> Option<u64> {
    if !word.starts_with(|it: char| it.is_ascii_digit()) {
        return None;
    }
    let number = word.replace(',', "").parse().ok()?;
    (1..MOST_COUNTED).contains(&number).then_some(number)
}

fn is_part_of(done: Option<u64>, all: Option<u64>) -> bool {
    matches!((done, all), (Some(done), Some(all)) if done <= all && all > 1)
}

fn is_letter(it: char) -> bool {
    it.is_ascii_alphanumeric() || !it.is_ascii()
}

fn next(text: &str, from: usize, is_it: impl Fn(char) -> bool) -> Option<usize> {
    text.get(from..)?.find(is_it).map(|it| it + from)
}

/// A word goes on over a sign that stands between two letters: `wasn't`, `a.txt`, `2/5`, and over `3,000`.
fn word_end(text: &str, start: usize) -> usize {
    let mut end = start;
    while let Some(at) = next(text, end, |it| !is_letter(it)) {
        let mut signs = text.get(at..).unwrap_or_default().chars();
        let (sign, after) = (signs.next(), signs.next());
        let goes_on = match (sign, after) {
            (Some('\'' | '.' | '/'), Some(after)) => is_letter(after),
            (Some(','), Some(after)) => {
                let before = text.get(start..at).unwrap_or_default();
                after.is_ascii_digit() && before.ends_with(|it: char| it.is_ascii_digit())
            }
            _ => false,
        };
        if !goes_on {
            return at;
        }
        end = at + 1;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::normal;
    use crate::{
        classify::table::TABLE,
        json::{Doc, Limits},
    };

    fn tells(text: &str) -> bool {
        TABLE.vocabulary.tells_of_work(&normal(text))
    }

    #[test]
    fn work_that_was_done_is_seen() {
        for text in [
            "3 rows inserted, row 4 exists",
            "Charged card ending 4242, then 429 Too Many Requests",
            "uploaded 2 of 5 files, rate limited",
            "Order was created but the email could not be delivered",
            "Rate limited after 3 files",
            "Chunk 3/7: 503",
            "closed 3 issues, then: forbidden",
            "12 tables dropped; permission denied on 'x'",
            "partially applied: conflict",
            "Not found: c.txt. Deleted a.txt and b.txt",
            "1,200 records written before timeout",
            "The first transfer has been sent. The second failed",
            "3 rows already inserted when the connection was lost",
            "inserted, and could not be rolled back",
        ] {
            assert!(tells(text), "{text}");
        }
    }

    #[test]
    fn what_was_not_done_is_not() {
        for text in [
            "Email was not sent",
            "no rows were inserted",
            "0 rows updated",
            "updated 0 rows",
            "The file could not be created",
            "File cannot be deleted",
            "nothing was written",
            "The uploaded file is too large",
            "a user with that name was already registered",
            "Invalid value for 'updated'",
            "created_at must be a date",
            "expected 2 arguments, received 3 arguments",
            "Attempt 2 of 3 failed",
            "timed out after 30 seconds",
            "timed out after 3 retries",
            "Make sure the package is installed",
            "deleted.txt: no such file",
            "page was deleted by another user",
            "3 rows inserted, then the transaction was rolled back",
            "0 of 5 uploaded",
        ] {
            assert!(!tells(text), "{text}");
        }
    }

    #[test]
    fn a_payload_that_counts_work_is_seen() {
        let counts = |text: &str| {
            let doc = Doc::parse(text.as_bytes(), Limits::DOCUMENT).unwrap();
            TABLE.vocabulary.counts_work(doc.root())
        };
        for text in [
            r#"{"error":"exists","inserted":3}"#,
            r#"{"error":{"created":["a"]}}"#,
            r#"[{"charged":true}]"#,
            r#"{"successCount":2,"error":"x"}"#,
        ] {
            assert!(counts(text), "{text}");
        }
        for text in [
            r#"{"error":"exists","inserted":0}"#,
            r#"{"created":1700000000,"error":"x"}"#,
            r#"{"created":[],"deleted":false,"created_at":5}"#,
            r#"{"not_processed":4}"#,
            r#"{"success":true}"#,
        ] {
            assert!(!counts(text), "{text}");
        }
    }
}
