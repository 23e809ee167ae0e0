//! `Report`: what a page of the console lists, for a terminal and for programs.

use std::fmt::Write as _;

use crate::{
    Filter, Index,
    address::Pairs,
    page::{count, duration, percent, rate, shown},
    table::{Cell, Table},
    view,
};

/// The longest cell of a terminal, in characters.
const MAX_CELL: usize = 60;

/// What failures are counted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// By server, tool and code.
    Failures,
    /// By server.
    Servers,
    /// By server and tool.
    Tools,
    /// By code.
    Codes,
    /// By what they say, of those that no rule named.
    Unnamed,
    /// By time: calls by outcome, and failures.
    Time,
    /// By code: how many were followed by a success.
    Recovery,
    /// The same by what the card said.
    Wording,
}

impl What {
    /// Every one.
    pub const ALL: [Self; 8] = [
        Self::Failures,
        Self::Servers,
        Self::Tools,
        Self::Codes,
        Self::Unnamed,
        Self::Time,
        Self::Recovery,
        Self::Wording,
    ];

    /// The name on the command line, and of the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Failures => "failures",
            Self::Servers => "servers",
            Self::Tools => "tools",
            Self::Codes => "codes",
            Self::Unnamed => "unnamed",
            Self::Time => "time",
            Self::Recovery => "recovery",
            Self::Wording => "wording",
        }
    }

    /// The one of a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }
}

/// What a page of the console lists.
#[derive(Debug, Clone)]
pub struct Report {
    table: Table,
    total: Option<u64>,
}

impl Report {
    /// What an index says of the failures that a filter takes; `now` is in milliseconds since 1970.
    pub fn of(index: &Index, what: What, filter: &Filter, now: u64) -> Self {
        let mut address = Pairs::default();
        let place = if what == What::Wording { What::Recovery } else { what }.name();
        if what == What::Wording {
            address.set("by", what.name());
        }
        let listed = view::list(index, place, (filter, &address), now, &[]);
        listed.map_or_else(
            || Self { table: Table::new(&[]), total: None },
            |it| Self { table: it.table, total: it.total },
        )
    }

    /// As one JSON object.
    pub fn json(&self) -> String {
        self.table.json(self.total)
    }

    /// As lines in columns, the most frequent `most` rows, and a last line that tells of the others.
    pub fn text(&self, most: usize) -> String {
        let titles = self.table.columns.iter().map(|it| it.title.to_owned()).collect();
        let rows = self.table.rows.iter().take(most);
        let mut lines: Vec<Vec<String>> = vec![titles];
        lines.extend(rows.map(|it| it.cells.iter().map(cell).collect()));
        let widths: Vec<usize> = (0..self.table.columns.len())
            .map(|at| {
                let cells = lines.iter().filter_map(|it| it.get(at));
                cells.map(|it| it.chars().count()).max().unwrap_or_default()
            })
            .collect();
        let mut out = String::new();
        for line in lines {
            let mut text = String::new();
            for (cell, width) in line.iter().zip(&widths) {
                text.push_str(cell);
                text.extend(std::iter::repeat_n(' ', width - cell.chars().count() + 2));
            }
            out.push_str(text.trim_end());
            out.push('\n');
        }
        if let Some(more) = self.table.rows.len().checked_sub(most).filter(|it| *it > 0) {
            writeln!(out, "and {more} more").unwrap_or_default();
        }
        out
    }
}

fn cell(cell: &Cell) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    match cell {
        Cell::None => "-".to_owned(),
        // A row of TOML is for a file: its first line tells what it is.
        Cell::Text(it) => redress::text::cut(&shown(&it.replace('\n', " ")), MAX_CELL).into_owned(),
        Cell::Count(it) => count(*it),
        Cell::Share(it) => percent(*it),
        Cell::Millis(it) => duration(*it),
        Cell::Longer(it) => format!("> {}", duration(*it)),
        Cell::Rate(it) => rate(*it),
        Cell::Time(it) => {
            let text = redress_ledger::Time::from_millis(*it).to_string();
            text.get(..16).unwrap_or_default().replace('T', " ")
        }
        Cell::Series(series) => {
            let sums: Vec<u64> = series.chunks(4).map(|it| it.iter().sum()).collect();
            let most = sums.iter().copied().max().unwrap_or_default().max(1);
            let bar = |it: u64| usize::try_from((it * 7).div_ceil(most)).unwrap_or_default();
            let draw = |it: &u64| {
                if *it == 0 { ' ' } else { BARS.get(bar(*it)).copied().unwrap_or('█') }
            };
            sums.iter().map(draw).collect()
        }
    }
}
