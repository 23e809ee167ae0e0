//! The upper part of the page: the score, what it is made of, the tools, what changed.

use redress_registry::Level;

use super::markup::Markup;
use crate::{
    compare::{Comparison, FindingChange, Points, WrongCount},
    present::words,
    report::{Report, Run, ToolReport},
    score::{Letter, Score, Share},
};

/// The score of the server, before and behind the gate, and the sums behind it.
pub(super) fn write(html: &mut Markup, report: &Report) {
    html.element("section", &[("class", "hero"), ("aria-label", "Score")], |html| {
        html.element("div", &[("class", "rings")], |html| {
            let alone = report.gated.is_none();
            let name = if alone { "Score" } else { "As it is" };
            ring(html, name, report.direct.score.as_ref());
            if let Some(gated) = &report.gated {
                html.leaf("span", &[("class", "arrow"), ("aria-hidden", "true")], "→");
                ring(html, "Through the gate", gated.score.as_ref());
            }
        });
        tiles(html, report);
    });
    html.element("section", &[("aria-labelledby", "rules-title")], |html| {
        html.leaf("h2", &[("id", "rules-title")], "What the score is made of");
        rules(html, report);
    });
}

fn ring(html: &mut Markup, name: &str, score: Option<&Score>) {
    let (letter, points) =
        score.map_or(("–", "–".to_owned()), |it| (it.letter.name(), it.points.to_string()));
    let spoken = format!("{name}: {points} of 100, {letter}");
    html.element("figure", &[("class", "ring"), ("data-letter", letter)], |html| {
        let view = [("viewBox", "0 0 120 120"), ("role", "img"), ("aria-label", &spoken)];
        html.element("svg", &view, |html| {
            let circle = [("cx", "60"), ("cy", "60"), ("r", "52")];
            html.void("circle", &circle);
            let part = format!("{} 100", score.map_or(0, |it| it.points));
            let [x, y, r] = circle;
            let arc =
                [x, y, r, ("pathLength", "100"), ("class", "arc"), ("stroke-dasharray", &part)];
            html.void("circle", &arc);
            html.leaf("text", &[("x", "60"), ("y", "66"), ("class", "letter")], letter);
            html.leaf("text", &[("x", "60"), ("y", "92"), ("class", "points")], &points);
        });
        html.element("figcaption", &[], |html| {
            html.leaf("b", &[], name);
            if let Some(rule) = score.and_then(|it| it.capped_by.as_ref()) {
                html.leaf("span", &[], &format!("held down by {rule}"));
            }
        });
    });
}

fn tiles(html: &mut Markup, report: &Report) {
    let count = |run: &Run, level| run.findings.iter().filter(|it| it.level == level).count();
    html.element("div", &[("class", "tiles")], |html| {
        for (level, name) in [
            (Level::Violation, "violation"),
            (Level::Improvement, "improvement"),
            (Level::Information, "note"),
        ] {
            let before = count(&report.direct, level);
            html.element("div", &[("class", "tile"), ("data-level", level.name())], |html| {
                html.element("b", &[], |html| {
                    html.text(&before.to_string());
                    if let Some(gated) = &report.gated {
                        html.leaf("span", &[], &format!(" → {}", count(gated, level)));
                    }
                });
                html.text(if before == 1 { name } else { plural(name) });
            });
        }
        html.element("p", &[("class", "note")], |html| html.text(&words::played(&report.direct)));
    });
}

fn plural(name: &str) -> &'static str {
    match name {
        "violation" => "violations",
        "improvement" => "improvements",
        _ => "notes",
    }
}

/// The rules that some answer breaks, and behind a click those that all keep.
fn rules(html: &mut Markup, report: &Report) {
    let Some(score) = &report.direct.score else {
        html.leaf("p", &[("class", "note")], "Nothing was graded.");
        return;
    };
    let gated = report.gated.as_ref().and_then(|it| it.score.as_ref());
    let behind = |rule: &str| gated.and_then(|it| it.rules.iter().find(|it| it.rule == rule));
    let is_whole = |it: &Share| it.passed == it.checked;
    let (kept, broken): (Vec<&Share>, Vec<&Share>) =
        score.rules.iter().partition(|it| is_whole(it) && behind(&it.rule).is_none_or(is_whole));
    if !broken.is_empty() {
        rules_table(html, &broken, gated);
    }
    if !kept.is_empty() {
        html.element("details", &[("id", "kept")], |html| {
            let count = words::counted(kept.len(), "rule");
            html.leaf("summary", &[], &format!("{count} kept by every answer"));
            rules_table(html, &kept, gated);
        });
    }
}

fn rules_table(html: &mut Markup, shares: &[&Share], gated: Option<&Score>) {
    html.element("div", &[("class", "scroll"), ("tabindex", "0")], |html| {
        html.element("table", &[("class", "rules")], |html| {
            let through = if gated.is_some() { "Through the gate" } else { "" };
            header(html, &["Rule", "What breaks it", "Weight", "Answers that keep it", through]);
            html.element("tbody", &[], |html| {
                for share in shares {
                    html.element("tr", &[], |html| {
                        html.element("td", &[], |html| html.leaf("code", &[], &share.rule));
                        html.leaf("td", &[], broken_by(&share.rule));
                        html.leaf("td", &[("class", "number")], &share.weight.to_string());
                        html.element("td", &[], |html| bar(html, share.passed, share.checked));
                        let same = |it: &&Share| it.rule == share.rule;
                        if let Some(after) = gated.and_then(|it| it.rules.iter().find(same)) {
                            html.element("td", &[], |html| bar(html, after.passed, after.checked));
                        }
                    });
                }
            });
        });
    });
}

/// What breaks a rule; nothing, if it is a rule of another version.
fn broken_by(rule: &str) -> &'static str {
    crate::rules().find(|it| it.id == rule).map_or("", |it| it.summary)
}

fn header(html: &mut Markup, names: &[&str]) {
    html.element("thead", &[], |html| {
        html.element("tr", &[], |html| {
            for name in names.iter().filter(|it| !it.is_empty()) {
                html.leaf("th", &[("scope", "col")], name);
            }
        });
    });
}

fn bar(html: &mut Markup, good: usize, all: usize) {
    let share = (good * 100).checked_div(all).unwrap_or(0);
    let tone = u8::try_from(share).map_or(Letter::A, Letter::of).name();
    html.element("span", &[("class", "bar"), ("data-letter", tone)], |html| {
        svg_bar(html, share);
        html.leaf("span", &[], &format!("{good}/{all}"));
    });
}

fn svg_bar(html: &mut Markup, share: usize) {
    let view = [("viewBox", "0 0 100 6"), ("preserveAspectRatio", "none"), ("aria-hidden", "true")];
    html.element("svg", &view, |html| {
        html.void("rect", &[("width", "100"), ("height", "6")]);
        html.void("rect", &[("width", &share.to_string()), ("height", "6"), ("class", "part")]);
    });
}

/// Every tool with its score; a click shows its findings.
pub(super) fn tools(html: &mut Markup, report: &Report) {
    html.element("section", &[("aria-labelledby", "tools-title")], |html| {
        html.leaf("h2", &[("id", "tools-title")], "Tools");
        if report.direct.tools.is_empty() {
            html.leaf("p", &[("class", "note")], "The server has no tools.");
            return;
        }
        html.element("div", &[("class", "scroll"), ("tabindex", "0")], |html| {
            html.element("table", &[("class", "tools")], |html| {
                let through = if report.gated.is_some() { "Through the gate" } else { "" };
                header(html, &["Tool", "Score", through, "Cases played", "Findings"]);
                html.element("tbody", &[], |html| {
                    for tool in &report.direct.tools {
                        row(html, tool, report);
                    }
                });
            });
        });
    });
}

fn row(html: &mut Markup, tool: &ToolReport, report: &Report) {
    html.element("tr", &[], |html| {
        html.element("th", &[("scope", "row")], |html| {
            let pick =
                [("href", "#findings"), ("class", "pick"), ("data-tool", tool.name.as_str())];
            html.leaf("a", &pick, &tool.name);
            if tool.read_only {
                html.leaf("span", &[("class", "tag")], "read-only");
            } else if tool.destructive {
                html.leaf("span", &[("class", "tag")], "may destroy");
            }
        });
        html.element("td", &[], |html| grade(html, tool.score.as_ref()));
        if let Some(gated) = &report.gated {
            let after = gated.tools.iter().find(|it| it.name == tool.name);
            html.element("td", &[], |html| grade(html, after.and_then(|it| it.score.as_ref())));
        }
        let cases = tool.cases;
        html.element("td", &[], |html| {
            html.text(&format!("{} of {}", cases.played, cases.planned));
            if cases.effects > 0 {
                html.leaf("small", &[], &format!("{} might change something", cases.effects));
            }
        });
        let mine = |it: &&crate::Finding| it.tool.as_deref() == Some(tool.name.as_str());
        let count = report.direct.findings.iter().filter(mine).count();
        html.leaf("td", &[("class", "number")], &count.to_string());
    });
}

fn grade(html: &mut Markup, score: Option<&Score>) {
    let Some(score) = score else {
        html.leaf("span", &[("class", "none")], "not graded");
        return;
    };
    html.element("span", &[("class", "bar"), ("data-letter", score.letter.name())], |html| {
        html.leaf("b", &[("class", "badge")], score.letter.name());
        svg_bar(html, usize::from(score.points));
        html.leaf("span", &[], &score.points.to_string());
    });
}

/// Which codes of the contract were seen.
pub(super) fn coverage(html: &mut Markup, report: &Report) {
    let Some(coverage) = &report.direct.coverage else { return };
    html.element("section", &[("aria-labelledby", "codes-title")], |html| {
        html.leaf("h2", &[("id", "codes-title")], "Codes of the contract");
        for (title, tone, codes) in [
            ("Answered, and not in the contract", "violation", &coverage.unknown),
            ("In the contract, and answered", "good", &coverage.seen),
            ("In the contract, and never provoked", "none", &coverage.unseen),
        ] {
            if codes.is_empty() {
                continue;
            }
            html.leaf("h3", &[], &format!("{title} ({})", codes.len()));
            html.element("p", &[("class", "codes"), ("data-level", tone)], |html| {
                for code in codes {
                    html.leaf("code", &[], code);
                    html.text(" ");
                }
            });
        }
    });
}

/// What changed since the baseline.
pub(super) fn comparison(html: &mut Markup, comparison: &Comparison) {
    html.element("section", &[("aria-labelledby", "since-title")], |html| {
        html.leaf("h2", &[("id", "since-title")], &format!("Since {}", comparison.since));
        html.leaf("p", &[("class", "note")], &verdict(comparison));
        for unlike in &comparison.unlike {
            html.leaf("p", &[("class", "note")], &format!("Not the same in both: {unlike}."));
        }
        html.element("ul", &[("class", "changes")], |html| {
            for tool in &comparison.tools {
                html.element("li", &[], |html| {
                    html.leaf("span", &[("class", "tag")], "score");
                    html.leaf("b", &[], &tool.name);
                    html.text(&format!(" {}", points(tool.points)));
                });
            }
            for it in &comparison.findings {
                html.element("li", &[("data-change", it.change.name())], |html| {
                    html.leaf("span", &[("class", "tag")], it.change.name());
                    html.leaf("code", &[], &it.rule);
                    html.leaf("b", &[], it.tool.as_deref().unwrap_or("server"));
                    html.text(&format!(" {} {}", it.title, wrong(it.before, it.after)));
                });
            }
        });
    });
}

fn verdict(comparison: &Comparison) -> String {
    let count = |change| comparison.count(change);
    format!(
        "Score {}. Findings: {} new, {} worse, {} better, {} fixed.",
        points(comparison.points),
        count(FindingChange::New),
        count(FindingChange::Worse),
        count(FindingChange::Better),
        count(FindingChange::Fixed)
    )
}

fn points(points: Points) -> String {
    let shown = |it: Option<u8>| it.map_or_else(|| "none".to_owned(), |it| it.to_string());
    format!("{} → {}", shown(points.before), shown(points.after))
}

fn wrong(before: Option<WrongCount>, after: Option<WrongCount>) -> String {
    let shown = |it: WrongCount| format!("{} of {}", it.hits, it.checked);
    match (before, after) {
        (Some(before), Some(after)) => format!("({} → {})", shown(before), shown(after)),
        (Some(only), None) | (None, Some(only)) => format!("({})", shown(only)),
        (None, None) => String::new(),
    }
}
