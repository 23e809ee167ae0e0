//! `redress ledger tail`: the newest records, and with `-f` those to come.

use std::{collections::BTreeMap, sync::Arc, thread, time::Duration};

use redress_ledger::{Follow, Query, tail};

use super::{absent, filter::Filter, places::LedgerArgs, records::Damage, show::show};
use crate::{
    Done,
    failure::Failure,
    output::{Format, Out},
};

/// How often a waiting reader looks again.
const GLANCE: Duration = Duration::from_millis(200);

/// Show the newest records, and with -f those to come.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  redress ledger tail\n  redress ledger tail -n 3 --kind fault --format text\n  redress ledger tail -f --name files\n\nIt follows new segments, new processes and new ledgers. Exit code 1 if something in the ledger is no record, 2 if there is\nno ledger or no such code, 3 if it cannot be read."
)]
pub(crate) struct Args {
    #[command(flatten)]
    places: LedgerArgs,
    /// Wait for more.
    #[arg(short, long)]
    follow: bool,
    /// How many.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    lines: usize,
    #[command(flatten)]
    filter: Filter,
    /// How to print them; by default text on a terminal, elsewhere JSON, in which what a terminal would obey is escaped.
    #[arg(long, value_enum)]
    format: Option<Format>,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Done {
    let query = args.filter.query()?;
    let dirs = args.places.find()?;
    let format = Format::or_fitting(args.format, out);
    let mut follow = Follow::default();
    if args.follow {
        // Before the newest are read: what comes between is seen twice, and shown once.
        follow.skip(&dirs);
    }
    let mut damage = Damage::default();
    let newest = tail(&dirs, args.lines, &query, &mut |it| damage.note(it));
    let mut told: BTreeMap<Arc<str>, u64> = BTreeMap::new();
    let shown = newest.iter().try_for_each(|entry| {
        told.insert(Arc::clone(&entry.chain), entry.seq);
        show(entry, format, out)
    });
    let shown = shown.and_then(|()| out.finish());
    let status = damage.report();
    shown.map_err(|it| it.after(status))?;
    if args.follow {
        let waited = wait(args, &query, (follow, told), (format, out));
        return waited.map_err(|it| it.after(status));
    }
    if newest.is_empty() && args.lines > 0 {
        absent::explain(&dirs, &query)?;
    }
    Ok(status)
}

/// Shows what comes, until the user ends it or closes the output.
fn wait(
    args: &Args,
    query: &Query,
    (mut follow, mut told): (Follow, BTreeMap<Arc<str>, u64>),
    (format, out): (Format, &mut Out),
) -> Result<crate::Status, Failure> {
    loop {
        let mut damage = Damage::default();
        for found in follow.poll(&args.places.look()) {
            match found {
                Err(error) => damage.note(error),
                Ok(entry) => {
                    let is_new = told.get(&entry.chain).is_none_or(|it| entry.seq > *it);
                    if is_new && query.matches(&entry) {
                        show(&entry, format, out)?;
                    }
                }
            }
        }
        told.clear();
        out.finish()?;
        damage.report();
        #[expect(clippy::disallowed_methods, reason = "nothing says that a file has grown")]
        thread::sleep(GLANCE);
    }
}
