//! `cargo xtask conformance`: the official suites on our fixture server, without the gate and through it.

mod servers;
mod totals;

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use clap::ValueEnum;

use self::{
    servers::Serving,
    totals::{Totals, lost, table},
};
use crate::{
    cargo::cargo,
    peers::{Peers, target},
};

/// A way from the suite, which speaks HTTP, to the fixture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Crossing {
    /// The gate before the fixture on HTTP.
    Http,
    /// The gate before the fixture on stdio.
    Stdio,
    /// No gate, but our contract around the fixture's handler.
    Contract,
}

/// A suite: its name here, its npm package, and its arguments.
const SUITES: [(&str, &str, [&str; 2]); 3] = [
    ("0.1.16, all", "@modelcontextprotocol/conformance", ["--suite", "all"]),
    ("0.2, 2025-11-25", "conformance-next", ["--requirements", "2025-11-25"]),
    ("0.2, 2026-07-28", "conformance-next", ["--requirements", "2026-07-28"]),
];

/// Runs every suite directly and through each crossing; what is lost on the way is a problem.
pub(crate) fn run(root: &Path, crossings: &[Crossing]) -> Vec<String> {
    compare(root, crossings).unwrap_or_else(|problem| vec![problem])
}

fn compare(root: &Path, crossings: &[Crossing]) -> Result<Vec<String>, String> {
    let peers = Peers::install(root)?;
    build(root)?;
    let results = target()?.join("conformance");
    let direct = Serving::fixture()?;
    let baseline = all_suites(&peers, direct.url(), &results.join("direct"))?;
    let mut problems = Vec::new();
    for (suite, totals) in SUITES.iter().zip(&baseline) {
        problems.extend(totals.failures().map(|it| format!("{}, directly: {it}", suite.0)));
    }
    let mut columns = vec![("direct".to_owned(), baseline.clone())];
    for crossing in crossings {
        let name = format!("{crossing:?}").to_lowercase();
        let gate = match crossing {
            Crossing::Http => Serving::gate_before_url(direct.url())?,
            Crossing::Stdio => Serving::gate_before_command()?,
            Crossing::Contract => Serving::contract()?,
        };
        let through = all_suites(&peers, gate.url(), &results.join(&name))?;
        for ((suite, before), after) in SUITES.iter().zip(&baseline).zip(&through) {
            let lost = lost(before, after);
            problems.extend(lost.map(|it| format!("{}, by way of {name}: {it}", suite.0)));
        }
        columns.push((format!("through, {name}"), through));
    }
    let names: Vec<&str> = SUITES.iter().map(|it| it.0).collect();
    println!("{}", table(&names, &columns));
    let scenarios = columns.iter().flat_map(|it| &it.1).map(Totals::scenarios);
    println!("ran: {} scenarios", scenarios.sum::<usize>());
    Ok(problems)
}

pub(crate) fn build(root: &Path) -> Result<(), String> {
    let mut cargo = cargo();
    // With the examples, for which cargo takes the features of dev-dependencies: nothing is built again that the tests have.
    cargo.args(["build", "--quiet", "--locked", "--workspace", "--bins", "--examples"]);
    match cargo.current_dir(root).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("the build ended with {status}")),
        Err(error) => Err(format!("cargo did not start: {error}")),
    }
}

fn all_suites(peers: &Peers, url: &str, results: &Path) -> Result<Vec<Totals>, String> {
    // Results of an older run would be counted again.
    drop(fs::remove_dir_all(results));
    let suites = SUITES.iter().enumerate();
    suites.map(|(nth, suite)| one(peers, url, suite, &results.join(nth.to_string()))).collect()
}

/// Runs one suite. Its exit code says only that something failed; what, its files say.
fn one(
    peers: &Peers,
    url: &str,
    (name, package, args): &(&str, &str, [&str; 2]),
    results: &Path,
) -> Result<Totals, String> {
    println!("{name} on {url}");
    let ran = Command::new(peers.node())
        .arg(peers.module(&format!("{package}/dist/index.js")))
        .args(["server", "--url", url, "-o"])
        .arg(results)
        .args(args)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{name}: {} did not start: {error}", peers.node().display()))?;
    let totals = Totals::read(results)?;
    if totals.is_empty() {
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        return Err(format!("{name}: no results; the suite said: {said}"));
    }
    Ok(totals)
}
