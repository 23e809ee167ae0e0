//! `redress check`: the contract in the sources.

mod contracts;
mod fixes;

use std::{
    path::{Path, PathBuf},
    thread,
};

use redress_check::{Contract, Day, Report, Sources, World, check, infer, read, rules};
use redress_registry::{Finding, shipped};

use crate::{
    Done, Status, clock, contract,
    failure::Failure,
    findings,
    output::{Out, Progress},
};
use contracts::Contracts;

/// Compare sources with their contract: every code is registered, every failure has one.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  redress check\n  redress check src --format sarif > check.sarif\n  redress check --contract errors.toml server\n  redress check --fix\n  redress check --infer src > errors.toml\n\nRust, TypeScript, JavaScript, Python and Markdown; what git ignores is left out. A comment allows a rule to be broken:\n  // redress: allow CK001 until 2027-01-31: the reason\n\nExit code 1 if there are violations, 2 if there is no contract or it cannot be loaded, 3 if a path cannot be read."
)]
pub(crate) struct Args {
    /// Files and folders with sources.
    #[arg(value_name = "PATH", default_value = ".")]
    paths: Vec<PathBuf>,
    /// A registry file, or the name of a built-in one; without it, the nearest errors.toml above each file.
    #[arg(long, value_name = "C")]
    contract: Option<String>,
    /// How findings are printed.
    #[arg(long, value_enum, default_value_t = findings::Format::Text)]
    format: findings::Format,
    /// Correct what a program can correct, and tell what is left.
    #[arg(long)]
    fix: bool,
    /// Print a first registry, drafted from the sources, instead of checking them.
    #[arg(long, conflicts_with_all = ["contract", "format", "fix"])]
    infer: bool,
}

pub(crate) fn run(args: &Args, out: &mut Out) -> Done {
    for path in &args.paths {
        let shown = path.to_string_lossy();
        path.metadata().map_err(|it| Failure::reading(&shown, &it))?;
    }
    let mut sources = scan(args);
    if args.infer {
        out.text(&infer(&sources, &registry_name(&args.paths)))?;
        return Ok(Status::Fine);
    }
    let contracts = find_contracts(args, &sources)?;
    let mut report = judge(args, &sources, &contracts);
    if args.fix && fixes::make(&sources, &report)? > 0 {
        sources = scan(args);
        report = judge(args, &sources, &contracts);
    }
    let found: Vec<Finding> = report.hits.iter().map(|it| it.finding.clone()).collect();
    findings::print_all(&found, &report.sources, rules(), (args.format, out))
}

/// Reads all files on all cores.
fn scan(args: &Args) -> Sources {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let progress = Progress::new();
    read(&args.paths, threads, &|done, all| {
        if done % 64 == 0 {
            progress.say(&format!("{done} of {all} files"));
        }
    })
}

fn find_contracts(args: &Args, sources: &Sources) -> Result<Contracts, Failure> {
    let mut contracts = Contracts::default();
    match &args.contract {
        Some(name) => {
            contracts.list.push(Contract::new(contract::find(name)?, contract::written(name)?));
        }
        None => {
            for file in &sources.files {
                contracts.find(&file.path)?;
            }
        }
    }
    if contracts.list.is_empty() && !sources.files.is_empty() {
        let problem =
            "There is no such file above these sources, so there is nothing to compare them with.";
        let fix =
            "Draft one with redress check --infer > errors.toml, or name one with --contract.";
        return Err(Failure::config("errors.toml", problem).fix(fix));
    }
    Ok(contracts)
}

fn judge(args: &Args, sources: &Sources, contracts: &Contracts) -> Report {
    let world = World::new(sources, &contracts.list, |path| match args.contract {
        Some(_) => Some(0),
        None => contracts.of(path),
    });
    check(&world, today())
}

/// A name for a drafted registry: that of the first folder.
fn registry_name(paths: &[PathBuf]) -> String {
    let first = paths.first().map_or(Path::new("."), PathBuf::as_path);
    let absolute = std::fs::canonicalize(first).unwrap_or_else(|_| first.to_path_buf());
    let says = |it: &&Path| !["src", "lib", "app", "source"].iter().any(|name| it.ends_with(name));
    let folder = absolute.ancestors().find(says).and_then(Path::file_stem).unwrap_or_default();
    let folder = folder.to_string_lossy().to_lowercase();
    let name: String =
        folder.chars().map(|it| if it.is_ascii_alphanumeric() { it } else { '-' }).collect();
    let name = name.trim_matches(|it: char| !it.is_ascii_lowercase());
    match name.get(..name.len().min(56)).unwrap_or_default() {
        "" => "server".to_owned(),
        name if shipped::get(name).is_some() => format!("{name}-server"),
        name => name.to_owned(),
    }
}

fn today() -> Day {
    clock::now().get(..10).and_then(Day::parse).unwrap_or_default()
}
