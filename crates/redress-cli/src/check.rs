//! `redress check`: the contract in the sources.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    thread,
};

use redress_check::{Contract, Day, World, check, read, rules};
use redress_registry::Finding;

use crate::{Done, clock, contract, failure::Failure, findings, output::Out};

/// Compare sources with their contract: every code is registered, every failure has one.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  redress check\n  redress check src --format sarif > check.sarif\n  redress check --contract errors.toml server\n\nExit code 1 if there are violations, 2 if there is no contract or it cannot be loaded."
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
}

pub(crate) fn run(args: &Args, out: &mut Out) -> Done {
    for path in &args.paths {
        let shown = path.to_string_lossy();
        path.metadata().map_err(|it| Failure::reading(&shown, &it))?;
    }
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let sources = read(&args.paths, threads, &|_, _| ());
    let mut contracts = Contracts::default();
    if let Some(name) = &args.contract {
        contracts.list.push(Contract::new(contract::find(name)?, contract::written(name)?));
    } else {
        for file in &sources.files {
            contracts.find(&file.path)?;
        }
    }
    if contracts.list.is_empty() && !sources.files.is_empty() {
        return Err(Failure::config("errors.toml", "No contract was found for these sources.")
            .fix(
                "Write one, name one with --contract, or draft one from the sources with --infer.",
            ));
    }
    let world = World::new(&sources, &contracts.list, |path| match args.contract {
        Some(_) => Some(0),
        None => contracts.of(path),
    });
    let report = check(&world, today());
    let found: Vec<Finding> = report.hits.iter().map(|it| it.finding.clone()).collect();
    findings::print_all(&found, &report.sources, rules(), (args.format, out))
}

/// The contracts of the folders that were looked into.
#[derive(Debug, Default)]
struct Contracts {
    list: Vec<Contract>,
    /// By folder, the number of the nearest one.
    nearest: BTreeMap<PathBuf, Option<usize>>,
}

const FILE: &str = "errors.toml";

impl Contracts {
    /// Loads the nearest contract above a file, once.
    fn find(&mut self, path: &Path) -> Result<(), Failure> {
        let folder = path.parent().unwrap_or(Path::new(""));
        if self.nearest.contains_key(folder) {
            return Ok(());
        }
        let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
        let home = absolute.ancestors().find(|it| it.join(FILE).is_file());
        let number = match home {
            None => None,
            Some(home) => Some(self.load(&home.join(FILE))?),
        };
        self.nearest.insert(folder.to_path_buf(), number);
        Ok(())
    }

    fn load(&mut self, path: &Path) -> Result<usize, Failure> {
        let here = std::env::current_dir().unwrap_or_default();
        let shown = path.strip_prefix(&here).unwrap_or(path).to_string_lossy();
        if let Some(known) = self.list.iter().position(|it| it.name() == shown) {
            return Ok(known);
        }
        self.list.push(Contract::new(contract::find(&shown)?, contract::written(&shown)?));
        Ok(self.list.len() - 1)
    }

    fn of(&self, path: &Path) -> Option<usize> {
        self.nearest.get(path.parent().unwrap_or(Path::new(""))).copied().flatten()
    }
}

fn today() -> Day {
    clock::now().get(..10).and_then(Day::parse).unwrap_or_default()
}
