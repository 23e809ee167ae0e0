//! `ToolFault`: the error of a tool that is written with a contract, so that `?` is all that a failure takes.

use std::cell::RefCell;

use redress::{Dialect, Fault, dialect::Stamp, wire};
use rmcp::{
    ErrorData,
    handler::server::tool::IntoCallToolResult,
    model::{CallToolResponse, CallToolResult},
};

use crate::answer;

/// The failure of a tool: `#[tool] async fn read_note(…) -> Result<String, ToolFault>`.
///
/// Every error that derives `redress::Contract` becomes one by `?`, and so does a [`Fault`].
#[derive(Debug)]
pub struct ToolFault(Box<Fault>);

impl<E: Into<Fault>> From<E> for ToolFault {
    fn from(error: E) -> Self {
        Self(Box::new(error.into()))
    }
}

impl ToolFault {
    /// The failure.
    pub fn fault(&self) -> &Fault {
        &self.0
    }
}

/// Without a contract around the handler the answer is complete, too; only nobody records it.
impl IntoCallToolResult for ToolFault {
    fn into_call_tool_result(self) -> Result<CallToolResponse, ErrorData> {
        let mut shown = (*self.0).clone();
        shown.bound(redress::tokens::DEFAULT_DETAILS_BYTES);
        let how = wire::Answer {
            dialect: Dialect::Native,
            has_output_schema: true,
            stamp: Stamp::default(),
            meta: None,
        };
        let result = answer::tool_result(&shown, how)?;
        carry(&result, *self.0);
        Ok(result.into())
    }
}

tokio::task_local! {
    /// The faults that the tools of this call have returned, whole, with the envelopes by which their results are known.
    static CARRIED: RefCell<Vec<(Option<serde_json::Value>, Fault)>>;
}

fn envelope(result: &CallToolResult) -> Option<&serde_json::Value> {
    result.meta.as_ref()?.0.get(wire::FAULT_KEY)
}

/// Keeps what a result cannot show: the private part.
fn carry(result: &CallToolResult, fault: Fault) {
    let kept = (envelope(result).cloned(), fault);
    // Without a contract around the call there is nobody to keep it for.
    CARRIED.try_with(|it| it.borrow_mut().push(kept)).unwrap_or_default();
}

/// The fault that a result was made from, if a tool of this call made it.
pub(crate) fn carried(result: &CallToolResult) -> Option<Fault> {
    let envelope = envelope(result)?;
    CARRIED
        .try_with(|it| {
            let mut all = it.borrow_mut();
            let at = all.iter().position(|it| it.0.as_ref() == Some(envelope))?;
            Some(all.swap_remove(at).1)
        })
        .ok()?
}

/// Runs a call whose faults are kept whole.
pub(crate) async fn carrying<F: Future>(call: F) -> F::Output {
    CARRIED.scope(RefCell::default(), call).await
}
