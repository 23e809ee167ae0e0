//! An audit as documents: what a report says, in Markdown, for those who plan the work on it.

mod findings;
mod markdown;

use std::{collections::BTreeSet, fmt::Write as _};

use redress_registry::Level;

use crate::{
    report::{CheckReport, Verdict},
    suppress::Day,
};
use markdown::{HEAD, counted, text};

/// One document: the name of its file, and its text.
pub type Document = (&'static str, String);

/// What the documents say besides the findings.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    /// When the audit was made.
    pub day: Day,
    /// How many files were read.
    pub read: &'a str,
    /// Which folders were left out.
    pub left_out: Option<&'a str>,
}

/// The priorities, each with its name and the weight of its findings.
const PRIORITIES: [(&str, &str, Level); 3] = [
    ("P0", "the contract is broken", Level::Violation),
    ("P1", "it works and could be better", Level::Improvement),
    ("P2", "good to know", Level::Information),
];

/// What can go wrong, and how the ids of the rules about it begin.
const RISKS: [(&str, &str); 5] = [
    ("Clients do not know a code", "CK00"),
    ("The model is told wrong things by a tool or its answer", "CK4"),
    ("A failure is taken for a success", "CK90"),
    ("An envelope is incomplete, unbounded or not JSON", "CK91"),
    ("Something was not checked", "CK92"),
];

/// The documents of an audit: a summary, the findings by priority and by file, and a checklist of every rule.
pub fn documents(report: &CheckReport, scope: Scope<'_>) -> Vec<Document> {
    vec![
        ("AUDIT_SUMMARY.md", summary(report, scope)),
        ("FINDINGS_BY_PRIORITY.md", findings::by_priority(report)),
        ("FINDINGS_BY_FILE.md", findings::by_file(report)),
        ("CHECKLIST.md", checklist(report)),
    ]
}

fn of_level(report: &CheckReport, level: Level) -> usize {
    report.hits.iter().filter(|it| it.finding.level == level).count()
}

fn summary(report: &CheckReport, scope: Scope<'_>) -> String {
    let mut out = format!("{HEAD}# Audit of the error contract\n\n");
    let _ = writeln!(out, "**Overall status:** {}  ", status(report));
    let _ = writeln!(out, "**Overall risk:** {}  ", overall(report));
    let _ = writeln!(out, "**Day:** {}  ", scope.day);
    let _ = writeln!(out, "**Scope:** {}", text(scope.read));
    if let Some(left_out) = scope.left_out {
        let _ = writeln!(out, "Left out: {}.", text(left_out));
    }
    out.push_str("\n## Counts\n\n| what | count |\n| --- | --- |\n");
    for (name, meaning, level) in PRIORITIES {
        let _ = writeln!(out, "| {name}, {meaning} | {} |", of_level(report, level));
    }
    let files: BTreeSet<_> = report.hits.iter().map(|it| &it.finding.place.file).collect();
    let fixable = report.hits.iter().filter(|it| it.edit.is_some()).count();
    let held = report.verdicts.iter().filter(|it| it.is_held()).count();
    let broken = report.verdicts.iter().filter(|it| it.broken > 0).count();
    let other = report.verdicts.len() - held - broken;
    for (what, count) in [
        ("files with findings", files.len()),
        ("findings that `redress check --fix` corrects", fixable),
        ("findings that a comment allows", report.allowed),
        ("rules that hold", held),
        ("rules that are broken", broken),
        ("rules that are not applicable", other),
    ] {
        let _ = writeln!(out, "| {what} | {count} |");
    }
    risks(&mut out, report);
    order(&mut out, report, fixable);
    out.push_str("\n## What holds\n\n");
    for it in report.verdicts.iter().filter(|it| it.is_held()) {
        let _ = writeln!(out, "- {} {} ({})", it.rule.id, it.rule.name, it.looked());
    }
    if held == 0 {
        out.push_str("No rule had something to look at and found nothing.\n");
    }
    out.push_str("\nDetails: [by priority](FINDINGS_BY_PRIORITY.md), [by file](FINDINGS_BY_FILE.md), [checklist](CHECKLIST.md).\n");
    out
}

fn status(report: &CheckReport) -> &'static str {
    match worst(report, "CK") {
        Some(Level::Violation) => "The contract is broken.",
        Some(Level::Improvement) => "The contract holds; improvements are needed.",
        Some(Level::Information) => "The contract holds; there are notes.",
        None => "The contract holds.",
    }
}

/// The heaviest finding of the rules whose ids begin so.
fn worst(report: &CheckReport, prefix: &str) -> Option<Level> {
    let of_rules = report.hits.iter().filter(|it| it.finding.rule.starts_with(prefix));
    of_rules.map(|it| it.finding.level).min()
}

fn risk(level: Option<Level>) -> &'static str {
    match level {
        Some(Level::Violation) => "high",
        Some(Level::Improvement) => "medium",
        Some(Level::Information) => "low",
        None => "none",
    }
}

fn overall(report: &CheckReport) -> &'static str {
    risk(worst(report, "CK"))
}

fn risks(out: &mut String, report: &CheckReport) {
    out.push_str("\n## Risk\n\n| risk | level | findings |\n| --- | --- | --- |\n");
    for (what, prefix) in RISKS {
        let count = report.hits.iter().filter(|it| it.finding.rule.starts_with(prefix)).count();
        let _ = writeln!(out, "| {what} | {} | {count} |", risk(worst(report, prefix)));
    }
}

/// What to do first.
fn order(out: &mut String, report: &CheckReport, fixable: usize) {
    out.push_str("\n## Order of work\n\n");
    let mut steps = Vec::new();
    if fixable > 0 {
        steps.push(format!(
            "Run `redress check --fix`: it corrects {}.",
            counted(fixable, "finding")
        ));
    }
    for (name, _, level) in PRIORITIES {
        let count = of_level(report, level);
        if count > 0 {
            steps.push(format!("{name}: {}.", counted(count, "finding")));
        }
    }
    if steps.is_empty() {
        steps.push("Nothing is left to do.".to_owned());
    }
    for (number, step) in steps.iter().enumerate() {
        let _ = writeln!(out, "{}. {step}", number + 1);
    }
}

fn checklist(report: &CheckReport) -> String {
    let mut out = format!(
        "{HEAD}# Checklist\n\n`[x]` the rule holds, `[!]` it is broken, `[-]` it is not applicable.\n\n"
    );
    for it in &report.verdicts {
        let (mark, state) = match it {
            it if it.broken > 0 => ('!', format!("broken: {}", counted(it.broken, "finding"))),
            it if it.count > 0 => ('x', format!("held ({})", it.looked())),
            it => ('-', format!("not applicable: no {}", it.looks_at.noun())),
        };
        let _ = writeln!(out, "- [{mark}] {} {}: {state}", it.rule.id, it.rule.name);
    }
    out
}

impl Verdict {
    /// Whether the rule had something to look at and found nothing.
    pub fn is_held(&self) -> bool {
        self.broken == 0 && self.count > 0
    }

    fn looked(&self) -> String {
        let noun = self.looks_at.noun();
        match self.count {
            1 => format!("looked at 1 {noun}"),
            count => format!("looked at {count} × {noun}"),
        }
    }
}
