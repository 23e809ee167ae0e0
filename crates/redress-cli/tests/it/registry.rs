//! `redress registry`: lint, diff, lock, edit, export.

use std::fs;

use crate::redress::{redress, shell};

const NOTES: &str = include_str!("../../../../fuzz/corpus/registry/notes.toml");

/// Runs a command in a directory that holds `errors.toml`, and gives what it printed and the file after it.
fn in_folder(line: &str, text: &str) -> (crate::redress::Ran, String) {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("errors.toml"), text).unwrap();
    let ran = shell(line, dir.path());
    (ran, fs::read_to_string(dir.path().join("errors.toml")).unwrap())
}

#[test]
fn every_shipped_registry_is_clean_under_our_own_lint() {
    for name in ["core", "atlas-gate", "workrail", "rpc-taxonomy", "stagewright", "mailvault"] {
        let ran = redress(&["registry", "lint", name], b"");
        assert_eq!((ran.exit, ran.err.as_str()), (0, ""), "{}", ran.out);
    }
}

#[test]
fn a_violation_is_shown_at_its_place_and_ends_with_1() {
    let text = NOTES.replace("NOTE_NOT_FOUND", "E_NOTE");
    let (ran, _) = in_folder("redress registry lint errors.toml", &text);
    assert_eq!(ran.exit, 1, "{}", ran.err);
    assert!(ran.out.contains("CK108") && ran.out.contains("--> errors.toml:"), "{}", ran.out);
    let (ran, _) = in_folder("redress registry lint errors.toml --format sarif", &text);
    let sarif: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "CK108");
    let (ran, _) = in_folder("redress registry lint errors.toml --format github", &text);
    assert!(ran.out.starts_with("::error file=errors.toml,line="), "{}", ran.out);
}

#[test]
fn a_wrong_key_is_refused_with_file_line_column_and_did_you_mean() {
    let text = NOTES.replace("hint    =", "hnit    =");
    let (ran, after) = in_folder("redress registry lint errors.toml", &text);
    assert_eq!(ran.exit, 2);
    assert!(
        ran.err.contains("errors.toml:") && ran.err.contains("Did you mean `hint`?"),
        "{}",
        ran.err
    );
    assert_eq!(after, text);
}

#[test]
fn an_edit_that_is_refused_leaves_the_file_as_it_was() {
    for line in [
        "redress registry retire errors.toml NOTE_NOT_FUND --since 1.0.0 --why gone",
        "redress registry add errors.toml NOTE_GONE --domain notes --class internal --retry never --message M. --hint 'Do it again later, then.'",
        "redress registry add errors.toml lower --domain notes --class internal --retry never --message M. --hint 'Do it again later, then.'",
        "redress registry deprecate errors.toml NOTE_NOT_FOUND --since 1.0.0 --reason r --to NO_SUCH_CODE",
    ] {
        let (ran, after) = in_folder(line, NOTES);
        assert_eq!(ran.exit, 2, "{line}: {}", ran.out);
        assert!(
            ran.err.contains("errors.toml:") && ran.err.contains("Fix: "),
            "{line}: {}",
            ran.err
        );
        assert_eq!(after, NOTES, "{line}");
    }
}

#[test]
fn every_rule_that_is_built_is_listed_and_explained() {
    let ran = redress(&["registry", "rules", "--format", "json"], b"");
    let ids: Vec<String> = ran
        .out
        .lines()
        .map(|it| {
            serde_json::from_str::<serde_json::Value>(it).unwrap()["id"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    assert!(ids.len() > 70, "{}", ids.len());
    for id in &ids {
        let ran = redress(&["explain", id], b"");
        assert!(ran.exit == 0 && ran.out.starts_with(id.as_str()), "{id}: {}", ran.err);
    }
}

#[test]
fn an_export_is_the_same_bytes_every_time() {
    for format in ["json", "json-schema", "markdown"] {
        let args = ["registry", "export", "core", "--format", format];
        let (once, again) = (redress(&args, b""), redress(&args, b""));
        assert_eq!(once.exit, 0, "{}", once.err);
        assert_eq!(once.out, again.out);
    }
    assert_eq!(redress(&["registry", "export", "core", "--format", "yaml"], b"").exit, 2);
}
