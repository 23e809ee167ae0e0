//! The card: a fault as two to six lines of text, enough alone for the model that reads it.

use std::fmt::Write as _;

use redress_registry::{Class, Effect, Retry, RetryKind};

use crate::{
    codes,
    fault::{ATTEMPTS, Fault, NextAction, Violation},
    text,
    text::tokens::{
        MAX_CARD_CHARS, MAX_HINT_CHARS, MAX_MESSAGE_CHARS, MAX_NEXT, MAX_QUOTING_CARD_CHARS,
        SERVER_LINE_CHARS,
    },
};
use redress_wire::json::RawJson;

/// The shortest quote of a server that is worth a line.
pub(crate) const MIN_SERVER_CHARS: usize = 24;

/// What a hint keeps when everything must be short.
pub(crate) const MIN_HINT_CHARS: usize = 80;

/// How many did-you-mean values fit into a sentence.
pub(crate) const MAX_SIMILAR_SHOWN: usize = 3;

/// The most of what a server said that is in the message of an error, in characters.
const MAX_SAID_CHARS: usize = 240;

/// The card of a fault, at most 120 tokens. What matters least is cut first: the server's own words, then further
/// calls, then the ends of hint and message.
pub fn card(fault: &Fault) -> String {
    let message = text::strip(&fault.message);
    let first = format!("{}: {}", fault.code(), text::cut(&message, MAX_MESSAGE_CHARS));
    let retry = format!("\n{}", retry_line(fault));
    let used = length(&first) + length(&retry) + length("\nFix: ");
    let hint = text::strip(&fault.hint);
    let hint = text::cut(
        &hint,
        (MAX_CARD_CHARS - used.min(MAX_CARD_CHARS)).clamp(MIN_HINT_CHARS, MAX_HINT_CHARS),
    );
    let mut card = first;
    card.push_str(&retry);
    if repeats_retry(fault) {
        let expected = expected(fault);
        let line = if expected.is_empty() { expected } else { format!("\nFix:{expected}") };
        append_if_fits(&mut card, &line, MAX_CARD_CHARS);
    } else if !hint.is_empty() {
        append_if_fits(&mut card, &format!("\nFix: {hint}"), usize::MAX);
        append_if_fits(&mut card, &expected(fault), MAX_CARD_CHARS);
        append_if_fits(&mut card, &did_you_mean(fault), MAX_CARD_CHARS);
        append_if_fits(&mut card, &attempts(fault), MAX_CARD_CHARS);
    }
    for action in fault.next_actions.iter().take(MAX_NEXT) {
        append_if_fits(&mut card, &next_line(action), MAX_CARD_CHARS);
    }
    if let Some(said) = fault.server_text.as_ref().filter(|_| !names_all(fault)) {
        append_server_text(&mut card, said);
    }
    text::cut_lines(card, MAX_CARD_CHARS)
}

/// Whether the row's hint says no more than the line before it: other arguments or another tool, or to wait. The server's own
/// words, which follow, say which and why.
fn repeats_retry(fault: &Fault) -> bool {
    let is_said = match fault.retry.kind {
        RetryKind::AfterChange => {
            fault.class == Class::InvalidArgument || fault.wants_another_tool()
        }
        RetryKind::AfterDelay => {
            matches!(fault.class, Class::Unavailable | Class::ResourceExhausted)
        }
        _ => false,
    };
    is_said
        && fault.server_text.is_some()
        && fault.similar_refs.is_empty()
        && fault.hint == fault.entry().hint
        && attempts(fault).is_empty()
}

/// Whether the lines of ours name each wrong argument and what is wrong with it, so that the server's words say nothing more.
fn names_all(fault: &Fault) -> bool {
    let is_named = |it: &Violation| match it.reason().as_deref() {
        Some("missing" | "unknown") => true,
        Some("wrong_type") => it.expected().is_some(),
        _ => false,
    };
    !fault.violations.is_empty() && fault.violations.iter().all(is_named)
}

/// Whether the card of a fault had to cut the server's words. It leaves them out on purpose where its own lines say as much.
pub fn cuts_server_text(fault: &Fault) -> bool {
    let said = fault.server_text.as_deref().filter(|_| !names_all(fault));
    said.is_some_and(|it| !card(fault).ends_with(&text::quote(it, usize::MAX)))
}

/// The line on what a repeat is good for, and what the call has done.
pub(crate) fn retry_line(fault: &Fault) -> String {
    format!("Retry: {} {}", when(fault), effect(fault))
}

/// How often the gate made the call already, where that was more than once.
fn attempts(fault: &Fault) -> String {
    let count = |it: &RawJson| it.with(|it| it.get(ATTEMPTS)?.as_u64()).flatten();
    match fault.details.as_ref().and_then(count) {
        Some(count) if count > 1 => format!(" The gate tried it {count} times."),
        _ => String::new(),
    }
}

/// A second line of a card, and what it says.
pub(crate) struct RetryLine {
    pub(crate) line: String,
    pub(crate) kind: RetryKind,
    pub(crate) effect: Effect,
    /// The class that it is for, where faults of others have another line.
    pub(crate) class: Option<Class>,
}

/// A class for each reason that a card gives against a repeat; the first represents all that have no other.
const REASONS: [Class; 3] = [ANY_CLASS, Class::Unknown, Class::Internal];
const ANY_CLASS: Class = Class::InvalidArgument;

/// Every second line that names no arguments: without a delay, and with this one.
pub(crate) fn retry_lines(after_ms: Option<u64>) -> Vec<RetryLine> {
    let mut lines: Vec<RetryLine> = Vec::new();
    let mut fault = Fault::of(codes::INTERNAL_ERROR.entry());
    for (kind, effect) in
        RetryKind::ALL.iter().flat_map(|kind| Effect::ALL.iter().map(|it| (*kind, *it)))
    {
        for (class, after_ms) in REASONS.iter().flat_map(|it| [(*it, None), (*it, after_ms)]) {
            fault.class = class;
            fault.effect = effect;
            fault.retry = Retry { after_ms, ..Retry::of(kind) };
            let line = retry_line(&fault);
            if !lines.iter().any(|it| it.line == line) {
                let class = Some(class).filter(|it| *it != ANY_CLASS && kind == RetryKind::Never);
                lines.push(RetryLine { line, kind, effect, class });
            }
        }
    }
    lines
}

/// What is to be changed, where no argument is known, and where it is the tool.
pub(crate) const OTHER_ARGUMENTS: &str = "only with other arguments.";
pub(crate) const ANOTHER_TOOL: &str = "only with another tool.";

fn when(fault: &Fault) -> String {
    match fault.retry.kind {
        RetryKind::Now => "now, with the same call.".to_owned(),
        RetryKind::AfterDelay => match fault.retry.after_ms {
            Some(ms) => format!("the same call after {}.", duration(ms)),
            None => "the same call after a while.".to_owned(),
        },
        RetryKind::AfterChange if fault.wants_another_tool() => ANOTHER_TOOL.to_owned(),
        RetryKind::AfterChange => match arguments(fault) {
            names if names.is_empty() => OTHER_ARGUMENTS.to_owned(),
            names => format!("only with other arguments ({names})."),
        },
        RetryKind::AfterState => "only after the state has changed.".to_owned(),
        RetryKind::AfterHuman => "only after a person has acted.".to_owned(),
        RetryKind::Never => match fault.class {
            // Advice against it is no proof that it is hopeless.
            Class::Unknown => "not as it is, the reason is unknown.".to_owned(),
            Class::Internal => "not as it is, the server is at fault.".to_owned(),
            _ => "never, it cannot succeed.".to_owned(),
        },
    }
}

fn effect(fault: &Fault) -> &'static str {
    match (fault.effect, fault.retryable()) {
        (Effect::None, _) => "Nothing was changed.",
        (Effect::Unknown, true) => "It may have taken effect: check first.",
        (Effect::Unknown, false) => "It may have taken effect.",
        (Effect::Partial, _) => "A part of it may have been done.",
        (Effect::Done, _) => "It was done; do not repeat it.",
    }
}

/// The names of the arguments that are wrong.
fn arguments(fault: &Fault) -> String {
    let pointers = fault.wrong_arguments();
    let names = pointers.iter().map(|it| text::strip(it.trim_start_matches('/')));
    let names: Vec<_> = names.filter(|it| !it.is_empty()).take(MAX_SIMILAR_SHOWN).collect();
    text::cut(&names.join(", "), 60).into_owned()
}

/// Where a card says what was expected.
pub(crate) const EXPECTED: &str = " Expected ";

/// What the wrong arguments should have been, where that is known and the message does not say it.
fn expected(fault: &Fault) -> String {
    let one = |it: &Violation| {
        let name = text::strip(it.pointer().trim_start_matches('/'));
        let what = text::cut(&text::strip(&it.expected()?), 60).into_owned();
        if fault.message.contains(&what) {
            return None;
        }
        Some(if name.is_empty() { what } else { format!("{name}: {what}") })
    };
    let all: Vec<String> =
        fault.violations.iter().filter_map(one).take(MAX_SIMILAR_SHOWN).collect();
    if all.is_empty() { String::new() } else { format!("{EXPECTED}{}.", all.join("; ")) }
}

/// What may have been meant, as a sentence after another one.
pub(crate) fn did_you_mean(fault: &Fault) -> String {
    let names: Vec<String> = fault
        .similar_refs
        .iter()
        .take(MAX_SIMILAR_SHOWN)
        .map(|it| text::cut(&text::strip(&it.name()), 60).into_owned())
        .collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => format!(" Did you mean {one}?"),
        [first @ .., last] => format!(" Did you mean {} or {last}?", first.join(", ")),
    }
}

/// What the server said, quoted, as a sentence after another one.
pub(crate) fn server_said(fault: &Fault) -> String {
    let quoted = fault.server_text.as_deref().map(|it| text::quote_gist(it, MAX_SAID_CHARS));
    quoted.map(|it| format!(" Server said: {it}")).unwrap_or_default()
}

fn next_line(action: &NextAction) -> String {
    let mut line = String::from("\nNext: ");
    match action {
        NextAction::Text(text) => line.push_str(&text::strip(text)),
        NextAction::Call { tool, args: None } => line.push_str(tool),
        NextAction::Call { tool, args: Some(args) } => {
            write!(line, "{tool} {args}").unwrap_or_default();
        }
    }
    line
}

fn append_if_fits(card: &mut String, more: &str, most: usize) {
    if length(card) + length(more) <= most {
        card.push_str(more);
    }
}

fn append_server_text(card: &mut String, said: &str) {
    const LABEL: &str = "\nServer said: ";
    let used = length(card);
    let left = MAX_QUOTING_CARD_CHARS
        .saturating_sub(used)
        .max(SERVER_LINE_CHARS.min(MAX_CARD_CHARS.saturating_sub(used)));
    let room = left.saturating_sub(length(LABEL) + 2);
    if room < MIN_SERVER_CHARS {
        return;
    }
    let mut most = room;
    loop {
        let quoted = text::quote_gist(said, most);
        let over = length(&quoted).saturating_sub(room + 2);
        if over == 0 {
            card.push_str(LABEL);
            card.push_str(&quoted);
            return;
        }
        most = most.saturating_sub(over);
    }
}

fn length(text: &str) -> usize {
    text.chars().count()
}

fn duration(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        _ if ms.is_multiple_of(1_000) => format!("{} s", ms / 1_000),
        _ => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
    }
}
