//! What a server answered with, made harmless, beside what the row says of a failure.

use std::{borrow::Cow, ops::Range};

use super::evidence::Said;
use crate::{
    dialect::wire::{FAULT_KEY, is_reserved},
    fault::{GUESSED, UPSTREAM, document_without_frames},
    redact::{self, Hidden, MAX_SECRET, REDACTED, floor_boundary},
    text,
};
use redress_wire::json::{Kind, Members, RawJson, Value, write_list, write_str};

/// The longest text that is kept of what a server wrote; every reader cuts it further.
const MOST_CHARS: usize = 4096;

/// How pydantic begins a line with the address of a page.
const REFERENCE: &str = "For further information visit http";
/// What it puts after what is wrong: the name of its rule, and the value.
const TYPE: &str = "[type=";

/// How much of a text is looked at, at each of its ends: a server may send millions of secrets, and someone waits.
const LOOKED_AT: usize = 128 << 10;

/// The row's details, what the server answered with beside its text, and whether that text is all that named the failure.
pub(super) fn details(own: Option<RawJson>, said: &Said<'_>, is_guess: bool) -> Option<RawJson> {
    let data = said.data.filter(|it| !is_envelope_alone(*it));
    let rest = said.told.filter(|_| data.is_none()).and_then(|it| beside(it, own.as_ref()));
    let has_code = said.code.is_some() || said.foreign.is_some();
    if !has_code && said.http.is_none() && data.is_none() && rest.is_none() && !is_guess {
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
    } else {
        inner.opt_str("code", said.foreign);
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
                harmless(value, Hidden::by(&name), members.key(&quoted(&name)));
                any = true;
            }
        }
        any
    });
    members.close();
    (any == Some(true)).then_some(out)
}

/// JSON of a server with every string of it made harmless; `within` says what a name above it hides. Documents nest at most 64 deep, so this does, too.
fn harmless(value: Value<'_>, within: Option<Hidden>, out: &mut String) {
    match value.kind() {
        Kind::Number if within.is_some_and(Hidden::hides_number) => write_str(out, REDACTED),
        Kind::String => {
            let text = value.as_str().unwrap_or_default();
            match within {
                Some(it) if it.hides_text(&text) => write_str(out, REDACTED),
                _ => write_str(out, &quoted(&text)),
            }
        }
        Kind::Array => {
            write_list(out, redact::elements(value), |(it, beside), out| {
                harmless(it, within.or(beside), out);
            });
        }
        Kind::Object => {
            let mut members = Members::open(out);
            // What a server puts under our key was read as its envelope, and has ids of its own in it. Other such keys are ours as well.
            for (name, value, beside) in redact::members(value).filter(|it| !is_reserved(&it.0)) {
                let by_name =
                    || within.map_or_else(|| Hidden::by(&name), |it| Some(it.under(&name)));
                harmless(value, beside.or_else(by_name), members.key(&quoted(&name)));
            }
            members.close();
        }
        _ => out.push_str(value.raw()),
    }
}

/// What a server wrote, made harmless: no frames of stacks, no secrets, no control or invisible characters, cut.
pub(super) fn quoted(said: &str) -> String {
    let document = said.starts_with(['{', '[']).then(|| RawJson::parse(said.as_bytes()).ok());
    let document = document.flatten().and_then(|it| document_without_frames(&it));
    let said = document.as_ref().map_or(said, RawJson::as_str);
    let written = ends_without_secrets(said);
    // What cannot be seen may stand within a credential. Lines are joined last: the next one is no value.
    let seen = text::strip_lines(&written);
    let seen = redact::clean(&seen);
    let seen = text::without_frames(&seen);
    text::gist(&text::strip(&without_margin(&seen)), MOST_CHARS).into_owned()
}

/// What pydantic says, without what crowds it out: the value, which is the caller's own, and where more is to be read.
fn without_margin(text: &str) -> Cow<'_, str> {
    let is_reference = |it: &&str| it.trim_start().starts_with(REFERENCE);
    if !text.contains(TYPE) || text.lines().all(|it| is_reference(&it)) {
        return Cow::Borrowed(text);
    }
    let without_value = |it| match str::split_once(it, TYPE) {
        Some((before, after)) if after.ends_with(']') => before.trim_end(),
        _ => it,
    };
    let lines = text.lines().filter(|it| !is_reference(it)).map(without_value);
    Cow::Owned(lines.collect::<Vec<_>>().join("\n"))
}

/// The text without its secrets; of a very long one, its ends.
fn ends_without_secrets(text: &str) -> Cow<'_, str> {
    if text.len() <= 2 * LOOKED_AT {
        return redact::clean(text);
    }
    let head = piece(text, 0..floor_boundary(text, LOOKED_AT));
    let tail = piece(text, floor_boundary(text, text.len() - LOOKED_AT)..text.len());
    Cow::Owned(format!("{head}\n…\n{tail}"))
}

/// A piece of a text without the secrets in it, also those that only reach into it.
fn piece(text: &str, at: Range<usize>) -> String {
    let from = floor_boundary(text, at.start.saturating_sub(MAX_SECRET));
    let to = floor_boundary(text, at.end + MAX_SECRET);
    let near = text.get(from..to).unwrap_or_default();
    let inside = at.start - from..at.end - from;
    let places = redact::find(near).into_iter().filter_map(|it| {
        let place = it.start.max(inside.start)..it.end.min(inside.end);
        (place.start < place.end).then(|| place.start - inside.start..place.end - inside.start)
    });
    let piece = near.get(inside.clone()).unwrap_or_default();
    redact::without(piece.into(), places, REDACTED).into_owned()
}

#[cfg(test)]
mod tests {
    use rustix::time::{ClockId, clock_gettime};

    use super::{LOOKED_AT, quoted};

    /// What a line with a secret in it looks like, and the secret.
    const SECRETS: &[(&str, &str)] = &[
        ("Set-Cookie: sid=Zq7RtYp9; Path=/", "Zq7RtYp9"),
        ("> Authorization: Bearer Zq7RtYp9LmNv", "Zq7RtYp9"),
        ("password=Zq7RtYp9", "Zq7RtYp9"),
        ("  password: Zq7RtYp9", "Zq7RtYp9"),
        ("password:\n    Zq7RtYp9", "Zq7RtYp9"),
        ("password:\nZq7RtYp9", "Zq7RtYp9"),
        ("password: |\n  Zq7R\n  tYp9", "tYp9"),
        ("run --token Zq7RtYp9", "Zq7RtYp9"),
        ("--token\nZq7RtYp9", "Zq7RtYp9"),
        ("pass\u{200b}word: Zq7RtYp9", "Zq7RtYp9"),
        ("pass\u{1b}[1mword\u{1b}[0m: Zq7RtYp9", "Zq7RtYp9"),
        ("gh\u{200b}p_16C7e42F292c6912E7710c838347Ae178B4a", "16C7e42F"),
        ("{\"api_key\": \"Zq7RtYp9\"}", "Zq7RtYp9"),
        ("-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\n-----END PRIVATE KEY-----", "MIIE"),
    ];

    #[test]
    fn lines_around_a_secret_stay_and_the_secret_goes() {
        for (line, secret) in SECRETS {
            for end in ["\n", "\r\n", "\n\n"] {
                let text =
                    format!("Request failed{end}{line}{end}The quota of 100 rows is used up");
                let clean = quoted(&text);
                assert!(!clean.contains(secret), "{text:?}: {clean}");
                assert!(clean.starts_with("Request failed"), "{text:?}: {clean}");
                assert!(clean.ends_with("The quota of 100 rows is used up"), "{text:?}: {clean}");
            }
        }
    }

    #[test]
    fn a_line_is_no_value_of_the_one_above() {
        for (text, clean) in [
            (
                "HTTP/1.1 404 Not Found\nSet-Cookie: sid=Zq7RtYp9; Path=/\n\nThe repository a/b does not exist",
                "HTTP/1.1 404 Not Found Set-Cookie: [redacted] The repository a/b does not exist",
            ),
            (
                "Request failed\nCookie: a=1\nReason: quota of 100 rows exceeded",
                "Request failed Cookie: [redacted] Reason: quota of 100 rows exceeded",
            ),
            (
                "expected `Key`, found `Token`\n   = note: expected struct `Key`",
                "expected `Key`, found `Token` = note: expected struct `Key`",
            ),
            (
                "Missing: --api-key\nerror: connection refused (os error 111)",
                "Missing: --api-key error: connection refused (os error 111)",
            ),
            (
                "Enter your password:\nhost unreachable at 10.0.0.1",
                "Enter your password: host unreachable at 10.0.0.1",
            ),
        ] {
            assert_eq!(quoted(text), clean);
        }
    }

    #[test]
    fn a_long_text_costs_no_more_than_its_ends() {
        let start = clock_gettime(ClockId::ThreadCPUTime);
        let long = "token: abcdefghij0123456789 ".repeat(240_000);
        assert!(!quoted(&long).contains("abcdefghij"));
        let spent = clock_gettime(ClockId::ThreadCPUTime) - start;
        assert!(spent.tv_sec < 5, "{spent:?}");
    }

    #[test]
    fn a_secret_at_the_edge_of_what_is_looked_at_does_not_show() {
        let secret = format!("ghp_{}", "16C7e42F29".repeat(4));
        for into in [1, 5, 20, 43] {
            let head = "x ".repeat((LOOKED_AT - into) / 2);
            let tail = " y".repeat(LOOKED_AT);
            let text = format!("{head}{secret}{tail}");
            assert!(!super::ends_without_secrets(&text).contains("ghp_"), "{into}");
            let text = format!("{tail} {secret}{}", " x".repeat((LOOKED_AT - into) / 2));
            assert!(!super::ends_without_secrets(&text).contains("F29"), "{into}");
        }
    }
}
