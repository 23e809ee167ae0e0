//! A text without the values that change from call to call: numbers, paths, addresses, identifiers, names in quotes.

use std::{borrow::Cow, fmt::Write as _};

use redress_wire::unseen::is_unseen;

use crate::text::REDACTED;

/// How many characters of a text are looked at.
const MOST_CHARS: usize = 2_048;
/// The longest glob, in characters. A longer text is matched by its start.
const LONGEST_GLOB: usize = 400;
/// A longer word is a value.
const LONGEST_WORD: usize = 40;
/// A longer text in quotes is no single value.
const LONGEST_QUOTED: usize = 200;
/// The shortest value of a call that is looked for in its answer.
const SHORTEST_GIVEN: usize = 2;
/// After these words a number is a code, which tells failures apart.
const BEFORE_CODES: [&str; 8] =
    ["error", "errors", "code", "status", "http", "errno", "exit", "sqlstate"];

/// A text with its values masked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mask {
    /// The text for people, in one line: a value is its kind in angle brackets.
    pub shown: String,
    /// The text as a glob, as `text` of a `[[match]]` row has it. Characters that a glob obeys, line breaks and characters that
    /// cannot be seen are `?`.
    pub glob: String,
    /// How many letters and digits of the glob are fixed.
    pub fixed: usize,
}

/// Masks a text. `given` are values that the call had, and that the answer may repeat.
pub fn mask(text: &str, given: &[&str]) -> Mask {
    let text = text.trim_end();
    let end = text.char_indices().nth(MOST_CHARS).map_or(text.len(), |it| it.0);
    let mut given: Vec<&str> = given.iter().map(|it| it.trim()).collect();
    given.retain(|it| (SHORTEST_GIVEN..=LONGEST_QUOTED).contains(&it.len()));
    given.sort_unstable_by_key(|it| std::cmp::Reverse(it.len()));
    let mut writer = Writer::default();
    let mut scan = Splitter {
        text: text.get(..end).unwrap_or_default(),
        at: 0,
        given: &given,
        is_json: text.trim_start().starts_with(['{', '[']),
        previous: String::new(),
        pending: Vec::new(),
    };
    while let Some((part, kind)) = scan.next() {
        match kind {
            Some(kind) => writer.value(kind),
            None => writer.words(part),
        }
    }
    if end < text.len() {
        writer.value("…");
    }
    writer.finish()
}

/// Writes the forms of a mask.
#[derive(Default)]
struct Writer {
    shown: String,
    glob: String,
    fixed: usize,
}

impl Writer {
    fn value(&mut self, kind: &str) {
        if self.glob.ends_with('*') {
            return;
        }
        write!(self.shown, "<{kind}>").unwrap_or_default();
        self.glob.push('*');
    }

    fn words(&mut self, words: &str) {
        for it in words.chars() {
            let is_hidden = it.is_control() || is_unseen(it);
            self.shown.push(if is_hidden { ' ' } else { it });
            self.glob.push(if is_hidden || matches!(it, '*' | '?') { '?' } else { it });
            self.fixed += usize::from(it.is_alphanumeric());
        }
    }

    fn finish(mut self) -> Mask {
        let cut = self.glob.char_indices().nth(LONGEST_GLOB).map(|it| it.0);
        if let Some(cut) = cut {
            let kept = self.glob.get(..cut).unwrap_or_default();
            let end = kept.rfind(' ').filter(|it| *it > cut / 2).map_or(cut, |it| it + 1);
            self.glob.truncate(end);
            if !self.glob.ends_with('*') {
                self.glob.push('*');
            }
            self.fixed = self.glob.chars().filter(|it| it.is_alphanumeric()).count();
        }
        Mask { shown: self.shown, glob: self.glob, fixed: self.fixed }
    }
}

/// Splits a text into words and values.
struct Splitter<'t> {
    text: &'t str,
    at: usize,
    given: &'t [&'t str],
    /// In JSON, quotes are around everything.
    is_json: bool,
    /// The word before, in small letters.
    previous: String,
    /// Parts that are known already, the next one last.
    pending: Vec<(usize, Option<&'static str>)>,
}

impl<'t> Splitter<'t> {
    /// The next part, and the kind of value that it is, if it is one.
    fn next(&mut self) -> Option<(&'t str, Option<&'static str>)> {
        let rest = self.text.get(self.at..)?;
        let first = rest.chars().next()?;
        let is_start = !self.text.get(..self.at)?.ends_with(char::is_alphanumeric);
        let (length, kind) = match self.pending.pop() {
            Some(known) => known,
            None if is_start => self.value(rest).unwrap_or_else(|| self.word(rest)),
            None => (first.len_utf8(), None),
        };
        let part = rest.get(..length)?;
        self.at += length;
        Some((part, kind))
    }

    /// A value that is recognised by more than its own word.
    fn value(&mut self, rest: &str) -> Option<(usize, Option<&'static str>)> {
        let given = self.given.iter().find(|it| {
            rest.strip_prefix(**it).is_some_and(|it| !it.starts_with(char::is_alphanumeric))
        });
        if let Some(given) = given {
            return Some((given.len(), Some("value")));
        }
        if rest.starts_with(REDACTED) {
            return Some((REDACTED.len(), Some("value")));
        }
        // What was left out can be anything.
        if rest.starts_with('…') {
            return Some(('…'.len_utf8(), Some("…")));
        }
        if let Some(length) = url(rest) {
            return Some((length, Some("url")));
        }
        let (open, inner, close) = quoted(rest).filter(|_| !self.is_json)?;
        self.pending = vec![(close, None), (inner, Some("text"))];
        Some((open, None))
    }

    fn word(&mut self, rest: &str) -> (usize, Option<&'static str>) {
        let end = rest.find(|it| !is_of_word(it)).unwrap_or(rest.len());
        let word = rest.get(..end).unwrap_or_default().trim_end_matches(['.', ':', '-', '/']);
        if word.is_empty() {
            return (rest.chars().next().map_or(0, char::len_utf8), None);
        }
        let kind = kind_of(word, &self.previous);
        self.previous = word.to_ascii_lowercase();
        (word.len(), kind)
    }
}

fn is_of_word(it: char) -> bool {
    it.is_alphanumeric() || matches!(it, '_' | '-' | '.' | '/' | '\\' | ':' | '@' | '~' | '+' | '%')
}

/// The kind of value that a word is.
fn kind_of(word: &str, previous: &str) -> Option<&'static str> {
    let has_digit = word.bytes().any(|it| it.is_ascii_digit());
    if is_path(word) {
        return Some("path");
    }
    if word.chars().count() > LONGEST_WORD || word.contains('@') {
        return Some("id");
    }
    if ["Error", "Exception", "Warning"].iter().any(|it| word.ends_with(it)) {
        return None;
    }
    if !has_digit {
        return is_file(word).then_some("file");
    }
    let digits = word.trim_start_matches(['-', '+']);
    if digits.starts_with(|it: char| it.is_ascii_digit()) {
        let is_code = BEFORE_CODES.contains(&previous) || previous.starts_with("http/");
        return if is_code {
            None
        } else if is_time(digits) {
            Some("time")
        } else if digits.bytes().filter(u8::is_ascii_alphabetic).count() > 3 {
            Some("id")
        } else {
            Some("number")
        };
    }
    (!is_error_number(word)).then_some("id")
}

/// `E0425`, `ERR_17`: capitals, then a few digits.
fn is_error_number(word: &str) -> bool {
    let name = word.trim_end_matches(|it: char| it.is_ascii_digit());
    word.len() - name.len() <= 5
        && name.starts_with(|it: char| it.is_ascii_uppercase())
        && name.bytes().all(|it| it.is_ascii_uppercase() || it == b'_')
}

fn is_time(digits: &str) -> bool {
    let shape: String =
        digits.chars().map(|it| if it.is_ascii_digit() { '0' } else { it }).take(10).collect();
    shape == "0000-00-00" || shape.starts_with("00:00")
}

fn is_path(word: &str) -> bool {
    let rooted =
        ["/", "./", "../", "~/", ".\\", "..\\", "\\"].iter().any(|it| word.starts_with(it));
    let mut start = word.chars();
    let has_drive = start.next().is_some_and(|it| it.is_ascii_alphabetic())
        && start.next() == Some(':')
        && matches!(start.next(), Some('/' | '\\'));
    let slashes = word.matches(['/', '\\']).count();
    let last = word.rsplit(['/', '\\']).next().unwrap_or_default();
    rooted && word.len() > 2 || has_drive || slashes > 1 || slashes == 1 && is_file(last)
}

/// A name with an ending: `main.rs`.
fn is_file(word: &str) -> bool {
    let Some((name, ending)) = word.rsplit_once('.') else { return false };
    name.len() > 1
        && (1..=5).contains(&ending.len())
        && ending.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit())
        && ending.starts_with(|it: char| it.is_ascii_lowercase())
}

/// The length of an address with a scheme.
fn url(rest: &str) -> Option<usize> {
    let scheme = rest.find("://").filter(|it| (2..=12).contains(it))?;
    let is_scheme = rest.get(..scheme)?.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'+');
    let end = |it: char| {
        it.is_whitespace() || matches!(it, '"' | '\'' | '`' | '<' | '>' | ')' | ']' | '}')
    };
    let whole = rest.get(..rest.find(end).unwrap_or(rest.len()))?;
    is_scheme.then(|| whole.trim_end_matches(['.', ',', ':', ';']).len())
}

/// The quote that closes another.
const fn closing(open: char) -> Option<char> {
    Some(match open {
        '\'' | '"' | '`' => open,
        '\u{201c}' => '\u{201d}',
        '\u{2018}' => '\u{2019}',
        '\u{ab}' => '\u{bb}',
        _ => return None,
    })
}

/// The lengths of the opening quote, the value and the closing quote with which a text begins.
fn quoted(rest: &str) -> Option<(usize, usize, usize)> {
    let mut chars = rest.chars();
    let open = chars.next()?;
    let close = closing(open)?;
    let inner = chars.as_str();
    let end = inner.match_indices(close).map(|it| it.0).find(|it| {
        let after = inner.get(it + close.len_utf8()..).unwrap_or_default();
        !after.starts_with(char::is_alphanumeric)
    })?;
    let value = inner.get(..end)?;
    let is_value = !value.is_empty() && end <= LONGEST_QUOTED && !value.contains('\n');
    is_value.then_some((open.len_utf8(), end, close.len_utf8()))
}

/// A text that a glob covers, without line breaks and characters that cannot be seen.
pub(super) fn example(text: &str, glob: &str) -> String {
    const MOST: usize = 600;
    let shown = |it: char| match it {
        it if it.is_whitespace() => ' ',
        it if it.is_control() || is_unseen(it) => '\u{fffd}',
        it => it,
    };
    let start: Cow<'_, str> = crate::redact::clean(text.trim_end());
    let whole: String = start.chars().take(MOST).map(shown).collect();
    if redress_registry::taught::covers(glob, &whole) {
        return whole;
    }
    // What is cut, or masked as a secret, no longer fits everywhere.
    glob.replace(['*', '?'], "x")
}
