//! `redress probe`: a report in every form, and what the exit code says.

use std::{fs, path::Path};

use serde_json::Value;

use crate::redress::{Ran, redress};

const SAMPLE: &str = include_str!("../../../redress-probe/tests/reports/sample.json");

fn saved(dir: &Path, name: &str, text: &str) -> String {
    let path = dir.join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

fn shown(format: &str) -> Ran {
    let dir = tempfile::tempdir().unwrap();
    let report = saved(dir.path(), "report.json", SAMPLE);
    redress(&["probe", "--report", &report, "--format", format], b"")
}

#[test]
fn the_scorecard_shows_how_to_repeat_the_worst() {
    let ran = shown("text");
    assert_eq!((ran.exit, ran.err.as_str()), (1, ""));
    assert!(ran.out.starts_with("notes 1.2.0, MCP 2025-11-25\n./notes\n"), "{}", ran.out);
    for part in [
        "  D  58/100 ██████░░░░░░\n",
        "  A  97/100 ███████████░ through the gate\n",
        "read_note    C  64 ███████░░░░░  A  97 ███████████░  3/9         1\n",
        "\nviolation PR101 A request was never answered.\n",
        "  sent      {\"jsonrpc\":\"2.0\",\"id\":\"p-1\",\"method\":\"redress/none\"}\n",
        "  came      silence for 5000 ms\n",
        "  should be A JSON-RPC error with the code -32601.\n",
        "  repeat    redress probe --seed 1 --only server/unknown-method -- ./notes\n",
        "\nD 58/100, A 97/100 through the gate: 1 violation, 1 improvement, 0 notes.",
    ] {
        assert!(ran.out.contains(part), "{part}\nis not in\n{}", ran.out);
    }
    let first = ran.out.find("violation PR101").unwrap();
    assert!(first < ran.out.find("improvement PR201").unwrap());
    assert!(!ran.out.contains('\u{1b}'), "colour in a pipe");
}

#[test]
fn sarif_names_the_rules_and_a_place_that_hosts_take() {
    let document: Value = serde_json::from_str(&shown("sarif").out).unwrap();
    assert_eq!(document["version"], "2.1.0");
    let run = &document["runs"][0];
    assert_eq!(run["tool"]["driver"]["rules"].as_array().unwrap().len(), 2);
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 3);
    assert_eq!(results[0]["level"], "error");
    let place = &results[1]["locations"][0];
    assert_eq!(place["physicalLocation"]["artifactLocation"]["uri"], "notes/read_note");
    assert_eq!(place["physicalLocation"]["region"]["startLine"], 1);
}

#[test]
fn every_form_is_one_document() {
    let ran = shown("json");
    assert_eq!(ran.exit, 1);
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(report["format"], "redress-probe/1");
    assert!(shown("html").out.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
    assert!(
        shown("junit").out.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>")
    );
}

#[test]
fn with_a_baseline_only_what_became_worse_is_a_finding() {
    let dir = tempfile::tempdir().unwrap();
    let same = saved(dir.path(), "same.json", SAMPLE);
    let mut better: Value = serde_json::from_str(SAMPLE).unwrap();
    better["direct"]["findings"].as_array_mut().unwrap().clear();
    let better = saved(dir.path(), "better.json", &better.to_string());
    let compared = |before: &str, after: &str| {
        redress(&["probe", "--report", after, "--baseline", before], b"")
    };
    let ran = compared(&same, &same);
    assert_eq!(ran.exit, 0, "old violations are no news");
    assert!(ran.out.contains("  no finding changed\n"), "{}", ran.out);
    let ran = compared(&better, &same);
    assert_eq!(ran.exit, 1);
    assert!(ran.out.contains("  new       PR101 the server: A request was never"), "{}", ran.out);
    let ran = compared(&same, &better);
    assert_eq!(ran.exit, 0);
    assert!(ran.out.contains("  fixed     PR101 the server"), "{}", ran.out);
}

#[test]
fn what_is_no_report_is_refused_with_its_hint() {
    let dir = tempfile::tempdir().unwrap();
    let other = saved(dir.path(), "other.json", "{\"format\":\"redress-probe/9\"}");
    for (path, code) in
        [("no/such/file.json", "FILE_NOT_FOUND"), (other.as_str(), "CONFIG_INVALID")]
    {
        for args in
            [vec!["probe", "--report", path], vec!["probe", "--report", path, "--baseline", path]]
        {
            let ran = redress(&args, b"");
            assert_eq!((ran.exit, ran.out.as_str()), (2, ""), "{}", ran.err);
            assert!(ran.err.starts_with(code) && ran.err.contains("\nFix: "), "{}", ran.err);
        }
    }
}
