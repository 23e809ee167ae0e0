//! All that the tiers look at: the request, what came of it, and the server's own words.

use redress_registry::Registry;

use super::{
    message::Message,
    phrase::Hits,
    request::{Mistake, Request},
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Guard {
    /// A tool is called.
    Call,
    /// The text names the tool.
    Tool,
    /// A flagged result or a JSON-RPC error.
    Answer,
    /// A JSON-RPC error or an HTTP answer.
    Transport,
    /// The same, and the request named no session.
    Sessionless,
    /// An HTTP answer.
    Http,
    /// A call that was answered with the number of invalid parameters.
    Handshake,
    /// An argument is named as a folder.
    Folder,
    /// No argument names a path or a program, so that the path is the server's own.
    Own,
    /// The tool makes a file that need not be there.
    Writes,
    /// The tool changes something.
    Acts,
    /// The call has no query, path or program, and the text repeats none of its values.
    Unasked,
    /// The server that was not found is named by an address or command of the call.
    Host,
    /// An argument is meant as JSON and is none.
    Json,
    /// An argument is a path.
    Path,
    /// An argument climbs with `..`.
    Dotdot,
}

impl Guard {
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "call" => Self::Call,
            "tool" => Self::Tool,
            "answer" => Self::Answer,
            "transport" => Self::Transport,
            "sessionless" => Self::Sessionless,
            "http" => Self::Http,
            "handshake" => Self::Handshake,
            "folder" => Self::Folder,
            "own" => Self::Own,
            "writes" => Self::Writes,
            "acts" => Self::Acts,
            "unasked" => Self::Unasked,
            "host" => Self::Host,
            "json" => Self::Json,
            "path" => Self::Path,
            "dotdot" => Self::Dotdot,
            _ => return None,
        })
    }
}

impl Evidence<'_> {
    /// Whether a guard holds.
    pub(super) fn holds(&self, guard: Guard) -> bool {
        let request = self.request;
        let mut arguments = request.arguments.iter();
        match guard {
            Guard::Call => request.is_call,
            Guard::Tool => request.is_call && self.message.names_tool,
            Guard::Answer => matches!(self.source, Source::Tool | Source::Rpc),
            Guard::Transport => self.source.is_transport(),
            Guard::Sessionless => self.source.is_transport() && !request.has_session,
            Guard::Http => self.source == Source::Http,
            Guard::Handshake => request.is_call && self.said.rpc() == Some(-32602),
            Guard::Folder => arguments.any(super::request::Argument::is_directory),
            Guard::Own => {
                request.is_call
                    && !self.message.echoes
                    && !request.hands_over_program
                    && !arguments.any(super::request::Argument::is_path)
            }
            Guard::Writes => request.deeds.writes,
            Guard::Acts => request.deeds.acts || arguments.any(super::request::Argument::is_change),
            Guard::Unasked => {
                (request.deeds.acts || request.deeds.gets || request.deeds.shows)
                    && !self.message.echoes
                    && !request.hands_over_program
                    && !arguments.any(|it| it.is_path() || it.is_query())
            }
            Guard::Host => self.message.is_own_host,
            Guard::Json => arguments.any(super::request::Argument::is_bad_json),
            Guard::Path => arguments.any(super::request::Argument::is_path),
            Guard::Dotdot => arguments.any(|it| it.value.split(['/', '\\']).any(|it| it == "..")),
        }
    }

    /// Whether the request is wrong by itself, so that no tool has seen it.
    pub(super) fn is_malformed(&self) -> bool {
        self.request.mistake.is_some_and(|it| it != Mistake::Batch)
    }
}
