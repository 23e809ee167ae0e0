//! `redress registry add --from-rust`: codes move from attributes into a file.

use std::{fs, path::Path};

use crate::redress::shell;

pub(crate) const ERRORS: &str = include_str!("../../../../fuzz/corpus/rust/notes.rs");

const ROWS: &str = r#"
[code.NOTE_NOT_FOUND]
domain  = "note-store"
class   = "not_found"
retry   = "after_change"
title   = "Note not found"
message = "There is no note {id}."
hint    = "List the notes, then use an id from the list."
next    = [{ tool = "list_notes" }]
similar = "id"
params.id = { type = "string", doc = "The id that was asked for.", untrusted = true, max_chars = 80 }
example = { id = "n-42" }
since   = "0.7.0"
explain = """
Notes are removed for good.

An id of "yesterday" can be gone today."""

[code.STORE_SLOW]
domain  = "note-store"
class   = "unavailable"
retry   = { kind = "after_delay", after_ms = 500 }
title   = "Store slow"
message = "The store is slow."
hint    = "Wait half a second, then try again."
params.wait_ms = { type = "integer", doc = "Wait ms.", required = false }
example = { wait_ms = 1 }
since   = "0.7.0"
explain = "The store is far away."
"#;

const ADD: &str = "redress registry add errors.toml --from-rust src/errors.rs";

fn package(errors: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("src")).unwrap();
    fs::write(dir.path().join("src/errors.rs"), errors).unwrap();
    let manifest = "[package]\nname = \"note_store\"\nversion = \"0.7.0\"\n";
    fs::write(dir.path().join("Cargo.toml"), manifest).unwrap();
    dir
}

fn written(dir: &Path) -> String {
    fs::read_to_string(dir.join("errors.toml")).unwrap()
}

#[test]
fn attributes_become_a_file_that_is_clean_under_the_lint() {
    let dir = package(ERRORS);
    let ran = shell(ADD, dir.path());
    assert_eq!((ran.exit, ran.err.as_str()), (0, ""));
    assert_eq!(ran.out, "errors.toml: added NOTE_NOT_FOUND\nerrors.toml: added STORE_SLOW\n");
    let head = "format  = \"redress-registry/1\"\n\n[registry]\nname    = \"note-store\"\nversion = \"0.7.0\"\n\
                extends = [\"core\"]\n\n[domain.note-store]\n";
    assert_eq!(written(dir.path()), format!("{head}{ROWS}"));
    let ran = shell("redress registry lint errors.toml", dir.path());
    assert_eq!(ran.exit, 0, "{}", ran.out);
}

#[test]
fn a_file_gets_missing_rows_and_keeps_every_other_byte() {
    let dir = package(ERRORS);
    assert_eq!(shell(ADD, dir.path()).exit, 0);
    let kept = written(dir.path()).replace("[domain.note-store]", "[domain.note-store]  # ours");
    let (before, slow) = kept.split_once("\n[code.STORE_SLOW]").unwrap();
    fs::write(dir.path().join("errors.toml"), before).unwrap();
    let ran = shell(ADD, dir.path());
    assert_eq!((ran.exit, ran.out.as_str()), (0, "errors.toml: added STORE_SLOW\n"));
    assert_eq!(written(dir.path()), format!("{before}\n[code.STORE_SLOW]{slow}"));
    let ran = shell(ADD, dir.path());
    assert_eq!((ran.exit, ran.out.as_str()), (0, "errors.toml: has them all\n"));
    assert_eq!(written(dir.path()), kept);
}

#[test]
fn a_mistake_is_told_at_its_place_and_nothing_is_written() {
    for (from, to, told) in [
        (
            "retry = \"after_change\"",
            "retry = \"change\"",
            "src/errors.rs:8:45: `change` is no `retry`.",
        ),
        (
            "hint = \"List",
            "hnt = \"List",
            "src/errors.rs:9:16: A variant has no `hnt`. Did you mean `hint`?",
        ),
        ("{id}", "{key}", "{key} is not a declared parameter."),
        ("enum NoteError {", "enum NoteError {{", "src/errors.rs:"),
        ("redress::Contract", "Clone", "No type with `#[derive(Contract)]`"),
    ] {
        assert!(ERRORS.contains(from), "{from}");
        let dir = package(&ERRORS.replacen(from, to, 1));
        let ran = shell(ADD, dir.path());
        assert_eq!(ran.exit, 2, "{to}: {}", ran.out);
        assert!(
            ran.err.starts_with("CONFIG_INVALID: ") && ran.err.contains(told),
            "{to}: {}",
            ran.err
        );
        assert!(!dir.path().join("errors.toml").exists(), "{to}");
    }
}

#[test]
fn a_row_comes_from_options_or_from_rust() {
    let dir = package(ERRORS);
    for line in [
        "redress registry add errors.toml",
        "redress registry add errors.toml NOTE_OLD --from-rust src/errors.rs",
        "redress registry add errors.toml NOTE_OLD --class internal",
    ] {
        let ran = shell(line, dir.path());
        assert_eq!(ran.exit, 2, "{line}");
        assert!(!ran.err.is_empty(), "{line}");
    }
}
