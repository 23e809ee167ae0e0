//! What a value is as a text, as far as it can be told without running anything.

use std::{
    borrow::Cow,
    cell::{Cell, RefCell},
    collections::BTreeMap,
};

use super::{
    payload::{Id, Payload, Value},
    rules::Rules,
    words::has,
};

/// How many values are followed in all, so that a payload cannot make its own inspection slow.
const STEPS: u32 = 100_000;
/// How far a value is followed.
const DEPTH: u8 = 12;
/// How many texts a value may be before it counts as any.
const MOST: usize = 32;
/// How long a text may become before only its ends count.
const LONG: usize = 4_096;
/// What stands for the signs of a number: no word has it.
const NO_LETTER: &str = "\0";

/// All that a value may be; nothing of it is a number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Text<'c> {
    /// These texts.
    pub(super) known: Vec<Cow<'c, str>>,
    /// Texts that are made when the code runs.
    pub(super) made: Vec<Made>,
    /// Nobody knows.
    pub(super) other: bool,
}

/// What is known of a text that is made when the code runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Made {
    first: String,
    last: String,
    /// A part of it that is somewhere.
    middle: String,
}

impl Made {
    fn is_known(&self) -> bool {
        [&self.first, &self.last, &self.middle].into_iter().any(|it| !it.is_empty())
    }

    fn may_be(&self, word: &str) -> bool {
        word.len() >= self.first.len() + self.last.len()
            && word.starts_with(&self.first)
            && word.ends_with(&self.last)
            && word.contains(&self.middle)
    }

    /// What begins and ends with a sign that no word has.
    fn number() -> Self {
        Self { first: NO_LETTER.into(), last: NO_LETTER.into(), middle: NO_LETTER.into() }
    }

    /// One after the other, each with whether it is known from end to end.
    fn and(&self, is_whole: bool, next: &Self, is_next_whole: bool) -> Self {
        let between = format!("{}{}", self.last, next.first);
        let first = if is_whole { &between } else { &self.first };
        let last = if is_next_whole { &between } else { &next.last };
        let middles = [&self.middle, &next.middle, &between];
        let middle = middles.into_iter().max_by_key(|it| it.len());
        let skip = last.chars().count().saturating_sub(MOST);
        Self {
            first: first.chars().take(MOST).collect(),
            last: last.chars().skip(skip).collect(),
            middle: middle.into_iter().flat_map(|it| it.chars()).take(MOST).collect(),
        }
    }
}

impl<'c> Text<'c> {
    fn known(text: Cow<'c, str>) -> Self {
        Self { known: vec![text], ..Self::default() }
    }

    fn made() -> Self {
        Self { made: vec![Made::default()], ..Self::default() }
    }

    fn other() -> Self {
        Self { other: true, ..Self::default() }
    }

    /// Whether it is no text at all.
    pub(super) fn is_number(&self) -> bool {
        self.known.is_empty() && self.made.is_empty() && !self.other
    }

    /// Whether it is a text, of which nobody knows more.
    pub(super) fn is_text(&self) -> bool {
        !self.known.is_empty() || !self.made.is_empty()
    }

    /// Whether it may be anything.
    pub(super) fn is_open(&self) -> bool {
        self.other || self.made.iter().any(|it| !it.is_known())
    }

    /// Whether what is known of it leads to the word.
    pub(super) fn may_be(&self, word: &str) -> bool {
        self.known.iter().any(|it| it == word)
            || self.made.iter().any(|it| it.is_known() && it.may_be(word))
    }

    fn or(mut self, mut other: Self) -> Self {
        self.known.append(&mut other.known);
        for made in other.made {
            if !self.made.contains(&made) {
                self.made.push(made);
            }
        }
        self.other |= other.other;
        if self.known.len() + self.made.len() > MOST { Self::made() } else { self }
    }

    /// One after the other.
    fn and(self, next: &Self) -> Self {
        if self.is_number() && next.is_number() {
            return Self::default();
        }
        if !self.is_text() && !next.is_text() {
            return Self::other();
        }
        let mut whole = Self::default();
        let is_long = |it: &Cow<'_, str>| it.len() > LONG;
        if self.is_exact()
            && next.is_exact()
            && self.known.len() * next.known.len() <= MOST
            && !self.known.iter().chain(&next.known).any(is_long)
        {
            for (first, last) in
                self.known.iter().flat_map(|it| next.known.iter().map(move |last| (it, last)))
            {
                whole.known.push(Cow::Owned(format!("{first}{last}")));
            }
        } else {
            let (first, last) = (self.parts(), next.parts());
            if first.len() * last.len() > MOST {
                return Self::made();
            }
            for (one, is_whole) in &first {
                let all =
                    last.iter().map(|(it, is_next_whole)| one.and(*is_whole, it, *is_next_whole));
                whole.made.extend(all);
            }
        }
        whole
    }

    /// Whether all that it may be is known.
    pub(super) fn is_exact(&self) -> bool {
        !self.known.is_empty() && self.made.is_empty() && !self.other
    }

    /// All that it may be as a part of another text, each with whether it is known from end to end.
    fn parts(&self) -> Vec<(Made, bool)> {
        let whole = |it: &Cow<'_, str>| {
            let skip = it.chars().count().saturating_sub(MOST);
            let (first, last) = (it.chars().take(MOST).collect(), it.chars().skip(skip).collect());
            (Made { first, last, middle: String::new() }, skip == 0)
        };
        let other = self.other.then(Made::default);
        let number = self.is_number().then(Made::number);
        let rest = self.made.iter().cloned().chain(other).chain(number).map(|it| (it, false));
        self.known.iter().map(whole).chain(rest).collect()
    }
}

/// Follows values to their texts.
pub(super) struct Texts<'p, 'c> {
    payload: &'p Payload<'c>,
    rules: &'static Rules,
    steps: Cell<u32>,
    /// What names come to that were asked for before.
    names: RefCell<BTreeMap<&'p str, Text<'p>>>,
}

impl<'p, 'c> Texts<'p, 'c> {
    pub(super) fn new(payload: &'p Payload<'c>, rules: &'static Rules) -> Self {
        Self { payload, rules, steps: Cell::new(STEPS), names: RefCell::default() }
    }

    /// Whether one more value may be followed.
    pub(super) fn step(&self) -> bool {
        let steps = self.steps.get();
        self.steps.set(steps.saturating_sub(1));
        steps > 0
    }

    /// What a value comes to.
    pub(super) fn of(&self, id: Id) -> Text<'p> {
        let Value::Name(name) = self.payload.value(id) else { return self.look(id, DEPTH) };
        if let Some(known) = self.names.borrow().get(name.as_ref()) {
            return known.clone();
        }
        let text = self.look(id, DEPTH);
        self.names.borrow_mut().insert(name, text.clone());
        text
    }

    fn look(&self, id: Id, depth: u8) -> Text<'p> {
        let (Some(depth), true) = (depth.checked_sub(1), self.step()) else { return Text::made() };
        match self.payload.value(id) {
            Value::Text(text) | Value::Key(text) => Text::known(Cow::Borrowed(text)),
            Value::Number => Text::default(),
            Value::Name(name) => match self.payload.given(name) {
                [] => Text::other(),
                given => self.variable(given, depth),
            },
            Value::Sum(parts) => self.all(parts, depth),
            Value::Either(ways) => self.any(ways, depth),
            Value::Grown { by } => match self.look(*by, depth) {
                by if by.is_text() => Text::made(),
                by => by,
            },
            Value::Made | Value::List(_) | Value::Spread(_) => Text::made(),
            Value::Call { callee, arguments } => self.call(*callee, arguments, depth),
            Value::Member { object, .. } => match self.payload.value(*object) {
                Value::Name(name) if name == "Symbol" => Text::default(),
                _ => Text::other(),
            },
            _ => Text::other(),
        }
    }

    /// What began as a number and grew is one, or begins with one: no name of a member does.
    fn variable(&self, given: &[Id], depth: u8) -> Text<'p> {
        let is_grown = |it: &Id| matches!(self.payload.value(*it), Value::Grown { .. });
        let (grown, first): (Vec<_>, Vec<_>) = given.iter().copied().partition(is_grown);
        let first = self.any(&first, depth);
        match self.any(&grown, depth) {
            _ if first.is_number() => first,
            grown if grown.is_number() => first,
            grown if first.is_text() || grown.is_text() => first.or(Text::made()),
            _ => Text::other(),
        }
    }

    fn any(&self, ways: &[Id], depth: u8) -> Text<'p> {
        ways.iter().map(|it| self.look(*it, depth)).fold(Text::default(), Text::or)
    }

    fn all(&self, parts: &[Id], depth: u8) -> Text<'p> {
        let parts = parts.iter().map(|it| self.look(*it, depth));
        parts.reduce(|whole, part| whole.and(&part)).unwrap_or_else(Text::other)
    }

    /// A function that makes a text of texts; of those that hide words, `join` and `concat` are read.
    fn call(&self, callee: Id, arguments: &[Id], depth: u8) -> Text<'p> {
        let (object, called) = match self.payload.value(callee) {
            Value::Member { object, key } => (Some(*object), self.look(*key, depth)),
            Value::Name(name) => (None, Text::known(Cow::Borrowed(name))),
            _ => return Text::other(),
        };
        let [called] = called.known.as_slice() else { return Text::other() };
        match (called.as_ref(), object.map(|it| (it, self.payload.value(it)))) {
            ("concat", Some((object, value))) if !matches!(value, Value::List(_)) => {
                let parts: Vec<_> =
                    std::iter::once(object).chain(arguments.iter().copied()).collect();
                self.all(&parts, depth)
            }
            ("join", Some((_, Value::List(parts)))) => match arguments.first() {
                Some(between) => self.joined(parts, &self.look(*between, depth), depth),
                None => self.joined(parts, &Text::known(Cow::Borrowed(",")), depth),
            },
            ("join", Some((between, _))) => match arguments
                .first()
                .map(|it| self.payload.value(*it))
            {
                Some(Value::List(parts)) => self.joined(parts, &self.look(between, depth), depth),
                _ => Text::made(),
            },
            // What these take away or add makes no member of a format.
            ("strip" | "lstrip" | "rstrip", Some((object, _)))
                if arguments.is_empty() && !self.rules.has_open_keys =>
            {
                self.look(object, depth)
            }
            ("dedent", _) if self.is_dedent(callee) => {
                arguments.first().map_or_else(Text::other, |it| self.look(*it, depth))
            }
            (called, _) if has(self.rules.makes_text, called) => Text::made(),
            _ => Text::other(),
        }
    }

    fn is_dedent(&self, callee: Id) -> bool {
        let (name, path) = match self.payload.value(callee) {
            Value::Name(name) => (name, "textwrap.dedent"),
            Value::Member { object, .. } => match self.payload.value(*object) {
                Value::Name(name) if self.payload.fields("dedent").is_empty() => (name, "textwrap"),
                _ => return false,
            },
            _ => return false,
        };
        self.payload.given(name).len() == 1
            && self.payload.imported(name).iter().any(|it| it == path)
    }

    fn joined(&self, parts: &[Id], between: &Text<'p>, depth: u8) -> Text<'p> {
        let parts = parts.iter().map(|it| self.look(*it, depth));
        parts.reduce(|whole, part| whole.and(between).and(&part)).unwrap_or_else(Text::other)
    }
}
