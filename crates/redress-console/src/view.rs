//! What each page lists, as a table from one query. Page, CSV, JSON and the MCP tools take the same one.

pub(crate) mod check;
pub(crate) mod failure;
pub(crate) mod failures;
pub(crate) mod ledger;
pub(crate) mod now;
pub(crate) mod runs;
pub(crate) mod unnamed;

use std::sync::Arc;

use redress_registry::Registry;

use crate::{
    address::Pairs,
    filter::Filter,
    index::Index,
    query::{self, By, Summary},
    table::{Column, Table},
};

/// What a page lists, and the counts that it comes from.
pub(crate) struct Listed {
    pub table: Table,
    pub total: Option<u64>,
    pub summary: Option<Summary>,
}

/// What a page lists. Page, CSV, JSON, tools and commands take it from here.
pub(crate) fn list(
    index: &Index,
    name: &str,
    (filter, address): (&Filter, &Pairs),
    now: u64,
    contracts: &[Arc<Registry>],
) -> Option<Listed> {
    let counted = |by, filter: &Filter| {
        let summary = query::summary(index, filter, by, now);
        let table = failures::table(index, &summary, by, filter);
        let total = Some(summary.total);
        Listed { table, total, summary: Some(summary) }
    };
    let plain = |table: Table| Listed { table, total: None, summary: None };
    Some(match name {
        "" | "now" => counted(By::ALL, &now::filter()),
        "failures" | "server" | "tool" | "code" => counted(By::ALL, filter),
        "servers" => counted(By::SERVER, filter),
        "tools" => counted(By::TOOL, filter),
        "codes" => counted(By::CODE, filter),
        "time" => {
            let summary = query::summary(index, filter, By::default(), now);
            let (table, total) = (failures::times(&summary), Some(summary.total));
            Listed { table, total, summary: Some(summary) }
        }
        "list" => {
            let rows = query::failures(index, filter, now);
            let summary = query::summary(index, filter, By::default(), now);
            let total = Some(rows.len() as u64);
            Listed { table: failures::each(index, &rows), total, summary: Some(summary) }
        }
        "check" => {
            let rows = check::rows(index, filter, now, contracts);
            plain(check::table(index, &rows))
        }
        "loops" => plain(runs::loops(index, filter, now)),
        "recovery" => {
            plain(runs::recovery(index, filter, now, address.get("by") == Some("wording")))
        }
        "unnamed" => plain(unnamed::table(index, filter, now)),
        "ledger" => plain(ledger::table(index)),
        _ => return None,
    })
}

/// A column whose large values come first.
const fn falling(name: &'static str, title: &'static str) -> Column {
    Column { name, title, descends: true }
}

/// A column whose small values come first.
const fn rising(name: &'static str, title: &'static str) -> Column {
    Column { name, title, descends: false }
}
