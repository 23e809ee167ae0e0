//! `guards`: what the guards of a governed gate add to a call, beside the same gate that is not governed.

use std::time::Duration;

use crate::{
    bars::Measured,
    fallible::Fallible,
    load::{Until, work_named},
    place::Place,
    report::{Table, number},
    row::Row,
    running::{Running, Server},
    stats::median,
};

/// What the guards of a governed gate add to a call.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How often each is measured, in turns.
    #[arg(long, default_value_t = 40)]
    rounds: usize,
    /// How long each turn is.
    #[arg(long, default_value_t = 0.1)]
    secs: f64,
}

/// What one round gave, in microseconds.
#[derive(Debug, Clone, Copy)]
struct Round {
    plain: f64,
    governed: f64,
}

pub(crate) fn run(args: &Args, place: &Place) -> Fallible<Vec<Measured>> {
    let server = Server::start(place)?;
    let turn = Duration::try_from_secs_f64(args.secs)?;
    let mut plain = Running::start(place, Row::named("run-ledger")?, &server)?;
    let mut governed = Running::start(place, Row::named("run-governed")?, &server)?;
    p50(&mut plain, turn)?;
    p50(&mut governed, turn)?;
    let mut rounds = Vec::new();
    for at in 0..args.rounds {
        // The second run finds the machine as the first has left it.
        rounds.push(if at % 2 == 0 {
            let plain = p50(&mut plain, turn)?;
            Round { plain, governed: p50(&mut governed, turn)? }
        } else {
            let governed = p50(&mut governed, turn)?;
            Round { plain: p50(&mut plain, turn)?, governed }
        });
    }
    let middle = |figure: fn(&Round) -> f64| median(rounds.iter().map(figure).collect());
    let shown = |figure| middle(figure).map_or_else(String::new, number);
    let mut table = Table::new(["", "not governed", "governed", "difference"]);
    table.add([
        "a call with a path, C=1, p50 µs".to_owned(),
        shown(|it| it.plain),
        shown(|it| it.governed),
        shown(|it| it.governed - it.plain),
    ]);
    println!("{table}");
    let added = middle(|it| it.governed - it.plain);
    Ok(added.map(|it| ("guards-added", it)).into_iter().collect())
}

/// The median time of calls, which must all succeed.
fn p50(running: &mut Running, turn: Duration) -> Fallible<f64> {
    let tally = running.call(work_named("path1")?, Until::time(turn))?;
    match tally.first_odd {
        Some(odd) => Err(format!("a call was refused: {odd}").into()),
        None => Ok(tally.times.quantile(0.5)),
    }
}
