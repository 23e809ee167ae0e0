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

use std::path::PathBuf;

use redress_ledger::{Entry, Query};

use crate::{Done, Status, failure::Failure, output::Out};

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

/// Reads the records of ledgers, or of directories of ledgers; without any, of all in the user's state directory. Damage is reported on
/// standard error.
pub(crate) fn read(
    dirs: &[PathBuf],
    query: &Query,
    each: &mut dyn FnMut(Entry),
) -> Result<Status, Failure> {
    let mut found = Vec::new();
    if dirs.is_empty() {
        found = places::LedgerArgs::of(None).find()?;
    }
    for dir in dirs {
        found.extend(places::LedgerArgs::of(Some(dir.clone())).find()?);
    }
    let mut records = records::Records::open(&found, query);
    records.by_ref().for_each(each);
    records.finish()
}
