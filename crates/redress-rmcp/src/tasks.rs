//! Failures that a task ended with: its state tells them, and not the answer to the call that began it.

use redress::{dialect::wire, outcome::ToolTraits};
use rmcp::{
    ErrorData, ServerHandler,
    model::{JsonObject, TaskPayload},
};
use serde_json::Value;

use crate::{answer, asked::Asked, contract::Contract, judge::Judge};

/// Whether a task ended with a failure.
pub(crate) fn has_failed(task: &TaskPayload) -> bool {
    match task {
        TaskPayload::Completed { result } => result.get("isError") == Some(&Value::Bool(true)),
        TaskPayload::Failed { .. } => true,
        _ => false,
    }
}

impl<H: ServerHandler> Contract<H> {
    /// Tells the failure of a task in the place where its state has it.
    pub(crate) async fn tell_task(&self, task: &mut TaskPayload, asked: &Asked) {
        let traits = ToolTraits::default();
        let judge = Judge { asked, state: &self.state, traits };
        match task {
            TaskPayload::Completed { result } => {
                let told = self.tell(judge.json("result", result), asked).await;
                let meta = result.get("_meta").and_then(|it| self.meta(it));
                let how = wire::Answer {
                    dialect: self.settings.dialect,
                    // The tool that the task is for is not known any more.
                    has_output_schema: true,
                    stamp: told.stamp(),
                    meta: meta.as_ref(),
                    said: None,
                };
                replace(result, serde_json::from_str(&wire::tool_result(&told.fault, how)));
            }
            TaskPayload::Failed { error } => {
                let told = self.tell(judge.json("error", error), asked).await;
                let read = serde_json::from_value::<ErrorData>(Value::Object(error.clone()));
                let dressed = match read {
                    Ok(error) if !told.is_unrecorded => {
                        answer::dressed(error, &told.fault, &self.settings.redactor)
                    }
                    _ => answer::rpc_error(&told.fault, None),
                };
                replace(error, serde_json::to_value(dressed));
            }
            _ => (),
        }
    }
}

/// What rmcp's own types cannot say stays as it is.
fn replace(place: &mut JsonObject, with: Result<Value, serde_json::Error>) {
    if let Ok(Value::Object(object)) = with {
        *place = object;
    }
}
