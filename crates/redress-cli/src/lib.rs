//! The `redress` command.
//!
//! # Modules
//!
//! - `run.rs` gates one server on stdio. `serve.rs` gates servers over HTTP: below it which variables they get
//!   (`environment`), the token that it makes (`token`), what is printed for clients at the start (`snippets`), a changed file
//!   (`reload`). `workspace.rs` puts the built-in server behind both. `ledger.rs` reads what was recorded, one file per
//!   subcommand. `console.rs` shows it in a browser.
//! - `config.rs` `redress.toml`, valid, or with every problem at its place. One `section!` declares a table: its type,
//!   defaults and reader, its part of the schema and of `docs/reference/configuration.md`, its options of the command line and how
//!   a change of it is judged follow from it. `config/compare.rs` says of each key whether a change lets more in,
//!   `config/watch.rs` when a changed file is whole.
//! - `configure.rs` `redress config`. `control.rs` the control socket of a running gate, by which `redress config apply` reaches it. `serve/reload.rs`
//!   serves a changed file.
//! - `govern.rs` the governor of a server, from its configuration; whole policies under a name stand below it, what the
//!   system holds (`govern/confine.rs`) and what a server needs to read (`govern/readable.rs`). `plan.rs` plans, for a
//!   person who decides about them. `audit.rs` what must hold before a governed gate serves anything: contracts, policy,
//!   files, ledger.
//! - `check.rs` scans sources. `explain.rs` a code for people and programs. `registry.rs` and the files below it: lint,
//!   diff, lock, edit, export.
//! - `probe.rs` calls a live server so that it must fail; a report as text and SARIF is below it, the other forms in
//!   `redress-probe`. `learn.rs` drafts rows for failures that no contract names: `learn/ledger.rs` from ledgers,
//!   `learn/live.rs` from a server that is called so that it must fail, `learn/file.rs` adds them to a file.
//! - `clients.rs` the MCP clients whose configuration is known, one row each, and the servers in their files
//!   (`clients/document.rs`). `wrap.rs` puts the gate into these files and takes it away again. `doctor.rs` starts every
//!   server that they name (`doctor/examine.rs`) and says how it does; `doctor/history.rs` reads its ledger.
//! - `fleet.rs` what a gate has to do with others on an engine; `fleet/engine.rs` with the feature `fleet`, `fleet/absent.rs` without it.
//! - `translate.rs` and `classify.rs` the filters; `lines.rs` JSON lines in and out, whatever the line is.
//! - `findings.rs` findings as text, JSON, SARIF and annotations. `completions.rs` shell completions. `choice.rs` options
//!   with a closed set of values. `command_line.rs` the page of `docs` with every command.
//! - `contract.rs` `--contract`: a file or a built-in name. `files.rs` files written whole. `environment.rs` the
//!   variables that servers of `serve` get. `place.rs` where the user's own files are, `name.rs` names of servers.
//!   `clock.rs` the time.
//! - `status.rs` how a command ended, `failure.rs` our own errors, which are faults of `core`. `output.rs` where text
//!   leaves the program, `stderr.rs` on standard error.
//! - The build script beside `src` has it linked so that starting it reads fewer pages, where that works.
//!
//! # Invariants
//!
//! - No change of a file lets more in before a person applies it or starts the gate again.
//! - This is the only crate that prints or decides an exit code, and, but for what servers ask of `redress-rmcp`, that
//!   reads the environment.

mod audit;
mod check;
mod choice;
mod classify;
mod clients;
mod clock;
pub mod command_line;
mod completions;
pub mod config;
mod configure;
mod console;
mod contract;
mod control;
mod doctor;
mod environment;
mod explain;
mod failure;
mod files;
mod findings;
mod fleet;
mod govern;
mod learn;
mod ledger;
mod lines;
mod name;
mod output;
mod place;
mod plan;
mod probe;
mod registry;
mod run;
mod serve;
mod status;
mod stderr;
mod translate;
mod workspace;
mod wrap;

use std::process::ExitCode;

use clap::{
    CommandFactory as _, Parser, Subcommand,
    error::{ContextKind, ContextValue, ErrorKind},
};
use redress_registry::nearest::nearest;

use crate::{failure::Done, output::Out, status::Status};

/// The error contract for MCP servers: one registry of codes, one envelope, every failure.
#[derive(Debug, Parser)]
#[command(name = "redress", version, arg_required_else_help = true)]
#[command(after_help = "Exit codes: 0 fine, 1 findings, 2 usage or bad input, 3 environment.")]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(run::Args),
    Serve(serve::Args),
    #[command(
        subcommand,
        after_help = "Examples:\n  redress ledger tail -n 3 --kind fault --format text\n  redress ledger query --since 2h --tool read_file\n  redress ledger verify\n  redress ledger stats --since 7d"
    )]
    Ledger(ledger::Args),
    #[command(
        subcommand,
        after_help = "Examples:\n  redress plan list\n  redress plan show docs/plans/cache.md\n  redress plan approve docs/plans/cache.md"
    )]
    Plan(plan::Args),
    Check(check::Args),
    Probe(probe::Args),
    Learn(learn::Args),
    Explain(explain::Args),
    Classify(classify::Args),
    Translate(translate::Args),
    #[command(
        subcommand,
        after_help = "Examples:\n  redress registry lint errors.toml\n  redress registry diff errors.lock errors.toml\n  redress registry export errors.toml --format typescript --out notes-errors"
    )]
    Registry(registry::Args),
    #[command(
        subcommand,
        after_help = "Examples:\n  redress config check redress.toml\n  redress config schema > redress.schema.json\n  redress config apply redress.toml"
    )]
    Config(configure::Args),
    Console(console::Args),
    #[command(
        subcommand,
        after_help = "Examples:\n  redress fleet init --url nats://127.0.0.1:4222\n  redress fleet status --url nats://127.0.0.1:4222\n  redress fleet ship --config redress.toml"
    )]
    Fleet(fleet::Args),
    Wrap(wrap::Args),
    Unwrap(wrap::UnwrapArgs),
    Doctor(doctor::Args),
    Completions(completions::Args),
}

/// The command line, for manual pages.
pub fn command() -> clap::Command {
    Args::command()
}

/// Does what the command line says.
pub fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    // A gate starts this program for itself, too, without our own command line.
    match words.next() {
        Some(it) if it == redress_transport::launch::LAUNCH => {
            return redress_transport::launch::become_server(words);
        }
        Some(it) if it == redress_transport::subreaper::WATCH => {
            return redress_transport::subreaper::watch(words);
        }
        _ => (),
    }
    let args = Args::try_parse().unwrap_or_else(|it| suggested(it).exit());
    let mut out = Out::stdout();
    let done = match args.command {
        Command::Run(args) => run::run(&args),
        Command::Serve(args) => serve::run(&args),
        Command::Ledger(args) => ledger::run(&args, &mut out),
        Command::Plan(args) => plan::run(&args, &mut out),
        Command::Check(args) => check::run(&args, &mut out),
        Command::Probe(args) => probe::run(&args, &mut out),
        Command::Learn(args) => learn::run(&args, &mut out),
        Command::Explain(args) => explain::run(&args, &mut out),
        Command::Classify(args) => classify::run(&args, &mut out),
        Command::Translate(args) => translate::run(&args, &mut out),
        Command::Registry(args) => registry::run(&args, &mut out),
        Command::Config(args) => configure::run(&args, &mut out),
        Command::Console(args) => console::run(&args),
        Command::Fleet(args) => fleet::run(&args, &mut out),
        Command::Wrap(args) => wrap::run(&args, &mut out),
        Command::Unwrap(args) => wrap::unwrap(&args, &mut out),
        Command::Doctor(args) => doctor::run(&args, &mut out),
        Command::Completions(args) => completions::run::<Args>(&args, &mut out),
    };
    let done = done.and_then(|status| out.finish().map_err(|it| it.after(status)).map(|()| status));
    match done {
        Ok(status) => status.into(),
        Err(failure) => failure.report(),
    }
}

/// The same error with the command that was probably meant: letters that changed places are no other word.
fn suggested(mut error: clap::Error) -> clap::Error {
    if error.kind() == ErrorKind::InvalidSubcommand
        && error.get(ContextKind::SuggestedSubcommand).is_none()
        && let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidSubcommand)
    {
        let command = Args::command();
        let names: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        if let Some(meant) = nearest(given, names) {
            let meant = ContextValue::Strings(vec![meant.to_owned()]);
            error.insert(ContextKind::SuggestedSubcommand, meant);
        }
    }
    if error.kind() == ErrorKind::UnknownArgument
        && let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg)
        && !given.starts_with('-')
        && let Some(ContextValue::StyledStr(usage)) = error.get(ContextKind::Usage)
        && usage.to_string().contains("COMMAND")
    {
        let tip = format!("the command of a server comes after two dashes: `-- {given} …`");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}
