//! `redress check`: the contract in the sources.

mod audit;
mod contracts;
mod fixes;

use std::{
    path::{Path, PathBuf},
    thread,
};

use redress_check::{CheckReport, Contract, Day, Project, Sources, check, infer, read, rules};
use redress_registry::{Finding, shipped};

use crate::{
    Done, Status, clock, contract,
    failure::Failure,
    findings,
    output::{self, Out, ProgressLine},
};
use contracts::Contracts;

/// Compare sources with their contract: every code is registered, every failure has one.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  redress check\n  redress check src --format sarif > check.sarif\n  redress check --contract errors.toml server\n  redress check --fix\n  redress check --report audit\n  redress check --infer src > errors.toml\n\nRust, TypeScript, JavaScript, Python and Markdown; what git ignores is left out. A comment allows a rule to be broken:\n  // redress: allow CK001 until 2027-01-31: the reason\n\nExit code 1 if there are violations, 2 if no file was read or there is no contract that can be loaded, 3 if a path cannot be read."
)]
pub(crate) struct Args {
    /// Files and folders with sources.
    #[arg(value_name = "PATH", default_value = ".")]
    paths: Vec<PathBuf>,
    /// A registry file, or the name of a built-in one; without it, the nearest errors.toml above each file.
    #[arg(long, value_name = "C")]
    contract: Option<String>,
    /// How findings are printed.
    #[arg(long, value_enum, default_value_t = findings::FindingsFormat::Text)]
    format: findings::FindingsFormat,
    /// Correct what a program can correct, and tell what is left.
    #[arg(long)]
    fix: bool,
    /// Also write the audit into this folder: a summary, the findings by priority and by file, a checklist of all rules.
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// Print a first registry, drafted from the sources, instead of checking them.
    #[arg(long, conflicts_with_all = ["contract", "format", "fix", "report"])]
    infer: bool,
}

pub(crate) fn run(args: &Args, out: &mut Out) -> Done {
    for path in &args.paths {
        let shown = path.to_string_lossy();
        path.metadata().map_err(|it| Failure::reading(&shown, &it))?;
    }
    let mut sources = scan(args);
    if sources.files.is_empty() {
        return Err(nothing_read(&sources));
    }
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
    if let Some(folder) = &args.report {
        audit::write(folder, &report, &sources)?;
    }
    let found: Vec<Finding> = report.hits.iter().map(|it| it.finding.clone()).collect();
    let status = findings::print_all(&found, &report.sources, rules(), (args.format, out))?;
    let said = read_and_left_out(&sources);
    if args.format == findings::FindingsFormat::Text {
        out.line(&said).map_err(|it| it.after(status))?;
    } else {
        output::Err::new().line("", &said);
    }
    Ok(status)
}

/// How much was read, and what was not.
fn read_and_left_out(sources: &Sources) -> String {
    match sources.left_out() {
        Some(left_out) => format!("{} Left out: {left_out}.", sources.count()),
        None => sources.count(),
    }
}

/// A check of nothing is no success.
fn nothing_read(sources: &Sources) -> Failure {
    let mut failure = Failure::option(
        "There is no file to check: no Rust, TypeScript, JavaScript, Python or Markdown was read",
    );
    for (path, why) in sources.unreadable.iter().take(5) {
        failure = failure.note(format!("{}: {why}", path.display()));
    }
    match sources.left_out() {
        Some(left_out) => failure
            .note(format!("Left out: {left_out}."))
            .fix("Name the folder with the sources; a folder that is named is read, even if it is left out otherwise."),
        None => failure.fix("Name the folder with the sources."),
    }
}

/// Reads all files on all cores.
fn scan(args: &Args) -> Sources {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let progress = ProgressLine::new();
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

fn judge(args: &Args, sources: &Sources, contracts: &Contracts) -> CheckReport {
    let project = Project::new(sources, &contracts.list, |path| match args.contract {
        Some(_) => Some(0),
        None => contracts.of(path),
    });
    check(&project, today())
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
