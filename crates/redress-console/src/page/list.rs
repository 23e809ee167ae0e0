//! A table on a page: its rows, links that sort it, its pages, its CSV and JSON; and the form of its filter.

use maud::{Markup, html};

use super::{chart, count, duration, exact_time, percent, rate, shown, time};
use crate::{
    BASE,
    address::Pairs,
    filter::{Filter, NAMES},
    index::Index,
    table::{Cell, Row, Table},
};

/// How many rows a page has.
pub(crate) const PAGE: usize = 25;

/// How long a text is at most that stays on one line.
const SHORT: usize = 30;

/// How many names a field of the filter offers.
const OFFERED: usize = 30;

/// A table, with the filter, the order and the page that the address says.
pub(crate) fn table(table: &Table, place: &str, address: &Pairs, empty: &str) -> Markup {
    let sorted = table.sorted;
    let number = table.before / PAGE + 1;
    let pages = table.all.div_ceil(PAGE).max(1);
    html! {
        @if table.rows.is_empty() {
            p.soft { (empty) }
        } @else {
            div.scroll role="region" aria-label="Table" tabindex="0" {
                table.rows {
                    thead { tr {
                        @for (at, column) in table.columns.iter().enumerate() {
                            @let is_number = is_number(table, at);
                            @let order = sorted.filter(|it| it.0 == at).map(|it| it.1);
                            th.n[is_number] scope="col" aria-sort=[order.map(|it| if it { "descending" } else { "ascending" })] {
                                a href=(sort_link(place, address, column.name, order == Some(column.descends))) {
                                    (column.title)
                                    @if let Some(descends) = order { @if descends { " ↓" } @else { " ↑" } }
                                }
                            }
                        }
                    } }
                    tbody {
                        @for row in &table.rows { (line(table, row)) }
                    }
                }
            }
        }
        div.under {
            span { (count(table.all as u64)) @if table.all == 1 { " row" } @else { " rows" } @if pages > 1 { ", page " (number) " of " (pages) } }
            @if number > 1 { a rel="prev" href=(page_link(place, address, number - 1)) { "← Previous" } }
            @if number < pages { a rel="next" href=(page_link(place, address, number + 1)) { "Next →" } }
            span.right { a href=(format!("{BASE}/{place}.csv{}", address.query())) { "CSV" } }
            span { a href=(format!("{BASE}/{place}.json{}", address.query())) { "JSON" } }
        }
    }
}

fn line(table: &Table, row: &Row) -> Markup {
    html! {
        tr {
            @for (at, (column, cell)) in table.columns.iter().zip(&row.cells).enumerate() {
                @let link = row.link.as_ref().filter(|_| at == 0);
                @match cell {
                    Cell::None if link.is_some() => { td.s data-t=(column.title) { a href=[link] { "(none)" } } }
                    Cell::None => { td.none data-t=(column.title) { span.soft { "–" } } }
                    Cell::Text(text) => {
                        @let text = shown(text);
                        @let is_long = text.chars().count() > SHORT;
                        td.w[is_long].s[!is_long] data-t=(column.title) {
                            @if let Some(link) = link { a href=(link) { (text) } }
                            @else if column.name == "code" { span.code { (text) } }
                            @else { (text) }
                        }
                    }
                    Cell::Count(it) => { td.n data-t=(column.title) { (count(*it)) } }
                    Cell::Share(it) => { td.n data-t=(column.title) { (percent(*it)) } }
                    Cell::Millis(it) => { td.n data-t=(column.title) { (duration(*it)) } }
                    Cell::Longer(it) => { td.n data-t=(column.title) { "> " (duration(*it)) } }
                    Cell::Rate(it) => { td.n data-t=(column.title) { (rate(*it)) } }
                    Cell::Time(it) => {
                        td.t data-t=(column.title) {
                            @if let Some(link) = link { a href=(link) { (exact_time(*it)) } } @else { (time(*it)) }
                        }
                    }
                    Cell::Series(it) => { td data-t=(column.title) { (chart::spark(it)) } }
                }
            }
        }
    }
}

fn is_number(table: &Table, at: usize) -> bool {
    table.rows.iter().filter_map(|it| it.cells.get(at)).any(|it| {
        matches!(
            it,
            Cell::Count(_) | Cell::Share(_) | Cell::Millis(_) | Cell::Longer(_) | Cell::Rate(_)
        )
    })
}

fn sort_link(place: &str, address: &Pairs, name: &str, is_turned: bool) -> String {
    let mut pairs = address.clone();
    let by = if is_turned { format!("-{name}") } else { name.to_owned() };
    pairs.set("sort", &by).set("page", "1");
    format!("{BASE}/{place}{}", pairs.query())
}

fn page_link(place: &str, address: &Pairs, number: usize) -> String {
    let mut pairs = address.clone();
    pairs.set("page", &number.to_string());
    format!("{BASE}/{place}{}", pairs.query())
}

/// The form of a filter, and what it takes now, each with a link that leaves it out.
pub(crate) fn filter(index: &Index, filter: &Filter, place: &str) -> Markup {
    let pairs = filter.pairs();
    let known = |name: &str| offered(index, name);
    html! {
        details.filter {
            summary { "Filter" }
            form.fields method="get" action={ (BASE) "/" (place) } {
                label { "Text" input type="search" name="text" value=[pairs.get("text")] placeholder="in what was said"; }
                label { "From" input name="from" list="spans" value=[pairs.get("from")] placeholder="24h, 2026-01-19"; }
                label { "To" input name="to" list="spans" value=[pairs.get("to")]; }
                datalist #spans { @for it in ["1h", "24h", "7d", "30d"] { option value=(it) {} } }
                @for name in NAMES {
                    label {
                        (title(name))
                        @let given = pairs.get(name);
                        @let is_plain = given.is_none_or(|it| shown(it) == it);
                        input type=(if is_plain { "text" } else { "hidden" }) name=(name) list={ "of-" (name) } value=[given] autocomplete="off";
                    }
                    @if !matches!(name, "session" | "run") {
                        datalist #{ "of-" (name) } { @for it in known(name) { option value=(it) {} } }
                    }
                }
                label {
                    "Flagged by the server"
                    select name="flagged" {
                        option value="" { "either" }
                        @for (value, title) in [("true", "yes"), ("false", "no")] {
                            option value=(value) selected[pairs.get("flagged") == Some(value)] { (title) }
                        }
                    }
                }
                div.go { button type="submit" { "Apply" } }
            }
        }
        @if pairs.iter().next().is_some() {
            ul.chips aria-label="Filters" {
                @for (name, value) in pairs.iter() {
                    li { (title(name)) ": " (shown(value)) " "
                        a href=(without(place, &pairs, name)) aria-label={ "Without " (title(name)) } { "×" } }
                }
            }
        }
    }
}

fn without(place: &str, pairs: &Pairs, name: &str) -> String {
    let mut rest = Pairs::default();
    for (it, value) in pairs.iter().filter(|it| it.0 != name) {
        rest.set(it, value);
    }
    format!("{BASE}/{place}{}", rest.query())
}

fn title(name: &str) -> &'static str {
    match name {
        "server" => "Server",
        "tool" => "Tool",
        "code" => "Code",
        "class" => "Class",
        "effect" => "Effect",
        "origin" => "Origin",
        "basis" => "Basis",
        "client" => "Client",
        "session" => "Session",
        "run" => "Run",
        "flagged" => "Flagged",
        "from" => "From",
        "to" => "To",
        _ => "Text",
    }
}

/// Values that a property has in the index.
fn offered<'i>(index: &'i Index, name: &str) -> Vec<&'i str> {
    let mut found: Vec<&str> = Vec::new();
    for group in &index.groups {
        let symbol = match name {
            "server" => group.server,
            "tool" => group.tool,
            "code" => group.code,
            "class" => group.class,
            "effect" => group.effect,
            "origin" => group.origin,
            "basis" => group.basis,
            _ => group.client,
        };
        let text = index.symbols.text(symbol);
        // What would mislead a reader is not offered.
        if !text.is_empty() && shown(text) == text && !found.contains(&text) {
            found.push(text);
        }
        if found.len() >= OFFERED {
            break;
        }
    }
    found.sort_unstable();
    found
}
