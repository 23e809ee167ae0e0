//! `redress ledger export`: records for other programs.

use clap::ValueEnum;

use super::{filter::Filter, places::LedgerArgs, records::Records};
use crate::{Done, failure::Failure, output::Out};

/// Write records for other programs: the lines as they stand, or a table.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  redress ledger export > failures.jsonl\n  redress ledger export --format csv --kind fault --since 30d > failures.csv\n\nExit code 1 if something in the ledger is no record, 2 if there is no ledger or no such code, 3 if it cannot be read."
)]
pub(crate) struct Args {
    #[command(flatten)]
    places: LedgerArgs,
    #[command(flatten)]
    filter: Filter,
    /// How they are written.
    #[arg(long, value_enum, default_value_t = RecordFormat::Jsonl)]
    format: RecordFormat,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum RecordFormat {
    /// The lines of the ledger, byte by byte, so that they can still be verified.
    Jsonl,
    /// A table with one row a record, for spreadsheets.
    Csv,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Done {
    let query = args.filter.query()?;
    let dirs = args.places.find()?;
    let mut records = Records::open(&dirs, &query);
    let format = match args.format {
        RecordFormat::Jsonl => redress_ledger::Format::JsonLines,
        RecordFormat::Csv => redress_ledger::Format::Csv,
    };
    let written = redress_ledger::export(records.by_ref().map(Ok), format, out.writer());
    match written.map_err(|it| Failure::stream(&it)).and_then(|_| out.finish()) {
        Ok(()) => records.finish(),
        Err(failure) => Err(failure.after(records.damage.report())),
    }
}
