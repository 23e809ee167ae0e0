//! `cold`: from the start of a process to its first answer, beside the bare server.

use crate::{
    bars::Measured,
    fallible::Fallible,
    place::Place,
    report::{Table, number},
    row::Row,
    running::{Running, Server},
    stats::median,
};

/// From the start of the process to its first answer.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How often each is started.
    #[arg(long, default_value_t = 15)]
    rounds: usize,
}

/// What is started, beside what, and the bar that the difference is held to.
const STARTS: [(&str, &str, Option<&str>); 6] = [
    ("run", "direct-stdio", Some("cold-run")),
    ("run-ledger", "direct-stdio", Some("cold-run")),
    ("pipe", "direct-stdio", None),
    ("serve-hs", "bridge-hs", Some("cold-serve")),
    ("serve-hh", "bridge-hh", Some("cold-serve")),
    ("rmcp-ss", "direct-stdio", None),
];

pub(crate) fn run(args: &Args, place: &Place) -> Fallible<Vec<Measured>> {
    let server = Server::start(place)?;
    let mut table = Table::new(["row", "ms to the first answer", "beside", "ms", "more ms"]);
    let mut figures = Vec::new();
    for (row, beside, bar) in STARTS {
        let (row, beside) = (Row::named(row)?, Row::named(beside)?);
        if let Some(missing) = row.missing(place) {
            println!("not measured: {} ({} is not there)", row.name, missing.display());
            continue;
        }
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..args.rounds {
            theirs.push(start(place, beside, &server)?);
            ours.push(start(place, row, &server)?);
        }
        let more = median(ours.iter().zip(&theirs).map(|(ours, theirs)| ours - theirs).collect());
        let shown = |it: Option<f64>| it.map_or_else(String::new, number);
        let (own, other) = (shown(median(ours)), shown(median(theirs)));
        table.add([row.name.to_owned(), own, beside.name.to_owned(), other, shown(more)]);
        figures.extend(bar.zip(more));
    }
    println!("{table}");
    Ok(figures)
}

/// Milliseconds.
fn start(place: &Place, row: &Row, server: &Server) -> Fallible<f64> {
    Ok(Running::start(place, row, server)?.first_answer.as_secs_f64() * 1e3)
}
