//! `cargo xtask deps`: licences, sources, banned crates and duplicates of the whole graph, by the rules of deny.toml.

mod graph;
mod licence;
mod rules;

use std::{collections::BTreeMap, fs, path::Path};

use self::{
    graph::{Graph, Package},
    licence::Licence,
    rules::Rules,
};
use crate::cargo::cargo;

/// The one registry that packages come from, as Cargo.lock names it.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Checks every package that a build of the workspace may use.
pub(crate) fn check(root: &Path) -> Vec<String> {
    graph(root).unwrap_or_else(|problem| vec![problem])
}

fn graph(root: &Path) -> Result<Vec<String>, String> {
    let path = root.join("deny.toml");
    let text = fs::read_to_string(&path).map_err(|it| format!("{}: {it}", path.display()))?;
    let rules = Rules::read(&text)?;
    let graph = Graph::read(&metadata(root, &rules)?)?;
    let problems = problems(&rules, &graph);
    println!("ran: {} packages", graph.packages.len());
    Ok(problems)
}

/// What cargo says of the workspace, for the targets and features that the rules name.
fn metadata(root: &Path, rules: &Rules) -> Result<Vec<u8>, String> {
    let mut cargo = cargo();
    cargo.args(["metadata", "--locked", "--format-version", "1"]).current_dir(root);
    if rules.all_features {
        cargo.arg("--all-features");
    }
    for target in &rules.targets {
        cargo.args(["--filter-platform", target]);
    }
    let ran = cargo.output().map_err(|it| format!("cargo did not start: {it}"))?;
    if ran.status.success() {
        return Ok(ran.stdout);
    }
    Err(format!("cargo metadata: {}", String::from_utf8_lossy(&ran.stderr)))
}

fn problems(rules: &Rules, graph: &Graph) -> Vec<String> {
    let mut problems = Vec::new();
    for package in &graph.packages {
        problems.extend(
            [licence(rules, package), source(package), ban(rules, package)].into_iter().flatten(),
        );
        let wild = package.wildcards.iter().filter(|_| rules.no_wildcards);
        problems.extend(wild.map(|it| format!("{package} takes any version of `{it}`")));
    }
    if rules.no_duplicates {
        problems.extend(duplicates(rules, graph));
    }
    problems
}

/// A licence that is missing, unreadable, or not allowed.
fn licence(rules: &Rules, package: &Package) -> Option<String> {
    let Some(text) = &package.licence else {
        return Some(format!("{package} names no licence"));
    };
    let is_allowed = |licence: &str| rules.allows(package, licence);
    match Licence::parse(text) {
        Ok(it) if it.fits(&is_allowed) => None,
        Ok(_) => {
            Some(format!("{package} has the licence `{text}`, which deny.toml does not allow"))
        }
        Err(problem) => Some(format!("{package} has an unreadable licence: {problem}")),
    }
}

/// A package from elsewhere than the registry or the workspace.
fn source(package: &Package) -> Option<String> {
    match package.source.as_deref() {
        None if package.is_member => None,
        None => Some(format!("{package} comes from a folder outside of the workspace")),
        Some(REGISTRY) => None,
        Some(other) => Some(format!("{package} comes from {other}")),
    }
}

fn ban(rules: &Rules, package: &Package) -> Option<String> {
    let ban = rules.banned.iter().find(|it| it.fits(package))?;
    Some(format!("{package} is banned: {}", ban.reason))
}

/// Packages that are there in more than one version, without those that the rules skip.
fn duplicates(rules: &Rules, graph: &Graph) -> Vec<String> {
    let skipped = graph.below(|it| rules.skipped_trees.iter().any(|skip| skip.fits(it)));
    let mut versions: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for package in &graph.packages {
        if !skipped.contains(package.id.as_str())
            && !rules.skipped.iter().any(|it| it.fits(package))
        {
            versions.entry(&package.name).or_default().push(package.version.to_string());
        }
    }
    let many = versions.into_iter().filter(|(_, versions)| versions.len() > 1);
    many.map(|(name, versions)| format!("{name} is there twice: {}", versions.join(", "))).collect()
}

#[cfg(test)]
mod tests;
