//! `redress ledger stats`: what a ledger holds, in numbers.

use redress::text;
use redress_ledger::{Counts, Stats};

use super::{filter::Filter, places::Places, records::Records};
use crate::{
    Done,
    failure::Failure,
    findings::counted,
    output::{CODE, Format, Out, TITLE},
};

/// Names that are listed for people.
const MOST: usize = 20;

/// Count failures by code, class, server and tool.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  redress ledger stats\n  redress ledger stats --since 7d --server files\n  redress ledger stats --format json\n\nExit code 1 if something in the ledger is no record, 2 if there is no ledger or no such code, 3 if it cannot be read."
)]
pub(crate) struct Args {
    #[command(flatten)]
    places: Places,
    #[command(flatten)]
    filter: Filter,
    /// How to print it: tables with the most frequent names, or one JSON object with all.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Done {
    let query = args.filter.query()?;
    let dirs = args.places.find()?;
    let mut records = Records::open(&dirs, &query);
    let mut stats = Stats::of(records.by_ref().map(Ok));
    stats.damaged = records.damage.count;
    let status = records.finish()?;
    let printed = match args.format {
        Format::Json => out.line(&text::visible_json(&stats.json())),
        Format::Text => print(&stats, out),
    };
    printed.map_err(|it| it.after(status)).map(|()| status)
}

fn print(stats: &Stats, out: &mut Out) -> Result<(), Failure> {
    let (records, bytes) = (counted(stats.records, "record"), counted(stats.bytes, "byte"));
    out.line(&format!("{TITLE}{records}{TITLE:#}, {bytes}"))?;
    if let Some((first, last)) = stats.times {
        out.line(&format!("{first} to {last}"))?;
    }
    if stats.unrecorded > 0 {
        out.line(&format!("{} failures could not be recorded", stats.unrecorded))?;
    }
    if stats.counted > 0 {
        out.line(&format!(
            "{} failures were counted, without records of their own",
            stats.counted
        ))?;
    }
    let tables = [
        ("kind", &stats.by_kind),
        ("code", &stats.by_code),
        ("class", &stats.by_class),
        ("server", &stats.by_server),
        ("tool", &stats.by_tool),
    ];
    for (title, counts) in tables.into_iter().filter(|it| !it.1.is_empty()) {
        table(title, counts, out)?;
    }
    Ok(())
}

fn table(title: &str, counts: &Counts, out: &mut Out) -> Result<(), Failure> {
    out.line(&format!("\n{TITLE}by {title}{TITLE:#}"))?;
    let mut rows: Vec<(&String, &u64)> = counts.iter().collect();
    // Names stay in order where they are equally frequent.
    rows.sort_by_key(|it| std::cmp::Reverse(it.1));
    for (name, count) in rows.iter().take(MOST) {
        let name = text::visible(name);
        out.line(&format!("{count:>8}  {CODE}{}{CODE:#}", text::cut(&name, 80)))?;
    }
    match rows.len().checked_sub(MOST) {
        None | Some(0) => Ok(()),
        Some(more) => out.line(&format!("          and {more} more")),
    }
}
