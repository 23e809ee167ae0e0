//! A report as JUnit XML, which build servers read: a suite for each tool, a case for each rule.

use std::fmt::Write as _;

use redress_registry::Level;

use super::words;
use crate::{
    finding::Finding,
    report::{Report, Run, Text},
    score::Score,
};

/// How many hits of a finding are shown.
const MOST_HITS: usize = 5;
/// How much of a message is shown.
const MOST_CHARS: usize = 500;

/// The document. What makes the exit code 1, and that alone, is a failure in it. Its shape is the narrowest that readers
/// know: no totals at the top, and what is no failure is at the end of its suite.
pub fn document(report: &Report) -> String {
    let run = &report.direct;
    let tools = run.tools.iter().map(|it| (Some(it.name.as_str()), it.score.as_ref()));
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for (id, (tool, score)) in [(None, run.score.as_ref())].into_iter().chain(tools).enumerate() {
        Suite::new(report, tool, score).write(&mut text, id);
    }
    text.push_str("</testsuites>\n");
    text
}

/// The cases of the server, or of one of its tools.
struct Suite<'a> {
    report: &'a Report,
    tool: Option<&'a str>,
    /// What each case is called, and what is wrong with it.
    cases: Vec<(String, Option<&'a Finding>)>,
}

impl<'a> Suite<'a> {
    fn new(report: &'a Report, tool: Option<&'a str>, score: Option<&Score>) -> Self {
        let findings = report.direct.findings.iter().filter(|it| it.tool.as_deref() == tool);
        let mut cases: Vec<(String, Option<&Finding>)> =
            findings.map(|it| (format!("{} {}", it.rule, name(&it.rule)), Some(it))).collect();
        let kept = score.into_iter().flat_map(|it| &it.rules).filter(|it| it.checked == it.passed);
        cases.extend(kept.map(|it| (format!("{} {}", it.rule, name(&it.rule)), None)));
        cases.sort_by(|one, other| one.0.cmp(&other.0));
        Self { report, tool, cases }
    }

    fn write(&self, text: &mut String, id: usize) {
        let server = escaped(&self.report.server.name);
        let name =
            self.tool.map_or_else(|| server.clone(), |it| format!("{server}.{}", escaped(it)));
        // Some readers take a time without a zone alone.
        let started = escaped(self.report.started.get(..19).unwrap_or_default());
        writeln!(
            text,
            "  <testsuite id=\"{id}\" name=\"{name}\" package=\"{server}\" hostname=\"localhost\" timestamp=\"{started}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"{}\">\n    <properties/>",
            self.cases.len().max(1),
            self.cases.iter().filter(|it| it.1.is_some_and(fails)).count(),
            usize::from(self.cases.is_empty()),
            self.seconds()
        )
        .unwrap_or_default();
        if self.cases.is_empty() {
            writeln!(text, "    <testcase classname=\"{name}\" name=\"not graded\" time=\"0\"><skipped/></testcase>")
                .unwrap_or_default();
        }
        for (case, finding) in &self.cases {
            let case = escaped(case);
            write!(text, "    <testcase classname=\"{name}\" name=\"{case}\" time=\"0\"")
                .unwrap_or_default();
            match finding.filter(|it| fails(it)) {
                None => text.push_str("/>\n"),
                Some(finding) => self.failure(text, finding),
            }
        }
        let asides = self.cases.iter().filter_map(|it| it.1.filter(|it| !fails(it)));
        let asides: Vec<String> = asides.map(|it| explained(it, &self.report.direct)).collect();
        let asides = escaped(&asides.join("\n"));
        writeln!(text, "    <system-out>{asides}</system-out>\n    <system-err/>\n  </testsuite>")
            .unwrap_or_default();
    }

    fn failure(&self, text: &mut String, finding: &Finding) {
        let message = finding.hits.first().map_or(finding.title.as_str(), |it| &it.message);
        let (message, rule) = (escaped(message), escaped(&finding.rule));
        let said = escaped(&explained(finding, &self.report.direct));
        writeln!(
            text,
            ">\n      <failure message=\"{message}\" type=\"{rule}\">{said}</failure>\n    </testcase>"
        )
        .unwrap_or_default();
    }

    /// What its calls took, as JUnit writes it.
    fn seconds(&self) -> String {
        let calls =
            self.report.direct.exchanges.iter().filter(|it| it.tool.as_deref() == self.tool);
        let ms: u64 = calls.map(|it| it.elapsed_ms).sum();
        format!("{}.{:03}", ms / 1_000, ms % 1_000)
    }
}

/// A rule by its name, the same whether it is broken or kept.
fn name(rule: &str) -> &'static str {
    crate::rules().find(|it| it.id == rule).map_or("", |it| it.name)
}

fn fails(finding: &Finding) -> bool {
    finding.level == Level::Violation
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
