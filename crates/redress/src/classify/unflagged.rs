//! Whether a result without `isError` is a failure all the same. Most are not, and they must cost nothing: a cheap look comes first,
//! then the structure of the content, then the grammar of its first line.

mod line;
mod object;

use std::{borrow::Cow, sync::LazyLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use redress_registry::{Class, shipped};

use super::{
    evidence::Evidence,
    request::Request,
    tier::{Finding, Tier},
};
use redress_wire::json::{Doc, Kind, Limits, Value};

/// What makes an unflagged result a failure.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sign {
    pub(super) name: &'static str,
    /// The whole content is there only to tell failures from successes.
    pub(super) certain: bool,
    /// What the tiers must say besides.
    needs: Needs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Needs {
    /// Nothing.
    Nothing,
    /// Any word of a failure.
    Word,
    /// A tier that knows what failed.
    Cause,
    /// The same, and an argument that the text repeats.
    CauseAndEcho,
    /// A tier that knows what failed, and that it is a matter of access, limits or the service, and not of what was looked for.
    Outage,
    /// One of these two.
    EchoOrOutage,
}

impl Sign {
    const fn new(name: &'static str, certain: bool, needs: Needs) -> Self {
        Self { name, certain, needs }
    }

    /// Whether the tiers say what the sign needs.
    pub(super) fn is_told_by(self, finding: &Finding<'_>, evidence: &Evidence<'_>) -> bool {
        let tier = finding.tier;
        // A single word is no cause: `unknown`, `invalid`.
        let is_cause = match tier {
            Tier::Unknown => false,
            Tier::Prose => finding.rule.trim().matches(' ').count() > 1,
            _ => true,
        };
        match self.needs {
            Needs::Nothing => true,
            Needs::Word => tier != Tier::Unknown,
            Needs::Cause => is_cause,
            Needs::CauseAndEcho => is_cause && evidence.message.echoes,
            Needs::Outage => is_cause && is_outage(finding),
            Needs::EchoOrOutage => is_cause && (evidence.message.echoes || is_outage(finding)),
        }
    }
}

/// Whether what failed is the access to a service, and not what was asked of it.
fn is_outage(finding: &Finding<'_>) -> bool {
    let class = shipped::core().get(&finding.code).map(|it| it.class);
    let refused = [Class::PermissionDenied, Class::Unauthenticated, Class::ResourceExhausted];
    let failed = [Class::DeadlineExceeded, Class::Internal, Class::Unavailable];
    class.is_some_and(|it| refused.contains(&it) || failed.contains(&it))
}

/// The sign of a failure in a suspect result. Where a tool reads or runs something, its content can say anything.
/// `tool` is the name of the tool as it was called.
pub(super) fn sign(
    suspect: &Suspect<'_>,
    text: &str,
    (tool, request): (&str, &Request<'_>),
) -> Option<Sign> {
    let (shows, deeds) = (request.may_show_content(), request.deeds);
    if suspect.is_flagged_block {
        return Some(Sign::new("block", !shows, Needs::Nothing));
    }
    let trimmed = text.trim();
    if request.arguments.iter().any(|it| it.value.contains(trimmed)) {
        // The tool says what it was given.
        return None;
    }
    let limits = Limits { bytes: LONGEST, nesting: 16 };
    let Some(doc) =
        trimmed.starts_with(['{', '[', '"']).then(|| Doc::parse(trimmed.as_bytes(), limits).ok())
    else {
        return line::sign(trimmed, (tool, request));
    };
    let root = doc.as_ref()?.root();
    let is_file = deeds.shows && request.arguments.iter().any(super::request::Argument::is_path);
    let is_row = root.kind() == Kind::Array && (deeds.shows || deeds.searches || deeds.gets);
    if deeds.judges || is_row {
        return None;
    }
    match object::mark(root, request)? {
        // The file itself can be such an object.
        object::Mark::Whole if is_file => Some(Sign::new("object", false, Needs::CauseAndEcho)),
        object::Mark::Whole => Some(Sign::new("object", !shows, Needs::Nothing)),
        object::Mark::Response if !deeds.runs => Some(Sign::new("response", false, Needs::Nothing)),
        object::Mark::Response => None,
        object::Mark::Part if deeds.runs || deeds.shows => None,
        object::Mark::Part => Some(Sign::new("member", false, Needs::Nothing)),
    }
}

/// A report of a failure is short; longer texts are content.
const LONGEST: usize = 4 << 10;
/// A statement without an opening word is a single sentence.
const LONGEST_STATEMENT: usize = 220;
/// What is above another text is short.
const LONGEST_HEADING: usize = 80;
/// First words of many a failure, in lower case, cut after eight letters and sorted.
const OPENINGS: [&str; 61] = [
    "400", "401", "403", "404", "405", "408", "409", "422", "429", "500", "502", "503", "504",
    "access", "an", "api", "authenti", "bad", "can't", "cannot", "command", "connecti", "could",
    "couldn't", "critical", "error", "errors", "exceptio", "fail", "failed", "failure", "fatal",
    "forbidde", "http", "input", "internal", "invalid", "mcp", "missing", "network", "no", "not",
    "operatio", "permissi", "problem", "query", "rate", "request", "sorry", "timeout", "too",
    "tool", "tracebac", "unable", "unauthor", "unexpect", "unknown", "unrecogn", "unsuppor",
    "validati", "warning",
];
/// A bit for each character that one of them starts with: most texts start with another.
const FIRSTS: u128 = firsts(&OPENINGS);

const fn firsts(mut words: &[&str]) -> u128 {
    let mut bits = 0;
    while let [word, rest @ ..] = words {
        if let [first, ..] = word.as_bytes() {
            bits |= 1 << *first;
        }
        words = rest;
    }
    bits
}

/// What a short statement of a failure has in it.
const STATEMENT_PARTS: &str = "\
    not found | not exist | n't exist | no such | not be found | cannot | can't | could not | \
    couldn't | not allowed | not permitted | denied | restricted | forbidden | unauthor | \
    not available | unavailable | not supported | unsupported | required | invalid | must be | \
    must have | must not | failed | failure | error | exceeded | rate limit | too many | \
    timed out | not installed | not configured | not set | not initialized | not connected | no longer | \
    already exists | out of range | is empty | first | Error | Failed | Exception | Invalid";
static STATEMENTS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let parts: Vec<&str> = STATEMENT_PARTS.split(" | ").collect();
    AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(parts).ok()
});
/// What an object that reports a failure has in it, as it is inside a JSON string.
static MEMBERS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let mut parts = Vec::new();
    for key in [
        "error",
        "errors",
        "err",
        "exception",
        "error_message",
        "errormessage",
        "errormessages",
        "detail",
    ] {
        parts.push(format!("\"{key}\\\":"));
    }
    for (keys, values) in [
        (&["success", "ok", "succeeded", "successful"][..], &["f"][..]),
        (&["iserror", "is_error"], &["t"]),
        (&["status", "statuscode", "status_code", "http_status", "httpstatus"], &["4", "5"]),
        (&["status", "result"], &STATUS_STARTS),
        (&["code", "errcode", "errno", "error_code", "errorcode"], &["-", "4", "5"]),
        (&["exitcode", "exit_code", "returncode", "return_code", "exit_status", "retcode"], &EXITS),
    ] {
        for (key, value) in keys.iter().flat_map(|key| values.iter().map(move |value| (key, value)))
        {
            let value = value.replace('"', "\\\"");
            parts.extend(["", " "].map(|space| format!("\"{key}\\\":{space}{value}")));
        }
    }
    parts.push("\"error ".to_owned());
    small(&parts)
});
/// How a `status` starts that can be a failure.
const STATUS_STARTS: [&str; 19] = [
    "\"er", "\"fail", "\"rate", "\"not", "\"unauth", "\"forb", "\"deni", "\"inv", "\"time",
    "\"unav", "\"bloc", "\"rej", "\"exc", "\"need", "\"miss", "\"4", "\"5", "4", "5",
];
/// How the number of an exit starts that is not zero.
const EXITS: [&str; 10] = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "-"];

/// An automaton for few patterns: larger, and faster on the texts of every success.
fn small<P: AsRef<[u8]>>(parts: &[P]) -> Option<AhoCorasick> {
    let kind = Some(AhoCorasickKind::DFA);
    AhoCorasick::builder().ascii_case_insensitive(true).kind(kind).build(parts).ok()
}

/// What a result says that may be an unflagged failure.
pub(crate) struct Suspect<'a> {
    heading: Option<Value<'a>>,
    text: Value<'a>,
    /// The block itself says that it is an error.
    is_flagged_block: bool,
}

impl<'a> Suspect<'a> {
    /// Nothing else is in the result.
    pub(crate) const fn is_whole(&self) -> bool {
        self.heading.is_none()
    }

    /// Its words, with those of a heading that are themselves about a failure.
    pub(crate) fn words(&self) -> Option<Cow<'a, str>> {
        let text = self.text.as_str()?;
        match self.heading.filter(|it| opens(inner(*it))).and_then(Value::as_str) {
            Some(heading) => Some(format!("{}\n{text}", heading.trim_end()).into()),
            None => Some(text),
        }
    }
}

/// What a result says that may be an unflagged failure: its one text, or the text below a heading.
pub(crate) fn suspect<'a>(result: Value<'a>, stderr: Option<&str>) -> Option<Suspect<'a>> {
    let mut blocks = result.get("content")?.elements();
    let block = blocks.next()?;
    let (first, second) = (text(block)?, blocks.next());
    let Some(second) = second else {
        let is_flagged_block = block.get("error").and_then(Value::as_bool) == Some(true);
        let is_suspect = is_flagged_block || is_suspect(inner(first), stderr);
        return is_suspect.then_some(Suspect { heading: None, text: first, is_flagged_block });
    };
    if !is_heading(inner(first)) || blocks.next().is_some() {
        return None;
    }
    let below = text(second)?;
    (opens(inner(first)) || is_suspect(inner(below), stderr)).then_some(Suspect {
        heading: Some(first),
        text: below,
        is_flagged_block: false,
    })
}

fn text(block: Value<'_>) -> Option<Value<'_>> {
    block.get("text").filter(|it| it.kind() == Kind::String)
}

/// A string as it is in JSON, escapes and all.
fn inner(text: Value<'_>) -> &str {
    let raw = text.raw();
    raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default()
}

/// A line that says of what the text below it is. One that names a file or a number is about content.
fn is_heading(inner: &str) -> bool {
    let line = inner.trim_end_matches("\\n").trim();
    let is_about_content = |it: char| matches!(it, '/' | '\\' | '.') || it.is_ascii_digit();
    line.len() <= LONGEST_HEADING
        && (line.starts_with(['#', '*', '=']) || line.ends_with(':'))
        && !line.contains(is_about_content)
}

/// Whether a text may be one, as it is in JSON.
fn is_suspect(inner: &str, stderr: Option<&str>) -> bool {
    let inner = inner.trim_start();
    if inner.len() > LONGEST {
        return false;
    }
    match inner.as_bytes() {
        [] => false,
        [b'{' | b'[', ..] => {
            MEMBERS.as_ref().is_some_and(|it| it.is_match(inner)) || names_absence(inner)
        }
        [b'\\', b'"', b'<', ..] => true,
        _ => opens(inner) || is_statement(inner, stderr),
    }
}

/// Whether a short object has a value like `task_not_found`.
fn names_absence(inner: &str) -> bool {
    inner.len() <= LONGEST_STATEMENT && inner.contains("_not_found\\\"")
}

fn opens(inner: &str) -> bool {
    let start = inner.trim_start_matches(|it: char| !it.is_ascii_alphanumeric());
    let word = until(until(start, *b" :\\"), *b".,(");
    is_opening(word) || word.ends_with("Error") || word.ends_with("Exception")
}

fn is_opening(word: &str) -> bool {
    let first = word.as_bytes().first().map_or(0, u8::to_ascii_lowercase);
    if FIRSTS.checked_shr(first.into()).unwrap_or_default() & 1 == 0 {
        return false;
    }
    let mut lower = [0; 8];
    for (to, from) in lower.iter_mut().zip(word.bytes()) {
        *to = from.to_ascii_lowercase();
    }
    let lower = lower.get(..word.len().min(8)).unwrap_or_default();
    OPENINGS.binary_search_by(|it| it.as_bytes().cmp(lower)).is_ok()
}

/// A text up to the first of three characters. Many bytes at once, because every success pays for it.
fn until(text: &str, [a, b, c]: [u8; 3]) -> &str {
    let end = memchr::memchr3(a, b, c, text.as_bytes());
    end.and_then(|it| text.get(..it)).unwrap_or(text)
}

fn is_statement(inner: &str, stderr: Option<&str>) -> bool {
    inner.len() <= LONGEST_STATEMENT
        && (STATEMENTS.as_ref().is_some_and(|it| it.is_match(inner))
            || stderr.is_some_and(|it| it.contains(inner))
            || is_token(inner))
}

/// One word such as `library_not_found`.
pub(crate) fn is_token(text: &str) -> bool {
    text.len() <= 80
        && text.bytes().all(|it| it.is_ascii_lowercase() || it == b'_')
        && text.contains('_')
}
