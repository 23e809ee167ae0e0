//! Project tasks: `cargo xtask test` is everything that must hold before a change lands.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a task talks to the person who runs it"
)]

mod cargo;
mod codegen;
mod conformance;
mod deps;
mod dist;
mod fuzz;
mod packages;
mod peers;
mod perf;
mod probe_servers;
mod sim;
mod suite;
mod tidy;
mod tools;
mod unrun;

use std::{path::PathBuf, process::ExitCode};

use clap::{Parser, Subcommand};

/// Project tasks.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Format, lints, docs, tests, layout, generated files and a few seconds of fuzzing.
    Test {
        /// Longer runs: ten times the fuzzing, ten times the property cases.
        #[arg(long)]
        full: bool,
        /// Only these steps, for a person who repairs one; refused where `CI` is set.
        #[arg(long, value_delimiter = ',')]
        only: Vec<String>,
    },
    /// Check that the programs are there that the tests start, and install what is missing.
    Tools {
        /// Also what only the long run needs.
        #[arg(long)]
        full: bool,
    },
    /// Check licences, sources, banned crates and duplicates by the rules of deny.toml.
    Deps,
    /// Check the layout rules of ARCHITECTURE.md.
    Tidy,
    /// Write the generated files.
    Codegen {
        /// Only say which are stale.
        #[arg(long)]
        check: bool,
    },
    /// Throw mutated bytes at every reader.
    Fuzz {
        /// Only this target.
        target: Option<String>,
        /// How long each target runs.
        #[arg(long, default_value_t = 10)]
        seconds: u64,
        /// The seed that a run has printed, to give the same inputs again; by default each run has its own.
        #[arg(long)]
        seed: Option<u64>,
    },
    /// Count the instructions of fixed scenarios, and compare them with bench/instructions.tsv.
    Perf {
        /// Write the table instead.
        #[arg(long)]
        write: bool,
    },
    /// Build the packages of this platform: npm, PyPI, an archive, Debian, with checksums, a bill of materials, completions and man pages.
    Dist {
        /// Also install each into an empty folder, and start the gate before a public server.
        #[arg(long)]
        trials: bool,
        /// The cargo profile, by default the one that is shipped. The packages of another one are only good for trials.
        #[arg(long)]
        profile: Option<String>,
    },
    /// Play gates on a simulated disk, clock, pipes and processes, and check their promises at every step.
    Sim {
        /// The seed that a run has printed, to play the same again; by default each run has its own.
        #[arg(long)]
        seed: Option<u64>,
        /// How long.
        #[arg(long, default_value_t = 20)]
        seconds: u64,
        /// Stop after so many calls of clients instead.
        #[arg(long)]
        calls: Option<u64>,
    },
    /// Install the official MCP peers that the tests need.
    Peers,
    /// Probe public servers as they are and through the gate, and write the table of docs/guides/probe.md.
    ProbeServers {
        /// Only compare with the table.
        #[arg(long)]
        check: bool,
        /// Also open the reports in a browser, and use them. Needs Chromium.
        #[arg(long)]
        pages: bool,
    },
    /// Try the exported packages: compilers, shared vectors, official clients before a live gate.
    Packages,
    /// Run the official conformance suites on our fixture server, directly and through the gate.
    Conformance {
        /// The ways through the gate.
        #[arg(long, value_delimiter = ',')]
        through: Vec<conformance::Crossing>,
    },
}

/// Does what the arguments say.
pub fn main() -> ExitCode {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let problems = match Args::parse().task {
        Task::Test { full, only } => suite::run(&root, full, &only),
        Task::Tools { full } => tools::check(full),
        Task::Deps => deps::check(&root),
        Task::Tidy => tidy::check(&root),
        Task::Codegen { check } => codegen::run(&root, check),
        Task::Fuzz { target, seconds, seed } => fuzz::run(&root, target.as_deref(), seconds, seed),
        Task::Perf { write } => perf::run(&root, write),
        Task::Dist { trials, profile } => dist::run(&root, trials, profile),
        Task::Sim { seed, seconds, calls } => sim::run(&root, seed, seconds, calls),
        Task::Peers => peers::run(&root),
        Task::ProbeServers { check, pages } => probe_servers::run(&root, check, pages),
        Task::Packages => packages::run(&root),
        Task::Conformance { through } => conformance::run(&root, &through),
    };
    for problem in &problems {
        eprintln!("{problem}");
    }
    if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
