//! A lock holds a registry as it was, and is refused when somebody touched it.

use std::{fs, path::PathBuf};

use redress_registry::{
    Registry, Source, canonical,
    diff::{Bump, diff},
    lock::{STALE, check, lock, read_lock},
    read, resolve, shipped,
};

#[test]
fn a_lock_gives_back_the_registry_that_it_was_made_of() {
    for registry in shipped::all() {
        let text = lock(registry);
        let locked = read_lock(&Source::new("lock", &text)).unwrap();
        assert_eq!(canonical(&locked), canonical(registry), "{}", registry.name);
        assert_eq!(diff(&locked, registry).changes, [], "{}", registry.name);
        assert_eq!(lock(&locked), text, "{}", registry.name);
    }
}

#[test]
fn a_fresh_lock_is_not_stale_and_an_old_one_is() {
    let fresh = check(&notes(), &fixture("good.lock")).unwrap();
    assert_eq!(fresh.stale, None);
    assert_eq!(fresh.report.changes, []);
    assert_eq!(lock(&notes()), *fixture("good.lock").text);

    let stale = check(&notes(), &fixture("bad.lock")).unwrap();
    let finding = stale.stale.unwrap();
    assert_eq!(finding.rule, STALE.id);
    assert_eq!(finding.place.to_string(), "bad.lock:11:1");
    assert_eq!(finding.message, "The lock is not that of notes 1.2.0: it differs from line 11 on.");
    let rules: Vec<_> = stale.report.changes.iter().map(|it| it.rule).collect();
    assert_eq!(rules, ["DF011", "DF033"]);
    assert_eq!(stale.report.required_bump, Bump::Major);
}

#[test]
fn a_lock_keeps_tombstones_so_that_they_cannot_be_taken_away() {
    let mut registry = notes();
    registry.retired.clear();
    let report = check(&registry, &fixture("good.lock")).unwrap().report;
    assert_eq!(report.changes[0].rule, "DF003");
    assert_eq!(report.required_bump, Bump::Impossible);
}

#[test]
fn a_lock_that_somebody_touched_is_refused_at_its_place() {
    let good = lock(&notes());
    for (from, to, problem) in [
        ("Note not found", "Found", "lock:3:1: The hash does not fit"),
        ("redress-lock/1", "redress-lock/9", "lock:1:1: The format of a lock must be"),
        ("\"http\":404", "\"http\":\"x\"", "lock:11:1: `http` of `NOTE_NOT_FOUND` is missing or"),
        ("\"http\":404", "\"htpt\":404", "lock:11:1: `http` of `NOTE_NOT_FOUND` is missing or"),
        (
            "\"http\":404",
            "\"x\":1,\"http\":404",
            "lock:11:1: `x` of `NOTE_NOT_FOUND` is not known.",
        ),
        (
            "\"kind\":\"after_change\"",
            "\"kind\":\"later\"",
            "lock:11:1: `retry` of `NOTE_NOT_FOUND`",
        ),
        (
            "{\n\"NOTE_NOT_FOUND\"",
            "{\n<<<<<<< ours\n\"NOTE_NOT_FOUND\"",
            "lock:11:1: This is not JSON",
        ),
    ] {
        let touched = good.replacen(from, to, 1);
        assert_ne!(touched, good, "{from}");
        let found = read_lock(&Source::new("lock", &touched)).unwrap_err().to_string();
        assert!(found.starts_with(problem), "{found}");
    }
}

#[test]
fn any_text_is_a_lock_or_a_problem() {
    let deep = "[".repeat(100_000);
    for text in ["", "null", "[]", "{}", "{\"format\":\"redress-lock/1\"}", "\u{feff}{}", &deep] {
        assert!(read_lock(&Source::new("lock", text)).is_err());
    }
    let good = lock(&notes());
    for end in (0..good.len()).filter(|it| good.is_char_boundary(*it)) {
        assert!(end == good.len() - 1 || read_lock(&Source::new("lock", &good[..end])).is_err());
    }
}

fn notes() -> Registry {
    resolve(&read(&fixture("notes.toml")).unwrap(), &|name| shipped::get(name).cloned()).unwrap()
}

fn fixture(file: &str) -> Source {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/lock/CK701");
    Source::new(file, &fs::read_to_string(folder.join(file)).unwrap())
}
