//! `CheckReport`: what all rules found, without what is allowed, each thing at its line and column.

use std::{collections::BTreeMap, sync::Arc};

use redress_registry::{Source, place::start, rule::Rule};

use crate::{
    project::Project,
    rule::{Check, Hit, Hits},
    rules::{checks, files},
    subject::Subject,
    suppress::Day,
};

/// What all rules found.
#[derive(Debug, Default)]
pub struct CheckReport {
    /// What was found, by file and place.
    pub hits: Vec<Hit>,
    /// The texts of the files with findings, as they are now.
    pub sources: BTreeMap<Arc<str>, Source>,
    /// How many findings are allowed by a comment.
    pub allowed: usize,
    /// Every rule and what became of it, in the order of their ids.
    pub verdicts: Vec<Verdict>,
}

/// What became of one rule.
#[derive(Debug)]
pub struct Verdict {
    /// The rule.
    pub rule: &'static Rule,
    /// What it looked at.
    pub looks_at: Subject,
    /// How many of them there are; a rule with none is not applicable.
    pub count: usize,
    /// How often it is broken.
    pub broken: usize,
}

/// Runs every rule.
pub fn check(project: &Project<'_>, today: Day) -> CheckReport {
    let contracts =
        project.contracts.iter().map(|it| (Arc::clone(&it.source.file), it.source.clone()));
    let mut report = CheckReport { sources: contracts.collect(), ..CheckReport::default() };
    for check in checks() {
        let mut hits = Hits::new(project, check.rule);
        (check.run)(project, &mut hits);
        report.hits.extend(hits.into_list());
    }
    report.place(project);
    report.allow(project, today);
    report.place(project);
    report.verdicts = checks().map(|check| report.verdict(check, project)).collect();
    report
}

impl CheckReport {
    fn verdict(&self, check: &Check, project: &Project<'_>) -> Verdict {
        let broken = self.hits.iter().filter(|it| it.finding.rule == check.rule.id).count();
        let count = check.looks_at.count(project);
        Verdict { rule: check.rule, looks_at: check.looks_at, count, broken }
    }

    /// Sorts the findings and gives each its line and column.
    fn place(&mut self, project: &Project<'_>) {
        self.hits.sort_by(|a, b| {
            let key = |it: &Hit| {
                (
                    it.file,
                    Arc::clone(&it.finding.place.file),
                    it.finding.span.start,
                    it.finding.rule,
                )
            };
            key(a).cmp(&key(b))
        });
        let mut walk = LineWalk::default();
        for hit in &mut self.hits {
            let name = &hit.finding.place.file;
            if let Some(file) = hit.file
                && !self.sources.contains_key(name)
            {
                let text =
                    project.sources.files.get(file).and_then(crate::sources::SourceFile::text);
                let source = Source { file: Arc::clone(name), text: text.unwrap_or_default() };
                self.sources.insert(Arc::clone(name), source);
            }
            if let Some(source) = self.sources.get(name) {
                let (line, column) = walk.to(source, hit.finding.span.start);
                (hit.finding.place.line, hit.finding.place.column) = (line, column);
            }
        }
    }

    /// Takes out what a comment allows, and tells of comments that allow nothing.
    fn allow(&mut self, project: &Project<'_>, today: Day) {
        let mut used: Vec<Vec<bool>> =
            project.files().map(|(_, it)| vec![false; it.facts.allowances.len()]).collect();
        self.hits.retain(|hit| {
            let Some((file, source)) =
                hit.file.and_then(|it| Some((it, project.sources.files.get(it)?)))
            else {
                return true;
            };
            let mut is_allowed = false;
            for (at, written) in source.facts.allowances.iter().enumerate() {
                let line = written.line as usize;
                let covers = hit.finding.place.line == line || hit.finding.place.line == line + 1;
                let holds = written.said.as_ref().is_ok_and(|it| {
                    it.until >= today && it.rules.iter().any(|it| &**it == hit.finding.rule)
                });
                if covers && holds {
                    is_allowed = true;
                    if let Some(mark) = used.get_mut(file).and_then(|it| it.get_mut(at)) {
                        *mark = true;
                    }
                }
            }
            self.allowed += usize::from(is_allowed);
            !is_allowed
        });
        self.hits.extend(files::allowances(project, &used, today));
    }
}

/// Line and column of bytes that come in order, in one walk over each file.
#[derive(Debug, Default)]
struct LineWalk {
    file: Arc<str>,
    at: usize,
    line: usize,
    column: usize,
}

impl LineWalk {
    fn to(&mut self, source: &Source, offset: usize) -> (usize, usize) {
        if self.file != source.file || offset < self.at {
            let at = start(&source.text);
            *self = Self { file: Arc::clone(&source.file), at, line: 1, column: 1 };
        }
        for passed in source.text.get(self.at..offset).unwrap_or_default().chars() {
            (self.line, self.column) =
                if passed == '\n' { (self.line + 1, 1) } else { (self.line, self.column + 1) };
        }
        self.at = self.at.max(offset);
        (self.line, self.column)
    }
}
