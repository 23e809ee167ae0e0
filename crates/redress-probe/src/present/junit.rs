//! A report as JUnit XML, which build servers read: a suite for each tool, a case for each rule.

use std::fmt::Write as _;

use redress_registry::finding::Level;

use super::words;
use crate::{
    finding::Finding,
    report::{Report, Run, Text},
    score::Score,
};

/// How many hits of a finding are told.
const MOST_HITS: usize = 5;
/// How much of a message is told.
const MOST_CHARS: usize = 500;

/// The document. What makes the exit code 1, and that alone, is a failure in it.
pub fn document(report: &Report) -> String {
    let run = &report.direct;
    let server = &report.server.name;
    let suites: Vec<Suite<'_>> = [Suite::new(run, server, None, run.score.as_ref())]
        .into_iter()
        .chain(
            run.tools.iter().map(|it| Suite::new(run, server, Some(&it.name), it.score.as_ref())),
        )
        .collect();
    let tests: usize = suites.iter().map(|it| it.tests).sum();
    let failures: usize = suites.iter().map(|it| it.failures).sum();
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    writeln!(
        text,
        "<testsuites name=\"redress probe of {}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" time=\"{}\">",
        escaped(server),
        seconds(run.elapsed_ms)
    )
    .unwrap_or_default();
    for suite in suites {
        suite.write(&mut text, &report.started);
    }
    text.push_str("</testsuites>\n");
    text
}

/// The cases of the server, or of one of its tools.
struct Suite<'a> {
    name: String,
    cases: Vec<(String, Option<&'a Finding>)>,
    run: &'a Run,
    tests: usize,
    failures: usize,
    time_ms: u64,
}

impl<'a> Suite<'a> {
    fn new(run: &'a Run, server: &str, tool: Option<&str>, score: Option<&Score>) -> Self {
        let findings = run.findings.iter().filter(|it| it.tool.as_deref() == tool);
        let mut cases: Vec<(String, Option<&Finding>)> =
            findings.map(|it| (format!("{} {}", it.rule, it.title), Some(it))).collect();
        let kept = score.into_iter().flat_map(|it| &it.rules).filter(|it| it.checked == it.passed);
        cases.extend(kept.map(|it| (it.rule.clone(), None)));
        cases.sort_by(|one, other| one.0.cmp(&other.0));
        let is_failure = |it: &&(String, Option<&Finding>)| it.1.is_some_and(fails);
        let exchanges = run.exchanges.iter().filter(|it| it.tool.as_deref() == tool);
        Self {
            name: tool.map_or_else(|| server.to_owned(), |it| format!("{server}.{it}")),
            tests: cases.len().max(1),
            failures: cases.iter().filter(is_failure).count(),
            cases,
            run,
            time_ms: exchanges.map(|it| it.elapsed_ms).sum(),
        }
    }

    fn write(&self, text: &mut String, started: &str) {
        let name = escaped(&self.name);
        let skipped = usize::from(self.cases.is_empty());
        writeln!(
            text,
            "  <testsuite name=\"{name}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{skipped}\" time=\"{}\" timestamp=\"{}\">",
            self.tests,
            self.failures,
            seconds(self.time_ms),
            escaped(started)
        )
        .unwrap_or_default();
        if self.cases.is_empty() {
            writeln!(text, "    <testcase classname=\"{name}\" name=\"not graded\" time=\"0\"><skipped message=\"No answer was graded: every call might change something, or none was reached.\"/></testcase>").unwrap_or_default();
        }
        for (case, finding) in &self.cases {
            write!(
                text,
                "    <testcase classname=\"{name}\" name=\"{}\" time=\"0\"",
                escaped(case)
            )
            .unwrap_or_default();
            match finding {
                None => text.push_str("/>\n"),
                Some(finding) => {
                    text.push_str(">\n");
                    tell(text, finding, self.run);
                    text.push_str("    </testcase>\n");
                }
            }
        }
        text.push_str("  </testsuite>\n");
    }
}

fn fails(finding: &Finding) -> bool {
    finding.level == Level::Violation
}

/// A violation fails the case; anything less is told with a case that passes.
fn tell(text: &mut String, finding: &Finding, run: &Run) {
    let said = escaped(&explained(finding, run));
    if fails(finding) {
        let message = finding.hits.first().map_or(finding.title.as_str(), |it| &it.message);
        let (message, rule) = (escaped(message), escaped(&finding.rule));
        writeln!(text, "      <failure message=\"{message}\" type=\"{rule}\">{said}</failure>")
            .unwrap_or_default();
    } else {
        writeln!(text, "      <system-out>{said}</system-out>").unwrap_or_default();
    }
}

fn explained(finding: &Finding, run: &Run) -> String {
    let Finding { level, title, why, fix, hits, checked, .. } = finding;
    let mut text =
        format!("{}: {title} ({} of {checked})\n{why}\nFix: {fix}\n", level.name(), hits.len());
    for hit in hits.iter().take(MOST_HITS) {
        write!(text, "\n{}: {}\n", hit.case, hit.message).unwrap_or_default();
        if let Some(exchange) = run.exchange(hit) {
            writeln!(text, "sent: {}", short(&exchange.request)).unwrap_or_default();
            let came = words::came(&exchange.happened).map_or_else(String::new, short);
            writeln!(text, "came: {}. {came}", words::outcome(&exchange.happened))
                .unwrap_or_default();
        }
        write!(text, "should have been: {}\nrepeat: {}\n", hit.expected, hit.repeat)
            .unwrap_or_default();
    }
    if hits.len() > MOST_HITS {
        writeln!(text, "\nand {} more", hits.len() - MOST_HITS).unwrap_or_default();
    }
    text
}

fn short(text: &Text) -> String {
    redress::text::cut(&text.text, MOST_CHARS).into_owned()
}

/// A duration as JUnit writes it.
fn seconds(ms: u64) -> String {
    format!("{}.{:03}", ms / 1_000, ms % 1_000)
}

/// A text in XML, in which most control characters cannot be spelt at all.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for it in text.chars() {
        match it {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push_str("&#10;"),
            '\t' => escaped.push('\t'),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            _ if it.is_control() => {
                write!(escaped, "\\u{:04x}", u32::from(it)).unwrap_or_default();
            }
            _ => escaped.push(it),
        }
    }
    escaped
}
