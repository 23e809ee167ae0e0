//! Failures by server, tool and code; servers, tools and codes by themselves; and failures one by one.

use std::fmt::Write as _;

use maud::{Markup, html};

use super::{falling, rising};
use crate::{
    BASE,
    address::{Pairs, encode},
    filter::Filter,
    index::{Index, Row},
    page::{chart, count, duration, list, percent},
    query::{By, Line, Summary, Totals, Within, part},
    table::{Cell, Column, Table},
};

/// The columns of what is counted.
fn columns(by: By) -> Vec<Column> {
    let mut columns = Vec::new();
    if by == By::ALL || by == By::CODE {
        columns.push(rising("code", "Code"));
    }
    if by.tool {
        columns.push(rising("tool", "Tool"));
    }
    if by.server {
        columns.push(rising("server", "Server"));
    }
    if by.server && !by.code {
        columns.extend([falling("calls", "Calls"), falling("rate", "Calls a second")]);
    }
    columns.extend([falling("count", "Failures"), falling("share", "Share of calls")]);
    if by.server && !by.code {
        columns.extend([
            falling("p50", "Half within"),
            falling("p95", "95 % within"),
            falling("p99", "99 % within"),
        ]);
    }
    columns.push(falling("trend", "Trend"));
    if by.code {
        columns.extend([rising("retry", "Retry"), rising("effect", "Effect")]);
    }
    if by == By::ALL {
        columns.extend([rising("flagged", "Flagged"), rising("basis", "Basis")]);
    }
    columns.extend([falling("first", "First seen"), falling("last", "Last seen")]);
    columns
}

/// Failures by server, tool and code, or by a part of that.
pub(crate) fn table(index: &Index, summary: &Summary, by: By, filter: &Filter) -> Table {
    let mut table = Table::new(&columns(by));
    for line in &summary.lines {
        let cells = table.columns.iter().map(|it| cell(index, summary, line, it.name)).collect();
        let of = |name: &str, symbol| (name.to_owned(), index.symbols.text(symbol).to_owned());
        let mut pairs = filter.pairs();
        let mut narrow = |is_wanted: bool, (name, value): (String, String)| {
            if is_wanted && !value.is_empty() {
                pairs.set(&name, &value);
            }
        };
        narrow(by.server, of("server", line.server));
        narrow(by.tool, of("tool", line.tool));
        narrow(by.code, of("code", line.code));
        let place = if by == By::ALL { "list" } else { "failures" };
        let place = match by {
            By::SERVER => "server",
            By::TOOL => "tool",
            By::CODE => "code",
            _ => place,
        };
        table.push(Some(format!("{BASE}/{place}{}", pairs.query())), cells);
    }
    table
}

fn cell(index: &Index, summary: &Summary, line: &Line, name: &str) -> Cell {
    let text = |symbol| Cell::text(index.symbols.text(symbol));
    match name {
        "calls" => line.calls.map_or(Cell::None, |it| Cell::Count(it.all())),
        "rate" => line.calls.map_or(Cell::None, |it| Cell::Rate(part(it.all(), summary.seconds))),
        "p50" => within(line.calls.as_ref(), 50),
        "p95" => within(line.calls.as_ref(), 95),
        "p99" => within(line.calls.as_ref(), 99),
        "first" | "last" if line.count == 0 => Cell::None,
        "code" => text(line.code),
        "tool" => text(line.tool),
        "server" => text(line.server),
        "count" => Cell::Count(line.count),
        "share" => line.share().map_or(Cell::None, Cell::Share),
        "class" => Cell::text(line.class.text(index)),
        "retry" => Cell::text(line.retry.text(index).replace('_', " ")),
        "effect" => Cell::text(line.effect.text(index)),
        "flagged" => Cell::text(match line.flagged.text(index).as_str() {
            "true" => "yes",
            "false" => "no",
            "" => "",
            _ => "partly",
        }),
        "basis" => Cell::text(line.basis.text(index)),
        "first" => Cell::Time(line.first),
        "last" => Cell::Time(line.last),
        _ => Cell::Series(line.series.clone()),
    }
}

/// How long so many of a hundred calls took at most.
fn within(calls: Option<&Totals>, percent: u64) -> Cell {
    match calls.and_then(|it| it.within(percent)) {
        Some(Within::Millis(it)) => Cell::Millis(it),
        Some(Within::Longer(it)) => Cell::Longer(it),
        None => Cell::None,
    }
}

const TIMES: [Column; 12] = [
    rising("time", "From"),
    falling("calls", "Calls"),
    falling("rate", "Calls a second"),
    falling("ok", "Ok"),
    falling("fault", "Failed"),
    falling("refused", "Refused"),
    falling("cancelled", "Cancelled"),
    falling("repeated", "Fine after a repeat"),
    falling("p50", "Half within"),
    falling("p95", "95 % within"),
    falling("p99", "99 % within"),
    falling("count", "Failures"),
];

/// Calls by outcome, durations and failures, by time.
pub(crate) fn times(summary: &Summary) -> Table {
    let mut table = Table::new(&TIMES);
    let columns = summary.columns;
    let minutes = (columns.start..).step_by(columns.step.max(1) as usize);
    let all = minutes.zip(summary.columns_calls.iter().zip(&summary.series)).take(columns.used);
    for (minute, (calls, failures)) in all {
        let known = Some(calls).filter(|it| it.all() > 0);
        let number =
            |it: u64| if summary.outcomes.is_some() { Cell::Count(it) } else { Cell::None };
        let seconds = u64::from(columns.step) * 60;
        let rate = known.map_or(Cell::None, |it| Cell::Rate(part(it.all(), seconds)));
        table.push(
            None,
            vec![
                Cell::Time(u64::from(minute) * 60_000),
                number(calls.all()),
                rate,
                number(calls.ok),
                number(calls.fault),
                number(calls.refused),
                number(calls.cancelled),
                number(calls.repeated),
                within(known, 50),
                within(known, 95),
                within(known, 99),
                Cell::Count(*failures),
            ],
        );
    }
    table
}

/// The columns of failures one by one.
const EACH: [Column; 8] = [
    falling("time", "Time"),
    rising("code", "Code"),
    rising("tool", "Tool"),
    rising("server", "Server"),
    rising("message", "Message"),
    rising("said", "Server said"),
    rising("effect", "Effect"),
    rising("client", "Client"),
];

/// Failures one by one, the newest first; only the rows of the page have their texts.
pub(crate) fn each(index: &Index, rows: &[&Row]) -> Table {
    let mut table = Table::new(&EACH);
    for row in rows {
        let group = index.group_of(row);
        let text = |symbol| Cell::text(index.symbols.text(symbol));
        let cells = vec![
            Cell::Time(row.time),
            text(group.code),
            text(group.tool),
            text(group.server),
            text(row.message),
            text(row.said),
            text(group.effect),
            text(group.client),
        ];
        table.push(Some(link(index, row)), cells);
    }
    table
}

/// The page of a failure.
pub(crate) fn link(index: &Index, row: &Row) -> String {
    let mut out = format!("{BASE}/failure/");
    encode(&index.file(row).chain, &mut out);
    write!(out, "/{}", row.seq).unwrap_or_default();
    out
}

/// Chart, figures and table of failures.
pub(crate) fn content(
    index: &Index,
    summary: &Summary,
    filter: &Filter,
    (place, title): (&str, &str),
    (table, address): (&Table, &Pairs),
) -> Markup {
    html! {
        h1 { (title) }
        (lead(index, summary))
        (list::filter(index, filter, place))
        (figures(summary))
        (chart::columns(&summary.series, &summary.calls, summary.columns))
        (list::table(table, place, address, "No failure fits. Widen the filter, or wait."))
        p.under {
            a href=(format!("{BASE}/list{}", filter.pairs().query())) { "One by one" }
            " " a href=(format!("{BASE}/time{}", filter.pairs().query())) { "By time" }
        }
    }
}

/// What a page of failures is about, and its bounds.
pub(crate) fn lead(index: &Index, summary: &Summary) -> Markup {
    html! {
        @if summary.is_partial && let Some(from) = index.rows_from {
            p.note { "This filter needs single failures. They are kept since " (crate::page::time(from)) "." }
        }
    }
}

/// Total, share and outcomes.
pub(crate) fn figures(summary: &Summary) -> Markup {
    html! {
        dl.figures {
            div { dt { "Failures" } dd.fail { (count(summary.total)) } }
            @if let Some(calls) = summary.outcomes {
                div { dt { "Calls" } dd { (count(calls.all())) } }
                div { dt { "Failed or refused" } dd { (percent(part(calls.failed(), calls.all()))) } }
                @if calls.repeated > 0 { div { dt { "Fine after a repeat" } dd { (count(calls.repeated)) } } }
            }
        }
    }
}

/// The page of a server, a tool or a code.
pub(crate) fn subject(
    index: &Index,
    summary: &Summary,
    filter: &Filter,
    (kind, explained): (&str, &Markup),
    (table, address): (&Table, &Pairs),
) -> Markup {
    let name = |it: &str| filter.get(it).map(crate::page::shown).unwrap_or_default();
    let latency = summary.outcomes.map(|it| [50, 95, 99].map(|percent| it.within(percent)));
    html! {
        p.soft { a href={ (BASE) "/" (kind) "s" } {
            @match kind { "server" => "Servers", "tool" => "Tools", _ => "Codes" }
        } }
        h1.code[kind == "code"] { (name(kind)) }
        @if kind == "tool" && filter.get("server").is_some() { p.lead { "of " (name("server")) } }
        (explained)
        (lead(index, summary))
        (figures(summary))
        (chart::columns(&summary.series, &summary.calls, summary.columns))
        @if let Some(calls) = summary.outcomes.filter(|_| kind != "code") {
            h2 { "Outcomes" }
            (chart::parts("Calls by outcome", 'p', &[
                ("ok", calls.ok), ("failed", calls.fault), ("refused", calls.refused),
                ("cancelled", calls.cancelled), ("fine after a repeat", calls.repeated),
            ]))
        }
        @if let Some([half, most, nearly]) = latency.filter(|_| kind != "code") {
            h2 { "Durations" }
            dl.figures {
                @for (title, millis) in [("Half within", half), ("95 % within", most), ("99 % within", nearly)] {
                    div { dt { (title) } dd { @match millis {
                        Some(Within::Millis(it)) => (duration(it)),
                        Some(Within::Longer(it)) => { "> " (duration(it)) }
                        None => "–",
                    } } }
                }
            }
        }
        h2 { "Failures" }
        (list::table(table, kind, address, "No failure is recorded."))
        p.under {
            @if kind != "code" { a href=(format!("{BASE}/time{}", filter.pairs().query())) { "By time" } " " }
            a href=(format!("{BASE}/list{}", filter.pairs().query())) { "One by one" }
        }
    }
}
