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

use crate::{Done, output::Out};

/// Read and verify the audit trail of failures.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Args {
    Verify(verify::Args),
    Tail(tail::Args),
    Query(query::Args),
    Stats(stats::Args),
    Export(export::Args),
}

pub(crate) fn run(args: &Args, out: &mut Out) -> Done {
    match args {
        Args::Verify(args) => verify::run(args, out),
        Args::Tail(args) => tail::run(args, out),
        Args::Query(args) => query::run(args, out),
        Args::Stats(args) => stats::run(args, out),
        Args::Export(args) => export::run(args, out),
    }
}
