//! `rpc`: the JSON-RPC taxonomy. The document is the whole response; a number in `code`, the symbol and its domain in `data`.

use std::{borrow::Cow, sync::Arc};

use redress_registry::{Class, Entry};

use super::{Dialect, Kept, Lookup, RESIDUE, Refusal, Shape, Stamp, Why, close, is_yes, unknown};
use crate::{
    fault::{Fault, UPSTREAM},
    text,
};
use redress_wire::json::{Kind, Members, RawJson, Value};

/// The number of a failure without one of its own.
const SERVER_FAILURE: i64 = -32000;

/// The most characters of a server's words that the details show.
const MAX_TERSE_CHARS: usize = 240;

/// Where a response has its details.
const DETAILS: &str = "/error/data/details";

pub(super) struct Rpc;

impl Shape for Rpc {
    fn described(&self) -> [&'static str; 2] {
        ["a JSON-RPC error with `domain` and `symbol` in `data`", "a JSON-RPC error"]
    }

    fn precedence(&self) -> u8 {
        1
    }

    fn shows_card(&self) -> bool {
        true
    }

    fn home(&self) -> Option<&'static str> {
        Some("rpc-taxonomy")
    }

    fn own_spelling<'r>(&self, row: &'r Entry) -> Option<Cow<'r, str>> {
        row.number.map(|_| Cow::Owned(format!("E_{}", row.code)))
    }

    fn fallback(&self, class: Class) -> &'static str {
        match class {
            Class::InvalidArgument | Class::OutOfRange => "E_INVALID_PARAMS",
            Class::DeadlineExceeded => "E_TIMEOUT",
            Class::NotFound => "E_NOT_FOUND",
            Class::AlreadyExists => "E_ALREADY_EXISTS",
            Class::PermissionDenied => "E_UNAUTHORIZED_ACTION",
            Class::Unauthenticated => "E_AUTH_REQUIRED",
            Class::ResourceExhausted => "E_LIMIT_EXCEEDED",
            Class::FailedPrecondition | Class::Aborted => "E_CONFLICT",
            Class::Unimplemented => "E_UNSUPPORTED",
            Class::Unavailable => "E_UPSTREAM_UNAVAILABLE",
            Class::Cancelled => "E_CANCELLED",
            Class::Internal | Class::DataLoss => "E_INTERNAL_ERROR",
            Class::Unknown => "E_UNKNOWN_TOOL_FAILURE",
        }
    }

    fn claims(&self, doc: Value<'_>) -> bool {
        let error = doc.get("error").filter(|it| it.kind() == Kind::Object);
        error.is_some_and(|it| {
            doc.get("jsonrpc").is_some() || it.get("code").is_some_and(|it| it.as_i64().is_some())
        })
    }

    fn spelled<'d>(&self, doc: Value<'d>) -> Option<Cow<'d, str>> {
        let symbol = doc.path(&["error", "data", "symbol"]).and_then(Value::as_str);
        symbol.or_else(|| Some(Cow::Owned(number_of(doc).ok()?.to_string())))
    }

    fn code(&self, doc: Value<'_>, lookup: &Lookup) -> Result<Arc<Entry>, Refusal> {
        let number = number_of(doc)?;
        if let Some(symbol) = doc.path(&["error", "data", "symbol"]).and_then(Value::as_str) {
            let pointer = "/error/data/symbol".to_owned();
            return lookup
                .spelled(Dialect::Rpc, &symbol)
                .ok_or_else(|| unknown(pointer, &symbol, Dialect::Rpc, lookup));
        }
        let spelling = number.to_string();
        lookup
            .spelled(Dialect::Rpc, &spelling)
            .or_else(|| lookup.numbered(number))
            .ok_or_else(|| Refusal::at("/error/code", Why::UnknownCode(spelling)))
    }

    fn fill(&self, doc: Value<'_>, fault: &mut Fault) -> Result<(), Refusal> {
        let number = number_of(doc)?;
        let row = Arc::clone(fault.entry());
        let usual = Usual::of(&row, fault.class);
        if number != usual.number {
            fault.number = Some(number);
        }
        let message = doc.path(&["error", "message"]);
        let message = message.ok_or_else(|| Refusal::at("/error/message", Why::Missing))?;
        let message = message
            .as_str()
            .ok_or_else(|| Refusal::at("/error/message", Why::Type(Kind::String)))?;
        fault.message = message.into_owned();
        fault.rpc_id = doc.get("id").filter(|it| !it.is_null()).map(RawJson::from);
        let member = |key| doc.path(&["error", "data", key]);
        if let Some(domain) = member("domain").and_then(Value::as_str)
            && usual.domain.as_deref() != Some(&*domain)
        {
            fault.domain = (*domain).into();
        }
        fault.details = member("details").map(RawJson::from);
        // The canonical form is a string; what was none is written as it was as long as this mark agrees with it.
        let object = fault.details.clone().filter(|it| it.kind() != Kind::String);
        fault.extra.extend(object.map(|it| (DETAILS.to_owned(), it)));
        fault.stack = member("stack").and_then(Value::as_str).map(Cow::into_owned);
        let is_usual = |it: bool| it == Dialect::Rpc.told_retry(fault).retryable();
        match member("retryable").map(is_yes) {
            Some(retryable) if is_usual(retryable) => (),
            Some(retryable) => fault.set_retryable(retryable),
            None => fault.unsaid.retry = true,
        }
        Ok(())
    }

    fn write(&self, fault: &Fault, _: Stamp<'_>, residue: &str, out: &mut String) {
        let mut members = Members::open(out);
        members
            .str("jsonrpc", "2.0")
            .raw("id", fault.rpc_id.as_ref().map_or("null", RawJson::as_str));
        write_error(fault, residue, members.key("error"));
        members.close();
    }

    fn keeps(&self) -> &'static Kept {
        &Kept {
            whole: &["/message", "/stack"],
            weakened: &[
                "/code",
                "/contract",
                "/retry",
                "/domain",
                "/number",
                "/details",
                "/rpc_id",
            ],
            invented: &["/details"],
        }
    }

    fn inner(&self) -> &'static [&'static [&'static str]] {
        &[&["error"], &["error", "data"]]
    }

    fn residue<'d>(&self, doc: Value<'d>) -> Option<Value<'d>> {
        doc.path(&["error", "data", RESIDUE])
    }
}

/// The error object of a fault.
pub fn error(fault: &Fault) -> String {
    let mut out = String::with_capacity(256);
    write_error(fault, "", &mut out);
    out
}

fn write_error(fault: &Fault, residue: &str, out: &mut String) {
    let usual = Usual::of(fault.entry(), fault.class);
    let number = own_number(fault, &usual).unwrap_or(usual.number);
    let mut members = Members::open(out);
    members.int("code", number).str("message", &fault.message);
    let mut data = String::new();
    write_data(fault, &usual, number, residue, &mut data);
    if data != "{}" {
        members.raw("data", &data);
    }
    members.close();
}

/// The number of this occurrence, if it is not the row's and a reader could still tell the row: by the symbol that goes
/// with it, or because the number is one of the row's own spellings.
fn own_number(fault: &Fault, usual: &Usual<'_>) -> Option<i64> {
    let row = fault.entry();
    let number = fault.number.filter(|it| Some(*it) != row.number.map(i64::from))?;
    let is_spelling = || {
        let alias = row.alias.iter().find(|it| *it.dialect == *Dialect::Rpc.name());
        alias.is_some_and(|it| it.spellings.contains(&number.to_string()))
    };
    (number > 0 && usual.symbol.is_some() || is_spelling()).then_some(number)
}

/// Numbers of the protocol itself have no symbol, and no domain but one of their own.
fn write_data(fault: &Fault, usual: &Usual<'_>, number: i64, residue: &str, out: &mut String) {
    let is_application = number > 0;
    let mut members = Members::open(out);
    if fault.domain != fault.entry().domain {
        members.str("domain", &fault.domain);
    } else if is_application {
        members.opt_str("domain", usual.domain.as_deref());
    }
    if is_application {
        members.opt_str("symbol", usual.symbol.as_deref());
    }
    let is_own = |it: &RawJson| {
        it.kind() == Kind::String || fault.extra.iter().any(|(at, own)| at == DETAILS && own == it)
    };
    match &fault.details {
        Some(details) if is_own(details) => {
            members.raw("details", details.as_str());
        }
        _ => {
            members.opt_str("details", terse(fault).as_deref());
        }
    }
    if fault.says_retry() {
        members.bool("retryable", Dialect::Rpc.told_retry(fault).retryable());
    }
    members.opt_str("stack", fault.stack.as_deref());
    close(members, residue);
}

/// The details as one short text: the server's own words where there are some, else what is known in JSON.
fn terse(fault: &Fault) -> Option<String> {
    let upstream = |keys: &[&str]| {
        let path = [&[UPSTREAM], keys].concat();
        fault.details.as_ref()?.with(|it| it.path(&path)?.as_str().map(Cow::into_owned))?
    };
    let said = upstream(&["data", "details"]).or_else(|| fault.server_text.clone());
    if let Some(said) = said.map(|it| text::strip(&it)).filter(|it| !it.is_empty()) {
        return Some(text::gist(&said, MAX_TERSE_CHARS).into_owned());
    }
    let rest = fault.details.as_ref()?.with(without_upstream)?;
    (rest != "{}").then_some(rest)
}

fn without_upstream(details: Value<'_>) -> String {
    if details.get(UPSTREAM).is_none() {
        return RawJson::from(details).as_str().to_owned();
    }
    let mut out = String::new();
    let mut members = Members::open(&mut out);
    for (key, value) in details.members().filter(|(key, _)| !key.is_str(UPSTREAM)) {
        members.raw(&key.as_str().unwrap_or_default(), RawJson::from(value).as_str());
    }
    members.close();
    out
}

/// What a row is called here as long as an occurrence says nothing else.
struct Usual<'r> {
    number: i64,
    symbol: Option<Cow<'r, str>>,
    domain: Option<Cow<'r, str>>,
}

impl<'r> Usual<'r> {
    /// A row with a number and no alias goes by its own name and number; an alias or a class by those of the row that
    /// ships under that symbol.
    fn of(row: &'r Entry, class: Class) -> Self {
        let word = Dialect::Rpc.spells(row);
        let symbol = word.unwrap_or_else(|| Cow::Borrowed(Rpc.fallback(class)));
        if let Ok(number) = symbol.parse() {
            return Self { number, symbol: None, domain: None };
        }
        let shipped = Lookup::shipped();
        let is_own = row.spelling(Dialect::Rpc.name()).is_none() && row.number.is_some();
        let namesake = if is_own { None } else { shipped.spelled(Dialect::Rpc, &symbol) };
        let (number, domain) = match namesake {
            Some(it) => (it.number, Cow::Owned(it.domain.to_string())),
            None => (row.number, Cow::Borrowed(&*row.domain)),
        };
        let by_class = || shipped.spelled(Dialect::Rpc, Rpc.fallback(class))?.number;
        let number = number.or_else(by_class).map_or(SERVER_FAILURE, i64::from);
        Self { number, symbol: Some(symbol), domain: Some(domain) }
    }
}

fn number_of(doc: Value<'_>) -> Result<i64, Refusal> {
    let code = doc.path(&["error", "code"]);
    let code = code.ok_or_else(|| Refusal::at("/error/code", Why::Missing))?;
    code.as_i64().ok_or_else(|| Refusal::at("/error/code", Why::Type(Kind::Number)))
}
