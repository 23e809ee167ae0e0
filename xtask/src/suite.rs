//! The steps of `cargo xtask test`, in the order that fails fastest.

use std::{fmt::Write as _, path::Path, process::Command, time::Instant};

use crate::{
    codegen,
    conformance::{self, Crossing},
    fuzz, packages,
    peers::Peers,
    probe_servers, tidy,
};

/// A step: its name, and what is wrong.
type Step<'a> = (&'a str, Box<dyn FnOnce() -> Vec<String> + 'a>);

/// Runs every step, even after one failed, and lists what is wrong.
pub(crate) fn run(root: &Path, full: bool) -> Vec<String> {
    let seconds = if full { 60 } else { 4 };
    let cases = if full { "4096" } else { "256" };
    let cargo = |args: &'static str, envs: &'static [(&'static str, &'static str)]| {
        move || command(root, "cargo", args, envs)
    };
    let mut steps: Vec<Step<'_>> = vec![
        ("layout", Box::new(|| tidy::check(root))),
        ("format", Box::new(cargo("fmt --all --check", &[]))),
        ("generated files", Box::new(|| codegen::run(root, true))),
        ("lints", Box::new(cargo("clippy --workspace --all-targets -- -D warnings", &[]))),
        ("docs", Box::new(cargo("doc --workspace --no-deps", &[("RUSTDOCFLAGS", "-D warnings")]))),
        (
            "tests",
            Box::new(move || {
                let mut envs = vec![("PROPTEST_CASES", cases)];
                envs.extend(full.then_some(("REDRESS_FULL", "1")));
                command(root, "cargo", "test --workspace --no-fail-fast", &envs)
            }),
        ),
        ("official clients", Box::new(|| clients(root))),
        ("packages", Box::new(|| packages::run(root))),
        ("conformance", Box::new(move || conformance::run(root, crossings(full)))),
        ("fuzz", Box::new(move || fuzz::run(root, None, seconds, 1))),
    ];
    if full {
        steps.push(("public servers", Box::new(|| probe_servers::run(root, true, true))));
    }
    let mut problems = Vec::new();
    let mut table = String::new();
    for (name, step) in steps {
        println!("== {name}");
        let start = Instant::now();
        let found = step();
        let verdict = if found.is_empty() { "ok" } else { "FAILED" };
        writeln!(table, "{verdict:>8}  {name} ({} s)", start.elapsed().as_secs())
            .unwrap_or_default();
        problems.extend(found.into_iter().map(|it| format!("{name}: {it}")));
    }
    println!("\n{table}");
    problems
}

/// The ways that the suites go: through the gate by stdio most of it is the gate's own, by HTTP most passes; with the
/// contract around the handler there is no gate.
fn crossings(full: bool) -> &'static [Crossing] {
    if full { &[Crossing::Stdio, Crossing::Http, Crossing::Contract] } else { &[Crossing::Stdio] }
}

/// The tests that need the official peers, which are installed first.
fn clients(root: &Path) -> Vec<String> {
    let ready = Peers::install(root).and_then(|_installed| conformance::build(root));
    match ready {
        Ok(()) => command(root, "cargo", "test --workspace --test it -- --ignored peers::", &[]),
        Err(problem) => vec![problem],
    }
}

fn command(root: &Path, program: &str, args: &str, envs: &[(&str, &str)]) -> Vec<String> {
    let shown = format!("{program} {args}");
    let status = Command::new(program)
        .args(args.split(' '))
        .envs(envs.iter().copied())
        .current_dir(root)
        .status();
    match status {
        Ok(status) if status.success() => Vec::new(),
        Ok(status) => vec![format!("`{shown}` ended with {status}")],
        Err(error) => vec![format!("`{shown}` did not start: {error}")],
    }
}
