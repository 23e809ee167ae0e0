//! What a person decides about plans, on the command line.

use std::{fs, os::unix::fs::symlink};

use serde_json::Value;

use super::place::Place;
use crate::redress::{Ran, run};

/// A workspace with a plan that a person approved; gives its hash.
pub(super) fn approved(place: &Place, name: &str, scope: &str) -> String {
    write_plan(place, name, scope);
    let (code, text) = said(place, &["approve", name, "--yes"]);
    assert_eq!(code, 0, "{text}");
    shown(place, name)["hash"].as_str().unwrap().to_owned()
}

/// Runs `redress plan` in the workspace; gives its exit code and all that it said.
pub(super) fn said(place: &Place, args: &[&str]) -> (i32, String) {
    let Ran { out, err, exit } = plan(place, args);
    (exit, out + &err)
}

fn plan(place: &Place, args: &[&str]) -> Ran {
    let mut command = place.redress(&[&["plan"], args].concat());
    run(command.current_dir(place.at("root")), b"")
}

fn shown(place: &Place, name: &str) -> Value {
    serde_json::from_str(&plan(place, &["show", name, "--format", "json"]).out).unwrap()
}

/// Writes a plan, `docs/plans/NAME`.
fn write_plan(place: &Place, name: &str, scope: &str) {
    let folder = place.at("root/docs/plans");
    fs::create_dir_all(&folder).unwrap();
    let text = format!("<!-- redress-plan\nSCOPE: {scope}\n-->\n# The plan {name}\n\nSteps.\n");
    fs::write(folder.join(name), text).unwrap();
}

#[test]
fn a_person_sees_what_is_decided_and_where_input_is_bad() {
    let place = Place::new();
    let root = place.at("root");
    write_plan(&place, "cache.md", "src/**, docs/*.md");
    let (code, text) = said(&place, &["approve", "cache.md"]);
    assert_eq!(code, 2, "no terminal, no decision: {text}");
    assert!(text.contains("--yes") && text.contains("src/**, docs/*.md"), "{text}");
    assert_eq!(shown(&place, "cache.md")["status"], "draft");
    let ledger = place.at("ledger").to_string_lossy().into_owned();
    let (code, text) =
        said(&place, &["approve", "docs/plans/cache.md", "--yes", "--ledger", &ledger]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("The plan cache.md"), "{text}");
    let hash = shown(&place, "cache.md")["hash"].as_str().unwrap().to_owned();
    assert_eq!(shown(&place, &hash[..12])["status"], "approved");
    assert_eq!(said(&place, &["list"]).0, 0);
    let file = root.join("docs/plans/cache.md");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("Steps.", "Other steps.")).unwrap();
    let (code, text) = said(&place, &["show", "cache.md"]);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("- Steps.\n+ Other steps."), "{text}");
    fs::write(root.join("docs/plans/broken.md"), "# no plan\n").unwrap();
    let (code, text) = said(&place, &["list", "--format", "json"]);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains(r#""status":"changed""#) && text.contains(r#""no_plan""#), "{text}");
    let (code, text) = said(&place, &["revoke", "cache.md", "--yes", "--ledger", &ledger]);
    assert_eq!(code, 0, "{text}");
    let revoked = fs::read_to_string(place.at("config/redress/revoked-plans")).unwrap();
    assert!(revoked.contains(&hash), "the text that was approved is revoked, too: {revoked}");
    let gone = "0123456789abcdef".repeat(4);
    assert_eq!(said(&place, &["revoke", &gone, "--yes"]).0, 0, "also where there is no file");
    let records = place.recorded();
    assert!(records.contains("plan_approved") && records.contains("plan_revoked"), "{records}");
    write_plan(&place, "../target.md", "**");
    symlink("../target.md", root.join("docs/plans/link.md")).unwrap();
    for command in ["approve", "revoke", "show"] {
        let (code, text) = said(&place, &[command, "link.md"]);
        assert_eq!(code, 2, "{command}: {text}");
        assert!(text.contains("INVALID_PATH") && text.contains("it is a link"), "{text}");
    }
    let (_, text) = said(&place, &["list"]);
    assert!(text.contains("no plan docs/plans/link.md: it is a link"), "{text}");
    fs::remove_file(root.join("docs/plans/link.md")).unwrap();

    for (name, bytes, words) in [
        ("none.md", b"# Title".as_slice(), "none.md: It is no plan: its first line"),
        ("line.md", b"<!-- redress-plan\nOWNER: me\n-->", "line.md:2: "),
        ("scope.md", b"<!-- redress-plan\n-->", "SCOPE"),
        ("bad.md", b"<!-- redress-plan\nSCOPE: /etc/**\n-->", "`/etc/**` is no pattern"),
        ("binary.md", b"<!-- redress-plan\n\xff\xfe\n-->", "binary.md:2: "),
        ("huge.md", &vec![b'x'; 300 << 10], "longer than 256 KiB"),
    ] {
        fs::write(root.join("docs/plans").join(name), bytes).unwrap();
        for command in ["approve", "revoke", "show"] {
            let (code, text) = said(&place, &[command, name]);
            assert_eq!(code, 2, "{command} {name}: {text}");
            assert!(text.contains("CONFIG_INVALID") && text.contains(words), "{name}: {text}");
        }
    }
    let (code, text) = said(&place, &["show", "cash.md"]);
    assert_eq!(code, 2);
    assert!(text.contains("Did you mean cache.md?"), "{text}");
    let (code, text) = said(&place, &["show", "docs"]);
    assert!(code == 2 && text.contains("INVALID_PATH"), "{text}");
    let (code, text) = said(&place, &["list", "nowhere"]);
    assert!(code == 2 && text.contains("FILE_NOT_FOUND"), "{text}");
}
