//! Errors that rmcp answers before any handler hears of the request: recorded, and with their envelope.

use redress::{
    Fault,
    classify::{Verdict, classify},
    codes,
    dialect::wire::FAULT_KEY,
    fault::{Context, Origin},
    outcome::{Asked, Outcome, What},
};
use redress_registry::Registry;
use redress_wire::json::{Doc, Limits};
use rmcp::model::{ErrorCode, ErrorData, JsonRpcError};

use crate::{answer, contract::Books, judge::START, tell::tell};

/// Whether an error comes from the contract. In the dialect `rpc` the error itself is the envelope.
pub(super) fn is_dressed(error: &ErrorData) -> bool {
    let has = |key| error.data.as_ref().is_some_and(|it| it.get(key).is_some());
    has(FAULT_KEY) || has("symbol")
}

/// The same error with its envelope.
pub(super) async fn dress(
    mut early: JsonRpcError,
    (settings, state, session): &Books,
    has_begun: bool,
) -> JsonRpcError {
    let mut fault = judged(&early, &state.codes.registry());
    if !has_begun && early.error.code == ErrorCode::INVALID_PARAMS {
        START.clone_into(&mut fault.hint);
    }
    fault.origin = Origin::Client;
    fault.nothing_changed();
    fault.context.fill_absent(&Context {
        request_id: early.id.as_ref().map(ToString::to_string),
        session_id: Some(session.to_string()),
        ..Context::default()
    });
    let told = tell(fault, settings, state).await;
    early.error = if told.is_unrecorded {
        answer::rpc_error(&told.fault, None)
    } else {
        answer::dressed(early.error, &told.fault, &settings.redactor)
    };
    early
}

fn judged(early: &JsonRpcError, registry: &Registry) -> Fault {
    let written = serde_json::to_vec(early).unwrap_or_default();
    let verdict = Doc::parse(&written, Limits::DOCUMENT)
        .map(|doc| classify(&Asked::default(), &Outcome::of(What::Answer(doc.root())), registry));
    match verdict {
        Ok(Verdict::Failure(failure)) => failure.fault,
        _ => Fault::of(codes::INVALID_REQUEST.entry()),
    }
}
