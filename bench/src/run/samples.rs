//! All that was measured, as ratios within a round.

use super::cell::Cell;
use crate::{
    bars::{BARS, Figure, Measured, Place, Source},
    load::Work,
    report::{Table, number},
    row::Row,
    stats::median,
};

/// Every cell, in the order in which they were measured.
#[derive(Debug, Default)]
pub(super) struct Samples {
    all: Vec<Sample>,
}

#[derive(Debug)]
struct Sample {
    round: usize,
    work: &'static str,
    row: &'static Row,
    cell: Result<Cell, String>,
}

impl Samples {
    pub(super) fn add(
        &mut self,
        round: usize,
        work: &'static str,
        row: &'static Row,
        cell: Result<Cell, String>,
    ) {
        self.all.push(Sample { round, work, row, cell });
    }

    /// The cells of a row under a load, each with its place.
    fn of(&self, (row, work): (&str, &str)) -> impl Iterator<Item = (usize, &Sample, &Cell)> {
        let is_it = move |it: &Sample| it.row.name == row && it.work == work;
        let all = self.all.iter().enumerate().filter(move |it| is_it(it.1));
        all.filter_map(|(at, it)| Some((at, it, it.cell.as_ref().ok()?)))
    }

    fn median(&self, of: (&str, &str), figure: fn(&Cell) -> f64) -> Option<f64> {
        median(self.of(of).map(|(_, _, cell)| figure(cell)).collect())
    }

    /// A figure of each cell of a row as a ratio to the direct cells before and after it, by round.
    fn to_direct(&self, of: (&str, &str), figure: fn(&Cell) -> f64) -> Vec<(usize, f64)> {
        let ratio = |(at, sample, cell): (usize, &Sample, &Cell)| {
            let direct = (sample.row.crossing.direct(), sample.work);
            let near: Vec<_> = self.of(direct).filter(|it| it.1.round == sample.round).collect();
            let before = near.iter().rev().find(|it| it.0 < at).map(|it| figure(it.2));
            let after = near.iter().find(|it| it.0 > at).map(|it| figure(it.2));
            let itself = sample.row.is_direct().then(|| figure(cell));
            let beside = [before, after].into_iter().flatten();
            let beside: Vec<f64> = itself.map_or_else(|| beside.collect(), |it| vec![it]);
            let mean = beside.iter().sum::<f64>() / beside.len() as f64;
            (sample.round, figure(cell) / mean)
        };
        self.of(of).map(ratio).collect()
    }

    /// The median over the rounds of one row's figure to another's. Under the same load both are first set against the
    /// direct cells around them.
    fn ratio(&self, of: Place, to: Place, figure: fn(&Cell) -> f64) -> Option<f64> {
        let by_round = |it: Place| -> Vec<(usize, f64)> {
            if of.1 == to.1 {
                return self.to_direct(it, figure);
            }
            self.of(it).map(|(_, sample, cell)| (sample.round, figure(cell))).collect()
        };
        let to = by_round(to);
        let pair = |(round, value): (usize, f64)| {
            let other = to.iter().find(|it| it.0 == round)?;
            Some(value / other.1)
        };
        median(by_round(of).into_iter().filter_map(pair).collect())
    }

    /// The figures that bars are set for.
    pub(super) fn figures(&self) -> Vec<Measured> {
        let figure = |figure: Figure| -> fn(&Cell) -> f64 {
            match figure {
                Figure::Rate => |it| it.rate,
                Figure::P50 => |it| it.p50,
                Figure::Cpu => |it| it.cpu,
            }
        };
        let measured = BARS.iter().filter_map(|bar| match bar.source {
            Source::Own => None,
            Source::Run { figure: of_what, of, to } => {
                let figure = figure(of_what);
                let value = match to {
                    Some(to) => self.ratio(of, to, figure),
                    None => self.median(of, figure),
                };
                Some((bar.name, value?))
            }
        });
        measured.collect()
    }

    pub(super) fn print(&self, works: &[Work], rows: &[&'static Row]) {
        for work in works {
            println!("\n### {}\n", work.title);
            let mut table = Table::new([
                "row",
                "calls/s",
                "of direct",
                "of the limit",
                "p50 µs",
                "p50 of the limit",
                "p99 µs",
                "CPU µs a call",
                "MiB",
                "odd answers",
                "others %",
            ]);
            let mut crossing = None;
            for row in rows {
                if crossing != Some(row.crossing) {
                    crossing = Some(row.crossing);
                    let direct = row.crossing.direct();
                    self.add_line(
                        &mut table,
                        direct,
                        &format!("{}, direct", row.crossing.title()),
                        work,
                    );
                }
                self.add_line(&mut table, row.name, row.title, work);
            }
            println!("{table}");
        }
    }

    fn add_line(&self, table: &mut Table<11>, row: &'static str, title: &str, work: &Work) {
        let of = (row, work.name);
        let mut cells = self.all.iter().filter(|it| it.row.name == row && it.work == work.name);
        let failed = cells.find_map(|it| it.cell.as_ref().err());
        let limit = Row::named(row).map_or("pipe", |it| it.crossing.limit());
        let shown = |it: Option<f64>| it.map_or_else(|| "–".to_owned(), number);
        let of_direct = self.to_direct(of, |it| it.rate).into_iter().map(|it| it.1).collect();
        let of_limit = |figure| self.ratio(of, (limit, work.name), figure);
        let odd: u64 = self.of(of).map(|it| it.2.odd).sum();
        table.add([
            failed.map_or_else(|| title.to_owned(), |it| format!("{title} (failed: {it})")),
            shown(self.median(of, |it| it.rate)),
            shown(median(of_direct)),
            shown(of_limit(|it| it.rate)),
            shown(self.median(of, |it| it.p50)),
            shown(of_limit(|it| it.p50)),
            shown(self.median(of, |it| it.p99)),
            shown(self.median(of, |it| it.cpu)),
            shown(self.median(of, |it| it.resident_mib)),
            odd.to_string(),
            shown(self.median(of, |it| it.foreign * 100.0)),
        ]);
    }
}
