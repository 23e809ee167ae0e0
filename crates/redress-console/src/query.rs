//! `Summary`: failures counted by server, tool and code. Counts, lists and charts of every page come from it.

use std::collections::BTreeMap;

use redress_ledger::LATENCY_MILLIS;
use rustc_hash::FxHashMap;

use crate::{
    filter::{Filter, Resolved},
    index::{EMPTY, Group, Index, Minute, MinuteCalls, Row, Symbol},
};

/// How many columns a chart has.
pub(crate) const COLUMNS: usize = 60;

/// What failures are counted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct By {
    pub server: bool,
    pub tool: bool,
    pub code: bool,
}

impl By {
    pub(crate) const ALL: Self = Self { server: true, tool: true, code: true };
    pub(crate) const SERVER: Self = Self { server: true, tool: false, code: false };
    pub(crate) const TOOL: Self = Self { server: true, tool: true, code: false };
    pub(crate) const CODE: Self = Self { server: false, tool: false, code: true };
}

/// The values that the failures of a line have for a property.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Values(Vec<Symbol>);

impl Values {
    fn add(&mut self, value: Symbol) {
        if value != EMPTY && self.0.len() < 8 && !self.0.contains(&value) {
            self.0.push(value);
        }
    }

    /// The values in words.
    pub(crate) fn text(&self, index: &Index) -> String {
        let mut texts: Vec<&str> = self.0.iter().map(|it| index.symbols.text(*it)).collect();
        texts.sort_unstable();
        texts.join(", ")
    }
}

/// The failures of one server, tool and code.
#[derive(Debug, Clone, Default)]
pub(crate) struct Line {
    pub server: Symbol,
    pub tool: Symbol,
    pub code: Symbol,
    pub count: u64,
    /// The calls of the tool, if they were counted.
    pub calls: Option<Totals>,
    /// How many of these failures happened since the first of them.
    failed: u64,
    /// In milliseconds.
    pub first: u64,
    pub last: u64,
    pub class: Values,
    pub retry: Values,
    pub effect: Values,
    pub origin: Values,
    pub basis: Values,
    pub flagged: Values,
    /// The failures in each column of the chart.
    pub series: Vec<u64>,
}

impl Line {
    /// The share of the calls that failed so, from 0 to 1.
    pub(crate) fn share(&self) -> Option<f64> {
        let calls = self.calls?.all();
        (calls > 0 && self.failed <= calls).then(|| part(self.failed, calls))
    }
}

/// The columns of a chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Columns {
    /// The minute in which the first begins.
    pub start: Minute,
    /// The minutes of each.
    pub step: Minute,
    /// How many there are.
    pub used: usize,
}

impl Columns {
    fn of(from: Minute, to: Minute) -> Self {
        const STEPS: [Minute; 13] =
            [1, 2, 5, 10, 15, 30, 60, 120, 240, 720, 1440, 7 * 1440, 30 * 1440];
        let length = to.saturating_sub(from).max(1);
        let fits = |it: &&Minute| length.div_ceil(**it) < Minute::try_from(COLUMNS).unwrap_or(1);
        let longest = || length / (Minute::try_from(COLUMNS).unwrap_or(1) - 1) + 1;
        let step = STEPS.iter().find(fits).copied().unwrap_or_else(longest);
        let start = from / step * step;
        let used = usize::try_from(to.saturating_sub(start).div_ceil(step)).unwrap_or(COLUMNS);
        Self { start, step, used: used.clamp(1, COLUMNS) }
    }

    /// The column of a minute.
    pub(crate) fn at(self, minute: Minute) -> usize {
        let column = minute.saturating_sub(self.start) / self.step;
        usize::try_from(column).unwrap_or(COLUMNS).min(COLUMNS - 1)
    }
}

/// Failures counted by server, tool and code.
#[derive(Debug, Clone)]
pub(crate) struct Summary {
    /// Most first.
    pub lines: Vec<Line>,
    pub total: u64,
    pub columns: Columns,
    /// The failures in each column: the sum of those of the lines.
    pub series: Vec<u64>,
    /// The calls of all tools that are wanted, if any were counted.
    pub outcomes: Option<Totals>,
    /// The calls in each column.
    pub calls: Vec<u64>,
    /// The same by outcome and duration.
    pub columns_calls: Vec<Totals>,
    /// The time over which calls were counted, in seconds.
    pub seconds: u64,
    /// Whether only the newest failures could be asked.
    pub is_partial: bool,
}

/// Calls by outcome and by duration, and when the first of them ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    pub ok: u64,
    pub fault: u64,
    pub refused: u64,
    pub cancelled: u64,
    pub repeated: u64,
    latency: [u64; BUCKETS],
    since: Option<Minute>,
}

/// As many as there are ends, and one for what took longer.
const BUCKETS: usize = LATENCY_MILLIS.len() + 1;

/// How long most calls took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Within {
    /// So many milliseconds at most.
    Millis(u64),
    /// More than that.
    Longer(u64),
}

impl Totals {
    fn add(&mut self, minute: Minute, calls: &MinuteCalls) {
        let MinuteCalls { outcomes, latency } = calls;
        self.ok += u64::from(outcomes.ok);
        self.fault += u64::from(outcomes.fault);
        self.refused += u64::from(outcomes.refused);
        self.cancelled += u64::from(outcomes.cancelled);
        self.repeated += u64::from(outcomes.repeated);
        self.latency.iter_mut().zip(latency).for_each(|(sum, it)| *sum += u64::from(*it));
        self.since = Some(self.since.map_or(minute, |it| it.min(minute)));
    }

    fn add_all(&mut self, other: &Self) {
        self.ok += other.ok;
        self.fault += other.fault;
        self.refused += other.refused;
        self.cancelled += other.cancelled;
        self.repeated += other.repeated;
        self.latency.iter_mut().zip(other.latency).for_each(|(sum, it)| *sum += it);
        self.since = [self.since, other.since].into_iter().flatten().min();
    }

    /// All calls.
    pub(crate) const fn all(self) -> u64 {
        self.ok + self.fault + self.refused + self.cancelled + self.repeated
    }

    /// The calls that failed.
    pub(crate) const fn failed(self) -> u64 {
        self.fault + self.refused
    }

    /// How long so many of a hundred calls took at most, by the ends of the histogram.
    pub(crate) fn within(&self, percent: u64) -> Option<Within> {
        let all: u64 = self.latency.iter().sum();
        let wanted = (all * percent).div_ceil(100).max(1);
        let mut seen = 0;
        let at = self.latency.iter().position(|it| {
            seen += it;
            seen >= wanted
        })?;
        let longest = LATENCY_MILLIS.last().copied().unwrap_or_default();
        Some(LATENCY_MILLIS.get(at).map_or(Within::Longer(longest), |it| Within::Millis(*it)))
    }
}

/// Counts the failures that a filter takes.
pub(crate) fn summary(index: &Index, filter: &Filter, by: By, now: u64) -> Summary {
    let wanted = filter.resolve(index, now);
    let takes: Vec<bool> = index.groups.iter().map(|it| wanted.takes_group(it)).collect();
    let columns = columns(index, &wanted, &takes, now);
    let calls = calls_of(index, &wanted, by, columns);
    let mut lines = Counter::new(index, by, columns, &calls);
    if filter.needs_rows() {
        for row in chosen(index, &wanted, &takes) {
            lines.add(row.group, row.time / 60_000, (row.time, row.time), 1);
        }
    } else {
        let (from, to) = wanted.minutes;
        for (minute, group, count) in index.faults.range(from, to) {
            if takes.get(*group as usize).copied().unwrap_or_default() {
                let start = u64::from(*minute) * 60_000;
                lines.add(*group, u64::from(*minute), (start, start), u64::from(*count));
            }
        }
    }
    let mut lines = lines.done();
    // Tools and servers are listed that did not fail, too, where the filter is about nothing else.
    if !by.code && by.server && !filter.needs_failures() {
        add_flawless(&mut lines, &calls);
    }
    let Calls { totals: outcomes, series: columns_calls, seconds, .. } = calls;
    let calls = columns_calls.iter().map(|it| it.all()).collect();
    let rank = |it: &Line| (it.count, it.calls.map_or(0, Totals::all));
    lines.sort_by(|a, b| rank(b).cmp(&rank(a)).then_with(|| names(index, a).cmp(&names(index, b))));
    let mut series = vec![0; COLUMNS];
    for line in &lines {
        series.iter_mut().zip(&line.series).for_each(|(sum, it)| *sum += it);
    }
    let total = lines.iter().map(|it| it.count).sum();
    let is_partial = filter.needs_rows() && index.rows_from.is_some();
    Summary { lines, total, columns, series, outcomes, calls, columns_calls, seconds, is_partial }
}

/// The failures that a filter takes, one by one, the newest first.
pub(crate) fn failures<'i>(index: &'i Index, filter: &Filter, now: u64) -> Vec<&'i Row> {
    let wanted = filter.resolve(index, now);
    let takes: Vec<bool> = index.groups.iter().map(|it| wanted.takes_group(it)).collect();
    let mut rows: Vec<&Row> = chosen(index, &wanted, &takes).collect();
    rows.sort_unstable_by_key(|it| (std::cmp::Reverse(it.time), std::cmp::Reverse(it.seq)));
    rows
}

fn chosen<'i, 'w>(
    index: &'i Index,
    wanted: &'w Resolved,
    takes: &'w [bool],
) -> impl Iterator<Item = &'i Row> + use<'i, 'w> {
    index.rows.iter().filter(move |it| {
        takes.get(it.group as usize).copied().unwrap_or_default() && wanted.takes_row(index, it)
    })
}

/// The columns of a chart of all that is wanted: as long as the filter says, and no longer than there is something.
fn columns(index: &Index, wanted: &Resolved, takes: &[bool], now: u64) -> Columns {
    let (from, to) = wanted.minutes;
    let buckets = index.faults.range(from, to);
    let is_taken = |it: &&(Minute, u32, u32)| takes.get(it.1 as usize).copied().unwrap_or_default();
    let first = buckets.iter().find(is_taken).map(|it| it.0);
    let last = buckets.iter().rev().find(is_taken).map(|it| it.0);
    let now = Minute::try_from(now / 60_000).unwrap_or(Minute::MAX);
    let end = if to == Minute::MAX { last.unwrap_or(now) } else { to.saturating_sub(1) };
    let start = if from == 0 { first.unwrap_or(end) } else { from };
    // A few minutes are shown as such.
    let start = start.min(end.saturating_sub(29));
    Columns::of(start, end.saturating_add(1))
}

fn names<'i>(index: &'i Index, line: &Line) -> [&'i str; 3] {
    [line.server, line.tool, line.code].map(|it| index.symbols.text(it))
}

/// The calls that are wanted, and those that each line is a share of.
fn calls_of(index: &Index, wanted: &Resolved, by: By, columns: Columns) -> Calls {
    let (from, to) = wanted.minutes;
    let takes: Vec<bool> = index.tools.iter().map(|it| wanted.takes_tool(*it)).collect();
    let mut series = vec![Totals::default(); COLUMNS];
    let mut of_tool = vec![Totals::default(); index.tools.len()];
    let mut last = 0;
    for (minute, tool, calls) in index.calls.range(from, to) {
        if !takes.get(*tool as usize).copied().unwrap_or_default() {
            continue;
        }
        last = *minute;
        if let Some(column) = series.get_mut(columns.at(*minute)) {
            column.add(*minute, calls);
        }
        if let Some(slot) = of_tool.get_mut(*tool as usize) {
            slot.add(*minute, calls);
        }
    }
    let mut totals: Option<Totals> = None;
    let mut by_key = BTreeMap::<(Symbol, Symbol), Totals>::new();
    for (tool, found) in index.tools.iter().zip(&of_tool) {
        if found.since.is_some() {
            totals.get_or_insert_default().add_all(found);
            by_key.entry(calls_key(*tool, by)).or_default().add_all(found);
        }
    }
    let first = totals.and_then(|it| it.since);
    let minutes = first.map_or(0, |it| last.saturating_sub(it) + 1);
    Calls { totals, series, by_key, seconds: u64::from(minutes) * 60 }
}

/// Adds the tools or servers that were called and did not fail.
fn add_flawless(lines: &mut Vec<Line>, calls: &Calls) {
    let known: Vec<_> = lines.iter().map(|it| (it.server, it.tool)).collect();
    for (key, calls) in &calls.by_key {
        if !known.contains(key) {
            let (server, tool) = *key;
            let series = vec![0; COLUMNS];
            lines.push(Line { server, tool, calls: Some(*calls), series, ..Line::default() });
        }
    }
}

/// The calls that are wanted.
struct Calls {
    totals: Option<Totals>,
    /// All of them in each column.
    series: Vec<Totals>,
    /// Those of a tool, of all tools of a server, or of all.
    by_key: BTreeMap<(Symbol, Symbol), Totals>,
    seconds: u64,
}

/// Whose calls failures are a share of.
const fn calls_key((server, tool): (Symbol, Symbol), by: By) -> (Symbol, Symbol) {
    match (by.server, by.tool) {
        (true, true) => (server, tool),
        (true, false) => (server, EMPTY),
        _ => (EMPTY, EMPTY),
    }
}

fn key(group: &Group, by: By) -> (Symbol, Symbol, Symbol) {
    let only = |is_wanted: bool, symbol| if is_wanted { symbol } else { EMPTY };
    (only(by.server, group.server), only(by.tool, group.tool), only(by.code, group.code))
}

/// Lines while they are counted.
struct Counter<'i> {
    index: &'i Index,
    columns: Columns,
    lines: Vec<Line>,
    /// The line of each group.
    of_group: Vec<usize>,
}

impl<'i> Counter<'i> {
    fn new(index: &'i Index, by: By, columns: Columns, calls: &Calls) -> Self {
        let mut lines: Vec<Line> = Vec::new();
        let mut known: FxHashMap<(Symbol, Symbol, Symbol), usize> = FxHashMap::default();
        let mut of_group = Vec::with_capacity(index.groups.len());
        for group in &index.groups {
            let key = key(group, by);
            let at = *known.entry(key).or_insert_with(|| {
                let (server, tool, code) = key;
                let first = u64::MAX;
                let calls = calls.by_key.get(&calls_key((server, tool), by)).copied();
                lines.push(Line { server, tool, code, calls, first, ..Line::default() });
                lines.len() - 1
            });
            of_group.push(at);
        }
        Self { index, columns, lines, of_group }
    }

    fn add(&mut self, group: u32, minute: u64, (first, last): (u64, u64), count: u64) {
        let Some(line) = self.of_group.get(group as usize).and_then(|it| self.lines.get_mut(*it))
        else {
            return;
        };
        if let Some(group) = self.index.groups.get(group as usize) {
            line.class.add(group.class);
            line.retry.add(group.retry);
            line.effect.add(group.effect);
            line.origin.add(group.origin);
            line.basis.add(group.basis);
            line.flagged.add(group.flagged);
        }
        line.count += count;
        line.first = line.first.min(first);
        line.last = line.last.max(last);
        if line.series.is_empty() {
            line.series = vec![0; COLUMNS];
        }
        let minute = Minute::try_from(minute).unwrap_or(Minute::MAX);
        // Failures from before calls were counted are no share of them, nor are those of other requests than calls.
        let is_counted = line.calls.is_some_and(|it| Some(minute) >= it.since);
        if is_counted && self.index.groups.get(group as usize).is_some_and(|it| it.tool != EMPTY) {
            line.failed += count;
        }
        if let Some(column) = line.series.get_mut(self.columns.at(minute)) {
            *column += count;
        }
    }

    fn done(self) -> Vec<Line> {
        self.lines.into_iter().filter(|it| it.count > 0).collect()
    }
}

/// The part of a share, from nothing on.
#[expect(clippy::cast_precision_loss, reason = "it is shown with one decimal")]
pub(crate) fn part(of: u64, all: u64) -> f64 {
    if all == 0 { 0.0 } else { of as f64 / all as f64 }
}
