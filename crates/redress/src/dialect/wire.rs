//! A fault as the answer on the wire: the result of a failed tool call, or a JSON-RPC error for everything else.
//!
//! The text is enough alone, because some clients show the model nothing else. The envelope is beside it for programs.

use std::borrow::Cow;

use crate::{Dialect, Fault, card, codes, dialect::Stamp, dialect::own};
pub use crate::{dialect::TOOL_FAILURE_KEY, fault::ATTEMPTS};
use redress_wire::json::{Doc, Limits, Members, RawJson, Value, write_str};

/// How keys start that only Redress writes.
pub const RESERVED: &str = "dev.redress/";

/// Where the native envelope is, in `_meta` of a result and in `data` of an error.
pub const FAULT_KEY: &str = "dev.redress/fault";

/// Whether only Redress writes a key, in whichever case: some readers, as those in Go, take no notice of it.
pub fn is_reserved(key: &str) -> bool {
    let mut letters = key.chars().map(|it| if it == 'ſ' { 's' } else { it.to_ascii_lowercase() });
    RESERVED.chars().all(|it| letters.next() == Some(it))
}

/// How a failed call is answered.
#[derive(Debug, Clone, Copy)]
pub struct Answer<'a> {
    /// The shape of the envelope.
    pub dialect: Dialect,
    /// Whether the tool declares an `outputSchema`: many clients refuse a structured failure that does not fit it.
    pub has_output_schema: bool,
    /// What the boundary knows.
    pub stamp: Stamp<'a>,
    /// Members of `_meta` by another author, which stay there; ours take the place of those with our keys.
    pub meta: Option<&'a RawJson>,
    /// What the server wrote, for a block below the card that says more of it than the card does.
    pub said: Option<&'a str>,
}

/// The response to a failed tool call. `id` is the request's, as JSON. In the dialect `rpc` it is an error, else a result.
pub fn response(fault: &Fault, id: &str, answer: Answer<'_>) -> String {
    let mut out = String::with_capacity(1024);
    let mut members = Members::open(&mut out);
    members.str("jsonrpc", "2.0").raw("id", id);
    if answer.dialect == Dialect::Rpc {
        let own = own_text(fault, Dialect::Rpc).map(in_one_line);
        let error = own.unwrap_or_else(|| Cow::Owned(crate::dialect::rpc::error(fault)));
        members.raw("error", &error);
    } else {
        write_result(fault, answer, members.key("result"));
    }
    members.close();
    out
}

/// The result of a failed tool call.
pub fn tool_result(fault: &Fault, answer: Answer<'_>) -> String {
    let mut out = String::with_capacity(1024);
    write_result(fault, answer, &mut out);
    out
}

/// The response to a request of another method. The number is JSON-RPC's own where it has one, else the code's.
/// A request that could not be read has no id, and neither has its answer.
pub fn rpc_error(fault: &Fault, id: Option<&str>) -> String {
    let mut out = String::with_capacity(512);
    let mut members = Members::open(&mut out);
    members.str("jsonrpc", "2.0");
    if let Some(id) = id {
        members.raw("id", id);
    }
    let mut error = Members::open(members.key("error"));
    error.int("code", protocol_number(fault)).str("message", &error_message(fault));
    let mut data = Members::open(error.key("data"));
    Dialect::Native.write_into(fault, Stamp::default(), data.key(FAULT_KEY));
    data.close();
    error.close();
    members.close();
    out
}

/// What an error of JSON-RPC says in words: all that a reader of its text alone hears.
pub fn error_message(fault: &Fault) -> String {
    format!("{}{}{}", fault.message, card::did_you_mean(fault), card::server_said(fault))
}

/// Whether a JSON-RPC error with that code that answers a `tools/call` stays one: the request itself was none
/// (`is_well_formed`), the protocol has a use for the code, or it is about what the client did and not about the model's
/// arguments (`is_clients`: the tool is not listed, or a state is refused). Every other becomes a result.
pub const fn error_stays(code: i32, is_well_formed: bool, is_clients: bool) -> bool {
    match code {
        -32_700 | -32_600 | -32_099..=-32_020 => true,
        -32_602 | -32_601 if is_clients => true,
        _ => !is_well_formed,
    }
}

fn write_result(fault: &Fault, answer: Answer<'_>, out: &mut String) {
    let fault = &*answer.dialect.bounded(fault);
    let own = own_text(fault, answer.dialect).map(Cow::Borrowed);
    let envelope = own.unwrap_or_else(|| Cow::Owned(answer.dialect.write(fault, answer.stamp)));
    let is_card = answer.dialect.shows_card();
    let text = if is_card { Cow::Owned(card(fault)) } else { Cow::Borrowed(&*envelope) };
    let mut members = Members::open(out);
    // Since 2026-07-28 a result without its type is refused; before, the member is one of many that are not read.
    members.str("resultType", "complete");
    let content = members.key("content");
    content.push('[');
    let mut block = Members::open(content);
    block.str("type", "text");
    write_str(block.key("text"), &text);
    block.close();
    if let Some(said) = answer.said {
        content.push(',');
        let mut block = Members::open(content);
        block.str("type", "text").str("text", said);
        block.close();
    }
    content.push(']');
    if !answer.has_output_schema && answer.dialect.is_structured(&envelope) {
        members.raw("structuredContent", &in_one_line(&envelope));
    }
    members.bool("isError", true);
    let mut meta = Members::open(members.key("_meta"));
    if let Some(others) = answer.meta {
        others.with(|it| copy_meta(it, answer.dialect, &mut meta));
    }
    if answer.dialect == Dialect::Native {
        meta.raw(FAULT_KEY, &envelope);
    } else {
        if let Some(key) = answer.dialect.meta_key() {
            meta.raw(key, &in_one_line(&envelope));
        }
        Dialect::Native.write_into(fault, answer.stamp, meta.key(FAULT_KEY));
    }
    meta.close();
    members.close();
}

/// What a trusted server wrote in the same dialect.
fn own_text(fault: &Fault, dialect: Dialect) -> Option<&str> {
    fault.private.own.as_ref().and_then(|it| own::text(it, dialect))
}

/// A document without line breaks between its values, which would end a message on a pipe.
fn in_one_line(document: &str) -> Cow<'_, str> {
    if !document.contains(['\n', '\r']) {
        return Cow::Borrowed(document);
    }
    let parsed = Doc::parse(document.as_bytes(), Limits::DOCUMENT);
    parsed.map_or(Cow::Borrowed("null"), |it| {
        Cow::Owned(RawJson::from(it.root()).as_str().to_owned())
    })
}

fn copy_meta(others: Value<'_>, dialect: Dialect, meta: &mut Members<'_>) {
    for (key, value) in others.members() {
        let key = key.as_str().unwrap_or_default();
        let is_ours = is_reserved(&key) || dialect.meta_key() == Some(&*key);
        if !is_ours {
            meta.raw(&key, value.raw());
        }
    }
}

fn protocol_number(fault: &Fault) -> i64 {
    let row = fault.entry();
    let protocol = row.spelling(Dialect::Rpc.name()).and_then(|it| it.parse().ok());
    let any = || codes::INTERNAL_ERROR.entry().number.map_or(-32603, i64::from);
    protocol.or(fault.number).unwrap_or_else(any)
}
