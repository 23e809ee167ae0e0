//! No method of a handler is lost on the way through the contract.

use std::{collections::BTreeSet, fs, path::PathBuf, process::Command};

/// Every `fn name(` in a part of a source.
fn methods(source: &str) -> BTreeSet<&str> {
    let names = source.match_indices("fn ").filter_map(|(at, _)| {
        let rest = &source[at + 3..];
        let name = &rest[..rest.find('(')?];
        name.bytes().all(|it| it.is_ascii_lowercase() || it == b'_').then_some(name)
    });
    names.collect()
}

fn source_of_rmcp() -> PathBuf {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let asked = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--locked",
            "--offline",
            "--format-version",
            "1",
            "--manifest-path",
            manifest,
        ])
        .args(["--filter-platform", "x86_64-unknown-linux-gnu"])
        .output()
        .unwrap();
    let known: serde_json::Value = serde_json::from_slice(&asked.stdout).unwrap();
    let packages = known["packages"].as_array().unwrap();
    let rmcp = packages.iter().find(|it| it["name"] == "rmcp").unwrap();
    PathBuf::from(rmcp["manifest_path"].as_str().unwrap()).with_file_name("src")
}

#[test]
fn every_method_of_a_handler_is_passed_on() {
    let theirs = fs::read_to_string(source_of_rmcp().join("handler/server.rs")).unwrap();
    let start = theirs.find("macro_rules! server_handler_methods").unwrap();
    let end = theirs.find("pub trait ServerHandler").unwrap();
    let theirs: String =
        theirs[start..end].lines().filter(|it| !it.trim().starts_with("///")).collect();
    let ours = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/src/handler.rs")).unwrap();
    let (ours, _) = ours.split_once("\nimpl<H: ServerHandler> Contract<H>").unwrap();
    let theirs = methods(&theirs);
    assert!(theirs.len() > 25, "{theirs:?}");
    let lost: Vec<_> = theirs.difference(&methods(ours)).copied().collect();
    assert_eq!(lost, [] as [&str; 0], "methods that would answer with their defaults");
}
