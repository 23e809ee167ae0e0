//! What an outcome states about retry and effect, wherever in it a server can state something.

use crate::classify::wait;
use crate::{
    Stated,
    outcome::{HttpAnswer, Outcome, What},
};
use redress_wire::json::{Doc, Kind, Limits, Value};

/// What a server states in an answer or in a body over HTTP, flagged or not, with a code that is known or not.
pub(in crate::classify) fn stated(outcome: &Outcome<'_>) -> Stated {
    match &outcome.what {
        What::Answer(message) => {
            Stated::scan(message.raw().as_bytes()).and(in_joined_texts(*message))
        }
        What::Http(answer) => in_http(answer),
        What::Malformed(bytes) => Stated::scan(bytes),
        What::Broken { bytes, .. } => Stated::scan(bytes),
        _ => Stated::default(),
    }
}

/// What the blocks of a result state together: an envelope may be split over them.
fn in_joined_texts(message: Value<'_>) -> Stated {
    let Some(result) = message.get("result") else { return Stated::default() };
    let blocks = ["content", "contents"].into_iter().filter_map(|it| result.get(it));
    let texts = blocks.flat_map(Value::elements).filter_map(|it| it.get("text")?.as_str());
    Stated::scan(texts.collect::<String>().as_bytes())
}

fn in_http(answer: &HttpAnswer<'_>) -> Stated {
    let stated = Stated::scan(&answer.body).and(in_header(answer.retry_after.as_deref()));
    let Ok(doc) = Doc::parse(answer.body.trim_ascii(), Limits::DOCUMENT) else { return stated };
    let root = doc.root();
    match root.kind() {
        Kind::Array => root.elements().map(in_joined_texts).fold(stated, Stated::and),
        _ => stated.and(in_joined_texts(root)),
    }
}

/// What a `Retry-After` states. One that cannot be read allows no repeat.
fn in_header(retry_after: Option<&str>) -> Stated {
    match retry_after.map(wait::header) {
        Some(None) => Stated::no(),
        wait => Stated::of_wait(wait.flatten()),
    }
}
