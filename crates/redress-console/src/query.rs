//! `Summary`: failures counted by server, tool and code. Counts, lists and charts of every page come from it.

use rustc_hash::FxHashMap;

use crate::{
    filter::{Filter, Resolved},
    index::{EMPTY, Group, Index, Minute, Outcomes, Row, Symbol},
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
    /// The calls of the tool, if they were counted, and how many of these failures happened since then.
    pub calls: Option<(u64, u64)>,
    /// The minute from which on they were counted.
    since: Option<Minute>,
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
    #[expect(clippy::cast_precision_loss, reason = "a share is shown with one decimal")]
    pub(crate) fn share(&self) -> Option<f64> {
        let (calls, failed) = self.calls?;
        (calls > 0 && failed <= calls).then(|| failed as f64 / calls as f64)
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
    /// The calls of all tools that are wanted, by outcome, if any were counted.
    pub outcomes: Option<Totals>,
    /// The calls in each column.
    pub calls: Vec<u64>,
    /// Whether only the newest failures could be asked.
    pub is_partial: bool,
}

/// Calls by outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    pub ok: u64,
    pub fault: u64,
    pub refused: u64,
    pub cancelled: u64,
    pub repeated: u64,
}

impl Totals {
    fn add(&mut self, minute: Outcomes) {
        self.ok += u64::from(minute.ok);
        self.fault += u64::from(minute.fault);
        self.refused += u64::from(minute.refused);
        self.cancelled += u64::from(minute.cancelled);
        self.repeated += u64::from(minute.repeated);
    }

    /// All calls.
    pub(crate) const fn all(self) -> u64 {
        self.ok + self.fault + self.refused + self.cancelled + self.repeated
    }

    /// The calls that failed.
    pub(crate) const fn failed(self) -> u64 {
        self.fault + self.refused
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
    let (outcomes, calls) = (calls.totals, calls.series);
    lines.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| names(index, a).cmp(&names(index, b))));
    let mut series = vec![0; COLUMNS];
    for line in &lines {
        series.iter_mut().zip(&line.series).for_each(|(sum, it)| *sum += it);
    }
    let total = lines.iter().map(|it| it.count).sum();
    let is_partial = filter.needs_rows() && index.rows_from.is_some();
    Summary { lines, total, columns, series, outcomes, calls, is_partial }
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
    let mut totals: Option<Totals> = None;
    let mut series = vec![0; COLUMNS];
    let mut of_tool: Vec<Option<(Minute, u64)>> = vec![None; index.tools.len()];
    for (minute, tool, outcomes) in index.calls.range(from, to) {
        if !takes.get(*tool as usize).copied().unwrap_or_default() {
            continue;
        }
        totals.get_or_insert_default().add(*outcomes);
        if let Some(column) = series.get_mut(columns.at(*minute)) {
            *column += outcomes.total();
        }
        if let Some(slot) = of_tool.get_mut(*tool as usize) {
            slot.get_or_insert((*minute, 0)).1 += outcomes.total();
        }
    }
    let mut by_key: FxHashMap<(Symbol, Symbol), (Minute, u64)> = FxHashMap::default();
    for (tool, found) in index.tools.iter().zip(of_tool) {
        if let Some((first, count)) = found {
            let slot = by_key.entry(calls_key(*tool, by)).or_insert((first, 0));
            *slot = (slot.0.min(first), slot.1 + count);
        }
    }
    Calls { totals, series, by_key }
}

/// The calls that are wanted.
struct Calls {
    totals: Option<Totals>,
    /// All of them in each column.
    series: Vec<u64>,
    /// From which minute on calls were counted, and how many: of a tool, of all tools of a server, or of all.
    by_key: FxHashMap<(Symbol, Symbol), (Minute, u64)>,
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
                let (since, calls) = (calls.map(|it| it.0), calls.map(|it| (it.1, 0)));
                lines.push(Line { server, tool, code, calls, since, first, ..Line::default() });
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
        // Failures from before calls were counted are no share of them.
        if let Some((_, failed)) = line.calls.as_mut().filter(|_| Some(minute) >= line.since) {
            *failed += count;
        }
        if let Some(column) = line.series.get_mut(self.columns.at(minute)) {
            *column += count;
        }
    }

    fn done(self) -> Vec<Line> {
        self.lines.into_iter().filter(|it| it.count > 0).collect()
    }
}
