//! Queries: whether a call has one, so that another one helps, and whether it changes what it asks.

use super::normal::normal;

/// Words in the names of arguments that say what is asked of a database.
const NAMES: [&str; 18] = [
    "sql",
    "query",
    "queries",
    "statement",
    "statements",
    "cypher",
    "pipeline",
    "filter",
    "where",
    "table",
    "tables",
    "column",
    "columns",
    "collection",
    "schema",
    "database",
    "script",
    "command",
];
/// How statements start that change something, in two words: prose starts with the first of them, too.
const CHANGES: [(&str, &[&str]); 12] = [
    ("insert", &["into", "or", "overwrite", "ignore"]),
    ("update", &[]),
    ("delete", &["from"]),
    ("replace", &["into"]),
    ("merge", &["into"]),
    ("upsert", &["into"]),
    ("create", THINGS),
    ("drop", THINGS),
    ("alter", THINGS),
    ("truncate", THINGS),
    ("grant", &["all", "select"]),
    ("begin", &["transaction", "immediate"]),
];
const THINGS: &[&str] = &[
    "table",
    "index",
    "view",
    "schema",
    "database",
    "unique",
    "temp",
    "temporary",
    "trigger",
    "function",
    "type",
    "or",
    "role",
    "user",
];

/// Whether an argument says what is asked of a database.
pub(super) fn is_part(key: &str, value: &str) -> bool {
    let first = value.split_whitespace().next().unwrap_or_default();
    let is_named = normal(key).split(' ').any(|it| NAMES.contains(&it));
    is_named || first.eq_ignore_ascii_case("select") || changes(value)
}

/// Whether a text is a statement that changes something.
pub(super) fn changes(text: &str) -> bool {
    let mut words = text.split_whitespace().take(3).map(str::to_ascii_lowercase);
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let is_set = words.next().is_some_and(|it| it == "set");
    CHANGES.iter().any(|(start, then)| {
        first == *start && (then.contains(&&*second) || then.is_empty() && is_set)
    })
}

#[cfg(test)]
mod tests {
    use super::{changes, is_part};

    #[test]
    fn statements_that_change_something_are_told_from_others_and_from_prose() {
        for (text, expected) in [
            ("INSERT INTO t VALUES (1)", true),
            ("update t\nset a = 1", true),
            ("DROP TABLE t", true),
            ("SELECT * FROM t", false),
            ("Update the notes, please", false),
            ("delete old branches", false),
        ] {
            assert_eq!(changes(text), expected, "{text}");
        }
    }

    #[test]
    fn a_query_is_known_by_its_name_or_its_words() {
        for (key, value, expected) in [
            ("sql", "x", true),
            ("table_name", "users", true),
            ("text", "select 1", true),
            ("name", "bob", false),
        ] {
            assert_eq!(is_part(key, value), expected, "{key}");
        }
    }
}
