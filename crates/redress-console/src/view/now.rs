//! The first page: what happens now.

use maud::{Markup, html};

use super::failures;
use crate::{
    BASE,
    filter::Filter,
    index::Index,
    page::{self, chart, count, list, percent, shown},
    query::{self, By, Summary, part},
    server_state::ServerState,
};

/// What the first page shows: the last hour.
pub(crate) fn filter() -> Filter {
    Filter::of(|name| (name == "from").then(|| "1h".to_owned())).unwrap_or_default()
}

pub(crate) fn content(
    index: &Index,
    summary: &Summary,
    now: u64,
    servers: Option<&[ServerState]>,
) -> Markup {
    let filter = filter();
    let mut table = failures::table(index, summary, By::ALL, &filter);
    table.page(1, 8);
    let origins = origins(index, &filter, now);
    html! {
        h1 { "Now" }
        p.lead { "The last hour, until " (page::time(now)) " UTC." }
        @if summary.total == 0 && summary.outcomes.is_none() {
            p.note {
                @if index.records == 0 && index.progress.is_complete { "The ledger is empty. Failures appear here as soon as a gate records one." }
                @else if index.newest > 0 {
                    "Nothing happened in the last hour. The newest record is of " (page::time(index.newest)) ". "
                    a href={ (BASE) "/failures" } { "All failures" }
                }
            }
        }
        dl.figures {
            @if let Some(calls) = summary.outcomes {
                div { dt { "Calls" } dd { (count(calls.all())) " " small { (rate(calls.all())) } } }
                div { dt { "Failed or refused" } dd.fail[calls.failed() > 0] { (percent(part(calls.failed(), calls.all()))) } }
            }
            div { dt { "Failures" } dd.fail[summary.total > 0] { (count(summary.total)) } }
            @if let Some(calls) = summary.outcomes.filter(|it| it.repeated > 0) {
                div { dt { "Fine after a repeat" } dd { (count(calls.repeated)) } }
            }
        }
        (chart::columns(&summary.series, &summary.calls, summary.columns))
        div.two {
            section {
                h2 { "Calls by outcome" }
                @match summary.outcomes {
                    Some(calls) => { (chart::parts("Calls by outcome", 'p', &[
                        ("ok", calls.ok), ("failed", calls.fault), ("refused", calls.refused),
                        ("cancelled", calls.cancelled), ("fine after a repeat", calls.repeated),
                    ])) }
                    None => { p.soft { "No calls were counted in this time." } }
                }
            }
            section {
                h2 { "Failures by origin" }
                @if origins.is_empty() { p.soft { "No failures." } }
                @else { (chart::parts("Failures by origin", 'f', &origins.iter().map(|it| (it.0.as_str(), it.1)).collect::<Vec<_>>())) }
            }
        }
        h2 { "Most frequent failures" }
        (list::table(&table, "failures", &filter.pairs(), "No failures in the last hour."))
        h2 { "Servers" }
        (states(servers))
    }
}

/// Failures by origin: tool, server, gate and client in this order, so that each keeps its colour.
fn origins(index: &Index, filter: &Filter, now: u64) -> Vec<(String, u64)> {
    let count = |origin: &str| {
        let of_origin = filter.clone().with("origin", origin);
        (origin.to_owned(), query::summary(index, &of_origin, By::default(), now).total)
    };
    let all: Vec<_> = ["tool", "server", "gate", "client"].map(count).into();
    if all.iter().all(|it| it.1 == 0) { Vec::new() } else { all }
}

fn rate(calls: u64) -> String {
    page::rate(part(calls, 3_600))
}

fn states(servers: Option<&[ServerState]>) -> Markup {
    html! {
        @match servers {
            None => { p.soft { "The state of servers is known in the console of " code { "redress serve" } ", at " code { "/console" } "." } }
            Some([]) => { p.soft { "No servers are served." } }
            Some(servers) => {
                div.scroll role="region" aria-label="Servers" tabindex="0" { table.rows {
                    thead { tr {
                        th scope="col" { "Server" } th scope="col" { "State" }
                        th.n scope="col" { "In flight" } th.n scope="col" { "Restarts" }
                    } }
                    tbody { @for it in servers { tr {
                        td.w data-t="Server" { a href=(format!("{BASE}/server{}", Filter::default().with("server", &it.name).pairs().query())) { (shown(&it.name)) } }
                        td.fail[!it.is_fine] data-t="State" { (shown(&it.state)) }
                        td.n data-t="In flight" { @match it.in_flight { Some(it) => (count(it)), None => "–" } }
                        td.n data-t="Restarts" { (count(it.restarts)) }
                    } } }
                } }
            }
        }
    }
}
