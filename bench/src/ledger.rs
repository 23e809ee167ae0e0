//! `ledger`: failures that are synced before they are answered, beside one writer that groups what waits, on the same disk.

mod bare;

use std::time::Duration;

use crate::{
    bars::Measured,
    fallible::Fallible,
    load::work_named,
    place::Place,
    report::{Table, number},
    row::Row,
    run::cell::{Cell, Timing},
    running::Server,
    stats::median,
};

/// Failures that are synced before they are answered, beside one writer that groups.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How often each is measured.
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// How long each is measured.
    #[arg(long, default_value_t = 1.0)]
    secs: f64,
}

pub(crate) fn run(args: &Args, place: &Place) -> Fallible<Vec<Measured>> {
    let server = Server::start(place)?;
    let measured = Duration::try_from_secs_f64(args.secs)?;
    let timing = Timing { warm: measured / 4, measured };
    let row = Row::named("run-ledger")?;
    let (many, one) = (work_named("fail16")?, work_named("fail1")?);
    let mut rounds = Vec::new();
    for _ in 0..args.rounds {
        let bare = bare::grouped(&place.fresh()?.join("bare"), many.callers, measured)?;
        let gate = Cell::measure(place, row, &server, many, timing)?;
        let sync = bare::one_by_one(&place.fresh()?.join("bare"), measured)?;
        let single = Cell::measure(place, row, &server, one, timing)?;
        let direct = Cell::measure(place, Row::named("direct-stdio")?, &server, one, timing)?;
        rounds.push(Round {
            bare: bare.rate(),
            gate: gate.rate,
            sync: sync.times.quantile(0.5),
            single: single.p50,
            direct: direct.p50,
        });
    }
    let middle = |figure: fn(&Round) -> f64| median(rounds.iter().map(figure).collect());
    let shown = |figure| middle(figure).map_or_else(String::new, number);
    let mut table = Table::new(["", "one writer", "redress run", "ratio or difference"]);
    let ratio = middle(|it| it.gate / it.bare);
    let added = middle(|it| it.single - it.sync);
    table.add([
        "C=16, failures a second".to_owned(),
        shown(|it| it.bare),
        shown(|it| it.gate),
        ratio.map_or_else(String::new, number),
    ]);
    table.add([
        "C=1, p50 µs".to_owned(),
        shown(|it| it.sync),
        shown(|it| it.single),
        added.map_or_else(String::new, number),
    ]);
    println!("{table}");
    println!("A call without gate and ledger takes {} µs of that.", shown(|it| it.direct));
    // A gate cannot be faster than its own sync: then the machine was too busy to say.
    let added = added.filter(|it| *it >= 0.0);
    if added.is_none() {
        println!("The bare loop was slower than the gate, so that the delay at C=1 is not judged.");
    }
    let figures = [("ledger-rate", ratio), ("ledger-added", added)];
    Ok(figures.into_iter().filter_map(|(name, value)| Some((name, value?))).collect())
}

/// What one round gave.
#[derive(Debug, Clone, Copy)]
struct Round {
    bare: f64,
    gate: f64,
    sync: f64,
    single: f64,
    direct: f64,
}
