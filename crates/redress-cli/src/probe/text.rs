//! The scorecard for the terminal: the score, the tools, and each broken rule with its plainest example, worst first.

use anstyle::{AnsiColor, Style};
use redress::text::{cut, strip};
use redress_probe::{
    Comparison, Finding, Report,
    compare::{Changed, FindingChange},
    present::words::{self, counted},
    report::{Exchange, Run, ToolReport},
    score::{Letter, Score},
};
use redress_registry::Level;

use crate::{
    failure::Failure,
    output::{CODE, LABEL, Out, TITLE, TROUBLE},
};

/// How much of a message is shown.
const MOST_CHARS: usize = 240;
/// How much of a name is shown.
const MOST_NAME: usize = 32;
/// How many tools a broken rule names.
const MOST_NAMED: usize = 6;
/// How many tools and changes are listed.
const MOST_ROWS: usize = 60;
/// How wide a whole bar is.
const BAR: usize = 12;

type Written = Result<(), Failure>;

/// Prints the scorecard.
pub(super) fn print(report: &Report, since: Option<&Comparison>, out: &mut Out) -> Written {
    headline(report, out)?;
    tools(report, out)?;
    rules(&report.direct, out)?;
    if let Some(gated) = &report.gated {
        behind_the_gate(gated, out)?;
    }
    if let Some(since) = since {
        changes(since, out)?;
    }
    totals(report, out)
}

fn headline(report: &Report, out: &mut Out) -> Written {
    let server = &report.server;
    let (name, version) = (harmless(&server.name, 80), harmless(&server.version, 40));
    let revision = harmless(&server.revision, 20);
    out.line(&format!("{TITLE}{name}{TITLE:#} {version}, MCP {revision}"))?;
    out.line(&harmless(&words::target(&report.target), 200))?;
    out.line("")?;
    out.line(&format!("  {}", grade(report.direct.score.as_ref(), true)))?;
    if let Some(gated) = &report.gated {
        out.line(&format!("  {} through the gate", grade(gated.score.as_ref(), true)))?;
    }
    let capped = report.direct.score.as_ref().and_then(|it| it.capped_by.as_deref());
    if let Some(rule) = capped {
        out.line(&format!("  held down by {CODE}{rule}{CODE:#}, whatever else is good"))?;
    }
    out.line("")?;
    out.line(&words::played(&report.direct))
}

/// `C  64 ███████▌    `, in the colour of the letter.
fn grade(score: Option<&Score>, with_total: bool) -> String {
    let Some(score) = score else { return format!("–   – {:BAR$}", "") };
    let colour = match score.letter {
        Letter::A | Letter::B => AnsiColor::Green,
        Letter::C | Letter::D => AnsiColor::Yellow,
        Letter::F => AnsiColor::Red,
    };
    let style: Style = colour.on_default().bold();
    let full = usize::from(score.points) * BAR / 100;
    let bar = format!("{}{}", "█".repeat(full), "░".repeat(BAR - full.min(BAR)));
    let total = if with_total { "/100" } else { "" };
    format!("{style}{} {:>3}{total} {bar}{style:#}", score.letter.name(), score.points)
}

fn tools(report: &Report, out: &mut Out) -> Written {
    let tools = &report.direct.tools;
    if tools.is_empty() {
        return Ok(());
    }
    let names = tools.iter().map(|it| harmless(&it.name, MOST_NAME).chars().count());
    let wide = names.max().unwrap_or(0).max(4);
    let gate =
        if report.gated.is_some() { format!("{:<20}", "through the gate") } else { String::new() };
    out.line(&format!(
        "\n{LABEL}{:<wide$}  {:<20}{gate}{:<12}findings{LABEL:#}",
        "tool", "score", "cases"
    ))?;
    for tool in tools.iter().take(MOST_ROWS) {
        row(tool, report, wide, out)?;
    }
    if tools.len() > MOST_ROWS {
        out.line(&format!("and {} more", tools.len() - MOST_ROWS))?;
    }
    Ok(())
}

fn row(tool: &ToolReport, report: &Report, wide: usize, out: &mut Out) -> Written {
    let name = harmless(&tool.name, MOST_NAME);
    let after = report.gated.as_ref().map(|gated| {
        let same = gated.tools.iter().find(|it| it.name == tool.name);
        format!("{}  ", grade(same.and_then(|it| it.score.as_ref()), false))
    });
    let findings = report.direct.findings.iter();
    let findings = findings.filter(|it| it.tool.as_ref() == Some(&tool.name)).count();
    let cases = format!("{}/{}", tool.cases.played, tool.cases.planned);
    out.line(&format!(
        "{name:<wide$}  {}  {}{cases:<12}{findings}",
        grade(tool.score.as_ref(), false),
        after.unwrap_or_default()
    ))
}

/// One block for each rule that is broken, with one example of it.
fn rules(run: &Run, out: &mut Out) -> Written {
    let mut told: Vec<&str> = Vec::new();
    for finding in &run.findings {
        if !told.contains(&finding.rule.as_str()) {
            told.push(&finding.rule);
            let same: Vec<&Finding> =
                run.findings.iter().filter(|it| it.rule == finding.rule).collect();
            rule(finding, &same, run, out)?;
        }
    }
    Ok(())
}

fn rule(finding: &Finding, same: &[&Finding], run: &Run, out: &mut Out) -> Written {
    let style = match finding.level {
        Level::Violation => TROUBLE,
        Level::Improvement => CODE,
        Level::Information => LABEL,
    };
    let hits: usize = same.iter().map(|it| it.hits.len()).sum();
    let checked: usize = same.iter().map(|it| it.checked).sum();
    let (rule, title) = (&finding.rule, &finding.title);
    out.line(&format!(
        "\n{style}{} {rule}{style:#} {TITLE}{title}{TITLE:#}",
        finding.level.name()
    ))?;
    said("in", &format!("{} ({hits} of {})", places(same), counted(checked, "answer")), out)?;
    said("why", &finding.why, out)?;
    if let Some(hit) = finding.hits.first() {
        said("case", &format!("{}: {}", hit.case, hit.message), out)?;
        if let Some(exchange) = run.exchange(hit) {
            said("sent", &exchange.request.text, out)?;
            said("came", &came(exchange), out)?;
        }
        said("should be", &hit.expected, out)?;
        said("fix", &finding.fix, out)?;
        // A command is useless if it is cut.
        out.line(&format!("  {LABEL}{:<9}{LABEL:#} {}", "repeat", strip(&hit.repeat)))?;
    }
    Ok(())
}

fn came(exchange: &Exchange) -> String {
    let outcome = words::outcome(&exchange.happened);
    let text = words::model_reads(&exchange.happened)
        .or_else(|| words::came(&exchange.happened).map(|it| it.text.clone()));
    match text.filter(|it| !it.trim().is_empty()) {
        Some(text) => format!("{outcome}: {text}"),
        None => outcome,
    }
}

/// The tools that break a rule, a few of them by name.
fn places(same: &[&Finding]) -> String {
    let names = same.iter().take(MOST_NAMED);
    let names: Vec<String> = names
        .map(|it| {
            it.tool.as_ref().map_or_else(|| "the server".to_owned(), |it| harmless(it, MOST_NAME))
        })
        .collect();
    let more = same.len().saturating_sub(MOST_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", names.join(", "))
}

fn behind_the_gate(gated: &Run, out: &mut Out) -> Written {
    let mut left: Vec<&Finding> = Vec::new();
    for finding in &gated.findings {
        if left.iter().all(|it| it.rule != finding.rule) {
            left.push(finding);
        }
    }
    if left.is_empty() {
        return out.line(&format!("\n{TITLE}Through the gate{TITLE:#} no rule is broken."));
    }
    out.line(&format!("\n{TITLE}What is left through the gate{TITLE:#}"))?;
    for finding in left {
        let same = gated.findings.iter().filter(|it| it.rule == finding.rule);
        let same: Vec<&Finding> = same.collect();
        said(&finding.rule, &format!("{}: {}", finding.title, places(&same)), out)?;
    }
    Ok(())
}

fn changes(since: &Comparison, out: &mut Out) -> Written {
    let points = |it: Option<u8>| it.map_or_else(|| "none".to_owned(), |it| it.to_string());
    let (before, after) = (points(since.points.before), points(since.points.after));
    out.line(&format!(
        "\n{TITLE}Since {}{TITLE:#}: score {before}, now {after}",
        harmless(&since.since, 40)
    ))?;
    for unlike in &since.unlike {
        said("unlike", unlike, out)?;
    }
    for tool in since.tools.iter().take(MOST_ROWS) {
        let (before, after) = (points(tool.points.before), points(tool.points.after));
        said("tool", &format!("{} {before}, now {after}", tool.name), out)?;
    }
    for it in since.findings.iter().take(MOST_ROWS) {
        change(it, out)?;
    }
    if since.findings.is_empty() {
        out.line("  no finding changed")?;
    }
    Ok(())
}

fn change(it: &Changed, out: &mut Out) -> Written {
    let style = match it.change {
        FindingChange::New | FindingChange::Worse => TROUBLE,
        FindingChange::Unchecked => LABEL,
        FindingChange::Better | FindingChange::Fixed => AnsiColor::Green.on_default(),
    };
    let share = [it.before, it.after].into_iter().flatten();
    let share: Vec<String> = share.map(|it| format!("{} of {}", it.hits, it.checked)).collect();
    let place = it.tool.as_deref().unwrap_or("the server");
    let text = format!("{} {}: {} ({})", it.rule, place, it.title, share.join(", now "));
    let text = harmless(&text, MOST_CHARS);
    out.line(&format!("  {style}{:<9}{style:#} {text}", it.change.name()))
}

/// The score once more, since the top may have left the screen.
fn totals(report: &Report, out: &mut Out) -> Written {
    let findings = &report.direct.findings;
    let count = |level, what| counted(findings.iter().filter(|it| it.level == level).count(), what);
    let points = |run: &Run| {
        run.score
            .as_ref()
            .map_or("not graded".to_owned(), |it| format!("{} {}/100", it.letter.name(), it.points))
    };
    let gated = report.gated.as_ref();
    let gated = gated.map(|it| format!(", {} through the gate", points(it))).unwrap_or_default();
    out.line(&format!(
        "\n{TITLE}{}{gated}{TITLE:#}: {}, {}, {}. All of them with every call: --format html",
        points(&report.direct),
        count(Level::Violation, "violation"),
        count(Level::Improvement, "improvement"),
        count(Level::Information, "note")
    ))
}

fn said(label: &str, text: &str, out: &mut Out) -> Written {
    let text = harmless(text, MOST_CHARS);
    out.line(&format!("  {LABEL}{label:<9}{LABEL:#} {text}"))
}

/// A text of a server on a terminal: one line, without what a terminal would obey.
fn harmless(text: &str, most: usize) -> String {
    cut(&strip(text), most).into_owned()
}
