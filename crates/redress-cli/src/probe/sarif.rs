//! The findings of a probe as SARIF 2.1.0. A tool has no source file, so its place is the server and its name.

use redress_probe::{Finding, Hit, Report, report::Run};
use serde_json::{Value, json};

use crate::findings::sarif;

/// How many hits of a finding become results of their own.
const MOST_HITS: usize = 20;

/// One document: the rules that fired, and every answer that breaks one.
pub(super) fn document(report: &Report) -> String {
    let run = &report.direct;
    let mut rules: Vec<&Finding> = Vec::new();
    for finding in &run.findings {
        if rules.iter().all(|it| it.rule != finding.rule) {
            rules.push(finding);
        }
    }
    let results = run.findings.iter().flat_map(|finding| {
        finding.hits.iter().take(MOST_HITS).map(move |hit| result(report, run, finding, hit))
    });
    let rules: Vec<Value> = rules.into_iter().map(described).collect();
    sarif::wrapped(&rules, &results.collect::<Vec<_>>())
}

fn described(finding: &Finding) -> Value {
    json!({
        "id": finding.rule,
        "shortDescription": { "text": finding.title },
        "fullDescription": { "text": finding.why },
        "help": { "text": finding.fix },
        "defaultConfiguration": { "level": sarif::level(finding.level) },
    })
}

fn result(report: &Report, run: &Run, finding: &Finding, hit: &Hit) -> Value {
    let server = &report.server.name;
    let place = finding.tool.as_ref().map_or_else(|| server.clone(), |it| format!("{server}/{it}"));
    let kind = if finding.tool.is_some() { "function" } else { "module" };
    let exchange = run.exchange(hit);
    json!({
        "ruleId": finding.rule,
        "level": sarif::level(finding.level),
        "message": { "text": format!("{} {} Expected: {} Fix: {}", finding.title, hit.message, hit.expected, finding.fix) },
        "locations": [{
            // Hosts that show results beside sources refuse those without a file and a line.
            "physicalLocation": {
                "artifactLocation": { "uri": uri(&place) },
                "region": { "startLine": 1 },
            },
            "logicalLocations": [{ "fullyQualifiedName": place, "kind": kind }],
        }],
        "partialFingerprints": { "case/v1": format!("{} {}", finding.rule, hit.case) },
        "properties": {
            "case": hit.case,
            "request": exchange.map(|it| &it.request.text),
            "answer": exchange.map(|it| &it.happened),
            "repeat": hit.repeat,
        },
    })
}

/// A place as a relative URI, whatever a server is called.
fn uri(place: &str) -> String {
    use std::fmt::Write as _;
    let mut uri = String::with_capacity(place.len());
    for byte in place.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => write!(uri, "%{byte:02X}").unwrap_or_default(),
        }
    }
    uri
}
