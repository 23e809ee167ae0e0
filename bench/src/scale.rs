//! `scale`: what a call costs as sessions, servers and the ledger grow.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use redress::codes;
use redress_ledger::{Ledger, Options, Record, Redactor, Time};

use crate::{
    bars::Measured,
    fallible::Fallible,
    load::work_named,
    place::Place,
    report::{Table, number},
    row::{Crossing, File, Row, row},
    run::cell::{Cell, Timing},
    running::{Running, Server},
    stats::median,
};

/// What a call costs as sessions, servers and the ledger grow.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How often each is measured.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// How long each is measured.
    #[arg(long, default_value_t = 1.0)]
    secs: f64,
    #[arg(long, default_value_t = 1_000)]
    sessions: usize,
    #[arg(long, default_value_t = 100)]
    servers: usize,
    /// The size of the large ledger in GB.
    #[arg(long, default_value_t = 1.0)]
    ledger: f64,
    /// A ledger of 10 GB.
    #[arg(long)]
    full: bool,
}

const SERVERS: Row = Row {
    file: File::Servers(0),
    ..row(
        "servers",
        "",
        Crossing::HttpToHttp,
        "{gate} serve --no-token --no-ledger --listen 127.0.0.1:{port} --config {file}",
    )
};
const LARGE_LEDGER: Row =
    row("large", "", Crossing::StdioToStdio, "{gate} run --ledger {large-ledger} -- {server}");

/// A row and its sessions.
type Side<'a> = (&'a Row, Vec<String>);

pub(crate) fn run(args: &Args, place: &Place) -> Fallible<Vec<Measured>> {
    let server = Server::start(place)?;
    let mut table =
        Table::new(["what grows", "from", "to", "calls/s before", "after", "cost of a call"]);
    let mut figures = Vec::new();
    let mut add = |bar, what: &str, to: String, compared: &Compared| {
        let from = if bar == "scale-ledger" { "0" } else { "1" };
        let [before, after] = compared.rates.map(number);
        table.add([what.to_owned(), from.to_owned(), to, before, after, number(compared.cost)]);
        figures.push((bar, compared.cost));
    };
    for (bar, name) in
        [("scale-sessions", "serve-hh"), ("scale-sessions-shared", "serve-hs-shared")]
    {
        let row = Row::named(name)?;
        let sides = [(row, paths(row, 1)), (row, paths(row, args.sessions))];
        let cost = compare(args, place, &server, "echo16", &sides)?;
        add(bar, &format!("sessions, {name}"), args.sessions.to_string(), &cost);
    }
    let many = Row { file: File::Servers(args.servers), ..SERVERS };
    let one = Row { file: File::Servers(1), ..SERVERS };
    let all = (0..args.servers).map(|it| format!("/s{it}/mcp")).collect();
    let sides = [(&one, vec!["/s0/mcp".to_owned()]), (&many, all)];
    let cost = compare(args, place, &server, "echo16", &sides)?;
    add("scale-servers", "servers", args.servers.to_string(), &cost);

    let gigabytes = if args.full { 10.0 } else { args.ledger };
    fill(&place.large_ledger(), place.dir(), gigabytes)?;
    let empty = Row::named("run-ledger")?;
    let sides = [(empty, paths(empty, 1)), (&LARGE_LEDGER, paths(empty, 1))];
    let cost = compare(args, place, &server, "fail16", &sides)?;
    add("scale-ledger", "ledger, GB", number(gigabytes), &cost);
    println!("{table}");
    let [empty, large] = cost.starts.map(number);
    println!("To the first answer with an empty ledger {empty} ms, with the large one {large} ms.");
    Ok(figures)
}

fn paths(row: &Row, sessions: usize) -> Vec<String> {
    vec![row.path.to_owned(); sessions]
}

/// Two sides, the smaller one first.
struct Compared {
    rates: [f64; 2],
    /// What a call costs on the second side as a ratio to the first.
    cost: f64,
    /// Milliseconds to the first answer.
    starts: [f64; 2],
}

fn compare(
    args: &Args,
    place: &Place,
    server: &Server,
    work: &str,
    sides: &[Side<'_>; 2],
) -> Fallible<Compared> {
    let work = work_named(work)?;
    let measured = Duration::try_from_secs_f64(args.secs)?;
    let timing = Timing { warm: measured / 4, measured };
    let mut rates = [Vec::new(), Vec::new()];
    let mut starts = [Vec::new(), Vec::new()];
    for _ in 0..args.rounds {
        for (((row, paths), rates), starts) in sides.iter().zip(&mut rates).zip(&mut starts) {
            let mut running = Running::start_at(place, row, server, paths)?;
            starts.push(running.first_answer.as_secs_f64() * 1e3);
            rates.push(Cell::measure_running(&mut running, server, work, timing)?.rate);
        }
    }
    let middle = |it| median(it).unwrap_or(f64::NAN);
    let costs = rates[0].iter().zip(&rates[1]).map(|(before, after)| before / after).collect();
    Ok(Compared { cost: middle(costs), rates: rates.map(middle), starts: starts.map(middle) })
}

/// Fills a ledger with records of a real fault.
fn fill(dir: &Path, key: &Path, gigabytes: f64) -> Fallible<()> {
    const BATCH: usize = 20_000;
    eprintln!("filling a ledger with {gigabytes} GB");
    let start = Instant::now();
    let clock = Arc::new(move || {
        let millis = u64::try_from(start.elapsed().as_millis()).unwrap_or_default();
        Time::from_millis(1_768_836_730_000 + millis)
    });
    let ledger = Ledger::open(Options::new(dir, key.join("large-ledger.key"), clock))?;
    let mut fault = codes::FILE_NOT_FOUND.raise([("path", "src/mian.rs")]);
    fault.server_text = Some("ENOENT: no such file or directory, open 'src/mian.rs'".to_owned());
    let record = Record::fault(&fault, &Redactor::default());
    while size(dir) < gigabytes * 1e9 {
        for _ in 1..BATCH {
            ledger.append(record.clone(), |_| ());
        }
        ledger.append_wait(record.clone())?;
    }
    ledger.close()?;
    Ok(())
}

/// Bytes of all files below a directory.
fn size(dir: &Path) -> f64 {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    entries
        .map(|it| match it.metadata() {
            Ok(metadata) if metadata.is_dir() => size(&it.path()),
            Ok(metadata) => metadata.len() as f64,
            Err(_) => 0.0,
        })
        .sum()
}
