//! A report as one page that a person likes to read: it needs nothing from anywhere, and without scripts it still reads.

mod calls;
mod findings;
mod markup;
mod message;
mod scorecard;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use sha2::{Digest as _, Sha256};

use self::markup::Markup;
use super::words;
use crate::{
    compare::Comparison,
    report::{Report, Run},
};

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");

/// A run and what the page calls it.
struct Side<'a> {
    run: &'a Run,
    /// The other run, if there are two.
    other: Option<&'a Run>,
    /// What the ids of its exchanges begin with.
    letter: &'static str,
    /// What it is, for people.
    name: &'static str,
}

/// The whole page.
pub fn page(report: &Report, comparison: Option<&Comparison>) -> String {
    let mut page = Markup::default();
    page.own("<!DOCTYPE html>\n");
    page.element("html", &[("lang", "en")], |html| {
        head(html, report);
        html.element("body", &[], |html| {
            html.leaf("a", &[("class", "skip"), ("href", "#findings")], "Skip to the findings");
            banner(html, report);
            html.element("main", &[], |html| {
                scorecard::write(html, report);
                if let Some(comparison) = comparison {
                    scorecard::comparison(html, comparison);
                }
                let sides = sides(report);
                scorecard::tools(html, report);
                scorecard::coverage(html, report);
                findings::write(html, &sides);
                calls::write(html, &sides);
            });
            footer(html, report);
            html.element("script", &[], |html| html.own(SCRIPT));
        });
    });
    page.finish()
}

fn sides(report: &Report) -> Vec<Side<'_>> {
    let gated = report.gated.as_ref();
    let direct = Side { run: &report.direct, other: gated, letter: "d", name: "as it is" };
    let through = gated.map(|run| Side {
        run,
        other: Some(&report.direct),
        letter: "g",
        name: "through the gate",
    });
    [direct].into_iter().chain(through).collect()
}

fn head(html: &mut Markup, report: &Report) {
    // Nothing may be loaded, and nothing may run or style the page but the two texts that we wrote.
    let policy = format!(
        "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'",
        hash(STYLE),
        hash(SCRIPT)
    );
    html.element("head", &[], |html| {
        html.void("meta", &[("charset", "utf-8")]);
        html.void("meta", &[("http-equiv", "Content-Security-Policy"), ("content", &policy)]);
        html.void(
            "meta",
            &[("name", "viewport"), ("content", "width=device-width, initial-scale=1")],
        );
        html.void("meta", &[("name", "referrer"), ("content", "no-referrer")]);
        html.leaf("title", &[], &format!("{} · probe of an MCP server", report.server.name));
        html.element("style", &[], |html| html.own(STYLE));
    });
}

fn hash(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text))
}

fn banner(html: &mut Markup, report: &Report) {
    let server = &report.server;
    html.element("header", &[], |html| {
        html.element("div", &[("class", "top")], |html| {
            html.leaf("p", &[("class", "brand")], "Redress probe");
            let theme = [("id", "theme"), ("type", "button"), ("hidden", "")];
            html.leaf("button", &theme, "Theme");
        });
        html.element("h1", &[], |html| {
            html.text(&server.name);
            html.leaf("small", &[], &server.version);
        });
        html.leaf("code", &[("class", "target")], &words::target(&report.target));
        html.element("dl", &[("class", "facts")], |html| {
            let run = &report.direct;
            let calls = run.exchanges.len().to_string();
            let seconds = format!("{:.1} s", seconds(run.elapsed_ms));
            let seed = report.settings.seed.to_string();
            for (name, value) in [
                ("Revision", server.revision.as_str()),
                ("Calls", &calls),
                ("Took", &seconds),
                ("Seed", &seed),
                ("Effects", if report.settings.allow_effects { "allowed" } else { "avoided" }),
                ("Contract", report.settings.contract.as_deref().unwrap_or("none")),
                ("Probed", &report.started),
            ] {
                html.element("div", &[], |html| {
                    html.leaf("dt", &[], name);
                    html.leaf("dd", &[], value);
                });
            }
        });
    });
}

#[expect(clippy::cast_precision_loss, reason = "for people")]
fn seconds(ms: u64) -> f64 {
    ms as f64 / 1_000.0
}

fn footer(html: &mut Markup, report: &Report) {
    let said = format!(
        "Made by redress probe {}. The page is complete in itself and loads nothing.",
        report.version
    );
    html.leaf("footer", &[], &said);
}
