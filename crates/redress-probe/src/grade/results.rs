//! `Results`: what the rules said of every answer, and the findings and scores that follow from it.

use std::collections::BTreeMap;

use redress_registry::Registry;

use super::{Check, answer_view::AnswerView, cap, checks, contract::COVERAGE};
use crate::{
    finding::{Finding, Hit},
    plan::ListedTool,
    report::Coverage,
    score::{Score, Share},
};

/// What one rule said of one tool, or of the server.
#[derive(Debug, Default)]
struct RuleResult {
    checked: usize,
    hits: Vec<Hit>,
}

/// Everything that the rules said.
#[derive(Debug, Default)]
pub(crate) struct Results {
    /// By tool, the server itself first, and by the place of the rule.
    rows: BTreeMap<(Option<usize>, usize), RuleResult>,
    codes: Vec<String>,
}

impl Results {
    /// Lets every rule look at an answer.
    pub(crate) fn look(&mut self, view: &AnswerView<'_>, exchanges: &[usize], repeat: &str) {
        if let Some(code) = view.answer.code.as_ref().filter(|_| view.answer.is_failure())
            && !self.codes.contains(code)
        {
            self.codes.push(code.clone());
        }
        for (at, check) in checks().enumerate() {
            let Some(said) = (check.run)(view) else { continue };
            let row = self.rows.entry((view.case.tool, at)).or_default();
            row.checked += 1;
            if let Err(wrong) = said {
                row.hits.push(Hit {
                    case: view.case.id.clone(),
                    exchanges: exchanges.to_vec(),
                    message: wrong.message,
                    expected: wrong.expected,
                    repeat: repeat.to_owned(),
                });
            }
        }
    }

    /// Which codes of a contract were seen.
    pub(crate) fn coverage(&self, contract: &Registry) -> Coverage {
        let own = contract.own().map(|it| it.code.to_string());
        let (seen, unseen) = own.partition(|it| self.codes.contains(it));
        let unknown = self.codes.iter().filter(|it| contract.get(it).is_none()).cloned().collect();
        Coverage { seen, unseen, unknown }
    }

    /// Says which codes were never seen; no answer shows it.
    pub(crate) fn miss(&mut self, coverage: &Coverage, repeat: &str) {
        let Some(at) = checks().position(|it| it.rule.id == COVERAGE) else { return };
        let row = self.rows.entry((None, at)).or_default();
        row.checked = coverage.seen.len() + coverage.unseen.len();
        row.hits.extend(coverage.unseen.iter().map(|code| Hit {
            case: "server".to_owned(),
            exchanges: Vec::new(),
            message: format!("{code} was never answered."),
            expected: format!("Some call that is answered with {code}."),
            repeat: repeat.to_owned(),
        }));
    }

    /// Everything that is wrong, the worst first.
    pub(crate) fn findings(&self, tools: &[ListedTool]) -> Vec<Finding> {
        let broken = self.rows.iter().filter(|(_, row)| !row.hits.is_empty());
        let mut found: Vec<Finding> = broken
            .filter_map(|((tool, at), row)| {
                let Check { rule, title, .. } = checks().nth(*at)?;
                Some(Finding {
                    rule: rule.id.to_owned(),
                    level: rule.level(),
                    tool: tool.and_then(|it| tools.get(it)).map(|it| it.name.clone()),
                    title: (*title).to_owned(),
                    why: rule.why.to_owned(),
                    fix: rule.how_to_fix.to_owned(),
                    checked: row.checked,
                    hits: row.hits.clone(),
                })
            })
            .collect();
        found.sort_by(|a, b| (a.level, &a.rule).cmp(&(b.level, &b.rule)));
        found
    }

    /// The score of one tool, or of what is the server's own.
    pub(crate) fn score(&self, tool: Option<usize>) -> Option<Score> {
        let rows = self.rows.iter().filter(|((of, _), _)| *of == tool);
        Score::of(rows.filter_map(|((_, at), row)| share(*at, row)).collect(), cap)
    }

    /// The score of the server as a whole.
    pub(crate) fn whole(&self, tools: usize) -> Option<Score> {
        let scores: Vec<Score> = (0..tools).filter_map(|it| self.score(Some(it))).collect();
        Score::whole(self.score(None).as_ref(), &scores, cap)
    }
}

fn share(at: usize, row: &RuleResult) -> Option<Share> {
    let check = checks().nth(at).filter(|it| it.weight > 0 && row.checked > 0)?;
    Some(Share {
        rule: check.rule.id.to_owned(),
        weight: check.weight,
        checked: row.checked,
        passed: row.checked.saturating_sub(row.hits.len()),
    })
}
