//! The decision table for people: as Markdown inside `docs/reference/recover.md`, and as a picture beside it.

mod picture;

use std::{fmt::Write as _, fs, path::Path};

use redress::recover::{ROWS, Repeat, Room, Row, StopReason, Then, retry_of_class};
use redress_registry::{Class, RetryKind};

const PAGE: &str = "docs/reference/recover.md";
const FROM: &str = "<!-- The table is written by `cargo xtask codegen`. -->\n";
const TO: &str = "<!-- End of the table. -->\n";

/// The page with the table of today, and the picture.
pub(super) fn files(root: &Path) -> Result<[(String, String); 2], String> {
    let page = fs::read_to_string(root.join(PAGE)).map_err(|it| format!("{PAGE}: {it}"))?;
    let picture = ("docs/reference/recover.svg".to_owned(), picture::svg());
    Ok([picture, (PAGE.to_owned(), filled(&page)?)])
}

/// The page with the table between its two marks.
fn filled(page: &str) -> Result<String, String> {
    let parts = page.split_once(FROM).and_then(|(before, rest)| {
        let (_, after) = rest.split_once(TO)?;
        Some((before, after))
    });
    let (before, after) = parts.ok_or_else(|| {
        format!("{PAGE} has lost a mark of its table: `{}`, `{}`", FROM.trim_end(), TO.trim_end())
    })?;
    Ok(format!("{before}{FROM}{}\n{}{TO}{after}", table(), classes()))
}

fn table() -> String {
    let mut text = String::from("| row | if | then | because |\n| --- | --- | --- | --- |\n");
    for row in ROWS {
        let when = conditions(row).join("; ");
        writeln!(text, "| `{}` | {when} | {} | {} |", row.id, outcome(row.then), row.because)
            .unwrap_or_default();
    }
    text
}

fn classes() -> String {
    let mut text = String::from("| class of an unknown code | is taken for |\n| --- | --- |\n");
    for kind in RetryKind::ALL {
        let classes = Class::ALL.into_iter().filter(|it| retry_of_class(*it) == *kind);
        let classes: Vec<_> = classes.map(|it| format!("`{}`", it.name())).collect();
        if !classes.is_empty() {
            writeln!(text, "| {} | `{}` |", classes.join(", "), kind.name()).unwrap_or_default();
        }
    }
    text
}

/// What a row asks for, in words.
fn conditions(row: &Row) -> Vec<String> {
    let mut all = Vec::new();
    let either = |names: Vec<&str>| names.join(" or ");
    if !row.retry.is_empty() {
        all.push(format!("retry {}", either(row.retry.iter().map(|it| it.name()).collect())));
    }
    if !row.class.is_empty() {
        all.push(format!("class {}", either(row.class.iter().map(|it| it.name()).collect())));
    }
    if !row.repeat.is_empty() {
        let names = row.repeat.iter().map(|it| match it {
            Repeat::Safe => "a repeat is safe",
            Repeat::Doubtful => "it may have taken effect",
            Repeat::Double => "it was done",
        });
        all.push(either(names.collect()));
    }
    if !row.room.is_empty() {
        let names = row.room.iter().map(|it| match it {
            Room::Left => "a repeat is left",
            Room::AttemptsUsed => "made too often",
            Room::WaitTooLong => "too long a wait",
            Room::BudgetSpent => "no budget",
        });
        all.push(either(names.collect()));
    }
    for (flag, yes, no) in [
        (row.next, "it names next calls", "it names no next calls"),
        (row.fallback, "there is another way", "there is no other way"),
    ] {
        all.extend(flag.map(|it| if it { yes } else { no }.to_owned()));
    }
    if all.is_empty() {
        all.push("anything else".to_owned());
    }
    all
}

/// What a row does, in words.
const fn outcome(then: Then) -> &'static str {
    match then {
        Then::RetryNow => "retry now",
        Then::RetryAfter => "retry after a wait",
        Then::ChangeArguments => "change the arguments",
        Then::CallFirst => "call something else first",
        Then::AskHuman(_) => "ask a human",
        Then::FallBack => "fall back",
        Then::Stop(StopReason::Cancelled) => "stop: cancelled",
        Then::Stop(StopReason::AlreadyDone) => "stop: already done",
        Then::Stop(StopReason::Refused) => "stop: refused",
        Then::Stop(StopReason::AttemptsUsed) => "stop: attempts used",
        Then::Stop(StopReason::WaitTooLong) => "stop: wait too long",
        Then::Stop(StopReason::BudgetSpent) => "stop: budget spent",
        Then::Stop(StopReason::CannotSucceed) => "stop: cannot succeed",
    }
}

#[cfg(test)]
mod tests {
    use super::{FROM, TO, filled};

    #[test]
    fn a_page_that_lost_a_mark_is_a_problem() {
        let page = format!("# Recover\n{FROM}old\n{TO}rest\n");
        assert!(filled(&page).unwrap().ends_with(&format!("{TO}rest\n")));
        for mark in [FROM, TO] {
            assert!(filled(&page.replace(mark, "")).is_err(), "{mark}");
        }
    }
}
