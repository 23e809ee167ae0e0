//! One row under one load, measured once.

use std::{
    thread::available_parallelism,
    time::{Duration, Instant},
};

use crate::{
    fallible::Fallible,
    load::{Until, Work},
    place::Place,
    procfs,
    row::Row,
    running::{Running, Server},
};

/// What a cell gave.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    /// Calls a second.
    pub(crate) rate: f64,
    /// Microseconds.
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    /// CPU of the row's own processes, in microseconds a call.
    pub(crate) cpu: f64,
    pub(crate) resident_mib: f64,
    /// Answers that were not what the tool answers, and the first of them.
    pub(crate) odd: u64,
    pub(crate) first_odd: Option<String>,
    /// The share of the machine that others used.
    pub(crate) foreign: f64,
}

/// How long a cell takes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Timing {
    pub(crate) warm: Duration,
    pub(crate) measured: Duration,
}

/// What everything has used at a moment.
#[derive(Debug, Clone, Copy)]
struct Mark {
    at: Instant,
    row: Duration,
    ours: Duration,
    machine: Duration,
}

impl Mark {
    fn now(running: &Running, server: &Server) -> Self {
        let (row, server) = (running.usage(), server.usage());
        let ours = row.own.cpu + row.servers.cpu + server.servers.cpu + procfs::own_cpu();
        let machine = procfs::machine_cpu();
        Self { at: Instant::now(), row: row.own.cpu, ours, machine }
    }
}

impl Cell {
    /// Starts a row, warms it up, and measures it.
    pub(crate) fn measure(
        place: &Place,
        row: &Row,
        server: &Server,
        work: Work,
        timing: Timing,
    ) -> Fallible<Self> {
        let mut running = Running::start(place, row, server)?;
        Self::measure_running(&mut running, server, work, timing)
    }

    /// Measures a row that runs.
    pub(crate) fn measure_running(
        running: &mut Running,
        server: &Server,
        work: Work,
        timing: Timing,
    ) -> Fallible<Self> {
        running.call(work, Until::time(timing.warm))?;
        let before = Mark::now(running, server);
        let tally = running.call(work, Until::time(timing.measured))?;
        let after = Mark::now(running, server);
        let calls = tally.calls.max(1) as f64;
        let cores = available_parallelism().map_or(1.0, |it| it.get() as f64);
        let used = |it: fn(&Mark) -> Duration| it(&after).saturating_sub(it(&before)).as_secs_f64();
        let foreign = (used(|it| it.machine) - used(|it| it.ours)).max(0.0);
        Ok(Self {
            rate: tally.rate(),
            p50: tally.times.quantile(0.5),
            p99: tally.times.quantile(0.99),
            cpu: used(|it| it.row) * 1e6 / calls,
            resident_mib: running.usage().own.resident_kib as f64 / 1024.0,
            odd: tally.odd,
            first_odd: tally.first_odd,
            foreign: foreign / ((after.at - before.at).as_secs_f64() * cores),
        })
    }
}
