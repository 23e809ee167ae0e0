//! Whether the first line of a text is, by its grammar, one that reports a failure.

use super::{Needs, Sign, object};
use crate::{
    classify::{
        extract,
        request::{Argument, Request},
    },
    redact::floor_boundary,
};

/// A report of a failure that is no more than a line is short.
const LONGEST_STATEMENT: usize = 220;
/// How far a label reaches before its colon: `Database error: `.
const LONGEST_LABEL: usize = 48;
/// First words of a sentence that says what was not done.
const FAILED_TO: [&str; 4] = ["failed to ", "unable to ", "error while ", "error when "];
/// The same, which can also say what is not possible in general.
const CANNOT: [&str; 5] = ["could not ", "couldn't ", "cannot ", "can't ", "an error occurred"];
/// What a tool does that gets or lists something.
const GETTING: [&str; 7] =
    [" retriev", " fetch", " get ", " list ", " search", " quer", " connect"];
/// First words of a sentence that refuses what was asked.
const REFUSED: [&str; 7] = [
    "invalid ",
    "missing ",
    "unsupported ",
    "unknown ",
    "unrecognized ",
    "no such ",
    "rate limit exceeded",
];
/// Whole statements of a refusal.
const DENIED: [&str; 6] = [
    "access denied",
    "permission denied",
    "not authorized",
    "unauthorized",
    "forbidden",
    "too many requests",
];
/// What a sentence has that tells of things in general, or of what was done.
const REPORTS: [&str; 5] = [" are ", " were ", " was ", " will ", " updated"];
/// What follows `Error` in a title, where no colon does.
const TITLES: [&str; 6] =
    ["handling", "reporting", "logging", "tracking", "monitoring", "checking"];
/// Predicates of a sentence that does so.
const PREDICATES: [&str; 8] = [
    " not found",
    " does not exist",
    " cannot be empty",
    " must be ",
    " must not ",
    " is required",
    " are required",
    " is not allowed",
];
/// What is behind a label when nothing failed.
const NONE: [&str; 8] = ["none", "0", "no error", "no problem", "no issue", "null", "n/a", "false"];

pub(super) fn sign(text: &str, (tool, request): (&str, &Request<'_>)) -> Option<Sign> {
    let deeds = request.deeds;
    let mut lines = text.lines().map(unmarked).filter(|it| !it.is_empty());
    let first = lines.next()?;
    let found = |name, needs| Some(Sign::new(name, false, needs));
    // What is said of the call itself is no content of the tool, whatever that reads or runs.
    if is_of_call(first, tool) {
        return found("call", Needs::Cause);
    }
    if deeds.runs || deeds.judges {
        return None;
    }
    // A label alone goes on in the next line.
    let joined = lines.next().filter(|_| first.ends_with(':')).map(|it| format!("{first} {it}"));
    let line = joined.as_deref().unwrap_or(first);
    let lower = line.to_lowercase();
    let is_alone = text.trim().lines().filter(|it| !it.trim().is_empty()).count() == 1;
    let is_statement = is_alone && line.len() <= LONGEST_STATEMENT;
    if lower.contains("error") && has_issues(text) {
        return found("validator", Needs::Cause);
    }
    // What a file says can be about a reader of files.
    let shows_file = deeds.shows && request.arguments.iter().any(Argument::is_path);
    let may_tell = !deeds.searches && !shows_file && !text.contains("\n\n");
    if may_tell && is_of_itself(&lower, &request.tool) {
        return found("not done", Needs::Nothing);
    }
    // Rows do not begin with the name of what holds them.
    if is_of_database(&lower) && request.arguments.iter().any(Argument::is_query) {
        return found("line", Needs::Nothing);
    }
    if deeds.shows {
        let arguments = &request.arguments;
        if is_error_doing(&lower) && arguments.iter().any(|it| is_in_label(line, &it.value)) {
            return found("line", Needs::Cause);
        }
        if is_statement && arguments.iter().any(Argument::is_place) {
            return found("statement", Needs::CauseAndEcho);
        }
        let is_of_one = is_statement && arguments.iter().any(Argument::is_id);
        return if is_of_one && is_label(line, &lower, true) {
            found("line", Needs::Cause)
        } else {
            None
        };
    }
    let is_wrapped = ["validation error for ", "validation errors for ", "input validation error"];
    if is_wrapped.iter().any(|it| lower.contains(it)) {
        return found("validator", Needs::Cause);
    }
    let looks = deeds.searches || deeds.gets;
    if is_label(line, &lower, looks) {
        // What programs write in lower case can be what they found.
        let is_plain = line.starts_with(|it: char| it.is_lowercase());
        return found("line", if is_plain || looks { Needs::Cause } else { Needs::Nothing });
    }
    if is_status(&lower) && !(looks && lower.starts_with("error")) {
        return found("status", Needs::Cause);
    }
    let is_failed = FAILED_TO.iter().any(|it| lower.starts_with(it)) || is_error_doing(&lower);
    if is_failed && !text.contains("\n\n") {
        let is_sure = is_statement && (!looks || GETTING.iter().any(|it| lower.contains(it)));
        return found("not done", if is_sure { Needs::Nothing } else { Needs::Cause });
    }
    let is_not_done = CANNOT.iter().any(|it| lower.starts_with(it)) || has_failed(&lower);
    if is_not_done && !text.contains("\n\n") {
        return found("not done", Needs::Cause);
    }
    if !is_statement {
        return None;
    }
    let sentence = lower.split_inclusive(['.', ';']).next().unwrap_or_default();
    let is_report = REPORTS.iter().any(|it| sentence.contains(it));
    let is_refusal = PREDICATES.iter().any(|it| sentence.contains(it));
    let is_refused = REFUSED.iter().any(|it| lower.starts_with(it))
        || is_denied(&lower)
        || lower
            .strip_prefix("not ")
            .and_then(|it| it.split(' ').next())
            .is_some_and(is_participle);
    if super::is_token(line) || !looks && !is_report && is_refused {
        // `Invalid row index.` has no verb.
        let is_sure = deeds.acts
            && sentence.split(' ').count() <= 4
            && REFUSED.iter().any(|it| lower.starts_with(it));
        return found("refused", if is_sure { Needs::Nothing } else { Needs::Cause });
    }
    if !looks && !is_report && is_refusal {
        return found("refused", Needs::Word);
    }
    // That there is nothing is what a search finds.
    let is_empty = looks && lower.starts_with("no ");
    let is_plain =
        line.ends_with('.') && !line.contains(|it: char| it == ':' || it.is_ascii_digit());
    let is_outage = looks && is_plain && !is_report && !is_empty;
    match (is_outage, deeds.searches || is_empty) {
        (true, true) => found("statement", Needs::Outage),
        (true, false) => found("statement", Needs::EchoOrOutage),
        (false, true) => None,
        (false, false) => found("statement", Needs::CauseAndEcho),
    }
}

/// The line without marks of Markdown, emoji and brackets before it.
fn unmarked(line: &str) -> &str {
    line.trim_start_matches(|it: char| !it.is_alphanumeric()).trim_end()
}

/// `Error: …`, `Database error: …`, `ValueError: …`, `Upload: Error - …`, `Edit Failed - …`.
fn is_label(line: &str, lower: &str, is_strict: bool) -> bool {
    const KINDS: &str = " database db query sql sqlite api http network server client connection internal validation request \
        timeout permission runtime type value key an unexpected fatal ";
    let ends = [": ", " - ", ":** ", "** - ", ":"];
    ends.iter().any(|end| {
        let Some((label, rest)) = line.split_once(end) else { return false };
        let (Some(label), rest) = (lower.get(..label.len()), rest.trim().to_lowercase()) else {
            return false;
        };
        let label = label.trim_end_matches(['*', ']']);
        let mut words = label.split(' ');
        let last = words.next_back().unwrap_or_default();
        let is_word = matches!(
            last,
            "error" | "err" | "exception" | "fatal" | "failed" | "failure" | "occurred"
        );
        let is_type = label == last && (last.ends_with("error") || last.ends_with("exception"));
        let is_short = label.len() <= LONGEST_LABEL
            && label.split(' ').count() <= 5
            && !label.contains(|it: char| it.is_ascii_digit());
        let tells = !rest.is_empty() && !NONE.iter().any(|it| rest.starts_with(it));
        let is_plain = !is_strict || words.all(|it| KINDS.contains(&format!(" {it} ")));
        is_short && tells && is_plain && (is_word || is_type)
            || is_short && end == &": " && rest.starts_with("error - ")
    })
}

/// `Unexpected error in list_indices: …`, `Error: Unknown tool: execute`: the words of an SDK or of a server about the call.
fn is_of_call(line: &str, tool: &str) -> bool {
    let head = line.get(..floor_boundary(line, LONGEST_STATEMENT)).unwrap_or_default();
    let Some((before, after)) = head.split_once(tool).filter(|_| !tool.is_empty()) else {
        return false;
    };
    let before = before.to_lowercase();
    let is_token = !before.ends_with(char::is_alphanumeric)
        && !after.starts_with(|it: char| it.is_alphanumeric() || matches!(it, '_' | '-'));
    // A name of one word is a name only where it is said to be one.
    let is_name = tool.contains(['_', '-'])
        || before.trim_end_matches([' ', ':', '\'', '"', '`']).ends_with("tool");
    let words = before.split(|it: char| !it.is_alphanumeric());
    is_token
        && is_name
        && words.take(3).any(|it| matches!(it, "error" | "failed" | "exception" | "unknown"))
}

/// `Database error: …`, `Query failed: …`
fn is_of_database(lower: &str) -> bool {
    const PARTS: &str = " database db query sql ";
    let label = lower.split_once(": ").and_then(|it| it.0.rsplit_once(' '));
    label.is_some_and(|(of, last)| {
        matches!(last, "error" | "failed" | "failure")
            && of.split(' ').all(|it| PARTS.contains(&format!(" {it} ")))
    })
}

/// Whether a value of the call is a word of the label: `Error getting field 'f' from hash 'a': …`.
fn is_in_label(line: &str, value: &str) -> bool {
    let label = line.split_once(": ").map_or("", |it| it.0);
    let is_end = |it: Option<char>| it.is_none_or(|it| !it.is_alphanumeric());
    !value.is_empty()
        && label.match_indices(value).any(|(at, it)| {
            let (before, after) = (label.get(..at), label.get(at + it.len()..));
            is_end(before.and_then(|it| it.chars().next_back()))
                && is_end(after.and_then(|it| it.chars().next()))
        })
}

/// `404 Not Found`, `HTTP Error 404: Not Found`
fn is_status(lower: &str) -> bool {
    let rest = lower.trim_start_matches("http ").trim_start_matches("error ");
    let is_number =
        rest.starts_with(['4', '5']) && rest.bytes().take(3).all(|it| it.is_ascii_digit());
    let after = rest.get(3..).unwrap_or_default();
    lower.len() <= LONGEST_LABEL && is_number && (after.starts_with([' ', ':']) || after.is_empty())
}

/// `Failed to convert …`, `Error reading …` of the tool that converts or reads: it speaks of itself.
fn is_of_itself(lower: &str, tool: &str) -> bool {
    let mut leads = FAILED_TO.iter().chain(&CANNOT).chain(&["error "]);
    let rest = leads.find_map(|it| lower.strip_prefix(it)).unwrap_or_default();
    let verb = rest.split(' ').next().unwrap_or_default();
    let stem = verb.strip_suffix("ing").unwrap_or(verb);
    // `execut-e`, `get-t-ing`
    let is_verb = |word: &str| {
        let (short, long) = if word.len() < stem.len() { (word, stem) } else { (stem, word) };
        short.len() > 2 && long.starts_with(short) && long.len() - short.len() <= 1
    };
    tool.split(' ').any(is_verb)
}

/// Whether a text has the issues of a validator in it, as JSON.
fn has_issues(text: &str) -> bool {
    extract::payload(text).is_some_and(|it| object::is_of_issues(it.root()))
}

/// `Error searching docs: …`
fn is_error_doing(lower: &str) -> bool {
    let verb = lower.strip_prefix("error ").and_then(|it| it.split(' ').next());
    verb.is_some_and(|it| {
        it.ends_with("ing") && it.len() > 4 && (lower.contains(": ") || !TITLES.contains(&it))
    })
}

/// `Request failed with status 502`
fn has_failed(lower: &str) -> bool {
    let Some((before, after)) = lower.split_once(" failed") else { return false };
    let goes_on = [":", ".", " with ", " to ", " because "].iter().any(|it| after.starts_with(it));
    before.split(' ').count() <= 3 && (after.is_empty() || goes_on)
}

/// `Access denied: …`
fn is_denied(lower: &str) -> bool {
    DENIED.iter().filter_map(|it| lower.strip_prefix(it)).any(|it| !it.starts_with([' ', 's']))
}

/// `connected`, `running`
fn is_participle(word: &str) -> bool {
    let word = word.trim_end_matches(['.', '!']);
    word.len() > 4 && (word.ends_with("ed") || word.ends_with("ing"))
}
