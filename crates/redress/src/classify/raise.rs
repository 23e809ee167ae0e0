//! From a recognised failure to its fault: the row's own words, the request's values, and the server's text apart.

use std::{borrow::Cow, sync::Arc};

use redress_registry::{Effect, Entry, Param, Registry, RetryKind, nearest::nearest_n, shipped};

use super::{
    Failure,
    facts::{Fact, Facts},
    leaks, named,
    request::Argument,
    table::{Row, Scope, Source},
    wrong,
};
use crate::{
    Fault, codes,
    fault::{Origin, ParamValue, Similar, Violation},
    json::{Kind, Members, RawJson, Value, write_list, write_str},
    outcome::{Asked, Outcome, What},
    secret::{self, Secrecy},
    text,
    wire::{FAULT_KEY, GUESSED, UPSTREAM},
};

/// The longest text that is kept of what a server wrote; every reader cuts it further.
const MOST_CHARS: usize = 4096;

/// The most tools that may have been meant.
const MOST_SIMILAR: usize = 3;

/// What stands where a secret stood.
const REDACTED: &str = "[redacted]";

/// What a failing answer said.
#[derive(Debug, Default)]
pub(super) struct Said<'a> {
    pub(super) text: Cow<'a, str>,
    /// The code of a JSON-RPC error, which is no number with every server.
    pub(super) code: Option<Value<'a>>,
    /// The JSON that came with it.
    pub(super) data: Option<Value<'a>>,
    /// The HTTP status.
    pub(super) http: Option<u16>,
    /// How long it asks to wait, in milliseconds.
    pub(super) waits: Option<u64>,
    /// The values in the server's own envelope.
    pub(super) told: Option<&'a RawJson>,
}

impl Said<'_> {
    /// The JSON-RPC code.
    pub(super) fn rpc(&self) -> Option<i64> {
        self.code.and_then(Value::as_i64)
    }
}

/// A failure that was recognised, before it has a fault.
#[derive(Debug)]
pub(super) struct Found<'a> {
    pub(super) source: Source,
    pub(super) facts: Facts,
    pub(super) arguments: Vec<Argument<'a>>,
    pub(super) certain: bool,
    /// The row that found an unflagged failure.
    pub(super) sign: Option<&'static str>,
    pub(super) rule: Named<'a>,
    /// The answer tells of work that was done.
    pub(super) worked: bool,
    pub(super) said: Said<'a>,
}

/// The name that a rule gives.
#[derive(Debug, Clone, Copy)]
pub(super) struct Named<'a> {
    pub(super) id: &'static str,
    pub(super) code: &'a str,
    pub(super) retry: Option<RetryKind>,
    pub(super) effect: Option<Effect>,
    pub(super) looks: Looks,
}

/// What a rule looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Looks {
    /// What the protocol, an envelope or the end of a process says.
    Facts,
    /// A machine's own words.
    Tokens,
    /// Sentences.
    Prose,
}

impl Looks {
    fn of(row: &Row) -> Self {
        let is_prose = matches!(row.scope, Scope::Head | Scope::Last);
        match row.any.is_empty() && row.starts.is_empty() {
            true => Self::Facts,
            false if is_prose => Self::Prose,
            false => Self::Tokens,
        }
    }

    /// Whether the words of a text are all that it goes by. A machine's own words in the fields of a document are no sentences.
    fn guesses(self, text: &str) -> bool {
        let is_document = || text.starts_with('{') && RawJson::parse(text.as_bytes()).is_ok();
        match self {
            Self::Facts => false,
            Self::Tokens => !is_document(),
            Self::Prose => true,
        }
    }
}

impl Named<'static> {
    /// What is left when no rule fits.
    pub(super) const UNKNOWN: Self = Self {
        id: "unknown",
        code: codes::UNKNOWN_TOOL_FAILURE.name(),
        retry: None,
        effect: None,
        looks: Looks::Facts,
    };

    pub(super) fn of(row: &'static Row) -> Self {
        Self {
            id: &row.id,
            code: &row.code,
            retry: row.retry,
            effect: row.effect,
            looks: Looks::of(row),
        }
    }
}

pub(super) fn raise(
    asked: &Asked<'_>,
    outcome: &Outcome<'_>,
    registry: &Registry,
    found: Found<'_>,
) -> Failure {
    let Found { source, facts, arguments, certain, sign, mut rule, worked, said } = found;
    let given = asked.request.and_then(|it| it.path(&["params", "arguments"]));
    let wrong = wrong::find(&rule, given, &said.text);
    if wrong::is_all_missing(&wrong) {
        rule.code = codes::MISSING_REQUIRED_FIELD.name();
    }
    let entry = row(registry, rule.code);
    let known = Known { said: &said, arguments: &arguments, wrong: &wrong };
    let mut fault = Fault::raise(entry, params(asked, outcome, entry, &known));
    let unfound = named::unfound(entry, given.and(Some(&arguments)), &said.text);
    let unfound = unfound.filter(|_| wrong.is_empty());
    fault.violations = wrong;
    fault.violations.extend(unfound);
    fault.similar_refs = similar_tools(asked, entry);
    if wrong::is_about_a_name(&rule) {
        wrong::say_that_a_name_is_wrong(&mut fault);
    }
    if let Some(kind) = rule.retry.filter(|it| *it != fault.retry.kind) {
        fault.retry = redress_registry::Retry::of(kind);
    }
    if fault.retry.kind == RetryKind::AfterDelay && said.waits.is_some() {
        fault.retry.after_ms = said.waits;
    }
    fault.effect = rule.effect.unwrap_or(fault.effect);
    if worked && fault.effect == Effect::None {
        fault.effect = Effect::Unknown;
    }
    if asked.traits.harmless() {
        fault.nothing_changed();
    }
    fault.origin = origin(source, facts, entry);
    let is_guess = may_be_repeated(&fault) && rule.looks.guesses(said.text.trim());
    // Of a tool that changes nothing, no words are needed to know that.
    let is_guess = is_guess && !asked.traits.harmless();
    fault.details = details(fault.details.take(), &said, is_guess);
    fault.context.tool = asked.tool.as_deref().map(str::to_owned);
    fault.elapsed_ms = outcome.elapsed_ms;
    let text = said.text.trim();
    let given = asked.request.map_or("", Value::raw);
    let leaks = leaks::find(text, given);
    fault.server_text = (!text.is_empty()).then(|| quoted(text));
    let rule = sign.map_or(Cow::Borrowed(rule.id), |it| Cow::Owned(format!("{it}+{}", rule.id)));
    Failure { silent: source == Source::Silent, certain, rule, worked, leaks, fault }
}

/// Whether somebody could make the same call again, here or elsewhere, because nothing was changed.
fn may_be_repeated(fault: &Fault) -> bool {
    let is_for_the_model =
        matches!(fault.retry.kind, RetryKind::AfterChange | RetryKind::AfterState);
    fault.effect == Effect::None && !is_for_the_model
}

/// JSON of a server with every string of it made harmless; `within` says what a name above it hides. Documents nest at most 64 deep, so this does, too.
fn harmless(value: Value<'_>, within: Option<Secrecy>, out: &mut String) {
    match value.kind() {
        Kind::String if within.is_some() => write_str(out, REDACTED),
        Kind::Number if within == Some(Secrecy::Strong) => write_str(out, REDACTED),
        Kind::String => write_str(out, &quoted(&value.as_str().unwrap_or_default())),
        Kind::Array => {
            write_list(out, value.elements(), |it, out| harmless(it, within, out));
        }
        Kind::Object => {
            let mut members = Members::open(out);
            // What a server puts under our key was read as its envelope, and has ids of its own in it.
            for (key, value) in value.members().filter(|it| !it.0.is_str(FAULT_KEY)) {
                let name = key.as_str().unwrap_or_default();
                let within = within.or_else(|| secret::secrecy(&name));
                harmless(value, within, members.key(&quoted(&name)));
            }
            members.close();
        }
        _ => out.push_str(value.raw()),
    }
}

/// What a server wrote, made harmless: no secrets, no control or invisible characters, cut.
fn quoted(said: &str) -> String {
    text::gist(&text::strip(&without_secrets(said)), MOST_CHARS).into_owned()
}

/// The text with its secrets taken out.
fn without_secrets(text: &str) -> Cow<'_, str> {
    let mut clean = Cow::Borrowed(text);
    for span in secret::find(text).into_iter().rev() {
        clean.to_mut().replace_range(span, REDACTED);
    }
    clean
}

/// The row of a code in the server's contract, else in `core`.
fn row<'r>(registry: &'r Registry, code: &str) -> &'r Arc<Entry> {
    registry
        .get(code)
        .or_else(|| shipped::core().get(code))
        .unwrap_or_else(|| codes::UNKNOWN_TOOL_FAILURE.entry())
}

fn origin(source: Source, facts: Facts, entry: &Entry) -> Origin {
    let malformed =
        [Fact::NotJson, Fact::BadParams, Fact::NoToolName, Fact::BadArguments, Fact::UnknownMethod];
    match source {
        Source::Refusal => Origin::Gate,
        _ if malformed.into_iter().any(|it| facts.has(it)) => Origin::Client,
        // A tool that does not exist says nothing.
        Source::Tool | Source::Silent if !is_unknown_tool(entry) => Origin::Tool,
        _ => Origin::Server,
    }
}

fn is_unknown_tool(entry: &Entry) -> bool {
    *entry.code == *codes::UNKNOWN_TOOL.name()
}

/// The tools of the server that may have been meant.
fn similar_tools(asked: &Asked<'_>, entry: &Entry) -> Vec<Similar> {
    let (Some(tool), Some(known)) = (asked.tool.as_deref(), asked.known_tools) else {
        return Vec::new();
    };
    if !is_unknown_tool(entry) {
        return Vec::new();
    }
    let others = known.iter().map(String::as_str).filter(|it| *it != tool);
    nearest_n(tool, others, MOST_SIMILAR).into_iter().map(Similar::new).collect()
}

/// What a row's parameters can be filled from, beside the request itself.
struct Known<'k> {
    said: &'k Said<'k>,
    arguments: &'k [Argument<'k>],
    wrong: &'k [Violation],
}

impl Known<'_> {
    /// What the server's envelope says of a parameter, where it cannot speak through it: a number, a flag, one of the row's
    /// own words, a value of the request. Other texts count only of a trusted server.
    fn told(&self, param: &Param, trust: bool) -> Option<ParamValue> {
        self.said.told?.with(|it| {
            let value = it.get(&param.name)?;
            let text = match value.kind() {
                Kind::Number | Kind::Bool => return Some(RawJson::from(value).into()),
                _ => value.as_str()?,
            };
            let known = param.values.iter().any(|it| **it == *text)
                || self.arguments.iter().any(|it| it.value == text);
            (known || trust).then(|| ParamValue::from(quoted(&text)))
        })?
    }
}

/// The values that the row declares and the request, the outcome or the server's envelope has; never the server's words.
fn params(
    asked: &Asked<'_>,
    outcome: &Outcome<'_>,
    entry: &Entry,
    known: &Known<'_>,
) -> Vec<(Box<str>, ParamValue)> {
    let Known { said, arguments, wrong } = known;
    let (exit, signal) = match &outcome.what {
        What::Exited { code, signal } => (*code, signal.as_deref()),
        _ => (None, None),
    };
    let waited = match outcome.what {
        What::Deadline { waited_ms } => Some(waited_ms),
        _ => None,
    };
    let under = |names: &[&str]| {
        let argument = arguments.iter().find(|it| names.contains(&&*it.key));
        argument.map(|it| ParamValue::from(&*it.value))
    };
    let seen = |name: &str| match name {
        "tool" => asked.tool.as_deref().map(ParamValue::from),
        "method" => asked.method.as_deref().map(ParamValue::from),
        "timeout_ms" => waited.map(ParamValue::from),
        "exit_code" => exit.map(ParamValue::from),
        "signal" => signal.map(ParamValue::from),
        "status" => said.http.map(ParamValue::from),
        "retry_after_ms" => said.waits.map(ParamValue::from),
        "field" => wrong.first().map(|it| ParamValue::from(it.pointer())),
        _ => None,
    };
    let guessed = |name: &str| match name {
        "path" => named::path(arguments, &said.text).map(|it| ParamValue::from(it.0)),
        "query" => under(&["query", "sql", "statement", "q"]),
        "session_id" => under(&["session_id", "sessionId", "session"]),
        _ => None,
    };
    let all = entry.params.iter().filter_map(|it| {
        let value = seen(&it.name).or_else(|| known.told(it, asked.trust));
        Some((it.name.clone(), value.or_else(|| guessed(&it.name))?))
    });
    all.collect()
}

/// The row's details, what the server answered with beside its text, and whether that text is all that named the failure.
fn details(own: Option<RawJson>, said: &Said<'_>, is_guess: bool) -> Option<RawJson> {
    let data = said.data.filter(|it| !is_envelope_alone(*it));
    let rest = said.told.filter(|_| data.is_none()).and_then(|it| beside(it, own.as_ref()));
    if said.code.is_none() && said.http.is_none() && data.is_none() && rest.is_none() && !is_guess {
        return own;
    }
    let mut out = String::new();
    let mut members = Members::open(&mut out);
    own.as_ref().and_then(|it| {
        it.with(|it| {
            for (key, value) in it.members() {
                members.raw(&key.as_str().unwrap_or_default(), value.raw());
            }
        })
    });
    let mut upstream = String::new();
    let mut inner = Members::open(&mut upstream);
    if let Some(code) = said.code {
        harmless(code, None, inner.key("code"));
    }
    if let Some(status) = said.http {
        inner.int("status", status);
    }
    if let Some(data) = data {
        harmless(data, None, inner.key("data"));
    }
    if let Some(rest) = rest {
        inner.raw("data", &rest);
    }
    if is_guess {
        inner.bool(GUESSED, true);
    }
    inner.close();
    members.raw(UPSTREAM, &upstream);
    members.close();
    RawJson::parse(out.as_bytes()).ok()
}

/// Whether the data of an error has our envelope in it and nothing else.
fn is_envelope_alone(data: Value<'_>) -> bool {
    let mut keys = data.members().map(|it| it.0).peekable();
    keys.peek().is_some() && keys.all(|it| it.is_str(FAULT_KEY))
}

/// What the server's envelope tells beside what the row took of it.
fn beside(told: &RawJson, own: Option<&RawJson>) -> Option<String> {
    let taken = |key: &str, value: Value<'_>| {
        let same = |it: Value<'_>| it.get(key).is_some_and(|it| it.raw() == value.raw());
        own.and_then(|it| it.with(same)) == Some(true)
    };
    let mut out = String::new();
    let mut members = Members::open(&mut out);
    let any = told.with(|it| {
        let mut any = false;
        for (key, value) in it.members() {
            let name = key.as_str().unwrap_or_default();
            if !taken(&name, value) {
                harmless(value, secret::secrecy(&name), members.key(&quoted(&name)));
                any = true;
            }
        }
        any
    });
    members.close();
    (any == Some(true)).then_some(out)
}
