//! Whether a failing answer tells of work that was done before it failed: then nobody may say that nothing was changed.

use std::collections::BTreeMap;

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

/// What words mean, as the rules say.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    words: BTreeMap<String, u16>,
    /// Ends of words.
    ends: Vec<(String, u16)>,
}

impl Vocabulary {
    /// Takes a line of the rules: a sense and its words.
    pub(crate) fn read(&mut self, line: &str) -> Result<(), String> {
        let mut words = line.split_whitespace();
        let sense = words.next().and_then(Sense::parse).ok_or("no such sense")?;
        for word in words {
            match word.strip_prefix('*') {
                Some(end) => self.ends.push((end.to_owned(), 1 << sense as u16)),
                None => *self.words.entry(word.to_owned()).or_default() |= 1 << sense as u16,
            }
        }
        Ok(())
    }

    /// Whether a text, in our spelling, tells of work that was done.
    pub(crate) fn tells_of_work(&self, text: &str) -> bool {
        let clauses = clauses(text, |it| self.has(it, Sense::Breaks));
        let tells = |it: &[Word<'_>]| (0..it.len()).any(|at| self.is_done(it, at));
        clauses.iter().any(|it| tells(it)) && !clauses.iter().any(|it| self.is_undone(it))
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
        let has = |sense| key.split(' ').any(|it| self.has(it, sense));
        let is_denied = has(Sense::Denies) || has(Sense::Others) || has(Sense::Modal);
        !is_denied && (has(Sense::Did) || has(Sense::Tallies) && value.kind() != Kind::Bool)
    }

    /// Whether the word at this place, with those around it, tells of work.
    fn is_done(&self, clause: &[Word<'_>], at: usize) -> bool {
        let word = |at: usize| clause.get(at).copied().unwrap_or_default();
        let this = word(at);
        if self.is_denied(clause, at) || this.is_quoted {
            return false;
        }
        let before = |far: usize| at.checked_sub(far).map(word).unwrap_or_default();
        let nearby = clause.get(at.saturating_sub(3)..(at + 3).min(clause.len()));
        let is_counted = nearby.unwrap_or_default().iter().any(|it| it.count().is_some());
        if self.has(this.text, Sense::Did) {
            let is_thing = self.has(before(1).text, Sense::Names)
                || [1, 2].iter().any(|it| self.has(before(*it).text, Sense::Earlier))
                || self.has(word(at + 1).text, Sense::Others);
            return is_counted || !is_thing;
        }
        self.has(this.text, Sense::Partly)
            || self.is_part(clause, at)
            || this.text.ends_with("ed")
                && !self.has(this.text, Sense::Idle)
                && (before(2).count().is_some() && self.is_counted_thing(before(1))
                    || word(at + 1).count().is_some() && self.is_counted_thing(word(at + 2)))
    }

    /// `2 of 5`, `2 out of the 5`, `2/5`; at the start of a clause `3 rows`, which stands after `after`.
    fn is_part(&self, clause: &[Word<'_>], at: usize) -> bool {
        let Some([this, rest @ ..]) = clause.get(at..) else { return false };
        if at.checked_sub(1).and_then(|it| clause.get(it)).is_some_and(|it| self.is_try(*it)) {
            return false;
        }
        if let Some((done, all)) = this.text.split_once('/') {
            return is_part_of(count(done), count(all));
        }
        let Some(done) = this.count() else { return false };
        if this.is_after && rest.first().is_some_and(|it| self.is_counted_thing(*it)) {
            return true;
        }
        let mut words = rest.iter().skip_while(|it| it.text == "out");
        let is_of = words.next().is_some_and(|it| it.text == "of");
        let all = words.find(|it| it.text != "the");
        is_of && is_part_of(Some(done), all.and_then(|it| it.count()))
    }

    fn is_counted_thing(&self, word: Word<'_>) -> bool {
        word.text.len() > 2 && word.text.ends_with('s') && !self.is_try(word)
    }

    fn is_try(&self, word: Word<'_>) -> bool {
        self.has(word.text, Sense::Tries)
    }

    fn is_denied(&self, clause: &[Word<'_>], at: usize) -> bool {
        let before = clause.get(at.saturating_sub(REACH)..at).unwrap_or_default();
        let after = clause.get(at + 1..(at + 2).min(clause.len())).unwrap_or_default();
        let is_none = |it: &Word<'_>| matches!(it.text, "0" | "no" | "none" | "nothing" | "zero");
        before.iter().any(|it| self.has(it.text, Sense::Denies))
            || before.last().is_some_and(|it| self.has(it.text, Sense::Modal))
            || after.iter().any(is_none)
    }

    fn is_undone(&self, clause: &[Word<'_>]) -> bool {
        (0..clause.len()).any(|at| {
            let is_it = clause.get(at).is_some_and(|it| self.has(it.text, Sense::Undone));
            is_it && !self.is_denied(clause, at)
        })
    }

    fn has(&self, word: &str, sense: Sense) -> bool {
        let senses = self.words.get(word).copied().unwrap_or_default();
        let ends =
            self.ends.iter().filter(|it| word.ends_with(&it.0)).fold(0, |all, it| all | it.1);
        (senses | ends) >> sense as u16 & 1 == 1
    }
}

/// One word of a text.
#[derive(Debug, Clone, Copy, Default)]
struct Word<'t> {
    text: &'t str,
    /// It is a name, not a word: `'updated'`.
    is_quoted: bool,
    /// The word before was `after`.
    is_after: bool,
}

impl Word<'_> {
    /// How many, at least one.
    fn count(self) -> Option<u64> {
        count(self.text)
    }
}

fn count(word: &str) -> Option<u64> {
    let number = word.replace(',', "").parse().ok()?;
    (1..MOST_COUNTED).contains(&number).then_some(number)
}

fn is_part_of(done: Option<u64>, all: Option<u64>) -> bool {
    matches!((done, all), (Some(done), Some(all)) if done <= all && all > 1)
}

/// The text as words, a list for each clause.
fn clauses(text: &str, breaks: impl Fn(&str) -> bool) -> Vec<Vec<Word<'_>>> {
    let mut all = vec![Vec::new()];
    let mut is_after = false;
    let mut from = 0;
    while let Some(start) = next(text, from, is_letter) {
        let end = word_end(text, start);
        let gap = text.get(from..start).unwrap_or_default();
        let word = text.get(start..end).unwrap_or_default();
        from = end.max(start + 1);
        if gap.contains(['.', ',', ';', ':', '!', '?', '(', ')', '[', ']', '\n']) || breaks(word) {
            all.push(Vec::new());
        }
        let quote = text.get(end..).and_then(|it| it.chars().next());
        let is_quoted = matches!(quote, Some('\'' | '"')) && quote == gap.chars().next_back();
        if !breaks(word)
            && let Some(clause) = all.last_mut()
        {
            clause.push(Word { text: word, is_quoted, is_after });
        }
        is_after = word == "after";
    }
    all
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
