//! Failures that no rule named, in groups of what they say, each with the row that would name it.

use std::fmt::Write as _;

use maud::{Markup, html};
use redress::{
    classify::Tier,
    classify::cluster::{Cluster, Clusters, Sighting},
};
use redress_ledger::Time;
use redress_registry::{Effect, shipped, taught::Taught};

use super::{falling, rising};
use crate::{
    address::Pairs,
    filter::Filter,
    index::Index,
    page::{self, count, list, shown, shown_lines},
    query,
    table::{Cell, Column, Table},
};

/// The code of failures about which nothing is known.
pub(crate) const UNKNOWN: &str = "UNKNOWN_TOOL_FAILURE";

const COLUMNS: [Column; 7] = [
    rising("text", "What they say"),
    rising("code", "Named so far"),
    falling("count", "Failures"),
    rising("tools", "Tools"),
    falling("first", "First seen"),
    falling("last", "Last seen"),
    rising("row", "Row that would name them"),
];

/// The groups of failures that were inferred or not named at all, the most frequent first.
pub(crate) fn table(index: &Index, filter: &Filter, now: u64) -> Table {
    let clusters = clusters(index, filter, now);
    let mut table = Table::new(&COLUMNS);
    for cluster in clusters {
        let tools: Vec<&str> = cluster.tools.keys().map(String::as_str).take(8).collect();
        let at = |it: &str| Time::parse(it).map_or(Cell::None, |it| Cell::Time(it.millis()));
        table.push(
            None,
            vec![
                Cell::text(cluster.shown.as_str()),
                Cell::text(cluster.code.as_str()),
                Cell::Count(cluster.count),
                Cell::text(tools.join(", ")),
                at(&cluster.first),
                at(&cluster.last),
                Cell::text(row(&cluster)),
            ],
        );
    }
    table
}

/// The row that would name the group with these words, under a code.
pub(crate) fn row_of(index: &Index, text: &str, code: &str, now: u64) -> Option<Taught> {
    let groups = clusters(index, &Filter::default(), now);
    groups.iter().find(|it| it.shown == text)?.row(code)
}

fn clusters(index: &Index, filter: &Filter, now: u64) -> Vec<Cluster> {
    let mut clusters = Clusters::default();
    for row in query::failures(index, filter, now) {
        let group = index.group_of(row);
        let [code, basis, tool] =
            [group.code, group.basis, group.tool].map(|it| index.symbols.text(it));
        if code != UNKNOWN && basis != "inferred" {
            continue;
        }
        let time = Time::from_millis(row.time).to_string();
        clusters.add(&Sighting {
            tool,
            text: index.symbols.text(row.said),
            rpc_code: None,
            given: &[],
            code,
            tier: if code == UNKNOWN { Tier::Unknown } else { Tier::Prose },
            is_silent: index.symbols.text(group.flagged) == "false",
            is_harmless: false,
            time: &time,
        });
    }
    clusters.into_sorted()
}

/// The row that would name a group, as a registry has it; nothing where its words are too few.
fn row(cluster: &Cluster) -> String {
    let Some(row) = cluster.row(&cluster.code) else { return String::new() };
    let of_code = shipped::core().get(&row.code).map_or(Effect::Unknown, |it| it.effect);
    let effect = Cluster::effect(&[cluster], of_code);
    let Taught { tool, text, rpc_code, code, silent, example, .. } = row;
    let mut out = String::from("[[match]]\n");
    let mut line = |key: &str, value: Option<String>| {
        if let Some(value) = value {
            writeln!(out, "{key} = {value}").unwrap_or_default();
        }
    };
    line("tool", tool.map(|it| toml(&it)));
    line("text", text.map(|it| toml(&it)));
    line("rpc_code", rpc_code.map(|it| it.to_string()));
    line("code", Some(toml(&code)));
    line("effect", effect.map(|it| toml(it.name())));
    line("silent", silent.then(|| "true".to_owned()));
    line("example", example.map(|it| toml(&it)));
    out
}

/// A string of TOML. What JSON escapes, TOML escapes alike, but for DEL.
fn toml(text: &str) -> String {
    let mut out = String::new();
    redress_wire::json::write_str(&mut out, text);
    out.replace('\u{7f}', "\\u007f")
}

pub(crate) fn content(
    index: &Index,
    filter: &Filter,
    (table, address): (&Table, &Pairs),
    may_teach: bool,
) -> Markup {
    let total = table.sum("count");
    let mut list = table.clone();
    list.columns.truncate(6);
    list.rows.iter_mut().for_each(|it| it.cells.truncate(6));
    html! {
        h1 { "Unnamed" }
        p.lead { "Failures that no rule of a contract named, grouped by what they say. A row in the contract of the server names them for certain." }
        @if let Some(from) = index.rows_from { p.note { "Single failures are kept since " (page::time(from)) "." } }
        (list::filter(index, filter, "unnamed"))
        dl.figures {
            div { dt { "Failures" } dd.fail[total > 0] { (count(total)) } }
            div { dt { "Groups" } dd { (count(table.all as u64)) } }
        }
        (list::table(&list, "unnamed", address, "Every failure was named."))
        @if !table.rows.is_empty() {
            h2 { "Rows" }
            p { "Put a row into " code { "errors.toml" } " of the server's contract, with the code that fits. " code { "redress learn" } " drafts all of them, and checks each against the others." }
            @for row in &table.rows {
                @if let Some(Cell::Text(toml)) = row.cells.last() {
                    pre { (shown_lines(toml.trim_end())) }
                    @if let Some(Cell::Text(text)) = row.cells.first().filter(|_| may_teach) {
                        form.mark method="post" action={ (crate::BASE) "/teach" } {
                            input type="hidden" name="text" value=(text);
                            @let named = table.text(row, "code");
                            input name="code" required pattern="[A-Z][A-Z0-9_]*" maxlength="80" placeholder="CODE_OF_THE_CONTRACT" aria-label="Code" value=[(named != UNKNOWN).then_some(named)];
                            button type="submit" { "Add to the contract" }
                        }
                    }
                } @else if let Some(Cell::Text(text)) = row.cells.first() {
                    p.soft { "No row: “" (shown(text)) "” says too little to be told from others." }
                }
            }
        }
    }
}
