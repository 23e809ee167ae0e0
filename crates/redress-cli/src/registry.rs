//! `redress registry`: check, compare, lock, change and export a registry file.

mod diff;
mod edit;
mod export;
mod from_rust;
pub(crate) mod lint;
mod lock;
pub(crate) mod rules;

use clap::Subcommand;

use crate::{Done, output::Out};

/// Check, compare, lock, change and export a registry.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Lint(lint::Args),
    Diff(diff::Args),
    Lock(lock::Args),
    Export(export::Args),
    Add(edit::Add),
    Deprecate(edit::Deprecate),
    Retire(edit::Retire),
    Rules(rules::Args),
}

pub(crate) fn run(args: &Args, out: &mut Out) -> Done {
    match &args.command {
        Command::Lint(args) => lint::run(args, out),
        Command::Diff(args) => diff::run(args, out),
        Command::Lock(args) => lock::run(args, out),
        Command::Export(args) => export::run(args, out),
        Command::Add(args) => edit::add(args, out),
        Command::Deprecate(args) => edit::deprecate(args, out),
        Command::Retire(args) => edit::retire(args, out),
        Command::Rules(args) => rules::run(args, out),
    }
}
