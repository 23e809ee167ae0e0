//! `memory`: what the gate holds when it is idle, for each session, and after many calls.

use std::{thread, time::Duration};

use crate::{
    bars::Measured,
    fallible::Fallible,
    load::{Until, Work, work_named},
    place::Place,
    report::{Table, number},
    row::Row,
    running::{Running, Server},
};

/// Memory when idle, by session, and over many calls.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How many sessions are opened.
    #[arg(long, default_value_t = 1_000)]
    sessions: usize,
    /// How many calls are made.
    #[arg(long, default_value_t = 1_000_000)]
    calls: u64,
}

/// How long a process may settle before it is looked at.
const SETTLE: Duration = Duration::from_millis(300);

pub(crate) fn run(args: &Args, place: &Place) -> Fallible<Vec<Measured>> {
    let server = Server::start(place)?;
    let mut table =
        Table::new(["row", "idle MB", "KiB a session", "MB after a tenth", "MB after all"]);
    let mut figures = Vec::new();
    for (name, idle, growth) in [
        ("run", "idle-run", "growth-run"),
        ("serve-hh", "idle-serve", "growth-serve"),
        ("serve-hs-shared", "idle-serve", "growth-serve"),
    ] {
        let row = Row::named(name)?;
        let mut running = Running::start(place, row, &server)?;
        let at_rest = megabytes(&running);
        figures.push((idle, at_rest));
        let [early, late] = held_over(&mut running, work_named("echo16")?, args.calls)?;
        figures.push((growth, late - early));
        drop(running);
        let session = if row.crossing.is_http() {
            let session = session(place, row, &server, args.sessions)?;
            figures.push(("session", session));
            number(session)
        } else {
            String::new()
        };
        table.add([name.to_owned(), number(at_rest), session, number(early), number(late)]);
    }
    println!("{table}");
    println!("{} calls of each.", args.calls);
    Ok(figures)
}

/// How much it holds after the first tenth of the calls, and after all of them.
fn held_over(running: &mut Running, work: Work, calls: u64) -> Fallible<[f64; 2]> {
    running.call(work, Until::calls(calls / 10))?;
    let early = megabytes(running);
    running.call(work, Until::calls(calls - calls / 10))?;
    Ok([early, megabytes(running)])
}

/// KiB for each session but the first.
fn session(place: &Place, row: &Row, server: &Server, sessions: usize) -> Fallible<f64> {
    let one = megabytes(&Running::start(place, row, server)?);
    let paths = vec![row.path.to_owned(); sessions];
    let all = megabytes(&Running::start_at(place, row, server, &paths)?);
    Ok((all - one) * 1e6 / 1024.0 / (sessions.max(2) - 1) as f64)
}

fn megabytes(running: &Running) -> f64 {
    thread::sleep(SETTLE);
    running.usage().own.resident_kib as f64 * 1024.0 / 1e6
}
