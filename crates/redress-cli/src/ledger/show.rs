//! A record for people, on one line; for programs, its own line.

use redress::text;
use redress_ledger::{Calls, Entry, Kind, Tally};
use redress_wire::json::{Kind as JsonKind, Value};

use crate::{
    failure::Failure,
    output::{CODE, Format, LABEL, Out, TITLE, TROUBLE},
};

/// The longest text of a record on a line.
const MAX_CHARS: usize = 200;

/// Prints a record: a line for people, or the line of the ledger, in which what a terminal would obey is escaped.
pub(super) fn show(entry: &Entry, format: Format, out: &mut Out) -> Result<(), Failure> {
    if format == Format::Json {
        out.bytes(text::visible_json(&entry.text).as_bytes())?;
        return out.bytes(b"\n");
    }
    let (name, text) = entry.with(|it| describe(entry.kind, it)).unwrap_or_default();
    let style = match entry.kind {
        Kind::Fault => CODE,
        Kind::Gap | Kind::Refusals | Kind::Recovered => TROUBLE,
        _ => TITLE,
    };
    let hash = entry.hash.to_string();
    let receipt = format!("{}:{}", entry.seq, hash.get(..32).unwrap_or_default());
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
        Kind::Refusals => (name, counts(object)),
        Kind::Tally => (name, calls(object)),
        Kind::Checked => {
            let found = Some(of("note")).filter(|it| !it.is_empty());
            let found = found.map(|it| format!(": {it}")).unwrap_or_default();
            (name, format!("{} of {} by {}{found}", of("seq"), of("chain"), of("by")))
        }
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
        Kind::Epoch => (name, of("event")),
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

/// How many failures of each kind were counted, and from when to when.
fn counts(object: Value<'_>) -> String {
    let line = |it: Value<'_>| {
        let of = |key: &str| clean(&scalar(it.get(key)));
        let server = Some(of("server")).filter(|it| !it.is_empty());
        let of_server = server.map(|it| format!(" of {it}")).unwrap_or_default();
        format!("{} {}{of_server} ({})", of("count"), of("code"), of("from"))
    };
    let all = object.get("counts").into_iter().flat_map(Value::elements).map(line);
    let all: Vec<String> = all.collect();
    let (first, last) = (scalar(object.get("first")), scalar(object.get("last")));
    clean(&format!("{}, {first} to {last}", all.join(", ")))
}

/// How many calls of how many tools ended in a minute, and how many of them failed.
fn calls(object: Value<'_>) -> String {
    let Some(tally) = Tally::read(object) else { return String::new() };
    let sum = |count: fn(&Calls) -> u64| tally.calls.iter().map(count).sum::<u64>();
    let (all, failed) = (sum(Calls::total), sum(|it| it.fault + it.refused));
    format!(
        "{all} calls of {} tools in the minute {}, {failed} failed",
        tally.calls.len(),
        tally.minute
    )
}

/// A string, or any other value as it is written.
fn scalar(value: Option<Value<'_>>) -> String {
    match value {
        None => String::new(),
        Some(it) if it.kind() == JsonKind::String => it.as_str().unwrap_or_default().into_owned(),
        Some(it) => it.raw().to_owned(),
    }
}

/// A text on one line, with nothing that a terminal would obey, and not too much of it.
fn clean(dirty: &str) -> String {
    let words: Vec<&str> = dirty.split_whitespace().collect();
    text::cut(&text::visible(&words.join(" ")), MAX_CHARS).into_owned()
}

fn join(parts: &[String]) -> String {
    let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|it| !it.is_empty()).collect();
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::clean;

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        assert_eq!(clean("a\u{1b}[2J\n \t b\u{202e}\u{9b}"), r"a\u{1b}[2J b\u{202e}\u{9b}");
    }
}
