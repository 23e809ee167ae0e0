//! What came of a call, in rmcp's words, as an answer or as a failure.

use std::borrow::Cow;

use redress::{
    Fault,
    classify::{Verdict, classify},
    codes,
    fault::Origin,
    outcome::{Asked, Outcome, ToolTraits, What},
    recover::{Failed, Ground, is_nothing as says_nothing, read},
};
use redress_registry::shipped;
use redress_wire::json::{Doc, Limits};
use rmcp::{
    RoleClient, Service, ServiceError,
    model::{CallToolRequestParams, CallToolResult, ContentBlock},
};
use serde_json::json;
use tokio::time::error::Elapsed;

use super::Recovering;

/// A longer unflagged text is content.
const LONGEST_SUSPECT: usize = 16 << 10;

/// Whether a result has nothing in it.
pub(super) fn is_nothing(result: &CallToolResult) -> bool {
    serde_json::to_vec(result).is_ok_and(|it| says_nothing(&it))
}

/// An answer that succeeded, or the failure that it is.
pub(super) fn heard<S: Service<RoleClient>>(
    answer: Result<Result<CallToolResult, ServiceError>, Elapsed>,
    call: &CallToolRequestParams,
    traits: ToolTraits,
    client: &Recovering<S>,
) -> Result<CallToolResult, Failed> {
    if let Ok(Ok(result)) = answer {
        if is_plain(&result) {
            return Ok(result);
        }
        return with_asked(call, traits, |asked| {
            let bytes = serde_json::to_vec(&result).unwrap_or_default();
            match read(&bytes, asked, &client.lookup).failure() {
                Some(failure) => Err(failure.into()),
                // Whatever is read of it: its server says that it failed.
                None if result.is_error == Some(true) => {
                    Err((named(asked, What::Malformed(Cow::Borrowed(&bytes))), Ground::Guessed)
                        .into())
                }
                None => Ok(result),
            }
        });
    }
    with_asked(call, traits, |asked| {
        let guessed = |what| Err((named(asked, what), Ground::Guessed).into());
        match answer {
            Err(_) | Ok(Err(ServiceError::Timeout { .. })) => {
                let waited_ms = u64::try_from(client.time_limit.as_millis()).unwrap_or(u64::MAX);
                guessed(What::Deadline { waited_ms })
            }
            Ok(Err(ServiceError::McpError(error))) => {
                let bytes = serde_json::to_vec(&error).unwrap_or_default();
                match read(&bytes, asked, &client.lookup).failure() {
                    Some(failure) => Err(failure.into()),
                    None => guessed(What::Malformed(Cow::Borrowed(&bytes))),
                }
            }
            Ok(Err(ServiceError::TransportSend(_) | ServiceError::TransportClosed)) => {
                guessed(What::Closed)
            }
            Ok(Err(ServiceError::Cancelled { .. })) => Err(cancelled(call).into()),
            Ok(_) => guessed(What::Malformed(Cow::Borrowed(b""))),
        }
    })
}

/// Whether a result needs no look: it is not flagged, and nothing in it could be a failure.
fn is_plain(result: &CallToolResult) -> bool {
    let is_content = |it: &ContentBlock| match it {
        ContentBlock::Text(block) => block.text.len() > LONGEST_SUSPECT,
        _ => true,
    };
    result.is_error != Some(true)
        && result.structured_content.is_none()
        && result.content.iter().all(is_content)
}

/// Runs with what was asked, as the rules that name failures want to see it.
fn with_asked<T>(
    call: &CallToolRequestParams,
    traits: ToolTraits,
    run: impl FnOnce(&Asked<'_>) -> T,
) -> T {
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call});
    let request = request.to_string();
    let doc = Doc::parse(request.as_bytes(), Limits::DOCUMENT);
    run(&Asked {
        request: doc.as_ref().ok().map(Doc::root),
        method: Some("tools/call".into()),
        tool: Some(Cow::Borrowed(&call.name)),
        traits,
        ..Asked::default()
    })
}

/// What the rules call it.
fn named(asked: &Asked<'_>, what: What<'_>) -> Fault {
    match classify(asked, &Outcome::of(what), shipped::core()) {
        Verdict::Failure(failure) => failure.fault,
        Verdict::Success => codes::UNKNOWN_TOOL_FAILURE.raise([] as [(&str, &str); 0]),
    }
}

fn cancelled(call: &CallToolRequestParams) -> Fault {
    let mut fault = codes::CANCELLED.raise([] as [(&str, &str); 0]);
    fault.origin = Origin::Client;
    fault.context.tool = Some(call.name.to_string());
    fault
}
