//! Loops and recovery: what happened after a failure in the same run.

use maud::{Markup, html};
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::{failures::link, falling, rising};
use crate::{
    address::Pairs,
    filter::Filter,
    index::{EMPTY, Index, Row, Success, Symbol},
    page::{self, chart, count, list, percent},
    query::{self, part},
    table::{Cell, Column, Table},
};

/// How often the same call fails in the same way before that is a loop.
const LOOP: usize = 3;

/// The run of a failure: its trace, or else its session.
fn run_of(row: &Row) -> (Symbol, Symbol) {
    if row.run == EMPTY { (EMPTY, row.session) } else { (row.run, EMPTY) }
}

const LOOPS: [Column; 9] = [
    rising("code", "Code"),
    rising("tool", "Tool"),
    rising("server", "Server"),
    falling("failures", "Times"),
    falling("lasted", "Lasted"),
    falling("last", "Last seen"),
    rising("same", "The same"),
    rising("client", "Client"),
    rising("run", "Run"),
];

/// The same call with the same failure in the same run, three times or more.
pub(crate) fn loops(index: &Index, filter: &Filter, now: u64) -> Table {
    let mut found: FxHashMap<_, Vec<&Row>> = FxHashMap::default();
    for row in query::failures(index, filter, now) {
        let run = run_of(row);
        if run == (EMPTY, EMPTY) {
            continue;
        }
        // Where the arguments are not known, what was said stands for them.
        let same = if row.arguments == EMPTY {
            (EMPTY, row.message, row.said)
        } else {
            (row.arguments, EMPTY, EMPTY)
        };
        found.entry((run, row.file, row.group, same)).or_default().push(row);
    }
    let mut table = Table::new(&LOOPS);
    let mut all: Vec<_> = found.into_iter().filter(|it| it.1.len() >= LOOP).collect();
    all.sort_by_key(|it| std::cmp::Reverse((it.1.len(), it.1.first().map(|it| it.time))));
    for ((run, ..), rows) in all {
        let (Some(newest), Some(oldest)) = (rows.first(), rows.last()) else { continue };
        let group = index.group_of(newest);
        let text = |symbol| Cell::text(index.symbols.text(symbol));
        let by = if newest.arguments == EMPTY { "words" } else { "arguments" };
        let cells = vec![
            text(group.code),
            text(group.tool),
            text(group.server),
            Cell::Count(rows.len() as u64),
            Cell::Millis(newest.time.saturating_sub(oldest.time)),
            Cell::Time(newest.time),
            Cell::text(by),
            text(group.client),
            text(if run.0 == EMPTY { run.1 } else { run.0 }),
        ];
        table.push(Some(link(index, newest)), cells);
    }
    table
}

/// What came of the failures of one code or one wording.
#[derive(Debug, Default)]
struct Recovered {
    failures: u64,
    calls: Vec<u64>,
    millis: Vec<u64>,
}

const RECOVERY: [Column; 7] = [
    rising("code", "Code"),
    rising("hint", "What the card says"),
    falling("failures", "Failures in runs"),
    falling("recovered", "Recovered"),
    falling("share", "Share"),
    rising("calls", "Calls until then"),
    rising("millis", "Time until then"),
];

/// Of the failures of each code, how many were followed by a success of the same tool in the same run; by wording of the card, too. Failures
/// of which the ledger does not tell that are left out.
pub(crate) fn recovery(index: &Index, filter: &Filter, now: u64, by_wording: bool) -> Table {
    // In the order of their chain, whatever its clock did. A chain tells of its own runs.
    type Key<'i> = (&'i str, (Symbol, Symbol), Symbol, Symbol);
    let mut successes = BTreeMap::<Key<'_>, Vec<&Success>>::new();
    for it in index.successes.iter().filter(|it| it.call > 0) {
        let run = if it.run == EMPTY { (EMPTY, it.session) } else { (it.run, EMPTY) };
        let key = (index.chain_of(it.file), run, it.server, it.tool);
        successes.entry(key).or_default().push(it);
    }
    for all in successes.values_mut() {
        all.sort_unstable_by_key(|it| it.seq);
    }
    let mut found: FxHashMap<(Symbol, Symbol), Recovered> = FxHashMap::default();
    for row in query::failures(index, filter, now) {
        if row.call == 0 || run_of(row) == (EMPTY, EMPTY) {
            continue;
        }
        let group = index.group_of(row);
        let hint = if by_wording { row.hint } else { EMPTY };
        let slot = found.entry((group.code, hint)).or_default();
        slot.failures += 1;
        let key = (index.chain_of(row.file), run_of(row), group.server, group.tool);
        let later = successes.get(&key).and_then(|all| {
            let next = all.partition_point(|it| it.seq < row.seq);
            all.get(next)
        });
        // A smaller number is of a later count of the run: what ended this failure is not known, if anything did.
        if let Some(success) = later.filter(|it| it.call > row.call) {
            slot.calls.push(u64::from(success.call - row.call));
            slot.millis.push(success.time.saturating_sub(row.time));
        }
    }
    let mut table = Table::new(&RECOVERY);
    let mut all: Vec<_> = found.into_iter().collect();
    all.sort_by(|a, b| {
        let name = |it: (Symbol, Symbol)| (index.symbols.text(it.0), index.symbols.text(it.1));
        b.1.failures.cmp(&a.1.failures).then_with(|| name(a.0).cmp(&name(b.0)))
    });
    for ((code, hint), mut it) in all {
        let recovered = it.calls.len() as u64;
        let cells = vec![
            Cell::text(index.symbols.text(code)),
            Cell::text(index.symbols.text(hint)),
            Cell::Count(it.failures),
            Cell::Count(recovered),
            Cell::Share(part(recovered, it.failures)),
            median(&mut it.calls).map_or(Cell::None, Cell::Count),
            median(&mut it.millis).map_or(Cell::None, Cell::Millis),
        ];
        let link = Filter::default().with("code", index.symbols.text(code)).pairs();
        table.push(Some(format!("{}/code{}", crate::BASE, link.query())), cells);
    }
    if !by_wording {
        table.columns.remove(1);
        table.rows.iter_mut().for_each(|it| drop(it.cells.remove(1)));
    }
    table
}

fn median(values: &mut [u64]) -> Option<u64> {
    values.sort_unstable();
    values.get(values.len() / 2).copied()
}

pub(crate) fn loops_content(
    index: &Index,
    filter: &Filter,
    (table, address): (&Table, &Pairs),
) -> Markup {
    // Each loop costs all its calls but the first.
    let wasted = table.sum("failures").saturating_sub(table.all as u64);
    html! {
        h1 { "Loops" }
        p.lead { "The same call that failed in the same way three times or more within a run." }
        @if let Some(from) = index.rows_from { p.note { "Single failures are kept since " (page::time(from)) "." } }
        (list::filter(index, filter, "loops"))
        dl.figures {
            div { dt { "Loops" } dd { (count(table.all as u64)) } }
            div { dt { "Calls wasted" } dd.fail { (count(wasted)) } }
        }
        (list::table(table, "loops", address, "No call failed three times in the same way."))
    }
}

pub(crate) fn recovery_content(
    index: &Index,
    filter: &Filter,
    (table, address): (&Table, &Pairs),
) -> Markup {
    let (failures, recovered) = (table.sum("failures"), table.sum("recovered"));
    // Older versions did not record the success that ended a failure.
    let is_known = failures > 0 || index.rows.is_empty();
    let mut by_wording = filter.pairs();
    by_wording.set("by", "wording");
    let is_wording = address.get("by") == Some("wording");
    html! {
        h1 { "Recovery" }
        p.lead { "Of the failures in a run, how many were followed by a success of the same tool in that run. Calls and time are medians." }
        @if !is_known {
            p.note { "These failures were recorded by an older version, or belong to no run, so that it is not known what recovered." }
        }
        (list::filter(index, filter, "recovery"))
        dl.figures {
            div { dt { "Failures in runs" } dd { (count(failures)) } }
            @if is_known { div { dt { "Recovered" } dd { (percent(part(recovered, failures))) } } }
        }
        @if is_known {
            (chart::parts("Failures by what came after", 'p', &[("recovered", recovered), ("not recovered", failures.saturating_sub(recovered))]))
        }
        p.under {
            @if is_wording { a href={ (crate::BASE) "/recovery" (filter.pairs().query()) } { "By code" } }
            @else { a href={ (crate::BASE) "/recovery" (by_wording.query()) } { "By wording of the card" } }
        }
        (list::table(table, "recovery", address, "No failure of a call is known to belong to a run."))
    }
}
