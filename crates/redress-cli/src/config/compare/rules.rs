//! `Rules`: how keys are compared. Each rule says whether a value lets more in than another, notes it, and holds the looser one back.

use std::cmp::Ordering;

use super::{KeyChange, Loosening, Strictness};
use crate::config::value::{Shown, Value};

/// Compares a table key by key: one line for each key, with its rule. `apart` names the fields that are compared in another place.
macro_rules! keys {
    ($rules:expr, $at:expr, $Section:ident, ($old:expr, $new:expr), apart($($apart:ident),*), {
        $($key:ident: $rule:ident($($measure:expr)?);)+
    }) => {{
        let $Section { $($key,)+ $($apart: _,)* } = $old;
        $($rules.$rule(&format!("{}.{}", $at, $crate::config::section::key_name(stringify!($key))), $key, &mut $new.$key $(, $measure)?);)+
    }};
}

pub(super) use keys;

/// Compares keys, and keeps what was found.
pub(crate) struct Rules {
    loosening: Loosening,
    changes: Vec<KeyChange>,
    is_quiet: bool,
}

impl Rules {
    pub(super) const fn new(loosening: Loosening) -> Self {
        Self { loosening, changes: Vec::new(), is_quiet: false }
    }

    pub(super) fn into_changes(self) -> Vec<KeyChange> {
        self.changes
    }

    /// Does some of the work without a note of it, if that was made already.
    pub(super) fn quietly(&mut self, is_quiet: bool, work: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.is_quiet, is_quiet);
        work(self);
        self.is_quiet = before;
    }

    /// Whether what lets more in keeps the value that it has.
    pub(super) fn holds(&self) -> bool {
        self.loosening == Loosening::Held
    }

    /// Notes a change.
    pub(super) fn note(&mut self, key: &str, verdict: Strictness, detail: impl Into<String>) {
        if !self.is_quiet {
            let (key, detail) = (key.to_owned(), detail.into());
            self.changes.push(KeyChange { key, verdict, detail, after_restart: false });
        }
    }

    /// Notes a change by its verdict, and holds a looser value back.
    pub(super) fn judged<T: Clone>(
        &mut self,
        (key, verdict): (&str, Strictness),
        detail: impl Into<String>,
        (old, new): (&T, &mut T),
    ) {
        self.note(key, verdict, detail);
        if verdict == Strictness::Loosened && self.holds() {
            new.clone_from(old);
        }
    }

    /// A key that is not about who is let in.
    pub(crate) fn neutral<T: Value + PartialEq>(&mut self, key: &str, old: &T, new: &mut T) {
        if old != new {
            self.note(key, Strictness::Neutral, "");
        }
    }

    /// A key whose values cannot be ordered by how much they let in.
    pub(crate) fn opaque<T: Value + PartialEq>(&mut self, key: &str, old: &T, new: &mut T) {
        if old != new {
            self.judged((key, Strictness::Loosened), "", (old, new));
        }
    }

    /// A key whose greater measure lets more in.
    pub(crate) fn bound<T: Value + PartialEq, M: Ord>(
        &mut self,
        key: &str,
        old: &T,
        new: &mut T,
        measure: impl Fn(T) -> M,
    ) {
        if old != new {
            let verdict = by_measure(&measure(old.clone()), &measure(new.clone()));
            self.judged((key, verdict), step(old, new), (old, new));
        }
    }

    /// A key whose whole change waits for a restart, confirmed or not.
    pub(crate) fn restart<T: Value + PartialEq, M: Ord>(
        &mut self,
        key: &str,
        old: &T,
        new: &mut T,
        measure: impl Fn(T) -> M,
    ) {
        if old != new {
            let verdict = by_measure(&measure(old.clone()), &measure(new.clone()));
            let detail = step(old, new);
            let change = KeyChange { key: key.to_owned(), verdict, detail, after_restart: true };
            self.changes.push(change);
            new.clone_from(old);
        }
    }

    /// A list in which each item lets more in. `covers` says whether a list lets in all that an item does.
    pub(super) fn granted<T: Clone + PartialEq>(
        &mut self,
        key: &str,
        old: &[T],
        new: &mut Vec<T>,
        covers: impl Fn(&[T], &T) -> bool,
    ) {
        if old == new {
            return;
        }
        let removed = old.iter().filter(|it| !covers(new, it)).count();
        let added = new.iter().filter(|it| !covers(old, it)).count();
        self.of_list(key, (removed, Strictness::Tightened, "removed"));
        self.of_list(key, (added, Strictness::Loosened, "added"));
        if removed + added == 0 {
            self.note(key, Strictness::Neutral, "");
        } else if added > 0 && self.holds() {
            let kept: Vec<T> = old.iter().filter(|it| covers(new, it)).cloned().collect();
            new.retain(|it| covers(old, it));
            let missing: Vec<T> = kept.into_iter().filter(|it| !new.contains(it)).collect();
            new.extend(missing);
        }
    }

    /// A list in which each item lets less in. `covers` says whether a list keeps out all that an item does.
    pub(super) fn required<T: Clone + PartialEq>(
        &mut self,
        key: &str,
        old: &[T],
        new: &mut Vec<T>,
        covers: impl Fn(&[T], &T) -> bool,
    ) {
        if old == new {
            return;
        }
        let missing: Vec<T> = old.iter().filter(|it| !covers(new, it)).cloned().collect();
        let added = new.iter().filter(|it| !covers(old, it)).count();
        self.of_list(key, (added, Strictness::Tightened, "added"));
        self.of_list(key, (missing.len(), Strictness::Loosened, "removed"));
        if missing.len() + added == 0 {
            self.note(key, Strictness::Neutral, "");
        } else if self.holds() {
            new.extend(missing);
        }
    }

    /// The same where an empty list means everything.
    pub(super) fn scope(&mut self, key: &str, old: &[String], new: &mut Vec<String>) {
        match (old.is_empty(), new.is_empty()) {
            (true, false) => {
                self.note(key, Strictness::Loosened, "no longer all");
                if self.holds() {
                    new.clear();
                }
            }
            (false, true) => self.note(key, Strictness::Tightened, "all"),
            _ => self.required(key, old, new, super::patterns::is_same),
        }
    }

    /// Notes how many items of a list were added or removed, if any were.
    pub(super) fn of_list(&mut self, key: &str, (count, verdict, what): (usize, Strictness, &str)) {
        if count > 0 {
            self.note(key, verdict, format!("{count} {what}"));
        }
    }
}

/// What a measure says that became another one.
pub(super) fn by_measure<M: Ord>(old: &M, new: &M) -> Strictness {
    match new.cmp(old) {
        Ordering::Less => Strictness::Tightened,
        Ordering::Equal => Strictness::Neutral,
        Ordering::Greater => Strictness::Loosened,
    }
}

/// A number that lets more in the larger it is.
pub(super) const fn number(value: u64) -> u64 {
    value
}

/// The same, where none is no bound.
pub(super) fn unbounded(value: Option<u64>) -> u64 {
    value.unwrap_or(u64::MAX)
}

/// A switch that lets more in when it is on.
pub(super) const fn flag(value: bool) -> bool {
    value
}

/// Both values, as they are shown to people: no secret has this rule.
fn step<T: Value>(old: &T, new: &T) -> String {
    let shown = |it: &T| match it.shown() {
        Shown::Toml(toml) => toml,
        Shown::Nothing | Shown::Table(_) => "nothing".to_owned(),
    };
    format!("from {} to {}", shown(old), shown(new))
}
