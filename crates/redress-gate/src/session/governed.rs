//! A governed server: what a request becomes before the server hears of it, and what follows from how it ended.

use std::{ops::Range, sync::Arc};

use redress::Fault;
use redress_govern::invariant::INV_ANSWER_JUDGED;

use super::{Actions, ClientKind, Door, Session, seen::Seen};
use crate::{
    exchange::{Exchange, Method},
    frame::Frame,
    govern::{Call, Called, Caller, Ruling, is_own},
    metrics::Outcome,
    outgoing::{Sender, ToClient},
};

/// Requests that come before a session, and tell no more than what there is.
const FREE: &[&str] = &[
    "initialize",
    "ping",
    "server/discover",
    "logging/setLevel",
    "sys/errorStats",
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
    "tasks/list",
];

impl Session {
    /// Has the governor judge a request; gives it back if the server is to be asked, and what of its line is not for the server.
    pub(super) fn govern(
        &mut self,
        frame: &Frame<'_>,
        mut exchange: Box<Exchange>,
        actions: &mut Actions,
    ) -> Option<(Box<Exchange>, Vec<Range<usize>>)> {
        let whole = Vec::new();
        let Some(governor) = self.server.governor() else { return Some((exchange, whole)) };
        let is_tool = exchange.request.method == Method::ToolsCall;
        let is_judged = !FREE.contains(&exchange.request.method_name());
        // While nothing is let in, whatever it is gets its refusal there.
        if !is_judged || self.door != Door::Open {
            return Some((exchange, whole));
        }
        let method = exchange.request.method_name();
        let name = if is_tool { exchange.request.tool().unwrap_or_default() } else { method };
        let arguments = frame.params.and_then(|it| it.get("arguments"));
        let arguments = arguments.filter(|it| !it.is_null());
        let is_task = frame.params.is_some_and(|it| it.get("task").is_some());
        let caller = self.caller(&exchange.from);
        let (governed, ruling) =
            governor.before(&Call { caller, name, is_tool, is_task, arguments });
        exchange.governed = Some(Arc::new(governed));
        match ruling {
            Ruling::Pass(ours, write) => {
                exchange.write = write;
                Some((exchange, ours))
            }
            Ruling::Refuse(fault) => {
                self.fail(exchange, &Seen::Governed(fault), actions);
                None
            }
            Ruling::Answer { result, record } => {
                actions.sessions.extend(record);
                Self::called(&exchange, actions);
                let id = exchange.request.id().as_bytes();
                let parts: [&[u8]; 5] =
                    [br#"{"jsonrpc":"2.0","id":"#, id, br#","result":"#, result.as_bytes(), b"}\n"];
                actions.to_client.add_parts(ToClient::Answer(exchange.from.ticket, 200), &parts);
                self.finish(exchange, Outcome::Ok, actions.now.at);
                None
            }
        }
    }

    /// Whether a message that wants no answer may pass: a server that is asked to do something so would do it unjudged.
    pub(super) fn may_pass(&self, frame: &Frame<'_>) -> bool {
        !self.server.is_governed() || frame.method.starts_with("notifications/")
    }

    /// The violation of a request that reached a governed server although nobody has judged it.
    pub(super) fn unjudged(&self, exchange: &Exchange) -> Option<Box<Fault>> {
        let is_call = exchange.request.method == Method::ToolsCall;
        let is_governed = self.server.is_governed();
        (is_governed && is_call && exchange.governed.is_none())
            .then(|| INV_ANSWER_JUDGED.violated("nobody has judged it"))
    }

    /// What follows from a request that succeeded.
    pub(super) fn governed_well(&self, exchange: &Exchange, actions: &mut Actions) {
        if let (Some(governor), Some(governed)) = (self.server.governor(), &exchange.governed) {
            actions.sessions.extend(governor.succeeded(governed));
            Self::called(exchange, actions);
        }
    }

    /// Has a call that succeeded recorded.
    fn called(exchange: &Exchange, actions: &mut Actions) {
        let Some(governed) = exchange.governed.clone() else { return };
        let request = &exchange.request;
        let is_tool = request.method == Method::ToolsCall;
        let name = if is_tool { request.tool().unwrap_or_default() } else { request.method_name() };
        let elapsed_ms = actions.now.since(exchange.started);
        actions.calls.push(Called { governed, name: name.to_owned(), is_tool, elapsed_ms });
    }

    /// Whether a client may find a tool of that name here. As long as nobody has listed the tools, all but the gate's own can be there.
    pub(super) fn may_have(&self, tool: &str) -> bool {
        let settings = &self.server.settings;
        let is_listed = self.tools.all().map(|it| it.iter().any(|it| it == tool));
        self.server.is_governed() && is_own(tool)
            || is_listed
                .unwrap_or_else(|| !is_own(tool) || settings.contract.tools.get(tool).is_some())
    }

    fn caller(&self, from: &Sender) -> Caller {
        match (self.client, from.token) {
            (ClientKind::Pipe, _) => Caller::Process,
            (ClientKind::Http, Some(token)) => Caller::Token(token),
            (ClientKind::Http, None) => Caller::Nobody,
        }
    }
}
