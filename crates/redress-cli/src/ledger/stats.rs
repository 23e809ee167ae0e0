//! `redress ledger stats`: what a ledger holds, in numbers.

use std::path::PathBuf;

use redress::text;
use redress_console::{Index, Report, What};
use redress_ledger::{Counts, Kind, Query, Stats};

use super::{filter::Filter, places::LedgerArgs, records::Records};
use crate::{
    Done, Status,
    choice::one_of,
    clock,
    failure::Failure,
    findings::counted,
    fleet::{FleetArgs, Mirrored},
    output::{CODE, Err, Format, Out, TITLE},
};

/// Names that are listed for people.
const MOST: usize = 20;

/// Count failures by code, class, server and tool.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  redress ledger stats\n  redress ledger stats --since 7d --server files\n  redress ledger stats --by failures --since 24h\n  redress ledger stats --unknown\n  redress ledger stats --format json\n\nExit code 1 if something in the ledger is no record, 2 if there is no ledger or no such code, 3 if it cannot be read."
)]
pub(crate) struct Args {
    #[command(flatten)]
    places: LedgerArgs,
    #[command(flatten)]
    fleet: FleetArgs,
    #[command(flatten)]
    filter: Filter,
    /// Count failures by server, tool and code, with shares of the calls and their trend, as the console does; or by a part of that; or
    /// those that no rule named, by what they say.
    #[arg(long, value_name = "WHAT", value_parser = one_of(What::ALL.map(What::name), What::parse))]
    by: Option<What>,
    /// The same as `--by unnamed`.
    #[arg(long, conflicts_with = "by")]
    unknown: bool,
    /// How to print it: tables with the most frequent names, or one JSON object with all.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Done {
    let query = args.filter.query()?;
    let fleet = Mirrored::of(&args.fleet)?;
    let dirs = fleet.as_ref().map_or_else(|| args.places.find(), |it| Ok(it.ledgers()))?;
    if let Some(what) = args.by.or_else(|| args.unknown.then_some(What::Unnamed)) {
        return report(args, what, &query, &dirs, out);
    }
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

/// Counts as the console does.
fn report(args: &Args, what: What, query: &Query, dirs: &[PathBuf], out: &mut Out) -> Done {
    if query.kind.is_some_and(|it| it != Kind::Fault) {
        return Err(Failure::option("--by counts failures, and --kind names other records")
            .fix("Leave --kind out."));
    }
    let time = |it: Option<redress_ledger::Time>| it.map(|it| it.to_string());
    let filter = redress_console::Filter::of(|name| match name {
        "from" => time(query.from),
        "to" => time(query.to),
        "session" => query.session.clone(),
        "server" => query.server.clone(),
        "tool" => query.tool.clone(),
        "code" => query.code.clone(),
        "class" => query.class.clone(),
        _ => None,
    });
    let filter =
        filter.map_err(|it| Failure::option(&format!("{} is no {}", it.value, it.name)))?;
    let index = Index::of(dirs);
    let report = Report::of(&index, what, &filter, clock::millis());
    let printed = match args.format {
        Format::Json => out.line(report.json().trim_end()),
        Format::Text => out.line(report.text(MOST).trim_end()),
    };
    for problem in index.problems() {
        Err::new().say(&text::visible(problem));
    }
    let status = if index.problems().is_empty() { Status::Fine } else { Status::Findings };
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
