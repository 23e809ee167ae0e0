//! `Answer` and `MessageSource`: a message of the upstream, read, and where it comes from.

use redress::classify::is_suspect;
use redress_wire::json::Value;

use super::{
    Session,
    context::Context,
    subscriptions::subscription_granted,
    tasks::{failed, is_failed},
};
use crate::{
    answer::{CallResult, ambiguous_state},
    exchange::{Exchange, Method},
    frame::{Frame, Shape},
    http_head::HttpHead,
    memory::{OutOfMemory, SMALL},
    upstream_id::UpstreamId,
};

/// Reserves the bytes of an answer on its way to a client that may not read.
pub(super) fn reserve_answer(
    cx: Context<'_>,
    exchange: &mut Exchange,
    bytes: usize,
) -> Result<(), OutOfMemory> {
    if bytes > SMALL
        && let Some(account) = cx.server.account(exchange.from.caller)
    {
        exchange.memory = Some(account.reserve(bytes)?);
    }
    Ok(())
}

/// Whether a notification tells of a task.
pub(super) fn is_of_task(method: &str) -> bool {
    matches!(method, "notifications/tasks" | "notifications/tasks/status")
}

/// An answer of the upstream, read.
#[derive(Debug)]
pub(super) struct Answer<'l, 'd> {
    pub(super) line: &'l [u8],
    pub(super) frame: &'l Frame<'d>,
    pub(super) id: Value<'d>,
    /// The head of the HTTP response that it came in.
    pub(super) http: Option<HttpHead>,
}

/// Where a message of the upstream comes from: a pipe, or an HTTP response.
#[derive(Debug, Clone, Copy, Default)]
pub struct MessageSource {
    /// The request whose HTTP response it is in.
    pub about: Option<UpstreamId>,
    /// The status of that response.
    pub status: Option<u16>,
    /// Whether it is an event of a stream.
    pub is_event: bool,
    /// Whether it is a member of an array.
    pub is_member: bool,
}

/// Whether an answer passes without a closer look. Learns from it what later requests need.
pub(super) fn passes(
    session: &mut Session,
    ours: UpstreamId,
    exchange: &Exchange,
    frame: &Frame<'_>,
) -> bool {
    let Some(result) = frame.payload.filter(|_| frame.shape == Shape::Result) else {
        return false;
    };
    match exchange.request.method {
        Method::ToolsCall => match CallResult::of(result) {
            CallResult::Unflagged => {
                let is_quiet = session.upstream.stderr.position() == exchange.stderr;
                session.server.settings.is_ours
                    || is_quiet && !is_suspect(result, &session.server.settings.contract)
            }
            CallResult::Task => {
                session.tenancy.tasks.learn(ours, exchange, result);
                true
            }
            CallResult::Failed | CallResult::Broken(_) => false,
        },
        Method::ToolsList => {
            session.catalog.tools.learn(result, exchange.request.cursor());
            session.verdicts.forget();
            true
        }
        Method::Initialize => {
            session.handshake.accepted(session.upstream.heard, exchange.started);
            session.tenancy.agreed(exchange.from.client, result);
            true
        }
        Method::TaskState => failed(result).is_none() && ambiguous_state(result).is_none(),
        Method::TaskResult => !is_failed(result),
        Method::Interest => {
            subscription_granted(session, exchange);
            true
        }
        Method::Listen | Method::ErrorStats | Method::Other => true,
    }
}
