//! `redress probe` of live servers: findings, the gate before them, and what cannot be probed.

use std::{net::TcpListener, path::Path, process::Command, thread};

use redress_probe::Report;

use crate::redress::{Ran, redress, shell};

fn bad_server() -> String {
    let path =
        Path::new(env!("CARGO_BIN_EXE_redress")).with_file_name("examples").join("bad_server");
    if !path.exists() {
        let args = ["build", "--quiet", "--locked", "-p", "redress-cli", "--example", "bad_server"];
        assert!(Command::new(env!("CARGO")).args(args).status().unwrap().success());
    }
    path.display().to_string()
}

fn report(ran: &Ran) -> Report {
    Report::read(ran.out.as_bytes()).unwrap_or_else(|it| panic!("{it}: {}{}", ran.out, ran.err))
}

#[test]
fn a_finding_is_repeated_by_the_command_that_it_prints() {
    let server = bad_server();
    let args = ["probe", "--deadline", "400", "--format", "json", "--", &server];
    let ran = redress(&args, b"");
    assert_eq!(ran.exit, 1, "{}", ran.err);
    let first = report(&ran);
    let finding = first.direct.findings.iter().find(|it| it.rule == "PR101").unwrap();
    assert_eq!(finding.tool.as_deref(), Some("read"));
    let dir = tempfile::tempdir().unwrap();
    let line = finding.hits[0].repeat.replace("probe ", "probe --deadline 400 --format json ");
    let again = report(&shell(&line, dir.path()));
    let found: Vec<_> = again.direct.findings.iter().map(|it| it.key()).collect();
    assert_eq!(found, [("PR101", Some("read"))]);
    assert_eq!(again.settings.only, ["read/shape"]);
}

#[test]
fn the_same_calls_are_better_answered_behind_the_gate() {
    let server = bad_server();
    let only = ["--only", "read", "--only", "server/unknown-tool", "--only", "server/not-json"];
    let args = [
        &["probe", "--deadline", "400", "--through-gate", "--format", "json"][..],
        &only,
        &["--", &server],
    ];
    let ran = redress(&args.concat(), b"");
    let report = report(&ran);
    let gated = report.gated.as_ref().unwrap();
    let points = |run: &redress_probe::report::Run| run.score.as_ref().unwrap().points;
    assert!(points(gated) > points(&report.direct), "{}", ran.out);
    let unanswered =
        |run: &redress_probe::report::Run| run.findings.iter().any(|it| it.rule == "PR101");
    assert!(
        unanswered(&report.direct) && !unanswered(gated),
        "the gate answers in the server's place"
    );
    assert_eq!(ran.exit, 1, "the server itself is what is judged");
}

#[test]
fn whatever_cannot_be_probed_is_a_fault_with_its_hint() {
    let server = bad_server();
    let closed = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("https://{}/mcp", closed.local_addr().unwrap());
    thread::spawn(move || closed.incoming().for_each(drop));
    for (args, exit, code) in [
        (&["--", "/nowhere/server"][..], 3, "NOT_INSTALLED"),
        (&["--", &server, "--exit-at-start"], 3, "UPSTREAM_CRASHED"),
        (&["--", "yes"], 2, "UPSTREAM_PROTOCOL_ERROR"),
        (&["--url", "http://127.0.0.1:9/mcp"], 3, "UPSTREAM_UNAVAILABLE"),
        (&["--url", &address], 3, "UPSTREAM_UNAVAILABLE"),
        (&["--url", "ftp://127.0.0.1"], 2, "INVALID_INPUT_VALUE"),
        (&["--url", "http://127.0.0.1:9", "--header", "none"], 2, "INVALID_INPUT_VALUE"),
        (&["--only", "none", "--", &server], 2, "NOT_FOUND"),
        (&["--contract", "none", "--", &server], 2, "CONFIG_INVALID"),
        (&["--baseline", "/nowhere.json", "--", &server], 2, "FILE_NOT_FOUND"),
    ] {
        let ran = redress(&[&["probe"], args].concat(), b"");
        assert_eq!(ran.exit, exit, "{args:?}: {}", ran.err);
        assert!(ran.err.starts_with(code) && ran.err.contains("\nFix: "), "{args:?}: {}", ran.err);
        assert_eq!(ran.out, "");
    }
    let nothing = redress(&["probe"], b"");
    assert_eq!(nothing.exit, 2, "{}", nothing.err);
}

#[test]
fn the_rules_are_explained_and_credentials_are_not_shown() {
    let page = redress(&["explain", "PR101"], b"");
    assert!(page.exit == 0 && page.out.contains("unanswered-request"), "{}", page.out);
    let server = bad_server();
    let args = [
        "probe",
        "--only",
        "server/unknown-method",
        "--format",
        "json",
        "--",
        &server,
        "--api-key",
        "hunter2-secret",
    ];
    let ran = redress(&args, b"");
    assert_eq!(ran.exit, 0, "{}", ran.err);
    assert!(!ran.out.contains("hunter2"), "{}", ran.out);
}
