//! The private part of a fault: cause chain, stack and raw upstream bytes. `expose` is its only way out.

use std::borrow::Cow;

use redress_registry::Effect;

use crate::{
    fault::{Fault, OwnEnvelope},
    text,
};
use redress_wire::json::{Members, RawJson, Value, changed};

/// The deepest cause that is kept.
const MAX_CAUSES: usize = 8;

/// The longest text of a cause, in characters.
const MAX_CAUSE_CHARS: usize = 500;

/// What only the operator sees. It has no JSON form of its own.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Private {
    /// The rule that decided what it is.
    pub rule: Option<String>,
    /// The causes, outermost first.
    pub causes: Vec<Cause>,
    /// What is recorded beside the causes and never shown: words of a server that a client must not read.
    pub hidden: Vec<Cause>,
    /// The stack, one frame a line.
    pub stack: Option<String>,
    /// What the server really sent.
    pub upstream: Option<Vec<u8>>,
    /// Parts that could not be used, so that building never fails.
    pub dropped: Vec<Dropped>,
    /// The effect that the server stated: no smaller one is ever sent.
    pub least_effect: Option<Effect>,
    /// The envelope that a trusted server wrote.
    pub own: Option<OwnEnvelope>,
}

impl Private {
    /// Adds a cause below the ones that are there; deeper than eight is cut.
    pub fn push_cause(&mut self, cause: Cause) {
        if self.causes.len() < MAX_CAUSES {
            self.causes.push(cause);
        }
    }

    /// Adds a cause that is recorded and never shown; more than eight are cut.
    pub fn hide_cause(&mut self, cause: Cause) {
        if self.hidden.len() < MAX_CAUSES {
            self.hidden.push(cause);
        }
    }

    /// The causes of a fault of ours, one below the other, for a reader of stacks.
    fn chain(&self) -> Option<String> {
        let told = self.causes.iter().map(|it| match it {
            Cause::Text(said) => said.clone(),
            Cause::Error { message, name, .. } => format!("{name}: {message}"),
            Cause::Json(json) => json.as_str().to_owned(),
        });
        let is_told = self.upstream.is_none() && !self.causes.is_empty();
        is_told.then(|| told.collect::<Vec<_>>().join("\nCaused by: "))
    }

    pub(crate) fn drop_part(&mut self, part: &str, why: &str) {
        self.dropped.push(Dropped { part: part.to_owned(), why: why.to_owned() });
    }
}

/// A part of a fault that was left out, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dropped {
    /// Which part.
    pub part: String,
    /// Why it could not be used.
    pub why: String,
}

/// One link of a cause chain.
#[derive(Debug, Clone, PartialEq)]
pub enum Cause {
    /// A text was thrown.
    Text(String),
    /// An error was thrown.
    Error {
        /// What it said.
        message: String,
        /// Its code, if it had one.
        code: Option<RawJson>,
        /// Its type.
        name: String,
    },
    /// Any other value was thrown.
    Json(RawJson),
}

/// Who may see how much of the private part.
#[derive(Debug, Clone, Copy)]
pub struct Policy<'a> {
    /// How much of the stack.
    pub stack: StackPolicy,
    /// Takes secrets out of a text.
    pub redact: &'a dyn Redact,
}

/// Something that takes secrets out of a text.
pub trait Redact: std::fmt::Debug {
    /// The text without its secrets.
    fn redact(&self, text: &str) -> String;

    /// The text without the values that are known to be secret, and nothing else.
    fn known(&self, text: &str) -> String {
        self.redact(text)
    }

    /// A document without its secrets.
    fn document(&self, document: &RawJson) -> RawJson {
        let clean = self.redact(document.as_str());
        RawJson::parse(clean.as_bytes()).unwrap_or_else(|_| RawJson::string(&clean))
    }
}

/// How much of a stack is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StackPolicy {
    /// Nothing.
    Hidden,
    /// The first frames.
    Frames(usize),
    /// All of it.
    Full,
}

impl StackPolicy {
    /// The variables that [`Self::from_switches`] takes the values of.
    pub const SWITCHES: [&'static str; 2] = ["DEBUG_STACK", "MCP_ERRORS_VERBOSE"];

    /// From `DEBUG_STACK` (`true`, exactly) and `MCP_ERRORS_VERBOSE` (a number of frames, or `full`).
    pub fn from_switches(debug_stack: Option<&str>, verbose: Option<&str>) -> Self {
        match (debug_stack, verbose) {
            (Some("true"), _) | (_, Some("full")) => Self::Full,
            (_, Some(number)) => match number.trim().parse() {
                Ok(0) | Err(_) => Self::Hidden,
                Ok(frames) => Self::Frames(frames),
            },
            _ => Self::Hidden,
        }
    }

    /// A text with as many frames of a stack as may be shown.
    pub fn shown(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::Hidden => text::without_frames(text),
            Self::Frames(most) => Cow::Owned(text::with_frames(text, most)),
            Self::Full => Cow::Borrowed(text),
        }
    }
}

impl Fault {
    /// Shows the private part as far as the policy goes: fills [`Fault::cause`] and [`Fault::stack`], where a fault without a
    /// stack of its own has the chain of its causes.
    ///
    /// A fault that came from a foreign server shows no cause: what it said is `server_text`.
    pub fn expose(&mut self, policy: &Policy<'_>) {
        if self.private.upstream.is_none() && self.cause.is_none() {
            self.cause = self.private.causes.first().map(|it| shown(it, policy));
        }
        let is_shown = policy.stack != StackPolicy::Hidden;
        let stack = is_shown.then(|| self.private.stack.clone().or_else(|| self.private.chain()));
        let stack = stack.flatten().map(|it| policy.redact.redact(&it));
        self.stack = stack.map(|it| policy.stack.shown(&it).into_owned());
    }

    /// Takes frames of stacks out of everything that is sent.
    pub(crate) fn hide_frames(&mut self) {
        let told = [&mut self.message, &mut self.hint].into_iter().chain(&mut self.server_text);
        for text in told {
            if let Cow::Owned(telling) = text::without_frames(text)
                && !telling.is_empty()
            {
                *text = telling;
            }
        }
        for json in [&mut self.details, &mut self.cause] {
            *json = json.take().map(|it| document_without_frames(&it).unwrap_or(it));
        }
    }
}

/// A document without frames of stacks; `None` if it has none.
pub(crate) fn document_without_frames(json: &RawJson) -> Option<RawJson> {
    let telling = |text: &str, _| match text::without_frames(text) {
        Cow::Owned(telling) => Some(telling),
        Cow::Borrowed(_) => None,
    };
    json.with(|it| changed(it, &telling))?
}

/// The members of `details.upstream` that are words of a server.
const WORDS: [&str; 4] = ["stderr_tail", "useless_sample", "content", "said"];

impl Fault {
    /// Keeps the words of a server for the operator alone. The causes of a fault that quotes a server are in its words, too.
    pub(crate) fn hide_server_text(&mut self) {
        if self.server_text.take().is_some() {
            for cause in std::mem::take(&mut self.private.causes) {
                self.private.hide_cause(cause);
            }
        }
        let Some(details) = self.details.take() else { return };
        let mut words = Vec::new();
        let left = details.with(|it| without_words(it, &mut words));
        self.details = if words.is_empty() { Some(details) } else { left };
        for it in words {
            self.private.hide_cause(Cause::Text(it));
        }
    }
}

/// The details without the words of a server, which are put aside.
fn without_words(details: Value<'_>, words: &mut Vec<String>) -> RawJson {
    let mut out = String::new();
    let mut members = Members::open(&mut out);
    for (key, value) in details.members() {
        if !key.is_str("upstream") {
            members.raw(&key.as_str().unwrap_or_default(), value.raw());
            continue;
        }
        let mut inner = Members::open(members.key("upstream"));
        for (key, value) in value.members() {
            let key = key.as_str().unwrap_or_default();
            if WORDS.contains(&&*key) {
                words.push(value.raw().to_owned());
            } else {
                inner.raw(&key, value.raw());
            }
        }
        inner.close();
    }
    members.close();
    RawJson::written(out)
}

fn shown(cause: &Cause, policy: &Policy<'_>) -> RawJson {
    let clean = |it: &str| {
        // What hides a secret goes before the cut, which could go through an unseen one.
        let plain = text::strip_lines(&policy.stack.shown(it));
        text::cut(&policy.redact.redact(&plain), MAX_CAUSE_CHARS).into_owned()
    };
    let clean_json = |it: &RawJson| {
        let redacted = clean(it.as_str());
        RawJson::parse(redacted.as_bytes()).unwrap_or_else(|_| RawJson::string(&redacted))
    };
    match cause {
        Cause::Text(said) => RawJson::string(&clean(said)),
        Cause::Json(json) => clean_json(json),
        Cause::Error { message, code, name } => {
            let mut out = String::new();
            let mut members = Members::open(&mut out);
            members
                .str("message", &clean(message))
                .raw("code", code.as_ref().map(clean_json).as_ref().map_or("null", RawJson::as_str))
                .str("name", &clean(name));
            members.close();
            RawJson::written(out)
        }
    }
}
