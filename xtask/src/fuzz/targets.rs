//! The fuzz targets: every reader of the product as a function of bytes.

use std::sync::Arc;

use redress::outcome::Malformed;
use redress::{
    Lookup, card, classify as judge,
    dialect::{Dialect, Stamp},
    outcome::Asked,
    recover::{Attempt, Budget, Policy, decide, is_nothing, read as read_answer},
};
use redress_cli::config::{Nowhere, read as read_config};
use redress_declare::{GAVE_UP, read_file};
use redress_govern::{
    eval::{Language, Refusal, UNREADABLE, inspect},
    plan::{Plan, Status, decided},
};
use redress_registry::{Source, lint::lint, lock::read_lock, read, resolve, shipped};
use redress_transport::{
    http::response_in_steps,
    sse::{self as events, Events},
};
use redress_wire::{
    frame::{Frame, Shape, Unreadable, limits, lines::Lines, peek},
    json::{Doc, Limits, RawJson, Value},
};
use redress_workspace::patch::{LineFate, fit, read as read_patch};

use super::{ledger, sources};

/// A name, and a reader that must take any bytes.
pub(super) type Target = (&'static str, fn(&[u8]));

/// Name and function of each target; its corpus is `fuzz/corpus/<name>/`.
pub(super) const TARGETS: &[Target] = &[
    ("json", json),
    ("frame", frame),
    ("registry", registry),
    ("rust", rust),
    ("lock", lock),
    ("dialects", dialects),
    ("classify", classify),
    ("answers", answers),
    ("config", config),
    ("sse", sse),
    ("http", http),
    ("ledger", ledger::segments),
    ("recover", ledger::recover),
    ("redact", ledger::redact),
    ("check-rust", sources::rust),
    ("check-typescript", sources::typescript),
    ("check-python", sources::python),
    ("check-markdown", sources::markdown),
    ("allowance", sources::allowance),
    ("probe", probe),
    ("patch", patch),
    ("plan", plan),
    ("eval", eval),
];

/// Each line is a message, or says why not; its id is the same wherever it is looked for.
fn frame(bytes: &[u8]) {
    let mut lines = Lines::new(1 << 10);
    for piece in bytes.chunks(100) {
        lines.room().iter_mut().zip(piece).for_each(|(to, from)| *to = *from);
        lines.filled(piece.len());
        while lines.next_line().is_some() {}
    }
    for line in bytes.split(|it| *it == b'\n') {
        let (in_head, in_whole) = (peek::id_in_head(line), peek::id_in_whole(line));
        let doc = match Doc::parse(line, limits(1 << 20)) {
            Ok(doc) => doc,
            Err(error) => {
                drop(Malformed::Unreadable(Unreadable::Json(error)).told());
                continue;
            }
        };
        match Frame::of(&doc).and_then(Frame::answerable) {
            Ok(frame) if frame.shape == Shape::Request => {
                let id = frame.id.map(Value::raw);
                let is_same = |seen: &Option<Box<str>>| seen.is_none() || seen.as_deref() == id;
                assert!(is_same(&in_head) && is_same(&in_whole), "two ids of one request");
            }
            Ok(_) => (),
            Err(error) => {
                drop((error.id(&doc), Malformed::Unreadable(Unreadable::Frame(error)).told()));
            }
        }
    }
}

/// A file is a plan or the reason why not; what a decision writes is the same plan, decided.
fn plan(bytes: &[u8]) {
    let Ok(plan) = Plan::read(bytes) else { return };
    let _ = plan.allows("src/main.rs").is_ok() | plan.allows_all_below("src").is_ok();
    let decided = decided(bytes, Status::Approved, Some("5d1e")).unwrap_or_default();
    let same = Plan::read(decided.as_bytes());
    let is_same = same.is_ok_and(|it| it.hash == plan.hash && it.status == Status::Approved);
    assert!(is_same, "a decision made another plan of it");
}

/// Code may run or may not. A parser that dies is a refusal to callers, and a finding here.
fn eval(bytes: &[u8]) {
    let code = String::from_utf8_lossy(bytes);
    for language in [Language::JavaScript, Language::Python] {
        let judged = inspect(language, &code, &mut || false);
        let is_dead = matches!(judged, Err(Refusal::Syntax { reason, .. }) if reason == UNREADABLE);
        assert!(!is_dead, "the parser died");
    }
}

/// Whatever a server lists as its tools gives a plan; a report is one, or says why not.
fn probe(bytes: &[u8]) {
    if let Ok(listed) = serde_json::from_slice(bytes) {
        assert!(redress_probe::cases(&listed, 1).len() <= 10_000, "a plan without bounds");
    }
    if let Ok(report) = redress_probe::Report::read(bytes) {
        assert!(redress_probe::Report::read(report.to_json().as_bytes()).is_ok(), "not a report");
    }
}

/// A diff is a patch or the line that is wrong; a patch fits a text or says where not, and what fits changes as many lines as it says.
fn patch(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    // The rest of the input is a file to patch.
    let (diff, file) = text.split_once("\n%%\n").unwrap_or((&text, "one\ntwo\nthree\n"));
    match read_patch(diff) {
        Err(bad) => assert!(bad.line > 0 && !bad.reason.is_empty(), "refused without a reason"),
        Ok(patch) => {
            for it in &patch.files {
                let count = |fate| {
                    let lines = it.hunks.iter().flat_map(|it| &it.lines);
                    lines.filter(|it| it.fate == fate).count()
                };
                let lines = |text: &[u8]| text.split_inclusive(|it| *it == b'\n').count();
                match fit(file.as_bytes(), it) {
                    Ok(new) => assert_eq!(
                        lines(&new) + count(LineFate::Goes),
                        lines(file.as_bytes()) + count(LineFate::Comes),
                        "lines were lost or joined"
                    ),
                    Err(conflicts) => assert!(!conflicts.is_empty(), "refused without a place"),
                }
            }
        }
    }
}

/// Whatever is accepted can be read through and written again.
fn json(bytes: &[u8]) {
    if let Ok(doc) = Doc::parse(bytes, Limits::DOCUMENT) {
        let raw = RawJson::from(doc.root());
        assert!(RawJson::parse(raw.as_str().as_bytes()).is_ok_and(|it| it == raw), "not stable");
    }
}

/// A registry file is a draft or a list of problems; a draft can be judged and resolved.
fn registry(bytes: &[u8]) {
    let draft =
        Source::from_bytes("fuzz.toml", bytes).map_err(|it| vec![it]).and_then(|it| read(&it));
    match draft {
        Ok(draft) => {
            let find = |name: &str| shipped::get(name).map(Arc::clone);
            lint(&draft, &find);
            if let Err(problems) = resolve(&draft, &find) {
                assert!(!problems.is_empty(), "refused without a reason");
            }
        }
        Err(problems) => assert!(!problems.is_empty(), "refused without a reason"),
    }
}

/// A file of Rust declares rows, or all of its mistakes have a place.
fn rust(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Err(wrong) = read_file(text) {
        assert!(!wrong.is_empty(), "refused without a reason");
        assert!(wrong.iter().all(|it| it.line >= 1), "a mistake without a place");
        assert!(wrong.iter().all(|it| !it.message.contains(GAVE_UP)), "the parser panicked");
    }
}

/// A configuration is valid, or all of its problems have a place.
fn config(bytes: &[u8]) {
    let Ok(source) = Source::from_bytes("fuzz.toml", bytes) else { return };
    match read_config(&source, &Nowhere) {
        Ok(config) => assert!(!config.servers.is_empty(), "valid without a server"),
        Err(problems) => {
            assert!(!problems.is_empty(), "refused without a reason");
            assert!(problems.iter().all(|it| it.place.line >= 1), "a problem without a place");
        }
    }
}

/// A lock is a registry or a problem at its place.
fn lock(bytes: &[u8]) {
    if let Ok(source) = Source::from_bytes("fuzz.lock", bytes)
        && let Err(problem) = read_lock(&source)
    {
        assert!(problem.place.line >= 1, "a problem without a place");
    }
}

/// An envelope that is accepted survives the way through every dialect.
fn dialects(bytes: &[u8]) {
    let lookup = Lookup::shipped();
    for dialect in Dialect::ALL {
        let Ok(fault) = dialect.read(bytes, &lookup) else { continue };
        assert!(card(&fault).contains(fault.code()), "a card without its code");
        for other in Dialect::ALL {
            let carried = other.carry(&fault, Stamp::default(), &lookup);
            let back = other.read(carried.text.as_bytes(), &lookup);
            assert!(back.is_ok_and(|it| it == fault), "{dialect:?} to {other:?} and back differs");
        }
    }
}

/// A line gets a verdict or a reason, the same one each time, and a verdict is one line of JSON.
fn classify(bytes: &[u8]) {
    let run = || {
        let mut out = Vec::new();
        judge::line(bytes, shipped::core(), &mut out).map(|()| out).map_err(|it| it.to_string())
    };
    let verdict = run();
    assert!(verdict == run(), "two verdicts on one line");
    if let Ok(out) = verdict {
        assert!(
            Doc::parse(out.trim_ascii(), Limits::DOCUMENT).is_ok(),
            "a verdict that is no JSON"
        );
    }
}

/// An answer is read, the same each time; a failure gets a decision, which is JSON, and is a failure still in our own words.
fn answers(bytes: &[u8]) {
    let (asked, lookup) = (Asked::default(), Lookup::shipped());
    let reading = read_answer(bytes, &asked, &lookup);
    assert!(reading == read_answer(bytes, &asked, &lookup), "two readings of one answer");
    is_nothing(bytes);
    let Some((fault, ground)) = reading.failure() else { return };
    let attempt = Attempt { ground, made: 1, ..Attempt::default() };
    let decided = decide(&fault, &attempt, &Policy::default(), &mut Budget::default());
    let json = decided.json();
    assert!(Doc::parse(json.as_bytes(), Limits::DOCUMENT).is_ok(), "a decision that is no JSON");
    let again = Dialect::Native.write(&fault, Stamp::default());
    let again = read_answer(again.as_bytes(), &asked, &lookup).failure();
    assert!(again.is_some_and(|it| it.0.code() == fault.code()), "another failure when told again");
}

/// A stream gives the same events however its bytes were cut, and each of them can be written and read again.
fn sse(bytes: &[u8]) {
    const LONGEST: usize = 4 << 10;
    let read = |piece: usize| {
        let (mut reader, mut out) = (Events::new(LONGEST), Vec::new());
        for mut piece in bytes.chunks(piece) {
            while let Ok(Some(event)) = reader.next(&mut piece) {
                events::write(&event, &mut out);
            }
        }
        out
    };
    let whole = read(bytes.len().max(1));
    assert!(whole == read(1), "other events byte by byte");
    let (mut reader, mut again, mut rest) = (Events::new(LONGEST), Vec::new(), whole.as_slice());
    while let Ok(Some(event)) = reader.next(&mut rest) {
        events::write(&event, &mut again);
    }
    assert!(whole == again && reader.is_between(), "an event is written as another one");
}

/// However the bytes of an answer come, they are the same answer, with its body in them.
fn http(bytes: &[u8]) {
    let whole = response_in_steps(bytes, bytes.len());
    for step in [1, 7] {
        assert!(whole == response_in_steps(bytes, step), "another answer in steps of {step}");
    }
    if let Some((status, body, _)) = whole {
        assert!(status >= 200 && body.len() <= bytes.len(), "an answer that nobody gave");
    }
}
