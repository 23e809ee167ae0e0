//! A fault as an answer in the types of rmcp, written by the same function as the gate's.

use std::borrow::Cow;

use redress::{
    Dialect, Fault,
    dialect::wire::{self, FAULT_KEY},
    dialect::{Stamp, rpc},
    emit::clean_text,
};
use redress_ledger::{REDACTED, Redactor};
use redress_wire::json::RawJson;
use rmcp::{
    ErrorData,
    model::{CallToolResult, ErrorCode, JsonObject},
};
use serde_json::{Value, json};

/// The error with an address that the user must go to.
const URL_ELICITATION_REQUIRED: ErrorCode = ErrorCode(-32_042);

/// The result of a failed call. In the dialect `rpc` it is an error.
pub(crate) fn tool_result(
    fault: &Fault,
    how: wire::Answer<'_>,
) -> Result<CallToolResult, ErrorData> {
    if how.dialect == Dialect::Rpc {
        return Err(serde_json::from_str(&rpc::error(fault)).unwrap_or_else(|it| unwritten(&it)));
    }
    serde_json::from_str(&wire::tool_result(fault, how)).map_err(|it| unwritten(&it))
}

/// The error that answers a request of another method, or a call that was none. `code` is the number where the protocol
/// asks for a certain one.
pub(crate) fn rpc_error(fault: &Fault, code: Option<ErrorCode>) -> ErrorData {
    let written = wire::rpc_error(fault, None);
    let error = serde_json::from_str(&written).ok().and_then(|mut it: Value| {
        let error = it.get_mut("error").map(Value::take)?;
        serde_json::from_value::<ErrorData>(error).ok()
    });
    let error = error.unwrap_or_else(|| ErrorData::internal_error(fault.message.clone(), None));
    ErrorData { code: code.unwrap_or(error.code), ..error }
}

/// An error of the handler that stays one, with the envelope in its data and without secrets.
pub(crate) fn dressed(mut error: ErrorData, fault: &Fault, redactor: &Redactor) -> ErrorData {
    if let Some(clean) = clean_text(&error.message, redactor) {
        error.message = clean.into();
    }
    if let Some(data) = &mut error.data {
        if error.code == URL_ELICITATION_REQUIRED {
            without_known(data, redactor);
        } else {
            *data = without_secrets(data, redactor);
        }
    }
    let envelope = Dialect::Native.write(fault, Stamp::default());
    let Ok(envelope) = serde_json::from_str::<Value>(&envelope) else { return error };
    let mut data = match error.data.take() {
        None | Some(Value::Null) => JsonObject::new(),
        Some(Value::Object(data)) => data,
        Some(other) => JsonObject::from_iter([("upstream".to_owned(), other)]),
    };
    data.insert(FAULT_KEY.to_owned(), envelope);
    error.data = Some(Value::Object(data));
    error
}

/// The value without secrets.
pub(crate) fn without_secrets(value: &Value, redactor: &Redactor) -> Value {
    let written = RawJson::parse(value.to_string().as_bytes()).ok();
    let clean = written.and_then(|it| serde_json::from_str(redactor.json(&it).as_str()).ok());
    clean.unwrap_or_else(|| Value::from(REDACTED))
}

/// What must reach a person whole, such as an address to go to, loses no more than the secrets that are known.
fn without_known(value: &mut Value, redactor: &Redactor) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(clean) = redactor.known(text) {
                *text = clean;
            }
        }
        Value::Array(all) => all.iter_mut().for_each(|it| without_known(it, redactor)),
        Value::Object(all) => all.values_mut().for_each(|it| without_known(it, redactor)),
        _ => (),
    }
}

/// Our own JSON is not read by rmcp only if rmcp's types have changed.
fn unwritten(error: &serde_json::Error) -> ErrorData {
    ErrorData::internal_error("The failure could not be written.", Some(json!(error.to_string())))
}
