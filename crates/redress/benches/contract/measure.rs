//! Timing on a noisy machine: many short rounds, the median of them, interleaved where two things are compared.

use std::time::Instant;

/// One line of the report.
pub(crate) struct Row {
    /// What was measured.
    pub(crate) what: &'static str,
    /// Nanoseconds for one.
    pub(crate) ns: f64,
    /// What it is compared with, and its nanoseconds.
    pub(crate) beside: Option<(&'static str, f64)>,
    /// What is asked for.
    pub(crate) bar: &'static str,
    /// Whether it was met in this run.
    pub(crate) fine: bool,
}

/// Rounds per measurement.
const ROUNDS: usize = 61;

/// Nanoseconds of one call: the median of rounds of about a millisecond.
pub(crate) fn median_ns(mut run: impl FnMut()) -> f64 {
    let batch = batch(&mut run);
    median((0..ROUNDS).map(|_| round(&mut run, batch)).collect())
}

/// Both, in alternating rounds, so that a slow moment hits both.
pub(crate) fn median_pair(mut ours: impl FnMut(), mut theirs: impl FnMut()) -> (f64, f64) {
    let (our_batch, their_batch) = (batch(&mut ours), batch(&mut theirs));
    let rounds =
        (0..ROUNDS).map(|_| (round(&mut ours, our_batch), round(&mut theirs, their_batch)));
    let (ours, theirs) = rounds.unzip();
    (median(ours), median(theirs))
}

/// How many calls take about a millisecond, once what the first one makes ready is there.
fn batch(run: &mut impl FnMut()) -> u32 {
    run();
    let mut calls = 1;
    while round(run, calls) * f64::from(calls) < 1e6 && calls < 1 << 24 {
        calls *= 2;
    }
    calls
}

fn round(run: &mut impl FnMut(), calls: u32) -> f64 {
    let start = Instant::now();
    for _ in 0..calls {
        run();
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(calls)
}

fn median(mut rounds: Vec<f64>) -> f64 {
    rounds.sort_by(f64::total_cmp);
    rounds.get(rounds.len() / 2).copied().unwrap_or_default()
}

/// Prints the report.
pub(crate) fn print(rows: &[Row]) {
    println!("{:<44} {:>12}  {:<40} {:<10} met", "what", "ns", "beside", "bar");
    for Row { what, ns, beside, bar, fine } in rows {
        let beside = beside.map_or_else(String::new, |(name, other)| {
            format!("{name}: {other:.0} ns, ratio {:.2}", ns / other)
        });
        println!(
            "{what:<44} {ns:>12.1}  {beside:<40} {bar:<10} {}",
            if *fine { "yes" } else { "NO" }
        );
    }
}
