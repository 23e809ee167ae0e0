//! What the gate is held to, in one table, and whether a run has met it.

use crate::report::{Table, number};

/// One bar.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bar {
    /// Its name where it is measured.
    pub(crate) name: &'static str,
    pub(crate) what: &'static str,
    bound: Bound,
    /// What we would like.
    aim: Option<f64>,
    pub(crate) source: Source,
}

#[derive(Debug, Clone, Copy)]
enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

/// Where a figure comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Source {
    /// A subcommand of its own.
    Own,
    /// A row under a load, by itself or as a ratio to another row, load or both.
    Run { figure: Figure, of: Place, to: Option<Place> },
}

/// A row and a load.
pub(crate) type Place = (&'static str, &'static str);

/// What is measured of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Figure {
    Rate,
    P50,
    Cpu,
}

/// Every bar.
pub(crate) const BARS: &[Bar] = &[
    rate(
        "stdio, 64 B, C=16: calls/s of the raw pipe",
        0.7,
        Some(0.95),
        ("run", "echo16"),
        ("pipe", "echo16"),
    ),
    ratio(
        Figure::P50,
        "stdio, 64 B, C=16: p50 of the raw pipe",
        Bound::AtMost(1.5),
        Some(1.1),
        (("run", "echo16"), ("pipe", "echo16")),
    ),
    rate(
        "stdio, 64 B, C=16: calls/s of a proxy with rmcp",
        10.0,
        None,
        ("run", "echo16"),
        ("rmcp-ss", "echo16"),
    ),
    cpu("stdio, 64 B, C=16: CPU µs a call", 3.0, ("run", "echo16")),
    rate(
        "HTTP → HTTP, C=16: calls/s of the bridge",
        0.7,
        Some(0.95),
        ("serve-hh", "echo16"),
        ("bridge-hh", "echo16"),
    ),
    rate(
        "HTTP → HTTP, C=16: calls/s of crate mcp-proxy",
        4.0,
        None,
        ("serve-hh", "echo16"),
        ("crate-hh", "echo16"),
    ),
    cpu("HTTP → HTTP, C=16: CPU µs a call", 20.0, ("serve-hh", "echo16")),
    rate(
        "HTTP → stdio, C=16: calls/s of the bridge",
        0.7,
        Some(0.95),
        ("serve-hs", "echo16"),
        ("bridge-hs", "echo16"),
    ),
    rate(
        "HTTP → stdio, C=16: calls/s of crate mcp-proxy",
        4.0,
        None,
        ("serve-hs", "echo16"),
        ("crate-hs", "echo16"),
    ),
    cpu("HTTP → stdio, C=16: CPU µs a call", 20.0, ("serve-hs", "echo16")),
    rate(
        "stdio, 256 KiB of text, C=4: calls/s of the raw pipe",
        0.7,
        Some(0.9),
        ("run", "big4"),
        ("pipe", "big4"),
    ),
    rate(
        "stdio, 256 KiB dense, C=4: calls/s of the raw pipe",
        0.4,
        None,
        ("run", "dense4"),
        ("pipe", "dense4"),
    ),
    rate(
        "stdio, isError, C=16, no ledger: calls/s of successes",
        0.5,
        None,
        ("run", "fail16"),
        ("run", "echo16"),
    ),
    own("console-first", "console, 1 GB ledger: first page, s", Bound::AtMost(2.0)),
    own("console-passes", "console: index complete, in passes of the reader", Bound::AtMost(2.0)),
    own("console-memory", "console: peak memory, MiB", Bound::AtMost(200.0)),
    own("console-page", "console: slowest page, ms", Bound::AtMost(100.0)),
    own(
        "ledger-rate",
        "isError, C=16, synced: calls/s of one writer that groups",
        Bound::AtLeast(0.8),
    ),
    own("ledger-added", "isError, C=1, synced: µs beyond one fdatasync", Bound::AtMost(50.0)),
    own("guards-added", "governed, a path, C=1: µs beyond the same gate", Bound::AtMost(20.0)),
    own("cold-run", "run: ms to the first answer beyond the bare server", Bound::AtMost(20.0)),
    own("cold-serve", "serve: ms to the first answer beyond the bare server", Bound::AtMost(20.0)),
    own("idle-run", "run: MB when idle", Bound::AtMost(15.0)),
    own("idle-serve", "serve: MB when idle", Bound::AtMost(15.0)),
    own("session", "serve: KiB for each session", Bound::AtMost(64.0)),
    own("growth-run", "run: MB that it grows over many calls", Bound::AtMost(1.0)),
    own("growth-serve", "serve: MB that it grows over many calls", Bound::AtMost(1.0)),
    own(
        "scale-sessions",
        "serve: cost of a call with all sessions, of one session",
        Bound::AtMost(1.1),
    ),
    own("scale-sessions-shared", "serve, shared: the same", Bound::AtMost(1.1)),
    own(
        "scale-servers",
        "serve: cost of a call with all servers, of one server",
        Bound::AtMost(1.1),
    ),
    own(
        "scale-ledger",
        "run: cost of a failure with a large ledger, of an empty one",
        Bound::AtMost(1.1),
    ),
];

const fn rate(what: &'static str, least: f64, aim: Option<f64>, of: Place, to: Place) -> Bar {
    ratio(Figure::Rate, what, Bound::AtLeast(least), aim, (of, to))
}

const fn ratio(
    figure: Figure,
    what: &'static str,
    bound: Bound,
    aim: Option<f64>,
    (of, to): (Place, Place),
) -> Bar {
    Bar { name: what, what, bound, aim, source: Source::Run { figure, of, to: Some(to) } }
}

const fn cpu(what: &'static str, most: f64, of: Place) -> Bar {
    let source = Source::Run { figure: Figure::Cpu, of, to: None };
    Bar { name: what, what, bound: Bound::AtMost(most), aim: None, source }
}

const fn own(name: &'static str, what: &'static str, bound: Bound) -> Bar {
    Bar { name, what, bound, aim: None, source: Source::Own }
}

/// A figure and the bar that it is held to.
pub(crate) type Measured = (&'static str, f64);

/// Prints each figure beside its bar; says whether all are met.
pub(crate) fn print(figures: &[Measured]) -> bool {
    let mut table = Table::new(["bar", "wanted", "aim", "measured", ""]);
    let mut has_passed = true;
    for bar in BARS {
        for (_, value) in figures.iter().filter(|it| it.0 == bar.name) {
            let (is_met, wanted) = match bar.bound {
                Bound::AtLeast(least) => (*value >= least, format!("≥ {}", number(least))),
                Bound::AtMost(most) => (*value <= most, format!("≤ {}", number(most))),
            };
            has_passed &= is_met;
            let aim = bar.aim.map_or_else(String::new, number);
            let verdict = if is_met { "pass" } else { "**miss**" };
            table.add([bar.what.to_owned(), wanted, aim, number(*value), verdict.to_owned()]);
        }
    }
    if !figures.is_empty() {
        println!("\n{table}");
    }
    has_passed
}

#[cfg(test)]
mod tests {
    use super::{BARS, Source};
    use crate::{load::work_named, row::Row};

    #[test]
    fn every_bar_names_rows_and_loads_that_there_are() {
        for bar in BARS {
            if let Source::Run { of, to, .. } = bar.source {
                for (row, work) in [Some(of), to].into_iter().flatten() {
                    assert!(Row::named(row).is_ok() && work_named(work).is_ok(), "{}", bar.what);
                }
            }
        }
    }
}
