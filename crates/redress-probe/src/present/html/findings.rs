//! The middle of the page: what is wrong, the worst first, with what was sent, what came and what should have come.

use std::collections::BTreeSet;

use redress_registry::Level;

use super::{Side, markup::Markup};
use crate::{
    finding::{Finding, Hit},
    present::words,
};

/// The most hits of one finding that are listed; the JSON has them all.
const MOST_HITS: usize = 40;

/// The filter, and every finding of every side.
pub(super) fn write(html: &mut Markup, sides: &[Side<'_>]) {
    html.element("section", &[("id", "findings"), ("aria-labelledby", "findings-title")], |html| {
        html.leaf("h2", &[("id", "findings-title")], "Findings");
        if sides.iter().all(|it| it.run.findings.is_empty()) {
            html.leaf("p", &[("class", "good")], "Nothing to find fault with.");
            return;
        }
        filter(html, sides);
        let all = sides.iter().flat_map(|side| side.run.findings.iter().map(move |it| (it, side)));
        for (nth, (finding, side)) in all.enumerate() {
            card(html, finding, side, nth == 0);
        }
        html.leaf(
            "p",
            &[("id", "none"), ("class", "note"), ("hidden", "")],
            "No finding fits the filter.",
        );
    });
}

/// Without scripts nothing can be filtered: the bar shows itself only if they run.
fn filter(html: &mut Markup, sides: &[Side<'_>]) {
    let findings = || sides.iter().flat_map(|it| &it.run.findings);
    html.element("form", &[("id", "filter"), ("role", "search"), ("hidden", "")], |html| {
        let search = [
            ("type", "search"),
            ("id", "words"),
            ("placeholder", "Filter findings"),
            ("aria-label", "Filter findings by text"),
            ("autocomplete", "off"),
        ];
        html.void("input", &search);
        let rules: BTreeSet<&str> = findings().map(|it| it.rule.as_str()).collect();
        select(html, ("rule", "Every rule"), rules);
        let tools: BTreeSet<&str> = findings().map(place).collect();
        select(html, ("tool", "Every tool"), tools);
        html.element(
            "span",
            &[("class", "chips"), ("role", "group"), ("aria-label", "Level")],
            |html| {
                for level in [Level::Violation, Level::Improvement, Level::Information] {
                    if findings().any(|it| it.level == level) {
                        chip(html, ("level", level.name()), level.name(), true);
                    }
                }
            },
        );
        if sides.len() > 1 {
            html.element(
                "span",
                &[("class", "chips"), ("role", "group"), ("aria-label", "Run")],
                |html| {
                    for side in sides {
                        chip(html, ("run", side.letter), side.name, side.letter == "d");
                    }
                },
            );
        }
        html.leaf("output", &[("id", "count"), ("aria-live", "polite")], "");
    });
}

fn select(html: &mut Markup, (id, all): (&'static str, &str), values: BTreeSet<&str>) {
    html.element("select", &[("id", id), ("aria-label", all)], |html| {
        html.leaf("option", &[("value", "")], all);
        for value in values {
            html.leaf("option", &[("value", value)], value);
        }
    });
}

fn chip(html: &mut Markup, (group, value): (&'static str, &str), name: &str, on: bool) {
    html.element("label", &[("class", "chip"), ("data-level", value)], |html| {
        let box_ = [("type", "checkbox"), ("name", group), ("value", value)];
        let [kind, name_of, value_of] = box_;
        if on {
            html.void("input", &[kind, name_of, value_of, ("checked", "")]);
        } else {
            html.void("input", &box_);
        }
        html.text(name);
    });
}

/// Where a finding is.
fn place(finding: &Finding) -> &str {
    finding.tool.as_deref().unwrap_or("(server)")
}

/// One finding. The very first is open, so that a reader sees what is inside.
fn card(html: &mut Markup, finding: &Finding, side: &Side<'_>, is_first: bool) {
    let attributes = [
        ("class", "finding"),
        ("data-level", finding.level.name()),
        ("data-rule", &finding.rule),
        ("data-tool", place(finding)),
        ("data-run", side.letter),
    ];
    html.element("article", &attributes, |html| {
        html.element("header", &[], |html| {
            html.leaf("span", &[("class", "level")], finding.level.name());
            html.leaf("code", &[], &finding.rule);
            html.leaf("span", &[("class", "where")], place(finding));
            if let Some(fate) = fate(finding, side) {
                html.leaf("span", &[("class", "fate")], fate);
            }
            let share =
                format!("{} of {}", finding.hits.len(), words::counted(finding.checked, "answer"));
            html.leaf("span", &[("class", "share")], &share);
        });
        html.leaf("h3", &[], &finding.title);
        html.element("p", &[("class", "why")], |html| {
            html.text(&finding.why);
            html.leaf("span", &[("class", "fix")], &finding.fix);
        });
        for (nth, hit) in finding.hits.iter().take(MOST_HITS).enumerate() {
            write_hit(html, hit, side, is_first && nth == 0);
        }
        if finding.hits.len() > MOST_HITS {
            let more = finding.hits.len() - MOST_HITS;
            let said = format!("{more} more are in the report as JSON (--format json).");
            html.leaf("p", &[("class", "note")], &said);
        }
    });
}

/// What becomes of a finding on the other side of the gate.
fn fate(finding: &Finding, side: &Side<'_>) -> Option<&'static str> {
    let other = side.other?;
    let stays = other.findings.iter().any(|it| it.key() == finding.key());
    match (side.letter, stays) {
        ("d", false) => Some("gone through the gate"),
        ("g", true) => Some("also without the gate"),
        ("g", false) => Some("only through the gate"),
        _ => None,
    }
}

fn write_hit(html: &mut Markup, hit: &Hit, side: &Side<'_>, is_open: bool) {
    let class = ("class", "hit");
    let open = [class, ("open", "")];
    html.element("details", if is_open { &open } else { std::slice::from_ref(&class) }, |html| {
        html.element("summary", &[], |html| {
            html.leaf("code", &[], &hit.case);
            html.leaf("span", &[], &hit.message);
        });
        html.element("p", &[("class", "expected")], |html| {
            html.leaf("b", &[], "Should have been");
            html.text(&hit.expected);
        });
        for nth in &hit.exchanges {
            slot(html, *nth, side);
        }
        html.element("div", &[("class", "repeat")], |html| {
            html.leaf("code", &[], &hit.repeat);
            html.leaf("button", &[("type", "button"), ("class", "copy"), ("hidden", "")], "Copy");
        });
    });
}

/// The place where the script shows an exchange; until then, the way to it.
fn slot(html: &mut Markup, nth: usize, side: &Side<'_>) {
    let mine = format!("{}{nth}", side.letter);
    let other = side.other.and_then(|it| words::counterpart(side.run, nth, it));
    let other = other.map(|it| format!("{}{it}", if side.letter == "d" { "g" } else { "d" }));
    let attributes = [
        ("class", "slot"),
        ("data-mine", mine.as_str()),
        ("data-other", other.as_deref().unwrap_or("")),
    ];
    html.element("div", &attributes, |html| {
        html.leaf("a", &[("href", &format!("#{mine}"))], "What was sent, and what came");
    });
}
