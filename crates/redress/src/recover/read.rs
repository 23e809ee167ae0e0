//! `read`: a failure out of whatever a call was answered with: a response, a result, an error, a text, in any dialect.

use std::{borrow::Cow, sync::Arc};

use redress_registry::{Class, Effect, Entry, Retry, name, plugin};

use super::{
    mended::{self, Mended},
    repeat::Ground,
    table::retry_of_class,
    written,
};
use crate::{
    Dialect, Fault, Lookup, Stated,
    classify::{Tier, Verdict, classify},
    codes,
    dialect::wire::{FAULT_KEY, TOOL_FAILURE_KEY},
    fault::{GUESSED, UPSTREAM},
    outcome::{Asked, Outcome, What},
};
use redress_wire::json::{Doc, Kind, Limits, Members, Value, write_str};

/// How often an answer may stand inside another one.
const MAX_WRAPPINGS: u8 = 3;

/// A larger unflagged text is content, whatever it looks like.
const MAX_UNFLAGGED_BYTES: usize = 16 << 10;

/// The longest code that a stranger may have.
const MAX_CODE_BYTES: usize = 128;

/// What an answer is.
#[derive(Debug, Clone, PartialEq)]
pub enum Reading {
    /// No failure.
    Fine,
    /// A failure that says itself what it is. Its ground is a guess where it is not flagged, as in a text or in a result without the flag:
    /// the call may have succeeded, and what is read may be what it was asked for.
    Fault(Box<Fault>, Ground),
    /// A failure that does not; the rules of this library named it.
    Unrecognised(Box<Fault>),
}

impl Reading {
    /// The failure, and how it is known what failed.
    pub fn failure(self) -> Option<(Fault, Ground)> {
        match self {
            Self::Fine => None,
            Self::Fault(fault, ground) => Some((*fault, ground)),
            Self::Unrecognised(fault) => Some((*fault, Ground::Guessed)),
        }
    }

    /// Whether nothing failed.
    pub const fn is_fine(&self) -> bool {
        matches!(self, Self::Fine)
    }
}

/// Reads an answer: a JSON-RPC response, a tool's result, a JSON-RPC error, an envelope, or the text of a block. Total: any
/// bytes give a reading.
///
/// In this order: `_meta`, `structuredContent`, the texts (an envelope, or the first line of a card), `error.data`; what has a
/// flag and none of these is judged by [`classify`]. Of what has no flag only an envelope that leaves no doubt, or a whole
/// payload with an `error` that is neither null nor empty, is a failure, or what a taught row of the lookup's contract calls one.
/// An answer that is no JSON, or more of it than is read,
/// is a failure by its readable part, and a guess.
///
/// ```
/// use redress::{Lookup, outcome::Asked, recover::{Reading, read}};
///
/// let answer = br#"{"content":[{"type":"text","text":"{\"error\":\"rate_limited\",\"message\":\"Slow down\",\"details\":{\"retry_after\":60}}"}]}"#;
/// let Reading::Fault(fault, _) = read(answer, &Asked::default(), &Lookup::shipped()) else { panic!() };
/// assert_eq!((fault.code(), fault.retry.after_ms), ("RATE_LIMITED", Some(60_000)));
/// assert!(read(b"{}", &Asked::default(), &Lookup::shipped()).is_fine());
/// ```
pub fn read(answer: &[u8], asked: &Asked<'_>, lookup: &Lookup) -> Reading {
    let reader = FaultReader { asked, lookup };
    match Doc::parse(answer, Limits::DOCUMENT) {
        Ok(doc) => reader.value(doc.root()),
        Err(_) => match reader.broken(answer) {
            Reading::Fine => unsure(reader.text(&String::from_utf8_lossy(answer), Flag::None, 0)),
            reading => reading,
        },
    }
}

/// Whether this is flagged as a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flag {
    Set,
    None,
}

struct FaultReader<'r> {
    asked: &'r Asked<'r>,
    lookup: &'r Lookup,
}

impl FaultReader<'_> {
    fn value(&self, root: Value<'_>) -> Reading {
        // Our own envelope has its version first, so that it is found without a look at what else it could be.
        let version = root.get("v").and_then(Value::as_u64);
        if let Some(fault) = version.and_then(|_| self.envelope(root, Flag::None)) {
            return stated(fault);
        }
        let has = |key| root.get(key).is_some();
        let is_error = || {
            root.get("code").is_some_and(|it| it.as_i64().is_some())
                && root.get("message").is_some_and(|it| it.kind() == Kind::String)
        };
        match root.kind() {
            Kind::Object if has("jsonrpc") => self.response(root),
            Kind::Object if has("isError") || has("structuredContent") || is_content(root) => {
                self.result(root, 0)
            }
            Kind::Object if is_error() => self.error(root),
            Kind::String => unsure(self.payload(root, Flag::None, 0)),
            _ => self.payload(root, Flag::None, 0),
        }
    }

    /// An answer that is no document. What failed must not pass for a success just because it cannot be read whole.
    fn broken(&self, answer: &[u8]) -> Reading {
        let mended = Mended::of(answer);
        let doc = mended.as_ref().and_then(Mended::doc);
        let (Some(mended), Some(root)) = (&mended, doc.as_ref().map(Doc::root)) else {
            return Reading::Fine;
        };
        let is_content = !mended::is_flagged(root) && answer.len() > MAX_UNFLAGGED_BYTES;
        let reading = if is_content { Reading::Fine } else { self.value(root) };
        match unsure(reading) {
            Reading::Fine if mended.is_cut && mended::is_answer(root) => {
                self.judged(&String::from_utf8_lossy(answer))
            }
            reading => reading,
        }
    }

    fn response(&self, message: Value<'_>) -> Reading {
        if let Some(error) = message.get("error").filter(|it| !it.is_null()) {
            return self.error(error);
        }
        match message.get("result") {
            Some(result) => self.result(result, 0),
            None if message.get("method").is_some() => Reading::Fine,
            None => self.judged(message.raw()),
        }
    }

    fn error(&self, error: Value<'_>) -> Reading {
        let data = error.get("data");
        let ours = data.and_then(|it| it.get(FAULT_KEY)).and_then(|it| self.ours(it));
        let known = ours.or_else(|| self.envelope(data?, Flag::Set));
        let message = format!(r#"{{"jsonrpc":"2.0","id":null,"error":{}}}"#, error.raw());
        let known = known.or_else(|| self.numbered(&message));
        known.map_or_else(|| self.judged(&message), stated)
    }

    /// An error by the symbol or the number of the taxonomy. JSON-RPC's own numbers say too little.
    fn numbered(&self, message: &str) -> Option<Fault> {
        let doc = Doc::parse(message.as_bytes(), Limits::DOCUMENT).ok()?;
        let error = doc.root().get("error")?;
        let is_own = error.get("code").and_then(Value::as_i64).is_some_and(|it| it > 0);
        let has_symbol = error.path(&["data", "symbol"]).is_some();
        let fault = || Dialect::Rpc.read_value(doc.root(), self.lookup).ok();
        let fault = (is_own || has_symbol).then(fault).flatten()?;
        Some(within(fault, doc.root()))
    }

    fn result(&self, result: Value<'_>, depth: u8) -> Reading {
        let is_set = |(key, value): (Value<'_>, Value<'_>)| {
            key.is_str("isError") && value.as_bool() == Some(true)
        };
        if !result.members().any(is_set) {
            let reading = unsure(self.content(result, Flag::None, depth));
            let is_named = matches!(reading, Reading::Fault(..)) || depth > 0;
            return if is_named { reading } else { self.taught(result).unwrap_or(reading) };
        }
        if let Some(fault) = self.in_meta(result) {
            return stated(fault);
        }
        match self.content(result, Flag::Set, depth) {
            Reading::Fine => self.judged(&as_response(result.raw())),
            reading => reading,
        }
    }

    /// What is in a result, as structure or as text.
    fn content(&self, result: Value<'_>, flag: Flag, depth: u8) -> Reading {
        let structured = result.get("structuredContent");
        let structured = structured.map_or(Reading::Fine, |it| self.payload(it, flag, depth));
        if !structured.is_fine() {
            return structured;
        }
        for text in texts(result) {
            let reading = self.text(&text, flag, depth);
            if !reading.is_fine() {
                return reading;
            }
        }
        Reading::Fine
    }

    fn in_meta(&self, result: Value<'_>) -> Option<Fault> {
        let meta = result.get("_meta")?;
        let ours = meta.get(FAULT_KEY).and_then(|it| self.ours(it));
        ours.or_else(|| {
            let proposed = meta.get(TOOL_FAILURE_KEY)?;
            let fault = Dialect::ToolFailure.read_value(proposed, self.lookup).ok()?;
            Some(within(fault, proposed))
        })
    }

    /// The text of a block. Without a flag it must be a failure as a whole.
    fn text(&self, text: &str, flag: Flag, depth: u8) -> Reading {
        let trimmed = text.trim();
        if flag == Flag::None && trimmed.len() > MAX_UNFLAGGED_BYTES {
            return Reading::Fine;
        }
        let doc = trimmed
            .starts_with(['{', '"'])
            .then(|| Doc::parse(trimmed.as_bytes(), Limits::DOCUMENT));
        match doc {
            Some(Ok(doc)) => self.payload(doc.root(), flag, depth),
            _ => match written::card(trimmed, flag == Flag::Set, self.lookup) {
                Some(fault) => stated(fault),
                None if flag == Flag::Set => Reading::Fine,
                None => self.silent(trimmed),
            },
        }
    }

    /// JSON that a tool answered with, as structure or as text.
    fn payload(&self, payload: Value<'_>, flag: Flag, depth: u8) -> Reading {
        if payload.kind() == Kind::String && depth < MAX_WRAPPINGS {
            return self.text(&payload.as_str().unwrap_or_default(), flag, depth + 1);
        }
        if payload.kind() != Kind::Object {
            return Reading::Fine;
        }
        if flag == Flag::None && payload.raw().len() > MAX_UNFLAGGED_BYTES {
            return Reading::Fine;
        }
        if let Some(fault) = self.envelope(payload, flag) {
            return stated(fault);
        }
        let mut members = payload.members();
        if let (Some((key, inner)), None) = (members.next(), members.next())
            && key.is_str("result")
            && depth < MAX_WRAPPINGS
        {
            return self.payload(inner, flag, depth + 1);
        }
        if payload.get("isError").is_some() && depth < MAX_WRAPPINGS {
            return self.result(payload, depth + 1);
        }
        match flag {
            Flag::Set => Reading::Fine,
            Flag::None if has_error(payload) => self.judged(&flagged(payload.raw())),
            Flag::None => self.silent(payload.raw()),
        }
    }

    /// An envelope. Without a flag, its dialect must leave no doubt.
    fn envelope(&self, document: Value<'_>, flag: Flag) -> Option<Fault> {
        if document.kind() != Kind::Object {
            return None;
        }
        if document.get("v").and_then(Value::as_u64) == Some(1) {
            return self.ours(document);
        }
        let dialect = Dialect::detect(document, self.lookup).ok()?;
        // Any answer can have a member `code`; and a response is none inside of another one.
        let is_doubtful = dialect == Dialect::Native || dialect == Dialect::Rpc;
        let fault = || dialect.read_value(document, self.lookup).ok();
        let fault = (flag == Flag::Set || !is_doubtful).then(fault).flatten()?;
        Some(within(fault, document))
    }

    /// Our own envelope, also with a code that no registry here has.
    fn ours(&self, document: Value<'_>) -> Option<Fault> {
        let known = Dialect::Native.read_value(document, self.lookup).ok();
        // Of a code without a row the class says more: a client decides by it.
        let known = known.filter(|it| !plugin::is_unregistered(it.entry()));
        let known = known.or_else(|| Dialect::Native.filled(document, &stranger(document)?));
        known.map(|it| within(it, document))
    }

    /// An unflagged text: a failure only if its structure leaves no doubt.
    fn silent(&self, text: &str) -> Reading {
        let mut result = String::with_capacity(text.len() + 64);
        result.push_str(r#"{"content":[{"type":"text","text":"#);
        write_str(&mut result, text);
        result.push_str("}]}");
        self.judged_if(&as_response(&result), |certain| certain)
    }

    /// An unflagged result that a taught row of the contract calls a failure.
    fn taught(&self, result: Value<'_>) -> Option<Reading> {
        let teacher = self.lookup.teacher();
        if !teacher.matches.has_silent() {
            return None;
        }
        let message = as_response(result.raw());
        let doc = Doc::parse(message.as_bytes(), Limits::DOCUMENT).ok()?;
        match classify(self.asked, &Outcome::of(What::Answer(doc.root())), teacher) {
            Verdict::Failure(failure) if failure.tier == Tier::Taught => {
                Some(Reading::Unrecognised(Box::new(failure.fault)))
            }
            _ => None,
        }
    }

    fn judged(&self, message: &str) -> Reading {
        self.judged_if(message, |_| true)
    }

    fn judged_if(&self, message: &str, counts: impl Fn(bool) -> bool) -> Reading {
        let doc = Doc::parse(message.as_bytes(), Limits::DOCUMENT);
        let what = match &doc {
            Ok(doc) => What::Answer(doc.root()),
            Err(_) => What::Malformed(Cow::Borrowed(message.as_bytes())),
        };
        match classify(self.asked, &Outcome::of(what), self.lookup.teacher()) {
            Verdict::Failure(failure) if counts(failure.certain) => {
                Reading::Unrecognised(Box::new(failure.fault))
            }
            _ => Reading::Fine,
        }
    }
}

/// What was read of something unflagged or broken: it may not be what it looks like.
fn unsure(reading: Reading) -> Reading {
    match reading {
        Reading::Fault(fault, _) => Reading::Fault(fault, Ground::Guessed),
        reading => reading,
    }
}

/// A failure by its own envelope. One that was made from the words of another server says so.
fn stated(fault: Fault) -> Reading {
    let is_set = |it: Value<'_>| it.path(&[UPSTREAM, GUESSED]).and_then(Value::as_bool);
    let is_guess = fault.details.as_ref().and_then(|it| it.with(is_set).flatten()) == Some(true);
    let ground = if is_guess { Ground::Guessed } else { Ground::Stated };
    Reading::Fault(Box::new(fault), ground)
}

/// A fault within what its envelope states, also in members that its dialect does not have.
fn within(mut fault: Fault, envelope: Value<'_>) -> Fault {
    Stated::read(envelope).limit(&mut fault);
    fault
}

/// A result inside a response.
fn as_response(result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":null,"result":{result}}}"#)
}

/// A payload as a failed result inside a response.
fn flagged(payload: &str) -> String {
    let mut result = String::with_capacity(payload.len() + 64);
    let mut members = Members::open(&mut result);
    let content = members.key("content");
    content.push_str(r#"[{"type":"text","text":"#);
    write_str(content, payload);
    content.push_str("}]");
    members.bool("isError", true);
    members.close();
    as_response(&result)
}

/// Whether an object has `content` as results have it.
fn is_content(root: Value<'_>) -> bool {
    let is_block = |it: Value<'_>| it.get("type").is_some_and(|it| it.kind() == Kind::String);
    root.get("content").is_some_and(|it| it.kind() == Kind::Array && it.elements().all(is_block))
}

/// Every text of a result, in order.
fn texts(result: Value<'_>) -> impl Iterator<Item = Cow<'_, str>> {
    let content = result.get("content");
    let one = content.and_then(Value::as_str);
    let many = content.into_iter().flat_map(Value::elements);
    one.into_iter().chain(many.filter_map(|it| it.get("text")?.as_str()))
}

/// The rule of the Gmail and Obsidian servers: an `error` is a failure, unless it says nothing.
fn has_error(payload: Value<'_>) -> bool {
    payload.get("error").is_some_and(|it| match it.kind() {
        Kind::String => it.as_str().is_some_and(|it| !it.trim().is_empty()),
        Kind::Object => it.get("message").is_some() || it.get("code").is_some(),
        Kind::Null | Kind::Bool | Kind::Number | Kind::Array => false,
    })
}

/// The row of a code that no registry here has: its class is all that is known, and that nothing was changed is not.
fn stranger(envelope: Value<'_>) -> Option<Arc<Entry>> {
    let code = envelope.get("code")?.as_str()?;
    if code.len() > MAX_CODE_BYTES || !name::is_full_code(&code) {
        return None;
    }
    let class = envelope.get("class").and_then(Value::as_str);
    let class = class.and_then(|it| Class::parse(&it)).unwrap_or(Class::Unknown);
    Some(Arc::new(Entry {
        registry: "".into(),
        code: code.into(),
        number: None,
        class,
        http: class.http(),
        retry: Retry::of(retry_of_class(class)),
        effect: Effect::Unknown,
        params: Vec::new(),
        alias: Vec::new(),
        ..Entry::clone(codes::UNKNOWN_TOOL_FAILURE.entry())
    }))
}
