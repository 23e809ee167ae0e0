//! Findings for people and for tools: text with the source line, JSON lines, SARIF, GitHub annotations.

pub(crate) mod sarif;

use std::{collections::BTreeMap, sync::Arc};

use clap::ValueEnum;
use redress::text::visible;
use redress_registry::{Finding, Level, Source, rule::Rule};

use crate::{
    Status,
    failure::Failure,
    output::{CODE, LABEL, Out, TITLE, TROUBLE},
};

/// How findings are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FindingsFormat {
    /// For people: the source line and a caret.
    Text,
    /// One JSON object a line.
    Json,
    /// SARIF 2.1.0, one document.
    Sarif,
    /// Annotations of a GitHub workflow.
    Github,
}

/// How much of a source line is shown.
const MAX_LINE_CHARS: usize = 160;

/// Prints the findings of one file; violations make the status.
pub(crate) fn print<'a>(
    found: &[Finding],
    source: &Source,
    rules: impl Iterator<Item = &'a Rule>,
    (format, out): (FindingsFormat, &mut Out),
) -> Result<Status, Failure> {
    let printed = match format {
        FindingsFormat::Text => text(found, &|_| Some(source), out)
            .and_then(|()| out.line(&format!("{}: {}", source.file, counts(found)))),
        _ => machine(found, rules, (format, out)),
    };
    decided(found, printed)
}

/// Prints the findings of many files, whose texts are known by their names, then how many there are by rule and by
/// file; violations make the status.
pub(crate) fn print_all<'a>(
    found: &[Finding],
    sources: &BTreeMap<Arc<str>, Source>,
    rules: impl Iterator<Item = &'a Rule>,
    (format, out): (FindingsFormat, &mut Out),
) -> Result<Status, Failure> {
    let printed = match format {
        FindingsFormat::Text => {
            text(found, &|it| sources.get(&it.place.file), out).and_then(|()| summary(found, out))
        }
        _ => machine(found, rules, (format, out)),
    };
    decided(found, printed)
}

/// The status, whether all was printed or the output was closed.
fn decided(found: &[Finding], printed: Result<(), Failure>) -> Result<Status, Failure> {
    let bad = found.iter().any(|it| it.level == Level::Violation);
    let status = if bad { Status::Findings } else { Status::Fine };
    printed.map_err(|it| it.after(status)).map(|()| status)
}

/// Prints findings for programs.
fn machine<'a>(
    found: &[Finding],
    rules: impl Iterator<Item = &'a Rule>,
    (format, out): (FindingsFormat, &mut Out),
) -> Result<(), Failure> {
    match format {
        FindingsFormat::Text => (),
        FindingsFormat::Json => {
            for finding in found {
                out.line(&finding.to_json().to_string())?;
            }
        }
        FindingsFormat::Sarif => out.line(&sarif::document(found, rules))?,
        FindingsFormat::Github => {
            for finding in found {
                out.line(&annotation(finding))?;
            }
        }
    }
    Ok(())
}

/// Each finding with its source line, if its text is known.
fn text<'a>(
    found: &[Finding],
    source: &dyn Fn(&Finding) -> Option<&'a Source>,
    out: &mut Out,
) -> Result<(), Failure> {
    for finding in found {
        let style = if finding.level == Level::Violation { TROUBLE } else { CODE };
        let Finding { place, rule, .. } = finding;
        let (message, fix) = (visible(&finding.message), visible(&finding.fix));
        out.line(&format!("{style}{rule}{style:#} {TITLE}{message}{TITLE:#}"))?;
        out.line(&format!("  {LABEL}-->{LABEL:#} {}", visible(&place.to_string())))?;
        let Some(source) = source(finding) else {
            out.line(&format!("      {LABEL}={LABEL:#} fix: {fix}\n"))?;
            continue;
        };
        let line = source.text.lines().nth(place.line - 1).unwrap_or_default();
        let number = place.line.to_string();
        let skipped = place.column.saturating_sub(MAX_LINE_CHARS / 2);
        let shown: String = line.chars().skip(skipped).take(MAX_LINE_CHARS).collect();
        let shown = shown.replace('\t', " ");
        let at = place.column - 1 - skipped.min(place.column - 1);
        let covered = source.text.get(finding.span.clone()).unwrap_or_default();
        let covered = covered.lines().next().unwrap_or_default().chars().count().max(1);
        // The marks stand below what is seen, which is longer where a character is spelled.
        let part = |skip, take| {
            let part: String = shown.chars().skip(skip).take(take).collect();
            visible(&part).into_owned()
        };
        let parts = [part(0, at), part(at, covered), part(at + covered, MAX_LINE_CHARS)];
        let [before, width, _] = parts.each_ref().map(|it| it.chars().count());
        out.line(&format!("{number:>5} | {}", parts.concat()))?;
        let marks = "^".repeat(width.max(1));
        out.line(&format!("      | {}{style}{marks}{style:#}", " ".repeat(before)))?;
        out.line(&format!("      {LABEL}={LABEL:#} fix: {fix}\n"))?;
    }
    Ok(())
}

/// How many findings there are of each rule and in each file, the most first.
fn summary(found: &[Finding], out: &mut Out) -> Result<(), Failure> {
    const MOST_FILES: usize = 20;
    let by_rule = tally(found.iter().map(|it| it.rule));
    for (rule, count) in &by_rule {
        out.line(&format!("{count:>5}  {CODE}{rule}{CODE:#}"))?;
    }
    let by_file = tally(found.iter().map(|it| &*it.place.file));
    for (file, count) in by_file.iter().take(MOST_FILES) {
        out.line(&format!("{count:>5}  {}", visible(file)))?;
    }
    if by_file.len() > MOST_FILES {
        out.line(&format!("       and {} more", counted(by_file.len() - MOST_FILES, "file")))?;
    }
    out.line(&counts(found))
}

fn tally<'a>(names: impl Iterator<Item = &'a str>) -> Vec<(&'a str, usize)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    let mut list: Vec<_> = counts.into_iter().collect();
    list.sort_by_key(|it| std::cmp::Reverse(it.1));
    list
}

/// `1 violation, 2 improvements, 0 notes`.
fn counts(found: &[Finding]) -> String {
    let count = |level, what| counted(found.iter().filter(|it| it.level == level).count(), what);
    format!(
        "{}, {}, {}",
        count(Level::Violation, "violation"),
        count(Level::Improvement, "improvement"),
        count(Level::Information, "note")
    )
}

/// `1 change`, `2 changes`.
pub(crate) fn counted(count: impl TryInto<u64>, what: &str) -> String {
    match count.try_into().unwrap_or(u64::MAX) {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    }
}

/// `::error file=…,line=…::message`, escaped as GitHub asks.
fn annotation(finding: &Finding) -> String {
    let kind = match finding.level {
        Level::Violation => "error",
        Level::Improvement => "warning",
        Level::Information => "notice",
    };
    let message = |it: &str| it.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |it: &str| message(it).replace(':', "%3A").replace(',', "%2C");
    let place = &finding.place;
    format!(
        "::{kind} file={},line={},col={},title={}::{}",
        property(&place.file),
        place.line,
        place.column,
        property(finding.rule),
        message(&format!("{} Fix: {}", finding.message, finding.fix))
    )
}
