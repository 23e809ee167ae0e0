//! The end of the page: every exchange, once; findings show theirs from here.

use super::{Side, markup::Markup, message};
use crate::{
    present::words,
    report::{Exchange, Happened, Text},
};

/// The most characters of what a model reads.
const MOST_READ: usize = 2_000;

/// Every exchange of every side.
pub(super) fn write(html: &mut Markup, sides: &[Side<'_>]) {
    html.element("section", &[("id", "calls"), ("aria-labelledby", "calls-title")], |html| {
        html.leaf("h2", &[("id", "calls-title")], "Every call");
        for side in sides {
            let count = words::counted(side.run.exchanges.len(), "call");
            html.element("details", &[("class", "log")], |html| {
                html.leaf("summary", &[], &format!("{count}, {}", side.name));
                for (nth, exchange) in side.run.exchanges.iter().enumerate() {
                    call(html, exchange, &format!("{}{nth}", side.letter), side.name);
                }
            });
        }
    });
}

fn call(html: &mut Markup, exchange: &Exchange, id: &str, side: &str) {
    html.element("details", &[("class", "call"), ("id", id)], |html| {
        html.element("summary", &[], |html| {
            html.leaf("code", &[], &exchange.case);
            html.leaf("span", &[], &exchange.about);
            html.leaf("span", &[("class", "outcome")], &words::outcome(&exchange.happened));
        });
        html.element("div", &[("class", "panes")], |html| {
            html.element("div", &[("class", "pane sent")], |html| {
                html.leaf("h4", &[], "Sent");
                bytes(html, &exchange.request);
            });
            html.element("div", &[("class", "pane came")], |html| {
                html.element("h4", &[], |html| {
                    html.text("Came, ");
                    html.text(side);
                    let took = format!(
                        "{} in {} ms",
                        words::outcome(&exchange.happened),
                        exchange.elapsed_ms
                    );
                    html.leaf("small", &[], &took);
                });
                came(html, &exchange.happened);
            });
        });
    });
}

fn came(html: &mut Markup, happened: &Happened) {
    if let Some(text) = words::model_reads(happened) {
        html.element("blockquote", &[], |html| {
            html.leaf("b", &[], "The model reads");
            html.text(&redress::text::cut(&text, MOST_READ));
        });
    }
    match happened {
        Happened::Closed { why } => html.leaf("p", &[], why),
        Happened::Answer { more, body, .. } => {
            bytes(html, body);
            for body in more {
                html.leaf("h4", &[], "And once more");
                bytes(html, body);
            }
        }
        _ => match words::came(happened) {
            Some(body) => bytes(html, body),
            None => html.leaf("p", &[("class", "nothing")], &words::outcome(happened)),
        },
    }
}

fn bytes(html: &mut Markup, text: &Text) {
    html.element("pre", &[("tabindex", "0")], |html| message::write(html, &text.text));
    if text.is_cut() {
        html.leaf("p", &[("class", "note")], &format!("The first of {} bytes.", text.bytes));
    }
}
