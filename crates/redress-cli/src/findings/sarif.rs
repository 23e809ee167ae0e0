//! Findings as SARIF 2.1.0, which code hosts and editors read.

use redress_registry::{Finding, Level, rule::Rule};
use serde_json::{Value, json};

/// One document with one run: the rules that fired, and where.
pub(super) fn document<'a>(found: &[Finding], rules: impl Iterator<Item = &'a Rule>) -> String {
    let rules: Vec<&Rule> =
        rules.filter(|rule| found.iter().any(|it| it.rule == rule.id)).collect();
    let rules: Vec<Value> = rules.into_iter().map(described).collect();
    wrapped(&rules, &found.iter().map(result).collect::<Vec<_>>())
}

/// A document with the rules and results of one run.
pub(crate) fn wrapped(rules: &[Value], results: &[Value]) -> String {
    let driver = json!({ "name": "redress", "version": env!("CARGO_PKG_VERSION"), "rules": rules });
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{ "tool": { "driver": driver }, "results": results }],
    });
    document.to_string()
}

fn described(rule: &Rule) -> Value {
    json!({
        "id": rule.id,
        "name": rule.name,
        "shortDescription": { "text": rule.summary },
        "fullDescription": { "text": rule.why },
        "help": { "text": rule.how_to_fix },
        "defaultConfiguration": { "level": level(rule.level()) },
    })
}

fn result(finding: &Finding) -> Value {
    json!({
        "ruleId": finding.rule,
        "level": level(finding.level),
        "message": { "text": format!("{} Fix: {}", finding.message, finding.fix) },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": &*finding.place.file },
            "region": { "startLine": finding.place.line, "startColumn": finding.place.column },
        } }],
        "properties": finding.context,
    })
}

/// What SARIF calls a level.
pub(crate) const fn level(level: Level) -> &'static str {
    match level {
        Level::Violation => "error",
        Level::Improvement => "warning",
        Level::Information => "note",
    }
}
