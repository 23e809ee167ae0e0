//! `Comparison`: what became better or worse since a report that was made before.

use redress_registry::Level;
use serde::Serialize;

use crate::{
    finding::{self, Finding},
    report::{ProbeSettings, Report, Run},
    score::Score,
};

/// What became better or worse since a report that was made before. It is about the server as it is, without the gate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// When the earlier report was made.
    pub since: String,
    /// The points of the server, before and after.
    pub points: Points,
    /// The tools whose points are not what they were, in the server's order; then those that are gone.
    pub tools: Vec<ToolPoints>,
    /// Every finding that is not what it was, the worst change first.
    pub findings: Vec<Changed>,
    /// What was not the same in both runs, so that the two are not quite alike.
    pub unlike: Vec<String>,
}

/// Points before and after; absent where there was no score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Points {
    /// In the earlier report.
    pub before: Option<u8>,
    /// Now.
    pub after: Option<u8>,
}

/// A tool whose points are not what they were.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolPoints {
    /// Its name.
    pub name: String,
    /// Its points.
    #[serde(flatten)]
    pub points: Points,
}

/// A finding that is not what it was.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Changed {
    /// What became of it.
    pub change: FindingChange,
    /// The id of the rule.
    pub rule: String,
    /// How much it weighs.
    #[serde(with = "finding::level")]
    pub level: Level,
    /// The tool; absent, it is about the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// What is wrong.
    pub title: String,
    /// The wrong answers of the earlier report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<WrongCount>,
    /// The wrong answers now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<WrongCount>,
}

/// How many answers are wrong, of how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct WrongCount {
    /// Wrong ones.
    pub hits: usize,
    /// All that the rule looked at.
    pub checked: usize,
}

/// What became of a finding, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingChange {
    /// It was not there before.
    New,
    /// A larger part of the answers is wrong.
    Worse,
    /// Nothing was asked this time that could show it.
    Unchecked,
    /// A smaller part of the answers is wrong.
    Better,
    /// It is gone.
    Fixed,
}

impl FindingChange {
    /// As it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Worse => "worse",
            Self::Unchecked => "unchecked",
            Self::Better => "better",
            Self::Fixed => "fixed",
        }
    }
}

impl Comparison {
    /// Compares a report with one that was made before.
    pub fn of(before: &Report, after: &Report) -> Self {
        let (old, new) = (&before.direct, &after.direct);
        let mut findings: Vec<Changed> =
            new.findings.iter().filter_map(|it| now(it, find(old, it))).collect();
        let gone = old.findings.iter().filter(|it| find(new, it).is_none());
        findings.extend(gone.map(|it| gone_from(new, it)));
        findings.sort_by_key(|it| (it.change, it.level));
        Self {
            since: before.started.clone(),
            points: Points {
                before: points(old.score.as_ref()),
                after: points(new.score.as_ref()),
            },
            tools: tools(old, new),
            findings,
            unlike: unlike(before, after),
        }
    }

    /// Whether something became worse that is more than good to know.
    pub fn is_worse(&self) -> bool {
        self.findings.iter().any(|it| {
            matches!(it.change, FindingChange::New | FindingChange::Worse)
                && it.level != Level::Information
        })
    }

    /// How many findings changed so.
    pub fn count(&self, change: FindingChange) -> usize {
        self.findings.iter().filter(|it| it.change == change).count()
    }
}

impl WrongCount {
    const fn of(finding: &Finding) -> Self {
        Self { hits: finding.hits.len(), checked: finding.checked }
    }
}

fn find<'a>(run: &'a Run, wanted: &Finding) -> Option<&'a Finding> {
    run.findings.iter().find(|it| it.key() == wanted.key())
}

/// A finding of today beside the one of then; `None` if nothing changed.
fn now(finding: &Finding, earlier: Option<&Finding>) -> Option<Changed> {
    let after = WrongCount::of(finding);
    let before = earlier.map(WrongCount::of);
    let change = match before {
        None => FindingChange::New,
        Some(before) => {
            // Parts are compared crosswise: no division, no rounding.
            let then = before.hits * after.checked.max(1);
            match (after.hits * before.checked.max(1)).cmp(&then) {
                std::cmp::Ordering::Less => FindingChange::Better,
                std::cmp::Ordering::Equal => return None,
                std::cmp::Ordering::Greater => FindingChange::Worse,
            }
        }
    };
    Some(changed(finding, change, (before, Some(after))))
}

/// A finding that is no longer there: fixed only if the check ran again.
fn gone_from(run: &Run, finding: &Finding) -> Changed {
    let score = match &finding.tool {
        None => run.score.as_ref(),
        Some(tool) => run.tools.iter().find(|it| it.name == *tool).and_then(|it| it.score.as_ref()),
    };
    let looked = score.is_some_and(|score| {
        score.rules.iter().any(|it| it.rule == finding.rule && it.checked > 0)
    });
    let change = if looked { FindingChange::Fixed } else { FindingChange::Unchecked };
    changed(finding, change, (Some(WrongCount::of(finding)), None))
}

fn changed(
    finding: &Finding,
    change: FindingChange,
    (before, after): (Option<WrongCount>, Option<WrongCount>),
) -> Changed {
    Changed {
        change,
        rule: finding.rule.clone(),
        level: finding.level,
        tool: finding.tool.clone(),
        title: finding.title.clone(),
        before,
        after,
    }
}

fn points(score: Option<&Score>) -> Option<u8> {
    score.map(|it| it.points)
}

fn tools(old: &Run, new: &Run) -> Vec<ToolPoints> {
    let points_in = |run: &Run, name: &str| {
        run.tools.iter().find(|it| it.name == name).and_then(|it| points(it.score.as_ref()))
    };
    let gone = old.tools.iter().filter(|it| new.tools.iter().all(|other| other.name != it.name));
    let all = new.tools.iter().chain(gone).map(|it| ToolPoints {
        name: it.name.clone(),
        points: Points { before: points_in(old, &it.name), after: points_in(new, &it.name) },
    });
    all.filter(|it| it.points.before != it.points.after).collect()
}

/// What differs in how the two were made.
fn unlike(before: &Report, after: &Report) -> Vec<String> {
    let mut unlike = Vec::new();
    let mut say = |what: &str, one: &str, other: &str| {
        if one != other {
            unlike.push(format!("{what}: {one}, now {other}"));
        }
    };
    say("server", &named(before), &named(after));
    say("probe", &before.version, &after.version);
    let (one, other) = (&before.settings, &after.settings);
    let mut number = |what, read: fn(&ProbeSettings) -> u64| {
        say(what, &read(one).to_string(), &read(other).to_string());
    };
    number("seed", |it| it.seed);
    number("budget", |it| it.budget as u64);
    number("deadline", |it| it.deadline_ms);
    number("effects allowed", |it| u64::from(it.allow_effects));
    say("cases", &one.only.join(" "), &other.only.join(" "));
    let contract = |it: &ProbeSettings| it.contract.clone().unwrap_or_else(|| "none".to_owned());
    say("contract", &contract(one), &contract(other));
    unlike
}

fn named(report: &Report) -> String {
    format!("{} {}", report.server.name, report.server.version)
}
