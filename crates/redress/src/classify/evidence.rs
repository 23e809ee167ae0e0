//! All that the tiers look at: the request, what came of it, and the server's own words.

use redress_registry::Registry;

use super::{
    message::Message,
    phrase::Hits,
    request::{Argument, Mistake, Request},
    tier::Source,
};
use crate::{
    Stated,
    outcome::{Asked, Outcome},
};
use redress_wire::json::{RawJson, Value};
use std::borrow::Cow;

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
    /// The body of the HTTP answer is no JSON-RPC message.
    pub(super) is_bare_http: bool,
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
}

/// One failing answer with its request, ready for the tiers.
#[derive(Debug)]
pub(super) struct Evidence<'e> {
    pub(super) asked: &'e Asked<'e>,
    pub(super) outcome: &'e Outcome<'e>,
    pub(super) registry: &'e Registry,
    pub(super) request: &'e Request<'e>,
    pub(super) source: Source,
    pub(super) said: &'e Said<'e>,
    /// The text in one spelling, without what it only repeats.
    pub(super) message: &'e Message,
    pub(super) hits: Hits<'e>,
}

/// Something about the call that a row of a format asks for.
pub(crate) type Guard = fn(&Evidence<'_>) -> bool;

/// The guard of a name.
pub(crate) fn guard(name: &str) -> Option<Guard> {
    let guard: Guard = match name {
        // A tool is called.
        "call" => |it| it.request.is_call,
        // The text names the tool.
        "tool" => |it| it.request.is_call && it.message.names_tool,
        // A flagged result or a JSON-RPC error.
        "answer" => |it| matches!(it.source, Source::Tool | Source::Rpc),
        // A JSON-RPC error or an HTTP answer.
        "transport" => |it| it.source.is_transport(),
        // The same, and the request named no session.
        "sessionless" => |it| it.source.is_transport() && !it.request.has_session,
        "http" => |it| it.source == Source::Http,
        // A call that was answered with the number of invalid parameters.
        "handshake" => |it| it.request.is_call && it.said.rpc() == Some(-32602),
        // An argument is named as a folder.
        "folder" => |it| it.request.arguments.iter().any(Argument::is_directory),
        // No argument names a path or a program, so that the path is the server's own.
        "own" => |it| {
            it.request.is_call
                && !it.message.echoes
                && !it.request.hands_over_program
                && !it.request.arguments.iter().any(Argument::is_path)
        },
        // The tool makes a file that need not be there.
        "writes" => |it| it.request.deeds.writes,
        // The tool changes something.
        "acts" => {
            |it| it.request.deeds.acts || it.request.arguments.iter().any(Argument::is_change)
        }
        "unasked" => is_unasked,
        // The server that was not found is named by an address or command of the call.
        "host" => |it| it.message.is_own_host,
        // An argument is meant as JSON and is none.
        "json" => |it| it.request.arguments.iter().any(Argument::is_bad_json),
        "path" => |it| it.request.arguments.iter().any(Argument::is_path),
        // An argument climbs with `..`.
        "dotdot" => |it| {
            let mut arguments = it.request.arguments.iter();
            arguments.any(|it| it.value.split(['/', '\\']).any(|it| it == ".."))
        },
        _ => return None,
    };
    Some(guard)
}

/// Whether the call has no query, path or program, and the text repeats none of its values: the server's own query failed.
pub(super) fn is_unasked(evidence: &Evidence<'_>) -> bool {
    let request = evidence.request;
    (request.deeds.acts || request.deeds.gets || request.deeds.shows)
        && !evidence.message.echoes
        && !request.hands_over_program
        && !request.arguments.iter().any(|it| it.is_path() || it.is_query())
}

impl Evidence<'_> {
    /// Whether the request is wrong by itself, so that no tool has seen it.
    pub(super) fn is_malformed(&self) -> bool {
        self.request.mistake.is_some_and(|it| it != Mistake::Batch)
    }
}
