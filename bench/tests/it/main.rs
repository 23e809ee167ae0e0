//! A short run of the benchmark, with the gate that was built beside it.

use std::{env, path::Path, process::Command};

/// The gate is built by the same `cargo test --workspace`; alone, this crate has none to measure. Where all tests are to be run
/// that is a failure.
fn gate() -> Option<std::path::PathBuf> {
    let gate = Path::new(env!("CARGO_BIN_EXE_redress-bench")).with_file_name("redress");
    let is_there = gate.exists();
    assert!(is_there || env::var_os("CI").is_none(), "{} is not built", gate.display());
    is_there.then_some(gate)
}

#[test]
fn a_short_run_prints_ratios_and_bars() {
    let rows = if gate().is_some() { "pipe,run,bridge-hs" } else { "pipe,lines" };
    let gate = gate().unwrap_or_else(|| "/bin/true".into());
    let output = Command::new(env!("CARGO_BIN_EXE_redress-bench"))
        .args(["run", "--rounds", "1", "--secs", "0.2", "--warm", "0.05", "--patience", "0"])
        .args(["--rows", rows, "--work", "echo16,fail16", "--gate"])
        .arg(gate)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("### 64 B, C=16") && text.contains("| raw pipe |"), "{text}");
    assert!(!text.contains("failed"), "{text}");
}

#[test]
fn what_is_not_installed_is_said() {
    let output = Command::new(env!("CARGO_BIN_EXE_redress-bench"))
        .args(["run", "--rows", "crate-hs", "--rounds", "1", "--gate", "/bin/true"])
        .args(["--peers", "/nowhere"])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("not measured: crate-hs (/nowhere/cargo/bin/mcp-proxy"), "{text}");
}

#[test]
fn a_card_keeps_a_mail_from_being_sent_twice() {
    let Some(gate) = gate() else { return };
    let output = Command::new(env!("CARGO_BIN_EXE_redress-bench"))
        .args(["agents", "--tasks", "send_mail,read_file", "--gate"])
        .arg(gate)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let row = |start: &str| {
        let line =
            text.lines().find(|it| it.starts_with(start)).unwrap_or_else(|| panic!("{text}"));
        line.split('|').map(str::trim).skip(3).take(3).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(row("| A: follows the card | no gate"), ["1 of 2 (50 %)", "0", "1"]);
    assert_eq!(row("| A: follows the card | gate"), ["2 of 2 (100 %)", "0", "0"]);
    assert_eq!(row("| B: repeats any failure | no gate"), ["0 of 2 (0 %)", "2", "1"]);
}
