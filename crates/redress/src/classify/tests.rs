//! The tables that ship with the library.

use redress_registry::{Effect, Retry, RetryKind, shipped};

use super::{formats::PRODUCERS, prose, say, tables::TABLES};
use crate::Fault;

/// The most that the rules may weigh, and the longest that a line of them may be.
const MOST_BYTES: usize = 80 << 10;
const LONGEST_LINE: usize = 200;

#[test]
fn every_row_has_a_code_of_core_or_a_class() {
    for row in TABLES.formats.rows() {
        assert!(shipped::core().get(&row.head).is_some(), "{}: {}", row.producer, row.head);
    }
    for row in TABLES.prose.rows() {
        assert!(prose::general(&row.head).is_some(), "{}", row.head);
        assert!(row.guard.is_none() && !row.is_before && row.retry.is_none(), "{}", row.head);
    }
}

#[test]
fn the_rules_stay_small() {
    let all = PRODUCERS.iter().map(|it| it.1).chain([prose::TEXT]);
    let bytes: usize = all.clone().map(str::len).sum();
    assert!(bytes <= MOST_BYTES, "{bytes}");
    for line in all.flat_map(str::lines) {
        assert!(line.chars().count() <= LONGEST_LINE, "{line}");
    }
}

/// Words that advise to make the same call again.
const AGAIN: [&str; 6] = [
    "same call again",
    "repeat the call",
    "repeat it",
    "try again",
    "try once more",
    "make it again",
];

#[test]
fn a_hint_never_contradicts_retry_or_effect() {
    for entry in shipped::core().codes.values() {
        for (kind, effect) in
            RetryKind::ALL.iter().flat_map(|kind| Effect::ALL.iter().map(|it| (*kind, *it)))
        {
            let mut fault = Fault::of(entry);
            (fault.retry, fault.effect) = (Retry::of(kind), effect);
            say::hint_fitting(&mut fault);
            let hint = fault.hint.to_lowercase();
            let again = AGAIN.iter().any(|it| hint.contains(it));
            let place = format!("{} {kind:?} {effect:?}: {hint}", entry.code);
            if matches!(kind, RetryKind::Never | RetryKind::AfterChange) {
                assert!(!again, "{place}");
            }
            if effect == Effect::None {
                assert!(!hint.contains("took effect"), "{place}");
            }
            if kind == RetryKind::Never {
                assert!(!hint.contains("wait"), "{place}");
            }
        }
    }
}
