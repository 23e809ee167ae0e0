//! How a record enters the index.

use std::{borrow::Cow, sync::Arc};

use redress::text;
use redress_ledger::{Checked, Kind, ReadError, RequestInfo, Scanned, Segment, Tally, Time};
use redress_wire::json::Value;

use super::{
    Chain, EMPTY, FileState, Group, Index, Mark, Minute, MinuteCalls, Outcomes, Row, Success,
    Symbol,
};

/// What is kept of a message, a hint, and what a server said, in characters.
const MAX_TEXT: usize = 240;

/// What is kept of any name.
const MAX_NAME: usize = 128;

/// What the record before said: most repeat it.
#[derive(Debug, Default)]
struct Last {
    group: Group,
    hint: Symbol,
    message: Symbol,
    said: Symbol,
    session: Symbol,
    run: Symbol,
    millis: u64,
}

/// Reads a segment from an offset on, and gives where the next reading goes on. Failures before `rows_from` are only counted.
pub(crate) fn read_segment(
    index: &mut Index,
    segment: &Segment,
    from: u64,
    rows_from: Option<u64>,
) -> Result<u64, ReadError> {
    index.files.push(FileState {
        ledger: segment.ledger.clone(),
        chain: Arc::clone(&segment.chain),
        path: segment.path.clone(),
    });
    let file = u32::try_from(index.files.len() - 1).unwrap_or_default();
    let mut chain =
        Chain { ledger: segment.ledger.clone(), is_aside: segment.is_aside, ..Chain::default() };
    let mut last = Last::default();
    let read = segment.scan(from, &mut |found| match found {
        Ok(record) => {
            count(&mut chain, &record, last.millis);
            last.millis = record.time.millis();
            index.records += 1;
            index.newest = index.newest.max(last.millis);
            take(index, &record, (file, rows_from), &mut last, &segment.chain);
        }
        Err((offset, why)) => {
            chain.bad += 1;
            index.damaged += 1;
            index.note(format!("{}, byte {offset}: {why}", segment.path.display()));
        }
    });
    let end = *read.as_ref().unwrap_or(&from);
    chain.bytes = end.saturating_sub(from);
    index.progress.read += chain.bytes;
    index.chains.entry(Arc::clone(&segment.chain)).or_default().add(chain);
    index.faults.settle();
    index.calls.settle();
    read
}

fn take(
    index: &mut Index,
    record: &Scanned<'_>,
    (file, rows_from): (u32, Option<u64>),
    last: &mut Last,
    chain: &Arc<str>,
) {
    let Some(object) = record.object() else { return };
    match record.kind {
        Kind::Fault => take_fault(index, record, object, (file, rows_from), last),
        Kind::Refusals => take_refusals(index, record.time, object),
        Kind::Tally => take_tally(index, object),
        Kind::Call => take_call(index, record, object, file),
        Kind::Checked => {
            if let Some(checked) = Checked::read(object) {
                let mark = Mark {
                    by: text::cut(&checked.by, MAX_NAME).into(),
                    note: checked.note.map(|it| text::cut(&it, MAX_TEXT).into()),
                    time: record.time.millis(),
                };
                let name = if *checked.chain == **chain {
                    Arc::clone(chain)
                } else {
                    checked.chain.as_str().into()
                };
                if index.checked.len() < super::MOST_ROWS {
                    index.checked.insert((name, checked.seq), mark);
                }
            }
        }
        _ => (),
    }
}

fn take_fault(
    index: &mut Index,
    record: &Scanned<'_>,
    fault: Value<'_>,
    (file, rows_from): (u32, Option<u64>),
    last: &mut Last,
) {
    let mut group = last.group;
    let (mut message, mut hint, mut said) = (None, None, None);
    let (mut session, mut run, mut is_silent) = (None, None, false);
    let mut found = Group::default();
    for (key, value) in fault.members() {
        let Some(name) = key.as_str() else { continue };
        let mut set = |field: &mut Symbol, last: &mut Symbol| {
            if let Some(text) = value.as_str() {
                *field = index.symbols.add_after(last, &text::cut(&text, MAX_NAME));
            }
        };
        match &*name {
            "code" => set(&mut found.code, &mut group.code),
            "class" => set(&mut found.class, &mut group.class),
            "effect" => set(&mut found.effect, &mut group.effect),
            "origin" => set(&mut found.origin, &mut group.origin),
            "basis" => set(&mut found.basis, &mut group.basis),
            "message" => message = value.as_str(),
            "hint" => hint = value.as_str(),
            "server_text" => said = value.as_str(),
            "retry" => {
                if let Some(kind) = value.get("kind").and_then(Value::as_str) {
                    found.retry = index.symbols.add_after(&mut group.retry, &kind);
                }
            }
            "details" => {
                is_silent = value.get("silent").and_then(Value::as_bool).unwrap_or_default();
            }
            "context" => {
                for (key, value) in value.members() {
                    let (Some(name), Some(text)) = (key.as_str(), value.as_str()) else {
                        continue;
                    };
                    let text = if text.len() > MAX_NAME {
                        Cow::Owned(text::cut(&text, MAX_NAME).into_owned())
                    } else {
                        text
                    };
                    match &*name {
                        "server" => {
                            found.server = index.symbols.add_after(&mut group.server, &text);
                        }
                        "tool" => {
                            found.tool = index.symbols.add_after(&mut group.tool, &text);
                        }
                        "session_id" => session = Some(text),
                        "trace_id" => run = Some(text),
                        _ => (),
                    }
                }
            }
            _ => (),
        }
    }
    let request = record.root.get("request").map(RequestInfo::read).unwrap_or_default();
    if let Some(client) = &request.client {
        let name = text::cut(&client.name, MAX_NAME);
        found.client = index.symbols.add_after(&mut group.client, &name);
    }
    if found.basis == EMPTY
        && let Some(basis) = &request.basis
    {
        found.basis = index.symbols.add_after(&mut group.basis, basis);
    }
    let flagged = match request.flagged {
        Some(true) => "true",
        Some(false) => "false",
        None if is_silent => "false",
        None => "",
    };
    found.flagged = index.symbols.add_after(&mut group.flagged, flagged);
    let session = request.session.or(session);
    let run = request.run.or(run);
    last.group = group;
    let group = index.group(found);
    let millis = record.time.millis();
    index.faults.add(minute_of(millis), group, 1);
    if rows_from.is_some_and(|it| millis < it) {
        index.rows_from = index.rows_from.max(rows_from);
        return;
    }
    let mut keep = |text: Option<Cow<'_, str>>, last: &mut Symbol| {
        let text = text.unwrap_or_default();
        let text = text::cut(&text, MAX_TEXT);
        if index.symbols.text(*last) != text {
            *last = index.text(&text);
        }
        *last
    };
    let row = Row {
        time: millis,
        seq: record.seq,
        offset: record.offset,
        length: u32::try_from(record.length).unwrap_or(u32::MAX),
        file,
        group,
        session: keep(session, &mut last.session),
        run: keep(run, &mut last.run),
        arguments: keep(request.arguments_hmac, &mut Symbol::default()),
        call: small(request.call),
        message: keep(message, &mut last.message),
        hint: keep(hint, &mut last.hint),
        said: keep(said, &mut last.said),
    };
    index.rows.push(row);
    index.trim();
}

fn take_refusals(index: &mut Index, time: Time, object: Value<'_>) {
    let gate = index.symbols.add("gate");
    for counted in object.get("counts").into_iter().flat_map(Value::elements) {
        let mut text = |key: &str| {
            let text = counted.get(key).and_then(Value::as_str).unwrap_or_default();
            index.symbols.add(&text::cut(&text, MAX_NAME))
        };
        let group = Group {
            server: text("server"),
            code: text("code"),
            class: text("class"),
            origin: gate,
            ..Group::default()
        };
        let count = counted.get("count").and_then(Value::as_u64).unwrap_or_default();
        let group = index.group(group);
        index.faults.add(minute_of(time.millis()), group, u32::try_from(count).unwrap_or(u32::MAX));
    }
}

fn take_tally(index: &mut Index, object: Value<'_>) {
    let Some(tally) = Tally::read(object) else { return };
    for calls in &tally.calls {
        let server = index.symbols.add(&text::cut(&calls.server, MAX_NAME));
        let tool = index.symbols.add(&text::cut(&calls.tool, MAX_NAME));
        let id = index.tool((server, tool));
        let count = |it: u64| small(Some(it));
        let outcomes = Outcomes {
            ok: count(calls.ok),
            fault: count(calls.fault),
            refused: count(calls.refused),
            cancelled: count(calls.cancelled),
            repeated: count(calls.repeated),
        };
        let latency = calls.latency.map(count);
        index.calls.add(minute_of(tally.minute.millis()), id, MinuteCalls { outcomes, latency });
    }
}

fn take_call(index: &mut Index, record: &Scanned<'_>, object: Value<'_>, file: u32) {
    let request = record.root.get("request").map(RequestInfo::read).unwrap_or_default();
    let of = |key: &str| object.get(key).and_then(Value::as_str);
    let mut keep = |text: Option<Cow<'_, str>>| {
        let text = text.unwrap_or_default();
        index.text(&text::cut(&text, MAX_NAME))
    };
    let success = Success {
        time: record.time.millis(),
        seq: record.seq,
        file,
        call: small(request.call),
        server: keep(of("server")),
        tool: keep(of("tool")),
        session: keep(request.session.or_else(|| of("session_id"))),
        run: keep(request.run.or_else(|| of("run"))),
    };
    index.successes.push(success);
    index.trim();
}

fn small(number: Option<u64>) -> u32 {
    u32::try_from(number.unwrap_or_default()).unwrap_or(u32::MAX)
}

/// Counts a record of a chain; `before` is the time of the one before it.
fn count(chain: &mut Chain, record: &Scanned<'_>, before: u64) {
    chain.records += 1;
    *chain.by_kind.entry(record.kind).or_default() += 1;
    chain.first = Some(chain.first.map_or(record.time, |it| it.min(record.time)));
    chain.last = chain.last.max(Some(record.time));
    chain.clock_back += u64::from(record.time.millis() < before);
    match record.kind {
        Kind::Gap => {
            let count = record.object().and_then(|it| it.get("count")?.as_u64());
            chain.missed += count.unwrap_or_default();
        }
        Kind::Checkpoint => chain.checkpoints += 1,
        _ => (),
    }
}

/// The minute of a time in milliseconds.
pub(crate) fn minute_of(millis: u64) -> Minute {
    Minute::try_from(millis / 60_000).unwrap_or(Minute::MAX)
}
