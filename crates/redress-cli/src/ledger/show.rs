//! A record for people, on one line; for programs, its own line.

use redress::{
    json::{Kind as JsonKind, Value},
    text,
};
use redress_ledger::{Entry, Kind};

use crate::{
    failure::Failure,
    output::{CODE, Format, LABEL, Out, TITLE, TROUBLE},
};

/// The longest text of a record on a line.
const MAX_CHARS: usize = 200;

/// Prints a record: a line for people, or the line of the ledger, byte by byte.
pub(super) fn show(entry: &Entry, format: Format, out: &mut Out) -> Result<(), Failure> {
    if format == Format::Json {
        out.bytes(entry.text.as_bytes())?;
        return out.bytes(b"\n");
    }
    let (name, text) = entry.with(|it| describe(entry.kind, it)).unwrap_or_default();
    let style = match entry.kind {
        Kind::Fault => CODE,
        Kind::Gap | Kind::Recovered => TROUBLE,
        _ => TITLE,
    };
    let hash = entry.hash.to_string();
    let receipt = format!("{}:{}", entry.seq, hash.get(..12).unwrap_or_default());
    let time = entry.time;
    out.line(&format!(
        "{LABEL}{time}{LABEL:#} {style}{name}{style:#} {text} {LABEL}{receipt}{LABEL:#}"
    ))
}

/// A name for the record, and what it says.
fn describe(kind: Kind, object: Value<'_>) -> (String, String) {
    let of = |key: &str| clean(&scalar(object.get(key)));
    let name = kind.name().to_owned();
    match kind {
        Kind::Fault => {
            let context = |key: &str| clean(&scalar(object.path(&["context", key])));
            let mut place = vec![context("server"), context("tool")];
            place.retain(|it| !it.is_empty());
            (of("code"), join(&[place.join("/"), of("message")]))
        }
        Kind::Genesis => (name, of("chain")),
        Kind::Gap => (
            name,
            format!(
                "{} failures were not recorded, {} to {}",
                of("count"),
                of("first"),
                of("last")
            ),
        ),
        Kind::Recovered if object.get("quarantined").is_some() => (
            name,
            format!("{} was put aside: {}:{} {}", of("chain"), of("file"), of("line"), of("why")),
        ),
        Kind::Recovered if of("cut_bytes") == "1" => (name, "1 torn byte was cut".to_owned()),
        Kind::Recovered => (name, format!("{} torn bytes were cut", of("cut_bytes"))),
        Kind::Rotate => (name, format!("segment {}", of("segment"))),
        Kind::Prune => (
            name,
            format!("segment {} of {} was removed ({})", of("segment"), of("chain"), of("why")),
        ),
        Kind::Checkpoint => (name, of("why")),
        Kind::Call => {
            let mut place = vec![of("server"), of("tool") + &of("method")];
            place.retain(|it| !it.is_empty());
            let role = Some(of("role")).filter(|it| !it.is_empty()).map(|it| format!("by {it}"));
            let time = format!("in {} ms", of("elapsed_ms"));
            (name, join(&[place.join("/"), role.unwrap_or_default(), time]))
        }
        Kind::Session | Kind::Retry => (name, clean(object.raw())),
    }
}

/// A string, or any other value as it is written.
fn scalar(value: Option<Value<'_>>) -> String {
    match value {
        None => String::new(),
        Some(it) if it.kind() == JsonKind::String => it.as_str().unwrap_or_default().into_owned(),
        Some(it) => it.raw().to_owned(),
    }
}

/// Nothing that a terminal would obey, and not too much of it.
fn clean(dirty: &str) -> String {
    text::cut(&text::strip(dirty), MAX_CHARS).into_owned()
}

fn join(parts: &[String]) -> String {
    let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|it| !it.is_empty()).collect();
    parts.join(" ")
}
