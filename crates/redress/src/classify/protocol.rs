//! Tier three: facts of transport, process, HTTP and JSON-RPC.

use redress_registry::{Effect, RetryKind};

use super::{
    evidence::Evidence,
    formats::status,
    request::Mistake,
    tier::{Finding, Source, Tier},
};
use crate::codes::{self, CoreCode};

/// What the protocol says of a failure, where it says it without doubt.
pub(super) fn read<'e>(evidence: &Evidence<'e>) -> Option<Finding<'e>> {
    of_request(evidence)
        .or_else(|| of_end(evidence.source))
        .or_else(|| of_number(evidence))
        .or_else(|| of_status(evidence))
}

/// What a number says that many failures share. It counts if no words do.
pub(super) fn vague<'e>(evidence: &Evidence<'e>) -> Option<Finding<'e>> {
    let (request, said) = (evidence.request, evidence.said);
    let is_http = evidence.source == Source::Http;
    let found = |rule: &'static str, code: CoreCode| {
        let finding = Finding::new(Tier::Protocol, rule, code.name());
        finding.effect(code.entry().effect.max(Effect::Unknown))
    };
    let again = |it: Finding<'e>| it.retry(RetryKind::AfterDelay);
    let by_number = said.rpc().and_then(|it| {
        Some(match it {
            -32600 if is_http && request.is_call => {
                found("rpc: -32600", codes::UPSTREAM_PROTOCOL_ERROR)
            }
            -32600 => found("rpc: -32600", codes::INVALID_INPUT_FORMAT),
            -32601 if request.is_call && request.is_listed != Some(true) => {
                found("rpc: -32601", codes::UNKNOWN_TOOL).effect(Effect::None)
            }
            -32602 => found("rpc: -32602", codes::INVALID_INPUT_VALUE),
            -32603 => again(found("rpc: -32603", codes::INTERNAL_ERROR)),
            -32002 => found("rpc: -32002", codes::NOT_FOUND),
            _ => return None,
        })
    });
    let by_status = || {
        let (code, retry) = status::code(said.http?)?;
        let finding = found("http: status", code);
        Some(Finding { retry, ..finding })
    };
    by_number.or_else(by_status)
}

/// A request that is malformed by itself, or asks for what there is not.
fn of_request<'e>(evidence: &Evidence<'e>) -> Option<Finding<'e>> {
    let (request, source) = (evidence.request, evidence.source);
    let is_told = matches!(source, Source::Rpc | Source::Http | Source::Deadline);
    let found =
        |rule: &'static str, code: CoreCode| Some(Finding::new(Tier::Protocol, rule, code.name()));
    match request.mistake {
        Some(Mistake::NotJson) if is_told || source == Source::Closed => {
            return found("request: not JSON", codes::INVALID_INPUT_FORMAT);
        }
        Some(Mistake::Batch) if is_told => return found("request: batch", codes::UNSUPPORTED),
        Some(Mistake::BadParams | Mistake::BadCall) if is_told || source == Source::Tool => {
            return found("request: wrong type", codes::INVALID_INPUT_TYPE);
        }
        Some(Mistake::NoToolName) if is_told || source == Source::Tool => {
            return found("request: no tool", codes::MISSING_REQUIRED_FIELD);
        }
        _ => (),
    }
    if request.is_unknown_method && source.is_transport() {
        return found("request: unknown method", codes::METHOD_NOT_FOUND);
    }
    None
}

/// An end without an answer.
fn of_end<'e>(source: Source) -> Option<Finding<'e>> {
    let found =
        |rule: &'static str, code: CoreCode| Finding::new(Tier::Protocol, rule, code.name());
    Some(match source {
        Source::Exit => {
            found("outcome: exit", codes::UPSTREAM_CRASHED).retry(RetryKind::AfterHuman)
        }
        Source::Deadline => found("outcome: deadline", codes::TIMEOUT),
        Source::Closed => found("outcome: closed", codes::UPSTREAM_UNAVAILABLE),
        Source::Malformed => found("outcome: malformed", codes::UPSTREAM_PROTOCOL_ERROR),
        _ => return None,
    })
}

/// A JSON-RPC number that says one thing.
fn of_number<'e>(evidence: &Evidence<'e>) -> Option<Finding<'e>> {
    let request = evidence.request;
    let found =
        |rule: &'static str, code: CoreCode| Some(Finding::new(Tier::Protocol, rule, code.name()));
    let own = evidence.message.own_text().trim_end_matches(['.', '!']);
    let says_nothing = ["method not found", "tools/call", "not found", "not implemented"]
        .iter()
        .any(|it| own == *it || own.starts_with("method not found:"));
    let is_no_request = own.starts_with("invalid request") || own.starts_with("bad request");
    match evidence.said.rpc()? {
        -32700 => found("rpc: -32700", codes::INVALID_INPUT_FORMAT),
        -32020 => found("rpc: -32020", codes::INVALID_REQUEST),
        -32022 => found("rpc: -32022", codes::UNSUPPORTED),
        // A person has to open a page first: only the number says so.
        -32042 => found("rpc: -32042", codes::USER_ACTION_REQUIRED),
        // Lists can be late or hide tools: only a refusal of the name or its parameters tells.
        -32601 | -32602 if request.is_call && request.is_listed == Some(false) => {
            found("rpc: unlisted tool", codes::UNKNOWN_TOOL)
        }
        // A server that lists a tool and knows no method for it contradicts itself.
        -32601 if request.is_call && says_nothing && request.is_listed == Some(true) => {
            found("rpc: listed tool", codes::UNKNOWN_TOOL_FAILURE)
        }
        -32601 if request.is_call && says_nothing => found("rpc: -32601", codes::UNKNOWN_TOOL),
        -32600 if request.is_call && evidence.source == Source::Http && is_no_request => {
            found("rpc: -32600", codes::UPSTREAM_PROTOCOL_ERROR)
        }
        -32601 if !request.is_call => found("rpc: -32601", codes::METHOD_NOT_FOUND),
        _ => None,
    }
}

/// The status of an HTTP answer, where few failures share it.
fn of_status<'e>(evidence: &Evidence<'e>) -> Option<Finding<'e>> {
    let (request, said) = (evidence.request, evidence.said);
    let status = said.http.filter(|it| *it >= 300)?;
    let found =
        |rule: &'static str, code: CoreCode| Finding::new(Tier::Protocol, rule, code.name());
    let is_wordless = said.text.is_empty() || said.text.starts_with('<');
    Some(match status {
        300..=399 => found("http: redirect", codes::UPSTREAM_PROTOCOL_ERROR),
        404 | 410 if request.has_session => found("http: session gone", codes::SESSION_NOT_FOUND),
        // What a tool finds missing or wrong, its server says in a message. Without one, no tool was asked.
        404 | 410 if request.is_call && said.is_bare_http => {
            found("http: nothing there", codes::UPSTREAM_PROTOCOL_ERROR)
                .retry(RetryKind::AfterHuman)
                .effect(Effect::None)
        }
        400 if request.is_call && is_wordless => {
            found("http: no words", codes::UPSTREAM_PROTOCOL_ERROR)
                .retry(RetryKind::AfterHuman)
                .effect(Effect::None)
        }
        403 | 404 | 410 => return None,
        _ if status::is_vague(status) => return None,
        _ => {
            let (code, retry) = status::code(status)?;
            Finding { retry, ..found("http: status", code) }
        }
    })
}
