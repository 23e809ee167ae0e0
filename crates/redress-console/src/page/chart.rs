//! Charts as SVG, drawn from numbers alone.

use std::fmt::Write as _;

use maud::{Markup, html};
use redress_ledger::Time;

use super::{count, drawn};
use crate::query::Columns;

/// The size of a chart.
const WIDTH: usize = 960;
const HEIGHT: usize = 150;
const FOOT: usize = 20;
const HEAD: usize = 16;

/// Failures in columns, before the calls of the same time if those are known.
pub(crate) fn columns(failures: &[u64], calls: &[u64], columns: Columns) -> Markup {
    let failures = failures.get(..columns.used).unwrap_or(failures);
    let calls = calls.get(..columns.used).unwrap_or(calls);
    let has_calls = calls.iter().any(|it| *it > 0);
    let highest = failures.iter().copied().max().unwrap_or_default().max(1);
    let most_calls = calls.iter().copied().max().unwrap_or_default().max(1);
    let width = WIDTH / failures.len().max(1);
    let (base, space) = (HEIGHT - FOOT, HEIGHT - FOOT - HEAD);
    let mut svg = format!(
        "<svg class=\"chart\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"Failures over time, {highest} at most\">"
    );
    let mut bar = |class: char, at: usize, value: u64, most: u64, inset: usize| {
        let height = scaled(value, most, space);
        if height > 0 {
            let (x, y, w) = (at * width + inset, base - height, width - 2 * inset);
            write!(svg, "<path class=\"{class}\" d=\"M{x} {y}h{w}V{base}h-{w}z\"/>")
                .unwrap_or_default();
        }
    };
    if has_calls {
        calls.iter().enumerate().for_each(|(at, it)| bar('c', at, *it, most_calls, 1));
    }
    failures.iter().enumerate().for_each(|(at, it)| bar('b', at, *it, highest, 3));
    write!(svg, "<path class=\"ax\" d=\"M0 {base}.5H{WIDTH}\"/>").unwrap_or_default();
    write!(svg, "<text x=\"0\" y=\"11\">{}</text>", count(highest)).unwrap_or_default();
    for (at, anchor) in [(0, "start"), (failures.len() / 2, "middle"), (failures.len(), "end")] {
        let minutes = u64::from(columns.start) + u64::from(columns.step) * at as u64;
        let text = Time::from_millis(minutes * 60_000).to_string();
        let text = if columns.step >= 1440 { text.get(..10) } else { text.get(..16) };
        let (x, y) = (at * width, HEIGHT - 5);
        let text = text.unwrap_or_default().replace('T', " ");
        write!(svg, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{text}</text>")
            .unwrap_or_default();
    }
    svg.push_str("</svg>");
    html! {
        figure {
            (drawn(svg))
            figcaption.soft {
                "Failures every " (step(columns.step))
                @if has_calls { ", before all calls in the same time (" (count(most_calls)) " at most)" }
                "."
            }
        }
    }
}

/// A small chart of a row.
pub(crate) fn spark(series: &[u64]) -> Markup {
    const COLUMNS: usize = 30;
    const HEIGHT: usize = 18;
    let size = series.len().div_ceil(COLUMNS).max(1);
    let sums: Vec<u64> = series.chunks(size).map(|it| it.iter().sum()).collect();
    let most = sums.iter().copied().max().unwrap_or_default().max(1);
    let mut path = String::new();
    for (at, sum) in sums.iter().enumerate() {
        let height = scaled(*sum, most, HEIGHT);
        if height > 0 {
            write!(path, "M{} {HEIGHT}v-{height}", at * 3 + 1).unwrap_or_default();
        }
    }
    drawn(format!(
        "<svg class=\"spark\" viewBox=\"0 0 90 {HEIGHT}\" aria-hidden=\"true\"><path d=\"{path}\"/></svg>"
    ))
}

/// The parts of a whole in one bar, in the colours of their order: `p` for outcomes, `f` for failures alone.
pub(crate) fn parts(label: &str, colours: char, parts: &[(&str, u64)]) -> Markup {
    let all: u64 = parts.iter().map(|it| it.1).sum();
    let mut svg = String::from(
        "<svg class=\"parts\" viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect width=\"1000\" height=\"10\"/>",
    );
    let mut at = 0;
    for (number, (_, value)) in parts.iter().enumerate() {
        let width = scaled(*value, all.max(1), 1000);
        write!(
            svg,
            "<rect class=\"{colours}{}\" x=\"{at}\" width=\"{width}\" height=\"10\"/>",
            number.min(4)
        )
        .unwrap_or_default();
        at += width;
    }
    svg.push_str("</svg>");
    html! {
        (drawn(svg))
        ul.keys aria-label=(label) {
            @for (name, value) in parts { li { (super::shown(name)) " " b { (count(*value)) } } }
        }
    }
}

/// A value as a part of a length; a value that is not zero is seen.
fn scaled(value: u64, most: u64, length: usize) -> usize {
    let scaled = u128::from(value) * length as u128 / u128::from(most.max(1));
    let scaled = usize::try_from(scaled).unwrap_or(length).min(length);
    if value > 0 { scaled.max(2) } else { 0 }
}

fn step(minutes: u32) -> String {
    match minutes {
        1 => "minute".to_owned(),
        60 => "hour".to_owned(),
        1440 => "day".to_owned(),
        it if it % 1440 == 0 => format!("{} days", it / 1440),
        it if it % 60 == 0 => format!("{} hours", it / 60),
        it => format!("{it} minutes"),
    }
}

#[cfg(test)]
mod tests {
    use super::{scaled, step};

    #[test]
    fn what_happened_once_is_seen_beside_much() {
        assert_eq!(scaled(1, u64::MAX, 100), 2);
        assert_eq!((scaled(0, 5, 100), scaled(5, 5, 100), scaled(9, 5, 100)), (0, 100, 100));
        assert_eq!(
            (step(1), step(120), step(10_080)),
            ("minute".into(), "2 hours".into(), "7 days".into())
        );
    }
}
