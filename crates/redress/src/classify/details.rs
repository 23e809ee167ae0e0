//! What a server answered with, made harmless, beside what the row says of a failure.

use std::borrow::Cow;

use super::raise::Said;
use crate::{
    json::{Kind, Members, RawJson, Value, write_list, write_str},
    secret::{self, Secrecy},
    text,
    wire::{FAULT_KEY, GUESSED, UPSTREAM},
};

/// The longest text that is kept of what a server wrote; every reader cuts it further.
const MOST_CHARS: usize = 4096;

/// How pydantic begins a line with the address of a page.
const REFERENCE: &str = "For further information visit http";
/// What it puts after a rule, and what it puts after that.
const TYPE: &str = "[type=";
const VALUE: &str = ", input_value=";

/// What stands where a secret stood.
const REDACTED: &str = "[redacted]";

/// The row's details, what the server answered with beside its text, and whether that text is all that named the failure.
pub(super) fn details(own: Option<RawJson>, said: &Said<'_>, is_guess: bool) -> Option<RawJson> {
    let data = said.data.filter(|it| !is_envelope_alone(*it));
    let rest = said.told.filter(|_| data.is_none()).and_then(|it| beside(it, own.as_ref()));
    if said.code.is_none() && said.http.is_none() && data.is_none() && rest.is_none() && !is_guess {
        return own;
    }
    let mut out = String::new();
    let mut members = Members::open(&mut out);
    own.as_ref().and_then(|it| {
        it.with(|it| {
            for (key, value) in it.members() {
                members.raw(&key.as_str().unwrap_or_default(), value.raw());
            }
        })
    });
    let mut upstream = String::new();
    let mut inner = Members::open(&mut upstream);
    if let Some(code) = said.code {
        harmless(code, None, inner.key("code"));
    }
    if let Some(status) = said.http {
        inner.int("status", status);
    }
    if let Some(data) = data {
        harmless(data, None, inner.key("data"));
    }
    if let Some(rest) = rest {
        inner.raw("data", &rest);
    }
    if is_guess {
        inner.bool(GUESSED, true);
    }
    inner.close();
    members.raw(UPSTREAM, &upstream);
    members.close();
    RawJson::parse(out.as_bytes()).ok()
}

/// Whether the data of an error has our envelope in it and nothing else.
fn is_envelope_alone(data: Value<'_>) -> bool {
    let mut keys = data.members().map(|it| it.0).peekable();
    keys.peek().is_some() && keys.all(|it| it.is_str(FAULT_KEY))
}

/// What the server's envelope tells beside what the row took of it.
fn beside(told: &RawJson, own: Option<&RawJson>) -> Option<String> {
    let taken = |key: &str, value: Value<'_>| {
        let same = |it: Value<'_>| it.get(key).is_some_and(|it| it.raw() == value.raw());
        own.and_then(|it| it.with(same)) == Some(true)
    };
    let mut out = String::new();
    let mut members = Members::open(&mut out);
    let any = told.with(|it| {
        let mut any = false;
        for (key, value) in it.members() {
            let name = key.as_str().unwrap_or_default();
            if !taken(&name, value) {
                harmless(value, secret::secrecy(&name), members.key(&quoted(&name)));
                any = true;
            }
        }
        any
    });
    members.close();
    (any == Some(true)).then_some(out)
}

/// JSON of a server with every string of it made harmless; `within` says what a name above it hides. Documents nest at most 64 deep, so this does, too.
fn harmless(value: Value<'_>, within: Option<Secrecy>, out: &mut String) {
    match value.kind() {
        Kind::String if within.is_some() => write_str(out, REDACTED),
        Kind::Number if within == Some(Secrecy::Strong) => write_str(out, REDACTED),
        Kind::String => write_str(out, &quoted(&value.as_str().unwrap_or_default())),
        Kind::Array => {
            write_list(out, value.elements(), |it, out| harmless(it, within, out));
        }
        Kind::Object => {
            let mut members = Members::open(out);
            // What a server puts under our key was read as its envelope, and has ids of its own in it.
            for (key, value) in value.members().filter(|it| !it.0.is_str(FAULT_KEY)) {
                let name = key.as_str().unwrap_or_default();
                let within = within.or_else(|| secret::secrecy(&name));
                harmless(value, within, members.key(&quoted(&name)));
            }
            members.close();
        }
        _ => out.push_str(value.raw()),
    }
}

/// What a server wrote, made harmless: no secrets, no control or invisible characters, cut.
pub(super) fn quoted(said: &str) -> String {
    let said = without_secrets(said);
    text::gist(&text::strip(&without_margin(&said)), MOST_CHARS).into_owned()
}

/// What pydantic says, without what crowds it out: the value, which is the caller's own, and where more is to be read.
fn without_margin(text: &str) -> Cow<'_, str> {
    let is_reference = |it: &&str| it.trim_start().starts_with(REFERENCE);
    if !text.contains(TYPE) || text.lines().all(|it| is_reference(&it)) {
        return Cow::Borrowed(text);
    }
    let without_value = |it| match str::split_once(it, VALUE) {
        Some((before, after)) if before.contains(TYPE) && after.ends_with(']') => {
            Cow::Owned(format!("{before}, …]"))
        }
        _ => Cow::Borrowed(it),
    };
    let lines = text.lines().filter(|it| !is_reference(it)).map(without_value);
    Cow::Owned(lines.collect::<Vec<_>>().join("\n"))
}

/// The text with its secrets taken out.
fn without_secrets(text: &str) -> Cow<'_, str> {
    let mut clean = Cow::Borrowed(text);
    for span in secret::find(text).into_iter().rev() {
        clean.to_mut().replace_range(span, REDACTED);
    }
    clean
}
