//! SQL states: the five characters that databases and their drivers write beside a failure.

use redress_registry::{Effect, RetryKind};

use super::super::{
    evidence::{Evidence, is_unasked},
    tier::{Finding, Tier},
};
use crate::codes;

/// What a state is, by its class: the first two characters, or all of them where a subclass differs.
pub(super) fn read<'e>(evidence: &Evidence<'e>) -> Option<Finding<'e>> {
    let state = find(&evidence.message.text)?;
    let again = Some(RetryKind::AfterDelay);
    let (code, retry) = match state {
        "42501" => (codes::INSUFFICIENT_PERMISSIONS, None),
        "23505" | "42710" | "42p04" | "42p06" | "42p07" => (codes::ALREADY_EXISTS, None),
        "25006" => (codes::UNAUTHORIZED_ACTION, None),
        "55p03" => (codes::CONFLICT, again),
        "57014" => (codes::TIMEOUT, None),
        _ => match state.get(..2)? {
            "08" | "57" => (codes::UPSTREAM_UNAVAILABLE, None),
            "0a" => (codes::UNSUPPORTED, None),
            "25" | "55" => (codes::CONFLICT, None),
            "28" => (codes::AUTH_REQUIRED, None),
            "3d" | "3f" => (codes::NOT_FOUND, None),
            "40" => (codes::CONFLICT, again),
            "53" => (codes::LIMIT_EXCEEDED, again),
            "54" => (codes::INPUT_TOO_LARGE, None),
            "21" | "22" | "23" | "42" if is_unasked(evidence) => {
                (codes::INTERNAL_ERROR, Some(RetryKind::AfterHuman))
            }
            "21" | "22" | "23" | "42" => (codes::QUERY_FAILED, None),
            "58" | "f0" | "xx" => (codes::INTERNAL_ERROR, None),
            _ => return None,
        },
    };
    let finding = Finding::new(Tier::Format, format!("sql: state {state}"), code.name());
    Some(Finding { retry, ..finding.effect(Effect::Unknown) })
}

/// The first state in a text in our spelling: a word after `sqlstate`, or one with the `P` or `S` of databases in it.
fn find(text: &str) -> Option<&str> {
    let mut before = "";
    text.split(|it: char| !it.is_ascii_alphanumeric()).filter(|it| !it.is_empty()).find(|word| {
        let is_named = std::mem::replace(&mut before, word) == "sqlstate";
        let is_marked = word.as_bytes().get(2).is_some_and(|it| b"ps".contains(it))
            && word.bytes().filter(u8::is_ascii_digit).count() == 4;
        word.len() == 5 && (is_named || is_marked)
    })
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn a_state_is_found_where_databases_write_it() {
        for (text, state) in [
            ("sqlstate[42s02]: base table or view not found: 1146", Some("42s02")),
            ("error: relation \"a\" does not exist (sqlstate 42p01)", Some("42p01")),
            ("duplicate key value\nsqlstate: 23505", Some("23505")),
            ("error 1146 (42s02) at line 1", Some("42s02")),
            ("port 42501 is in use", None),
            ("no such table: t", None),
        ] {
            assert_eq!(find(text), state, "{text}");
        }
    }
}
