//! `redress ledger`: reads what was recorded: verify, tail, query, stats, export.

mod absent;
mod export;
mod filter;
mod places;
mod query;
mod records;
mod show;
mod stats;
mod tail;
mod verify;

use clap::Subcommand;

use crate::{Done, output::Out};

/// Read and verify the audit trail of failures.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Verify(verify::Args),
    Tail(tail::Args),
    Query(query::Args),
    Stats(stats::Args),
    Export(export::Args),
}

pub(crate) fn run(args: &Args, out: &mut Out) -> Done {
    match &args.command {
        Command::Verify(args) => verify::run(args, out),
        Command::Tail(args) => tail::run(args, out),
        Command::Query(args) => query::run(args, out),
        Command::Stats(args) => stats::run(args, out),
        Command::Export(args) => export::run(args, out),
    }
}
