//! The benchmark: the gate beside the limits of a proxy and beside other proxies, as ratios measured in one run.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    reason = "a benchmark prints, reads its environment, waits, and turns counts into ratios"
)]

mod agents;
mod bars;
mod bounds;
mod cold;
mod console;
mod fallible;
mod guards;
mod http;
mod ledger;
mod load;
mod memory;
mod part;
mod place;
mod procfs;
mod report;
mod row;
mod run;
mod running;
mod scale;
mod scan;
mod stats;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use self::fallible::Fallible;

/// Measure the gate beside the limits of a proxy and beside other proxies.
#[derive(Debug, Parser)]
#[command(
    name = "redress-bench",
    after_help = "Examples:\n  redress-bench run --rows pipe,run --work echo16 --rounds 5\n  BENCH_PEERS=~/peers redress-bench run\n  redress-bench ledger --dir /var/tmp\n\nEvery figure that counts is a ratio within one run: figures of two runs, or of two machines, are not compared."
)]
struct Bench {
    #[command(flatten)]
    place: place::Args,
    /// End with exit code 1 when a bar is missed.
    #[arg(long, global = true)]
    strict: bool,
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Calls a second, delay, CPU and memory of every row, in interleaved rounds.
    Run(run::Args),
    /// From the start of the process to its first answer.
    Cold(cold::Args),
    /// Memory when idle, by session, and over many calls.
    Memory(memory::Args),
    /// What a call costs as sessions, servers and the ledger grow.
    Scale(scale::Args),
    /// Failures that are synced before they are answered, beside one writer that groups.
    Ledger(ledger::Args),
    /// What the guards of a governed gate add to a call.
    Guards(guards::Args),
    /// Calls beside connections that hold memory.
    Bounds(bounds::Args),
    /// The console on a large ledger, beside one pass of the JSON reader over the same bytes.
    Console(console::Args),
    /// What agents with different habits make of failures, without the gate and with it.
    Agents(agents::Args),
    /// What the rows are made of: the server, the pipes, the bridge.
    #[command(subcommand, hide = true)]
    Part(part::Part),
}

fn main() -> ExitCode {
    let args = Bench::parse();
    match measure(args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("redress-bench: {error}");
            ExitCode::from(3)
        }
    }
}

/// Whether everything is as it should be.
fn measure(args: Bench) -> Fallible<bool> {
    let figures = match args.task {
        Task::Part(part) => return part::play(part).map(|()| true),
        Task::Console(it) => {
            let has_passed = bars::print(&console::run(&it)?);
            return Ok(has_passed || !args.strict);
        }
        Task::Agents(it) => return agents::run(&it, &args.place.open()?).map(|()| true),
        Task::Run(it) => run::run(&it, &args.place.open()?)?,
        Task::Cold(it) => cold::run(&it, &args.place.open()?)?,
        Task::Memory(it) => memory::run(&it, &args.place.open()?)?,
        Task::Scale(it) => scale::run(&it, &args.place.open()?)?,
        Task::Ledger(it) => ledger::run(&it, &args.place.open()?)?,
        Task::Guards(it) => guards::run(&it, &args.place.open()?)?,
        Task::Bounds(it) => bounds::run(&it, &args.place.open()?)?,
    };
    let has_passed = bars::print(&figures);
    Ok(has_passed || !args.strict)
}
