//! The tables that ship with the library.

use redress_registry::shipped;

use super::{formats::PRODUCERS, prose, tables::TABLES};

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
