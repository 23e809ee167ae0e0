//! The decision table as a picture: from top to bottom, the first row whose conditions all hold leads to the right.

use std::fmt::Write as _;

use redress::recover::{ROWS, Row, Then};

use super::{conditions, outcome};

const WIDTH: usize = 1040;
const TOP: usize = 76;
const ROW: usize = 54;
/// Where the line is that leads from row to row.
const LINE: usize = 34;
/// Where conditions start.
const CONDITIONS: usize = 66;
/// Where outcomes start, and how wide they are.
const OUTCOME: usize = 692;
const OUTCOME_WIDTH: usize = 324;
/// The width of a character in tenths of a pixel, with some room, whatever the font.
const CHARACTER: usize = 71;

/// Colours for light and dark; each outcome has its own.
const STYLE: &str = "\
.page{fill:#ffffff}.ink{fill:#1f2328}.soft{fill:#59636e}.line{stroke:#8c959f;stroke-width:1.5;fill:none}.head{fill:#8c959f}\
.pill{fill:#f6f8fa;stroke:#d1d9e0}.again{fill:#dafbe1;stroke:#1a7f37}.change{fill:#ddf4ff;stroke:#0969da}\
.ask{fill:#fff8c5;stroke:#9a6700}.other{fill:#fbefff;stroke:#8250df}.stop{fill:#ffebe9;stroke:#cf222e}\
text{font-family:ui-sans-serif,system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;font-size:13px}\
.title{font-size:17px;font-weight:600}.small{font-size:11.5px}.strong{font-weight:600}\
@media (prefers-color-scheme:dark){.page{fill:#0d1117}.ink{fill:#f0f6fc}.soft{fill:#9198a1}.line{stroke:#6e7681}.head{fill:#6e7681}\
.pill{fill:#151b23;stroke:#3d444d}.again{fill:#12261e;stroke:#3fb950}.change{fill:#121d2f;stroke:#4493f8}\
.ask{fill:#272115;stroke:#d29922}.other{fill:#211830;stroke:#ab7df8}.stop{fill:#25171c;stroke:#f85149}}";

pub(super) fn svg() -> String {
    let height = TOP + ROWS.len() * ROW + 18;
    let mut out = String::with_capacity(16 << 10);
    out.push_str("<!-- Written by `cargo xtask codegen` from the decision table. -->\n");
    write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
         aria-label=\"The decision table: the first row whose conditions all hold decides\">\n<style>{STYLE}</style>\n\
         <rect class=\"page\" width=\"{WIDTH}\" height=\"{height}\" rx=\"8\"/>\n\
         <text class=\"ink title\" x=\"24\" y=\"34\">A call failed. What now?</text>\n\
         <text class=\"soft\" x=\"24\" y=\"56\">From top to bottom: the first row whose conditions all hold decides.</text>\n"
    )
    .unwrap_or_default();
    let end = TOP + (ROWS.len() - 1) * ROW + ROW / 2;
    writeln!(out, "<path class=\"line\" d=\"M{LINE} {}V{end}\"/>", TOP - 10).unwrap_or_default();
    for (at, row) in ROWS.iter().enumerate() {
        line(&mut out, at, row);
    }
    out.push_str("</svg>\n");
    out
}

fn line(out: &mut String, at: usize, row: &Row) {
    let (top, middle) = (TOP + at * ROW, TOP + at * ROW + ROW / 2);
    let (from, to) = (LINE, OUTCOME - 9);
    writeln!(
        out,
        "<g><title>{}</title><path class=\"line\" d=\"M{from} {middle}H{to}\"/>\
         <path class=\"head\" d=\"M{} {middle}l-9 -5v10z\"/><circle class=\"page\" cx=\"{LINE}\" cy=\"{middle}\" r=\"11\"/>\
         <circle class=\"line\" cx=\"{LINE}\" cy=\"{middle}\" r=\"11\"/><text class=\"soft small\" x=\"{LINE}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
        row.id,
        OUTCOME,
        middle + 4,
        at + 1,
    )
    .unwrap_or_default();
    let mut left = CONDITIONS;
    for condition in conditions(row) {
        let width = condition.chars().count() * CHARACTER / 10 + 18;
        writeln!(
            out,
            "<rect class=\"pill\" x=\"{left}\" y=\"{}\" width=\"{width}\" height=\"28\" rx=\"14\"/>\
             <text class=\"ink\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{condition}</text>",
            middle - 14,
            left + width / 2,
            middle + 5,
        )
        .unwrap_or_default();
        left += width + 8;
    }
    writeln!(
        out,
        "<rect class=\"{}\" x=\"{OUTCOME}\" y=\"{}\" width=\"{OUTCOME_WIDTH}\" height=\"{}\" rx=\"6\"/>\
         <text class=\"ink strong\" x=\"{}\" y=\"{}\">{}</text><text class=\"soft small\" x=\"{}\" y=\"{}\">{}</text></g>",
        colour(row.then),
        top + 4,
        ROW - 8,
        OUTCOME + 12,
        top + 23,
        outcome(row.then),
        OUTCOME + 12,
        top + 40,
        row.because,
    )
    .unwrap_or_default();
}

const fn colour(then: Then) -> &'static str {
    match then {
        Then::RetryNow | Then::RetryAfter => "again",
        Then::ChangeArguments | Then::CallFirst => "change",
        Then::AskHuman(_) => "ask",
        Then::FallBack => "other",
        Then::Stop(_) => "stop",
    }
}
