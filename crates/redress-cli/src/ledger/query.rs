//! `redress ledger query`: the records that match a query, as JSON lines.

use super::{filter::Filter, places::LedgerArgs, records::Records, show::show};
use crate::{
    Done,
    fleet::{FleetArgs, Mirrored},
    output::{Format, Out},
};

/// Find records by time, code, class, tool, session, server and kind, oldest first.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  redress ledger query --since 2h\n  redress ledger query --code TIMEOUT --tool read_file --limit 20\n  redress ledger query --name files --class unavailable --since 2026-01-19 --until 2026-01-20T12:00:00+01:00\n  redress ledger query --kind fault --format json | grep -c '\"retryable\":true'\n\nWhere a name is in no record, standard error says which are near. Exit code 1 if something in the ledger is no record, 2 if there is no ledger or no such code, 3 if it cannot be read."
)]
pub(crate) struct Args {
    #[command(flatten)]
    places: LedgerArgs,
    #[command(flatten)]
    fleet: FleetArgs,
    #[command(flatten)]
    filter: Filter,
    /// At most so many.
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// How to print them; by default text on a terminal, elsewhere JSON, in which what a terminal would obey is escaped.
    #[arg(long, value_enum)]
    format: Option<Format>,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Done {
    let query = args.filter.query()?;
    let fleet = Mirrored::of(&args.fleet)?;
    let dirs = fleet.as_ref().map_or_else(|| args.places.find(), |it| Ok(it.ledgers()))?;
    let mut records = Records::open(&dirs, &query);
    let format = Format::or_fitting(args.format, out);
    let mut entries = records.by_ref().take(args.limit.unwrap_or(usize::MAX));
    let shown = entries.try_for_each(|it| show(&it, format, out)).and_then(|()| out.finish());
    match shown {
        Ok(()) => records.finish(),
        Err(failure) => Err(failure.after(records.damage.report())),
    }
}
