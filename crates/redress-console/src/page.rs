//! The frame of every page, and the parts that pages share.

pub(crate) mod chart;
pub(crate) mod list;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use redress::text;
use redress_ledger::Time;

use crate::{BASE, index::Progress};

/// The pages in the order of the navigation: place, title.
pub(crate) const PAGES: [(&str, &str); 10] = [
    ("", "Now"),
    ("failures", "Failures"),
    ("check", "To check"),
    ("loops", "Loops"),
    ("recovery", "Recovery"),
    ("unnamed", "Unnamed"),
    ("servers", "Servers"),
    ("tools", "Tools"),
    ("codes", "Codes"),
    ("ledger", "Ledger"),
];

/// What a page needs beside its content.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame<'f> {
    /// The place of the page in the navigation.
    pub place: &'f str,
    pub title: &'f str,
    pub progress: Progress,
    pub problems: &'f [String],
    /// What the page is made from, for the events.
    pub mark: &'f str,
}

/// A whole page.
pub(crate) fn page(frame: Frame<'_>, content: &Markup) -> String {
    let live = format!("{BASE}/live?since={}", frame.mark);
    document(
        frame.title,
        &html! {
            header {
                div.bar {
                    a.brand href={ (BASE) "/" } { "Redress" }
                    nav aria-label="Pages" {
                        @for (place, title) in PAGES {
                            a href={ (BASE) "/" (place) } aria-current=[(place == frame.place).then_some("page")] { (title) }
                        }
                    }
                }
            }
            main #main tabindex="-1" data-live=(live) {
                (progress(frame.progress))
                (problems(frame.problems, frame.place))
                (content)
            }
            footer { "Read from the ledger on this machine. Nothing on this page leaves it." }
        },
        true,
    )
}

/// A page without navigation, such as that of a refusal.
pub(crate) fn plain(title: &str, content: &Markup) -> String {
    let body = html! {
        header { div.bar { span.brand { "Redress" } } }
        main #main { (content) }
    };
    document(title, &body, false)
}

fn document(title: &str, body: &Markup, has_script: bool) -> String {
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width,initial-scale=1";
                title { (shown(title)) " – Redress" }
                link rel="stylesheet" href={ (BASE) "/style.css" };
                link rel="icon" href="data:,";
                @if has_script { script src={ (BASE) "/script.js" } defer {} }
            }
            body {
                a.skip href="#main" { "To the content" }
                (body)
            }
        }
    };
    markup.into_string()
}

fn progress(progress: Progress) -> Markup {
    html! {
        @if !progress.is_complete {
            p.note role="status" {
                "The ledger is being read, newest records first: "
                (mebibytes(progress.read)) " of " (mebibytes(progress.all)) " MiB. Counts grow until then."
            }
        }
    }
}

fn problems(problems: &[String], place: &str) -> Markup {
    html! {
        @if let Some(first) = problems.first().filter(|_| place != "ledger") {
            p.note.bad role="status" {
                "The ledger cannot be read whole: " (shown(first)) ". "
                a href={ (BASE) "/ledger" } {
                    @if problems.len() > 1 { (problems.len()) " problems" } @else { "Details" }
                }
            }
        }
    }
}

/// A text of a foreign origin: what would mislead a reader is spelled.
pub(crate) fn shown(text: &str) -> String {
    text::visible(text).into_owned()
}

/// The same of several lines.
pub(crate) fn shown_lines(text: &str) -> String {
    let lines: Vec<_> = text.split('\n').map(text::visible).collect();
    lines.join("\n")
}

/// A time to the minute, with its exact value beside it.
pub(crate) fn time(millis: u64) -> Markup {
    let text = Time::from_millis(millis).to_string();
    let minute = text.get(..16).unwrap_or_default().replace('T', " ");
    html! { time datetime=(text) title=(text) { (minute) } }
}

/// A time to the second.
pub(crate) fn exact_time(millis: u64) -> Markup {
    let text = Time::from_millis(millis).to_string();
    let second = text.get(..19).unwrap_or_default().replace('T', " ");
    html! { time datetime=(text) title=(text) { (second) } }
}

/// A count with narrow gaps between its thousands.
pub(crate) fn count(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

/// A share as a percentage.
pub(crate) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent > 0.0 && percent < 0.1 { "< 0.1 %".to_owned() } else { format!("{percent:.1} %") }
}

/// So often a second.
pub(crate) fn rate(rate: f64) -> String {
    let digits = if rate < 0.1 { 4 } else { 2 };
    format!("{rate:.digits$}/s")
}

/// Milliseconds as people say them.
pub(crate) fn duration(millis: u64) -> String {
    match millis {
        0..1_000 => format!("{millis} ms"),
        1_000..60_000 => format!("{}.{} s", millis / 1_000, millis % 1_000 / 100),
        60_000..3_600_000 => format!("{} min {} s", millis / 60_000, millis % 60_000 / 1_000),
        3_600_000..172_800_000 => format!("{} h {} min", millis / 3_600_000, millis / 60_000 % 60),
        _ => format!("{} days", millis / 86_400_000),
    }
}

fn mebibytes(bytes: u64) -> String {
    count(bytes >> 20)
}

/// SVG that was written here, from numbers alone.
pub(crate) fn drawn(svg: String) -> Markup {
    PreEscaped(svg)
}

#[cfg(test)]
mod tests {
    use super::{count, duration, percent, shown, shown_lines};

    #[test]
    fn numbers_are_written_as_people_read_them() {
        assert_eq!(count(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!((count(0), count(999)), ("0".into(), "999".into()));
        assert_eq!(duration(59_900), "59.9 s");
        assert_eq!(duration(3_660_000), "1 h 1 min");
        assert_eq!((percent(0.0005), percent(0.256)), ("< 0.1 %".into(), "25.6 %".into()));
    }

    #[test]
    fn what_would_mislead_is_spelled() {
        assert_eq!(shown("a\u{202e}b\u{1b}"), r"a\u{202e}b\u{1b}");
        assert_eq!(shown_lines("a\r\nb\u{200b}"), "a\\u{d}\nb\\u{200b}");
    }
}
