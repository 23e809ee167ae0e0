//! From a recognised failure to its fault: the row's own words, the request's values, and the server's text apart.

use std::{borrow::Cow, sync::Arc};

use redress_registry::{
    Effect, Entry, Param, Registry, RetryKind, nearest::nearest_n, plugin, shipped,
};

use super::{
    Failure, details,
    facts::{Fact, Facts},
    leaks, named, ran,
    request::Argument,
    say, statements,
    table::{Row, Scope, Source},
    wrong,
};
use crate::{
    Fault, Stated, codes,
    fault::{Origin, ParamValue, Similar, Violation},
    json::{Kind, RawJson, Value},
    outcome::{Asked, Outcome, What, is_method},
    text,
};

/// The most tools that may have been meant.
const MOST_SIMILAR: usize = 3;

/// The longest stack that is kept, in characters.
const MOST_STACK: usize = 32 << 10;

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
    /// What its envelope says about retry and effect.
    pub(super) stated: Stated,
    /// The code in it, which is none of the contract.
    pub(super) foreign: Option<&'a str>,
}

impl Said<'_> {
    /// The JSON-RPC code.
    pub(super) fn rpc(&self) -> Option<i64> {
        self.code.and_then(Value::as_i64)
    }

    /// The stack that it shows: its text, or a text of the JSON that it is or that came with it.
    fn stack(&self) -> Option<String> {
        let text = self.text.trim();
        let document = text.starts_with(['{', '[']).then(|| RawJson::parse(text.as_bytes()).ok());
        let stack = match document.flatten() {
            Some(document) => document.with(stack_in)?,
            None => text::has_frames(text).then(|| text.to_owned()),
        };
        stack
            .or_else(|| self.data.and_then(stack_in))
            .map(|it| it.chars().take(MOST_STACK).collect())
    }
}

/// The first text of a document that has frames of a stack. Documents nest at most 64 deep.
fn stack_in(value: Value<'_>) -> Option<String> {
    match value.kind() {
        Kind::Object => value.members().find_map(|it| stack_in(it.1)),
        Kind::Array => value.elements().find_map(stack_in),
        Kind::String => value.as_str().filter(|it| text::has_frames(it)).map(Cow::into_owned),
        Kind::Number | Kind::Bool | Kind::Null => None,
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
    /// It asks for an HTTP status, which a text can tell of, too.
    pub(super) asks_for_status: bool,
    /// What is wrong is the name of an argument, whatever its value is.
    pub(super) misnamed: bool,
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
        asks_for_status: false,
        misnamed: false,
    };

    pub(super) fn of(row: &'static Row) -> Self {
        Self {
            id: &row.id,
            code: &row.code,
            retry: row.retry,
            effect: row.effect,
            looks: Looks::of(row),
            asks_for_status: !row.http.is_empty(),
            misnamed: row.misnamed,
        }
    }
}

pub(super) fn raise(
    asked: &Asked<'_>,
    outcome: &Outcome<'_>,
    registry: &Registry,
    found: Found<'_>,
) -> Failure {
    let Found { source, facts, arguments, certain, sign, mut rule, worked, mut said } = found;
    let stated = said.stated.and(Stated::of_wait(said.waits)).and(statements::stated(outcome));
    said.waits = stated.waits();
    let given = asked.request.and_then(|it| it.path(&["params", "arguments"]));
    let is_of_program = ran::is_about_it(facts, &rule);
    if is_of_program {
        rule = ran::blame(facts, rule);
    }
    let wrong = wrong::of(&rule, facts, (&arguments, given), &said.text);
    if wrong::is_all_missing(&wrong) {
        rule.code = codes::MISSING_REQUIRED_FIELD.name();
    }
    let entry = &row(registry, rule.code);
    // A path beside a program is where it runs, and not what it looked for, unless it says so.
    let is_meant = |it: &Argument<'_>| !is_of_program || said.text.contains(&*it.value);
    let arguments: Vec<_> = arguments.into_iter().filter(is_meant).collect();
    let known = Known { said: &said, arguments: &arguments, wrong: &wrong };
    let mut fault = Fault::raise(entry, params(asked, outcome, entry, &known));
    let unfound = named::unfound(entry, given.and(Some(&arguments)), &said.text);
    let unfound = unfound.filter(|_| wrong.is_empty());
    fault.violations = wrong;
    fault.violations.extend(unfound);
    fault.similar_refs = similar_tools(asked, entry);
    say::fitting(&mut fault, &rule, facts, is_of_a_tool(asked) && !is_malformed(facts));
    if let Some(kind) = rule.retry.filter(|it| *it != fault.retry.kind) {
        fault.retry = redress_registry::Retry::of(kind);
    }
    fault.effect = rule.effect.unwrap_or(fault.effect);
    if worked && fault.effect == Effect::None {
        fault.effect = Effect::Unknown;
    }
    if asked.traits.harmless() {
        fault.nothing_changed();
    }
    stated.limit(&mut fault);
    fault.origin = origin(source, facts, entry);
    let is_guess = may_be_repeated(&fault) && rule.looks.guesses(said.text.trim());
    // Of a tool that changes nothing, no words are needed to know that.
    let is_guess = is_guess && !asked.traits.harmless();
    fault.details = details::details(fault.details.take(), &said, is_guess);
    fault.context.tool = asked.tool.as_deref().map(str::to_owned);
    fault.elapsed_ms = outcome.elapsed_ms;
    let text = said.text.trim();
    let given = asked.request.map_or("", Value::raw);
    let leaks = leaks::find(text, given);
    fault.server_text = Some(details::quoted(text)).filter(|it| !it.is_empty());
    fault.private.stack = said.stack();
    let rule = sign.map_or(Cow::Borrowed(rule.id), |it| Cow::Owned(format!("{it}+{}", rule.id)));
    Failure { silent: source == Source::Silent, certain, rule, worked, leaks, fault }
}

/// Whether the failure is one of a tool; the other methods have no input schema.
fn is_of_a_tool(asked: &Asked<'_>) -> bool {
    asked
        .method
        .as_deref()
        .is_none_or(|it| !is_method(it) || it == "tools/call" || it.starts_with("tasks/"))
}

/// Whether somebody could make the same call again, here or elsewhere, because nothing was changed.
fn may_be_repeated(fault: &Fault) -> bool {
    let is_for_the_model =
        matches!(fault.retry.kind, RetryKind::AfterChange | RetryKind::AfterState);
    fault.effect == Effect::None && !is_for_the_model
}

/// The row of a code in the server's contract, else in `core`, else that of a plugin's code that nobody registered.
fn row(registry: &Registry, code: &str) -> Arc<Entry> {
    let known = registry.get(code).or_else(|| shipped::core().get(code)).map(Arc::clone);
    known
        .or_else(|| plugin::unregistered(code))
        .unwrap_or_else(|| Arc::clone(codes::UNKNOWN_TOOL_FAILURE.entry()))
}

fn origin(source: Source, facts: Facts, entry: &Entry) -> Origin {
    let is_of_client = is_malformed(facts) || facts.has(Fact::UnknownMethod);
    match source {
        Source::Refusal => Origin::Gate,
        _ if is_of_client => Origin::Client,
        // A tool that does not exist says nothing.
        Source::Tool | Source::Silent if !is_unknown_tool(entry) => Origin::Tool,
        _ => Origin::Server,
    }
}

/// Whether the request is wrong by itself, so that no tool has seen it.
fn is_malformed(facts: Facts) -> bool {
    [Fact::NotJson, Fact::BadParams, Fact::NoToolName, Fact::BadToolName, Fact::BadArguments]
        .into_iter()
        .any(|it| facts.has(it))
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
            (known || trust).then(|| ParamValue::from(details::quoted(&text)))
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
        "path" => named::path(entry, arguments, &said.text).map(|it| ParamValue::from(it.0)),
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
