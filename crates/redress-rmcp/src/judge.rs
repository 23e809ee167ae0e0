//! What a handler's failing answer is: its own fault, or the one that the rules for foreign failures find.

use redress::{
    Fault,
    classify::{Verdict, classify},
    codes,
    fault::{Origin, Violation},
    outcome::{Asked as Question, Outcome, ToolTraits, What},
};
use redress_wire::json::{Doc, Limits, Members};
use rmcp::{
    ErrorData,
    model::{CallToolResult, ContentBlock, CustomRequest, InputResponses, JsonObject},
};

use serde_json::Value;

use crate::{
    asked::Asked,
    contract::State,
    schema::{is_of_serde, refused_by_serde},
};

/// Judges answers to one request.
pub(crate) struct Judge<'j> {
    pub(crate) asked: &'j Asked,
    pub(crate) state: &'j State,
    pub(crate) traits: ToolTraits,
}

impl Judge<'_> {
    /// The failure of a result that says it is one.
    pub(crate) fn result(&self, result: &CallToolResult) -> Fault {
        said(result)
            .and_then(|it| self.refused_by_serde(it))
            .unwrap_or_else(|| self.classified("result", serde_json::to_string(result)))
    }

    /// The failure that an error of the protocol is.
    pub(crate) fn error(&self, error: &ErrorData) -> Fault {
        self.refused_by_serde(&error.message)
            .unwrap_or_else(|| self.classified("error", serde_json::to_string(error)))
    }

    /// The failure of a result or an error that has no type of its own.
    pub(crate) fn json(&self, member: &str, payload: &JsonObject) -> Fault {
        self.classified(member, serde_json::to_string(payload))
    }

    /// A failure that needs no judgement: what its tool is known for is added.
    pub(crate) fn seen(&self, mut fault: Fault) -> Fault {
        if self.traits.harmless() {
            fault.nothing_changed();
        }
        fault
    }

    fn refused_by_serde(&self, text: &str) -> Option<Fault> {
        let request = if is_of_serde(text) { self.asked.json() } else { return None };
        let arguments = |it: redress_wire::json::Value<'_>| {
            refused_by_serde(text, it.get("params").and_then(|it| it.get("arguments")))
        };
        match request {
            Some(request) => request.with(arguments).flatten(),
            None => refused_by_serde(text, None),
        }
    }

    fn classified(&self, member: &str, payload: Result<String, serde_json::Error>) -> Fault {
        let Ok(payload) = payload else { return self.unknown() };
        let mut answer = String::with_capacity(payload.len() + 64);
        let mut members = Members::open(&mut answer);
        members.str("jsonrpc", "2.0").raw("id", "1").raw(member, &payload);
        members.close();
        let Ok(doc) = Doc::parse(answer.as_bytes(), Limits::DOCUMENT) else {
            return self.unknown();
        };
        let request = self.asked.json();
        let mut fault = match &request {
            Some(request) => request.with(|it| self.verdict(Some(it), &doc)).flatten(),
            None => self.verdict(None, &doc),
        }
        .unwrap_or_else(|| self.unknown());
        fault.private.upstream = Some(payload.into_bytes());
        fault
    }

    fn verdict(
        &self,
        request: Option<redress_wire::json::Value<'_>>,
        answer: &Doc<'_>,
    ) -> Option<Fault> {
        let names = self.state.catalog.names();
        let question = Question {
            request,
            method: Some(self.asked.method.as_ref().into()),
            tool: self.asked.call.as_ref().map(|it| it.tool.as_ref().into()),
            traits: self.traits,
            known_tools: names.as_deref(),
            // The author of the handler chose its registry.
            trust: true,
            ..Question::default()
        };
        let outcome = Outcome::of(What::Answer(answer.root()));
        match classify(&question, &outcome, &self.state.codes.registry()) {
            Verdict::Failure(failure) => Some(failure.fault),
            Verdict::Success => None,
        }
    }

    /// A failure of unknown kind.
    fn unknown(&self) -> Fault {
        self.seen(Fault::of(codes::UNKNOWN_TOOL_FAILURE.entry()))
    }
}

/// The text of a result that has nothing else.
fn said(result: &CallToolResult) -> Option<&str> {
    match result.content.as_slice() {
        [ContentBlock::Text(it)] => Some(&it.text),
        _ => None,
    }
}

/// The failure of a request whose parameters are not those of its method.
pub(crate) fn malformed(request: &CustomRequest) -> Fault {
    let params = request.params.as_ref();
    let (pointer, reason) = match params {
        None => ("/params", "missing"),
        Some(params) if !params.is_object() => ("/params", "not an object"),
        Some(params) if request.method == "tools/call" => match params.get("name") {
            None => ("/params/name", "missing"),
            Some(name) if !name.is_string() => ("/params/name", "not a string"),
            Some(_) => odd_member(params),
        },
        Some(_) => ("/params", "not what the method takes"),
    };
    invalid_request(pointer, reason)
}

/// What of a call that has a name is wrong.
fn odd_member(params: &Value) -> (&'static str, &'static str) {
    let is_odd = |key: &str, fits: fn(&Value) -> bool| {
        params.get(key).is_some_and(|it| !it.is_null() && !fits(it))
    };
    if is_odd("arguments", Value::is_object) {
        ("/params/arguments", "not an object")
    } else if is_odd("requestState", Value::is_string) {
        ("/params/requestState", "not a string")
    } else if is_odd("inputResponses", |it| {
        serde_json::from_value::<InputResponses>(it.clone()).is_ok()
    }) {
        ("/params/inputResponses", "not answers to what was asked for")
    } else {
        ("/params", "a member stands there twice")
    }
}

/// The failure of a request in which one member is wrong.
pub(crate) fn invalid_request(pointer: &str, reason: &str) -> Fault {
    let mut fault = codes::INVALID_REQUEST.raise([("pointer", pointer), ("reason", reason)]);
    fault.origin = Origin::Client;
    fault.violations = vec![Violation::new(pointer, reason, None)];
    fault
}

/// What a client does about a request that came too early.
pub(crate) const START: &str =
    "Send `initialize` first, with its protocolVersion, capabilities and clientInfo.";
