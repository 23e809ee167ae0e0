//! `bounds`: what calls take while other connections hold as much memory as they can, beside the same gate without them.

use std::{
    net::{SocketAddr, TcpStream},
    thread,
    time::{Duration, Instant},
};

use crate::{
    bars::Measured,
    fallible::Fallible,
    load::{Target, Tool, Until, Work, work_named},
    place::Place,
    report::{Table, number},
    row::Row,
    running::{Running, Server},
    stats::median,
};

/// Calls beside connections that hold memory: unfinished bodies, answers that no client reads.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How often each is measured, in turns.
    #[arg(long, default_value_t = 20)]
    rounds: usize,
    /// How long each turn is.
    #[arg(long, default_value_t = 0.5)]
    secs: f64,
    /// How many connections hold memory.
    #[arg(long, default_value_t = 100)]
    connections: usize,
    /// How large their bodies are, in MiB.
    #[arg(long, default_value_t = 15)]
    body: usize,
    /// How large their answers are, in MiB.
    #[arg(long, default_value_t = 8)]
    answer: usize,
}

/// How long the gate may take until it has what it keeps.
const SETTLE: Duration = Duration::from_secs(3);

/// What the connections do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Attack {
    Unfinished,
    Unread,
}

pub(crate) fn run(args: &Args, place: &Place) -> Fallible<Vec<Measured>> {
    let mut table = Table::new([
        "what others do",
        "p50 µs without",
        "with",
        "p99 µs without",
        "with",
        "ratio of p99",
        "from",
        "to",
        "MB resident",
    ]);
    for attack in [Attack::Unfinished, Attack::Unread] {
        table.add(measure(args, place, attack)?);
    }
    println!("{table}");
    println!(
        "{} connections; medians of {} rounds, and the range of the ratio.",
        args.connections, args.rounds
    );
    // These figures are printed, not checked: the tests bound the bytes.
    Ok(Vec::new())
}

fn measure(args: &Args, place: &Place, attack: Attack) -> Fallible<[String; 9]> {
    let server = Server::start(place)?;
    let row = Row::named("serve-hs-shared")?;
    let turn = Duration::try_from_secs_f64(args.secs)?;
    let mut calm = Running::start(place, row, &server)?;
    let mut attacked = Running::start(place, row, &server)?;
    times(&mut calm, turn)?;
    times(&mut attacked, turn)?;
    let held = begin(args, attack, attacked.address, row.path)?;
    let mut rounds = Vec::new();
    for at in 0..args.rounds {
        // The second run finds the machine as the first has left it.
        let (without, with) = if at % 2 == 0 {
            let without = times(&mut calm, turn)?;
            (without, times(&mut attacked, turn)?)
        } else {
            let with = times(&mut attacked, turn)?;
            (times(&mut calm, turn)?, with)
        };
        rounds.push((without, with));
    }
    let megabytes = attacked.usage().own.resident_kib as f64 * 1_024.0 / 1e6;
    drop(held);
    let middle = |figure: fn(&([f64; 2], [f64; 2])) -> f64| {
        median(rounds.iter().map(figure).collect()).map_or_else(String::new, number)
    };
    let ratios: Vec<f64> = rounds.iter().map(|it| it.1[1] / it.0[1]).collect();
    let (least, most) =
        ratios.iter().fold((f64::MAX, 0_f64), |(a, b), it| (a.min(*it), b.max(*it)));
    let title = match attack {
        Attack::Unfinished => format!("unfinished bodies of {} MiB", args.body),
        Attack::Unread => format!("unread answers of {} MiB", args.answer),
    };
    Ok([
        title,
        middle(|it| it.0[0]),
        middle(|it| it.1[0]),
        middle(|it| it.0[1]),
        middle(|it| it.1[1]),
        median(ratios).map_or_else(String::new, number),
        number(least),
        number(most),
        number(megabytes),
    ])
}

/// The connections, once each has sent what it sends.
fn begin(args: &Args, attack: Attack, address: SocketAddr, path: &str) -> Fallible<Vec<TcpStream>> {
    let target = Target::open(address, path)?;
    let mut held = Vec::new();
    for id in 0..args.connections {
        let stream = match attack {
            Attack::Unfinished => target.unfinished(address, args.body << 20)?,
            Attack::Unread => {
                let work = Work {
                    name: "",
                    title: "",
                    tool: Tool::Big,
                    size: args.answer << 10,
                    callers: 1,
                };
                target.unread(address, work, id as u64 + 1)?
            }
        };
        held.push(stream);
    }
    let until = Instant::now() + SETTLE;
    thread::sleep(until.saturating_duration_since(Instant::now()));
    Ok(held)
}

/// What calls take: the middle, and what one in a hundred exceeds, in microseconds. Every one must go well.
fn times(running: &mut Running, turn: Duration) -> Fallible<[f64; 2]> {
    let tally = running.call(work_named("echo16")?, Until::time(turn))?;
    match tally.first_odd {
        Some(odd) => Err(format!("a call was refused: {odd}").into()),
        None => Ok([tally.times.quantile(0.5), tally.times.quantile(0.99)]),
    }
}
