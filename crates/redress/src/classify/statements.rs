//! What an outcome states about retry and effect, wherever in it a server can state something.

use crate::{
    Stated,
    json::{Doc, Kind, Limits, Value},
    outcome::{Outcome, What},
};

/// What a server states in an answer or in a body over HTTP, flagged or not, with a code that is known or not.
pub(super) fn stated(outcome: &Outcome<'_>) -> Stated {
    match &outcome.what {
        What::Answer(message) => in_message(*message),
        What::Http(answer) => in_body(answer.body.trim_ascii()),
        What::Malformed(_)
        | What::Closed
        | What::Exited { .. }
        | What::Deadline { .. }
        | What::Refused(_) => Stated::default(),
    }
}

fn in_message(message: Value<'_>) -> Stated {
    let stated = Stated::read(message);
    message.get("result").map_or(stated, |it| stated.and(in_result(it)))
}

/// The places of a result in which an envelope may stand.
fn in_result(result: Value<'_>) -> Stated {
    let objects = [result.get("_meta"), result.get("structuredContent")];
    let stated = objects.into_iter().flatten().map(Stated::read);
    let content = ["content", "contents"].into_iter().find_map(|it| result.get(it));
    let texts =
        content.into_iter().flat_map(Value::elements).filter_map(|it| it.get("text")?.as_str());
    stated.chain(texts.filter_map(|it| in_text(&it))).fold(Stated::default(), Stated::and)
}

fn in_text(text: &str) -> Option<Stated> {
    let text = text.trim();
    let doc = text.starts_with('{').then(|| Doc::parse(text.as_bytes(), Limits::DOCUMENT));
    doc?.ok().map(|it| Stated::read(it.root()))
}

fn in_body(body: &[u8]) -> Stated {
    let Ok(doc) = Doc::parse(body, Limits::DOCUMENT) else { return Stated::default() };
    let root = doc.root();
    match root.kind() {
        Kind::Array => root.elements().map(in_message).fold(Stated::default(), Stated::and),
        _ => in_message(root),
    }
}
