//! `run`: every row under every load, in rounds, each between two direct cells.

pub(crate) mod cell;
mod samples;

use std::{thread, time::Duration};

use self::{
    cell::{Cell, Timing},
    samples::Samples,
};
use crate::{
    bars::Measured,
    fallible::Fallible,
    load::{WORKS, Work, work_named},
    place::Place,
    procfs,
    row::{ROWS, Row},
    running::Server,
};

/// Calls a second, delay, CPU and memory of every row.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only these rows; the direct ones are always there.
    #[arg(long, value_delimiter = ',', value_name = "ROW")]
    rows: Vec<String>,
    /// Only these loads.
    #[arg(long, value_delimiter = ',', value_name = "WORK")]
    work: Vec<String>,
    /// How often each cell is measured; the tables hold medians.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// How long each cell is measured.
    #[arg(long, default_value_t = 1.0)]
    secs: f64,
    /// How long each cell runs before it is measured.
    #[arg(long, default_value_t = 0.4)]
    warm: f64,
    /// How long to wait for a quiet machine before each cell.
    #[arg(long, default_value_t = 2.0)]
    patience: f64,
}

/// Loads that are measured unless others are named.
const USUAL: [&str; 6] = ["echo1", "echo16", "echo64", "fail16", "big4", "dense4"];

/// A direct cell is run before and after so many rows.
const BETWEEN_DIRECT: usize = 2;

/// Share of the machine that others may use while a cell is measured, and how often it is measured anew for that.
const FOREIGN: f64 = 0.10;
const REPEATS: usize = 2;

pub(crate) fn run(args: &Args, place: &Place) -> Fallible<Vec<Measured>> {
    let rows = rows(args, place)?;
    let works = works(args)?;
    let server = Server::start(place)?;
    let mut samples = Samples::default();
    for round in 0..args.rounds {
        for work in &works {
            eprintln!("round {} of {}, {}", round + 1, args.rounds, work.title);
            for is_http in [false, true] {
                let rows: Vec<_> =
                    rows.iter().copied().filter(|it| it.crossing.is_http() == is_http).collect();
                for row in interleaved(&rows)? {
                    let cell = quietest(args, place, row, &server, *work);
                    eprintln!("  {:18} {}", row.name, shown(&cell));
                    samples.add(round, work.name, row, cell.map_err(|it| it.to_string()));
                }
            }
        }
    }
    samples.print(&works, &rows);
    Ok(samples.figures())
}

fn shown(cell: &Fallible<Cell>) -> String {
    match cell {
        Ok(cell) => format!(
            "{:9.0}/s  p50 {:8.1} µs  p99 {:8.1} µs  CPU {:6.2} µs  others {:2.0} %{}",
            cell.rate,
            cell.p50,
            cell.p99,
            cell.cpu,
            cell.foreign * 100.0,
            cell.first_odd.as_ref().map_or_else(String::new, |it| format!("  odd: {it}")),
        ),
        Err(error) => format!("failed: {error}"),
    }
}

/// The rows that are wanted; what is not installed is said.
fn rows(args: &Args, place: &Place) -> Fallible<Vec<&'static Row>> {
    for name in &args.rows {
        Row::named(name)?;
    }
    let is_wanted =
        |it: &&Row| args.rows.is_empty() || args.rows.iter().any(|name| name == it.name);
    let mut rows = Vec::new();
    for row in ROWS.iter().filter(|it| !it.is_direct()).filter(is_wanted) {
        match row.missing(place) {
            Some(missing) => {
                println!("not measured: {} ({} is not there)", row.name, missing.display());
            }
            None => rows.push(row),
        }
    }
    Ok(rows)
}

fn works(args: &Args) -> Fallible<Vec<Work>> {
    if args.work.is_empty() {
        return Ok(WORKS.into_iter().filter(|it| USUAL.contains(&it.name)).collect());
    }
    args.work.iter().map(|it| work_named(it)).collect()
}

/// The rows with direct cells before, between and after them.
fn interleaved(rows: &[&'static Row]) -> Fallible<Vec<&'static Row>> {
    let Some(first) = rows.first() else { return Ok(Vec::new()) };
    let direct = Row::named(first.crossing.direct())?;
    let mut order = Vec::new();
    for pair in rows.chunks(BETWEEN_DIRECT) {
        order.push(direct);
        order.extend(pair);
    }
    order.push(direct);
    Ok(order)
}

/// Measures a cell, again if others used the machine, and keeps the least disturbed.
fn quietest(args: &Args, place: &Place, row: &Row, server: &Server, work: Work) -> Fallible<Cell> {
    let timing = Timing {
        warm: Duration::try_from_secs_f64(args.warm)?,
        measured: Duration::try_from_secs_f64(args.secs)?,
    };
    let mut best: Option<Cell> = None;
    for _ in 0..=REPEATS {
        wait_for_quiet(Duration::try_from_secs_f64(args.patience)?);
        let cell = Cell::measure(place, row, server, work, timing)?;
        let is_quiet = cell.foreign <= FOREIGN;
        if best.as_ref().is_none_or(|it| cell.foreign < it.foreign) {
            best = Some(cell);
        }
        if is_quiet || args.patience == 0.0 {
            break;
        }
    }
    best.ok_or_else(|| "nothing was measured".into())
}

/// Waits until the machine is mostly idle, but not for ever.
fn wait_for_quiet(patience: Duration) {
    const GLANCE: Duration = Duration::from_millis(100);
    let mut waited = Duration::ZERO;
    while waited < patience {
        let before = procfs::machine_cpu();
        thread::sleep(GLANCE);
        waited += GLANCE;
        let busy = procfs::machine_cpu().saturating_sub(before);
        if busy.as_secs_f64() < GLANCE.as_secs_f64() * 0.3 {
            return;
        }
    }
}
