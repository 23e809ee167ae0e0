//! `Asked`: what is kept of a request for the case that it fails.

mod kept;

use std::{borrow::Cow, time::Duration};

use http::{HeaderValue, request::Parts};
use redress::fault::Context;
use redress_wire::json::{Members, RawJson};
use rmcp::{
    model::{CallToolRequestParams, RequestId},
    service::{RequestContext, RoleServer},
};

use self::kept::Kept;
use tokio::time::Instant;

use crate::{
    panics,
    settings::{ContractSettings, Seen},
};

/// The header that names a session.
const SESSION: &str = "mcp-session-id";

/// What is kept of a request for the case that it fails.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) method: Cow<'static, str>,
    pub(crate) call: Option<ToolCall>,
    id: RequestId,
    session: Session,
    traceparent: Option<String>,
    /// What the author's closure knows.
    filled: Option<Box<Context>>,
    started: Instant,
}

/// A call of a tool.
#[derive(Debug)]
pub(crate) struct ToolCall {
    pub(crate) tool: Cow<'static, str>,
    arguments: Option<Kept>,
    /// It goes on where an earlier one stopped.
    pub(crate) has_state: bool,
}

#[derive(Debug)]
enum Session {
    /// There is one client, on a pipe.
    Only,
    /// What the client wrote into the header.
    Named(HeaderValue),
    /// A message over HTTP that belongs to none.
    None,
}

impl Asked {
    /// A request of any method.
    pub(crate) fn new(
        method: impl Into<Cow<'static, str>>,
        context: &RequestContext<RoleServer>,
    ) -> Self {
        let session = match context.extensions.get::<Parts>() {
            None => Session::Only,
            Some(parts) => {
                parts.headers.get(SESSION).map_or(Session::None, |it| Session::Named(it.clone()))
            }
        };
        Self {
            method: method.into(),
            call: None,
            id: context.id.clone(),
            session,
            traceparent: context.meta.get_traceparent().map(str::to_owned),
            filled: None,
            started: Instant::now(),
        }
    }

    /// A call of a tool.
    pub(crate) fn call(
        tool: Cow<'static, str>,
        call: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
        settings: &ContractSettings,
    ) -> Self {
        Self {
            call: Some(ToolCall {
                tool,
                arguments: call.arguments.as_ref().map(Kept::new),
                has_state: call.request_state.is_some(),
            }),
            // What it does not know it cannot fill; a call fails by itself only.
            filled: settings
                .fill
                .as_ref()
                .and_then(|it| panics::caught(|| it(Seen { call, request: context })).ok())
                .map(Box::new),
            ..Self::new("tools/call", context)
        }
    }

    /// When it has taken so long.
    pub(crate) fn limit(&self, limit: Option<Duration>) -> Option<Instant> {
        self.started.checked_add(limit?)
    }

    /// How long it has taken.
    pub(crate) fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Where a failure of it happened. `only` names the session of the one client on a pipe.
    pub(crate) fn context(&self, settings: &ContractSettings, only: &str) -> Context {
        let trace = self.traceparent.as_deref().and_then(|it| it.split('-').nth(1));
        let own = Context {
            tool: self.call.as_ref().map(|it| it.tool.clone().into_owned()),
            request_id: Some(self.id.to_string()),
            session_id: match &self.session {
                Session::Only => Some(only.to_owned()),
                Session::Named(name) => name.to_str().ok().map(str::to_owned),
                Session::None => None,
            },
            trace_id: trace.map(str::to_owned),
            ..Context::default()
        };
        let mut context = self.filled.as_deref().cloned().unwrap_or_default();
        context.fill_absent(&own);
        context.fill_absent(&settings.context);
        context
    }

    /// The request as JSON, as far as a judgement of its failure needs it.
    pub(crate) fn json(&self) -> Option<RawJson> {
        let mut out = String::new();
        let mut members = Members::open(&mut out);
        members.str("jsonrpc", "2.0").raw("id", "1").str("method", &self.method);
        if let Some(call) = &self.call {
            let mut params = Members::open(members.key("params"));
            params.str("name", &call.tool);
            if let Some(arguments) = &call.arguments {
                arguments.write(params.key("arguments"));
            }
            params.close();
        }
        members.close();
        RawJson::parse(out.as_bytes()).ok()
    }
}
