//! Cutting every part of a fault to its bound.

use crate::{
    card::card,
    fault::Fault,
    text,
    text::tokens::{
        DEFAULT_DETAILS_BYTES, MAX_CONTEXT_CHARS, MAX_DETAILS_BYTES, MAX_HINT_CHARS,
        MAX_MESSAGE_CHARS, MAX_NEXT, MAX_PART_BYTES, MAX_SERVER_TEXT_CHARS, MAX_SIMILAR,
        MAX_STACK_CHARS, MAX_VIOLATIONS, estimate,
    },
};
use redress_wire::json::{Kind, Members, RawJson, Value};

/// Cuts every part to its bound and notes what the card costs. For the edges of the system, never for translation.
pub fn bound(fault: &mut Fault, details_bytes: usize) {
    shorten(&mut fault.message, MAX_MESSAGE_CHARS);
    shorten(&mut fault.hint, MAX_HINT_CHARS);
    fault.similar_refs.retain(|it| it.json().as_str().len() <= MAX_PART_BYTES);
    fault.similar_refs.truncate(MAX_SIMILAR);
    fault.next_actions.retain(|it| it.size() <= MAX_PART_BYTES);
    fault.next_actions.truncate(MAX_NEXT);
    fault.violations.retain(|it| it.json().as_str().len() <= MAX_PART_BYTES);
    fault.violations.truncate(MAX_VIOLATIONS);
    bound_the_rest(fault);
    if let Some(said) = &fault.server_text {
        fault.server_text =
            Some(text::gist(&text::strip(said), MAX_SERVER_TEXT_CHARS).into_owned());
    }
    let most = details_bytes.min(MAX_DETAILS_BYTES);
    if let Some(details) = fault.details.take_if(|it| it.as_str().len() > most) {
        fault.private.drop_part("details", "larger than the bound");
        fault.details = details.with(|it| bounded(it, most));
    }
    fault.estimated_tokens = Some(estimate(&card(fault)));
}

/// What is short by nature and must not be long by accident.
fn bound_the_rest(fault: &mut Fault) {
    let named = fault.context.members_mut().into_iter().chain([&mut fault.timestamp]);
    for text in named.flatten() {
        shorten(text, MAX_CONTEXT_CHARS);
    }
    if let Some(stack) = &mut fault.stack {
        shorten(stack, MAX_STACK_CHARS);
    }
    if fault.cause.take_if(|it| it.as_str().len() > DEFAULT_DETAILS_BYTES).is_some() {
        fault.private.drop_part("cause", "larger than the bound");
    }
    fault.extra.clear();
}

fn shorten(text: &mut String, most: usize) {
    if text.chars().count() > most {
        *text = text::cut(text, most).into_owned();
    }
}

/// As many members as fit, in order, and a note that some are missing.
fn bounded(details: Value<'_>, most: usize) -> RawJson {
    const NOTE: &str = r#","truncated":true}"#;
    let mut out = String::new();
    let mut members = Members::open(&mut out);
    if details.kind() == Kind::Object {
        let mut size = 1;
        for (key, value) in details.members() {
            let value = RawJson::from(value);
            size += key.raw().len() + value.as_str().len() + 2;
            if size + NOTE.len() > most {
                break;
            }
            members.raw(&key.as_str().unwrap_or_default(), value.as_str());
        }
    }
    members.bool("truncated", true);
    members.close();
    RawJson::written(out)
}
