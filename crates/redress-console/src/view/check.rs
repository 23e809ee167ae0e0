//! Failures after which a person should look: the call may have changed something.

use std::sync::Arc;

use maud::{Markup, html};
use redress_registry::{Registry, Tool};

use super::{failures::link, falling, rising};
use crate::{
    BASE,
    access::Right,
    address::Pairs,
    filter::Filter,
    index::{Index, Row},
    page::{self, count, list, shown},
    query,
    table::{Cell, Column, Table},
};

const COLUMNS: [Column; 9] = [
    falling("time", "Time"),
    rising("tool", "Tool"),
    rising("server", "Server"),
    rising("effect", "Effect"),
    rising("code", "Code"),
    rising("said", "Server said"),
    rising("client", "Client"),
    rising("chain", "Chain"),
    falling("seq", "Record"),
];

/// The failures that a person has not checked: their effect is unknown, partial or done, and no contract calls their tool read-only.
pub(crate) fn rows<'i>(
    index: &'i Index,
    filter: &Filter,
    now: u64,
    contracts: &[Arc<Registry>],
) -> Vec<&'i Row> {
    let mut rows = query::failures(index, filter, now);
    rows.retain(|row| {
        let group = index.group_of(row);
        let effect = index.symbols.text(group.effect);
        let tool = index.symbols.text(group.tool);
        let is_read_only = contracts.iter().any(|it| it.tools.get(tool).is_some_and(Tool::reads));
        matches!(effect, "unknown" | "partial" | "done")
            && !tool.is_empty()
            && !is_read_only
            && !index.checked.contains_key(&(Arc::clone(&index.file(row).chain), row.seq))
    });
    rows
}

pub(crate) fn table(index: &Index, rows: &[&Row]) -> Table {
    let mut table = Table::new(&COLUMNS);
    for row in rows {
        let group = index.group_of(row);
        let text = |symbol| Cell::text(index.symbols.text(symbol));
        let said = if row.said == crate::index::EMPTY { row.message } else { row.said };
        let cells = vec![
            Cell::Time(row.time),
            text(group.tool),
            text(group.server),
            text(group.effect),
            text(group.code),
            text(said),
            text(group.client),
            Cell::text(&*index.file(row).chain),
            Cell::Count(row.seq),
        ];
        table.push(Some(link(index, row)), cells);
    }
    table
}

pub(crate) fn content(
    index: &Index,
    filter: &Filter,
    (table, address): (&Table, &Pairs),
    right: Right,
) -> Markup {
    // The chain has a column in CSV and JSON; on the page the link says it.
    let mut shown_table = table.clone();
    shown_table.columns.truncate(7);
    shown_table.rows.iter_mut().for_each(|it| it.cells.truncate(7));
    html! {
        h1 { "To check" }
        p.lead {
            "These calls failed after they may have changed something. A person should look what they did. "
            @if right == Right::Write { "A failure leaves the list when it is marked as checked; the ledger keeps who did that." }
            @else { "Start the console with " code { "--write" } " to mark them as checked." }
        }
        @if let Some(from) = index.rows_from { p.note { "Single failures are kept since " (page::time(from)) "." } }
        (list::filter(index, filter, "check"))
        dl.figures { div { dt { "To check" } dd { (count(table.all as u64)) } } }
        (list::table(&shown_table, "check", address, "Nothing is left to check."))
    }
}

/// The form that marks one failure as checked.
pub(crate) fn form(chain: &str, seq: u64) -> Markup {
    html! {
        form.mark method="post" action={ (BASE) "/check" } {
            input type="hidden" name="chain" value=(chain);
            input type="hidden" name="seq" value=(seq);
            input name="note" maxlength="400" placeholder="What was found" aria-label="What was found";
            button type="submit" { "Mark as checked" }
        }
    }
}

/// Who checked a failure, if a person did.
pub(crate) fn mark(index: &Index, chain: &Arc<str>, seq: u64) -> Option<Markup> {
    let mark = index.checked.get(&(Arc::clone(chain), seq))?;
    Some(html! {
        "Checked by " (shown(&mark.by)) ", " (page::time(mark.time))
        @if let Some(note) = &mark.note { ": " (shown(note)) }
    })
}
