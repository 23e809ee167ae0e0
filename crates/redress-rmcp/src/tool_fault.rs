//! `ToolFault`: the error of a tool that is written with a contract, so that `?` is all that a failure takes.

use std::{cell::Cell, mem};

use redress::{Dialect, Fault, dialect::Stamp, dialect::wire, emit::emit, fault::StackPolicy};
use redress_ledger::Redactor;
use rmcp::{
    ErrorData,
    handler::server::tool::IntoCallToolResult,
    model::{CallToolResponse, CallToolResult},
};
use serde_json::Value;

use crate::{answer, tell::emission};

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

/// Without a contract around the handler the answer is complete, too; it is only not recorded.
impl IntoCallToolResult for ToolFault {
    fn into_call_tool_result(self) -> Result<CallToolResponse, ErrorData> {
        let shown = emit((*self.0).clone(), &emission(&Redactor::default(), StackPolicy::Hidden));
        let how = wire::Answer {
            dialect: Dialect::Native,
            has_output_schema: true,
            stamp: Stamp::default(),
            meta: None,
            said: None,
        };
        let result = answer::tool_result(&shown, how)?;
        carry(&result, *self.0);
        Ok(result.into())
    }
}

/// The faults that the tools of one call have returned, whole, with the envelopes by which their results are known.
#[derive(Debug, Default)]
pub(crate) struct Carried(Vec<(Option<Value>, Fault)>);

thread_local! {
    /// Those of the call that this thread works on, if it works on one.
    static CARRIED: Cell<Option<Carried>> = const { Cell::new(None) };
}

fn envelope(result: &CallToolResult) -> Option<&Value> {
    result.meta.as_ref()?.0.get(wire::FAULT_KEY)
}

/// Keeps what a result cannot show: the private part.
fn carry(result: &CallToolResult, fault: Fault) {
    // Without a contract around the call no caller takes it.
    if let Some(mut carried) = CARRIED.take() {
        carried.0.push((envelope(result).cloned(), fault));
        CARRIED.set(Some(carried));
    }
}

impl Carried {
    /// Does a part of the work on the call, which must not panic: the faults that are made in it are kept here.
    pub(crate) fn around<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let outer = CARRIED.replace(Some(mem::take(self)));
        let end = work();
        *self = CARRIED.replace(outer).unwrap_or_default();
        end
    }

    /// The fault that a result was made from, if a tool of this call made it.
    pub(crate) fn take(&mut self, result: &CallToolResult) -> Option<Fault> {
        let envelope = envelope(result)?;
        // Of two that look the same, the later one is more likely what a tool ends with.
        let at = self.0.iter().rposition(|it| it.0.as_ref() == Some(envelope))?;
        Some(self.0.swap_remove(at).1)
    }
}
