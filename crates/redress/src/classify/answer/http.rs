//! Answers over HTTP: a status, and what of a body is a message.

use super::{
    super::{Verdict, evidence::Said, stated, tier::Source, wait},
    Judge,
};
use crate::{dialect::wire::FAULT_KEY, outcome::HttpAnswer};
use redress_wire::json::{Doc, Kind, Limits, Value};

impl Judge<'_> {
    pub(super) fn http(&self, answer: &HttpAnswer<'_>) -> Verdict {
        let body = answer.body.trim_ascii();
        if answer.status < 300 {
            return self.http_message(body);
        }
        let doc = Doc::parse(body, Limits::DOCUMENT).ok();
        let error = doc
            .as_ref()
            .and_then(|it| it.root().get("error"))
            .filter(|it| it.kind() == Kind::Object);
        let is_rpc = doc.as_ref().is_some_and(|it| it.root().get("jsonrpc").is_some());
        if let Some(error) = error.filter(|_| is_rpc) {
            let known = error.path(&["data", FAULT_KEY]);
            if let Some(known) = known.and_then(|it| stated::read(it, self.registry)) {
                let said = Said { http: Some(answer.status), ..Said::default() };
                return self.known(&known, (Source::Http, true), said);
            }
        }
        let text = match error.and_then(|it| it.get("message")).and_then(Value::as_str) {
            Some(message) => message.into_owned(),
            None => String::from_utf8_lossy(body).into_owned(),
        };
        let said = Said {
            text: text.into(),
            code: error.filter(|_| is_rpc).and_then(|it| it.get("code")),
            data: error.and_then(|it| it.get("data")).filter(|it| !it.is_null()),
            http: Some(answer.status),
            is_bare_http: !is_rpc,
            waits: answer.retry_after.as_deref().and_then(wait::header),
            ..Said::default()
        };
        self.failure(Source::Http, &said)
    }

    /// The response among the messages of a body: one document, or server-sent events.
    fn http_message(&self, body: &[u8]) -> Verdict {
        if body.is_empty() {
            return Verdict::Success;
        }
        if let Ok(doc) = Doc::parse(body, Limits::DOCUMENT) {
            let root = doc.root();
            return match root.kind() {
                Kind::Array => {
                    root.elements().next().map_or(Verdict::Success, |it| self.message(it))
                }
                _ => self.message(root),
            };
        }
        for event in events(body) {
            let Ok(doc) = Doc::parse(&event, Limits::DOCUMENT) else { continue };
            let root = doc.root();
            if root.get("result").is_some() || root.get("error").is_some() {
                return self.message(root);
            }
        }
        let is_stream =
            body.starts_with(b"event:") || body.starts_with(b"data:") || body.starts_with(b":");
        if is_stream { Verdict::Success } else { self.failure(Source::Malformed, &Said::default()) }
    }
}

/// The data of each server-sent event.
fn events(body: &[u8]) -> Vec<Vec<u8>> {
    let mut events = Vec::new();
    let mut data = Vec::new();
    for line in body.split(|it| *it == b'\n').chain([&b""[..]]) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if let Some(part) = line.strip_prefix(b"data:") {
            data.extend_from_slice(part);
        } else if line.is_empty() && !data.is_empty() {
            events.push(std::mem::take(&mut data));
        }
    }
    events
}
