//! What a suite found, read from the files that it leaves, and what was lost between two runs.

use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path};

use serde_json::Value;

/// The end of a result folder's name, a time such as `-2026-11-16T00-05-47-053Z`.
const STAMP: usize = 25;

/// All checks of one suite: scenario, then check, then how often it passed, and why it did not.
#[derive(Debug, Clone, Default)]
pub(crate) struct Totals(BTreeMap<String, BTreeMap<String, Check>>);

#[derive(Debug, Clone, Default)]
struct Check {
    passed: usize,
    failed: usize,
    why: Option<String>,
}

impl Totals {
    /// Reads the folder of a suite: one folder per scenario, with a `checks.json` each.
    pub(crate) fn read(dir: &Path) -> Result<Self, String> {
        let mut totals = Self::default();
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            let path = entry.path().join("checks.json");
            let name = entry.file_name().to_string_lossy().into_owned();
            let end = name.len().saturating_sub(STAMP);
            let name = name.get(..end).unwrap_or(&name);
            let scenario = name.strip_prefix("server-").unwrap_or(name);
            // A scenario that the suite itself gave up leaves an empty folder.
            let Ok(text) = fs::read_to_string(&path) else { continue };
            let checks: Vec<Value> = serde_json::from_str(&text)
                .map_err(|error| format!("{}: {error}", path.display()))?;
            for check in &checks {
                totals.add(scenario, check);
            }
        }
        Ok(totals)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The scenarios with at least one check that was made.
    pub(crate) fn scenarios(&self) -> usize {
        let is_made = |it: &Check| it.passed + it.failed > 0;
        self.0.values().filter(|it| it.values().any(is_made)).count()
    }

    /// Every check that failed, with the suite's reason.
    pub(crate) fn failures(&self) -> impl Iterator<Item = String> {
        self.checks().filter(|(_, _, check)| check.failed > 0).map(|it| describe(it.0, it.1, it.2))
    }

    fn add(&mut self, scenario: &str, check: &Value) {
        let text = |key| check.get(key).and_then(Value::as_str).unwrap_or_default();
        let id = format!("{} ({})", text("id"), text("name"));
        let found = self.0.entry(scenario.to_owned()).or_default().entry(id).or_default();
        match text("status") {
            "SUCCESS" => found.passed += 1,
            // A warning is a SHOULD that was not kept: what the fixture keeps, the gate keeps.
            "FAILURE" | "WARNING" => {
                found.failed += 1;
                found.why = Some(text("errorMessage").to_owned());
            }
            _ => (),
        }
    }

    fn checks(&self) -> impl Iterator<Item = (&str, &str, &Check)> {
        self.0.iter().flat_map(|(scenario, checks)| {
            checks.iter().map(move |(id, check)| (scenario.as_str(), id.as_str(), check))
        })
    }

    fn count(&self) -> (usize, usize) {
        self.checks().fold((0, 0), |(passed, failed), (_, _, check)| {
            (passed + check.passed, failed + check.failed)
        })
    }

    fn scenario(&self, name: &str) -> Option<(usize, usize)> {
        let checks = self.0.get(name)?.values();
        Some(checks.fold((0, 0), |(passed, failed), it| (passed + it.passed, failed + it.failed)))
    }
}

/// Checks that passed more often before than after.
pub(crate) fn lost<'a>(before: &'a Totals, after: &'a Totals) -> impl Iterator<Item = String> + 'a {
    let none = Check { why: Some("it was not reached".into()), ..Check::default() };
    before.checks().filter_map(move |(scenario, id, check)| {
        let now = after.0.get(scenario).and_then(|it| it.get(id)).unwrap_or(&none);
        (now.passed < check.passed).then(|| describe(scenario, id, now))
    })
}

fn describe(scenario: &str, id: &str, check: &Check) -> String {
    format!("{scenario}: {id}: {}", check.why.as_deref().unwrap_or("it passed less often"))
}

/// One line per scenario, one column per way; `3/0` is three passed, none failed.
pub(crate) fn table(suites: &[&str], columns: &[(String, Vec<Totals>)]) -> String {
    let mut text = String::new();
    for (nth, suite) in suites.iter().enumerate() {
        let runs: Vec<&Totals> = columns.iter().filter_map(|it| it.1.get(nth)).collect();
        let cells = columns.iter().map(|it| it.0.clone());
        line(&mut text, suite, cells);
        let names = runs.iter().flat_map(|it| it.0.keys());
        let names: std::collections::BTreeSet<_> = names.collect();
        for name in names {
            line(&mut text, name, runs.iter().map(|it| cell(it.scenario(name))));
        }
        line(&mut text, "total", runs.iter().map(|it| cell(Some(it.count()))));
        text.push('\n');
    }
    text
}

fn line(text: &mut String, name: &str, cells: impl Iterator<Item = String>) {
    write!(text, "{name:<48}").unwrap_or_default();
    for cell in cells {
        write!(text, " {cell:>16}").unwrap_or_default();
    }
    text.push('\n');
}

fn cell(counts: Option<(usize, usize)>) -> String {
    counts.map_or_else(|| "–".to_owned(), |(passed, failed)| format!("{passed}/{failed}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Totals, lost, table};

    fn totals(checks: &[(&str, &str, &str)]) -> Totals {
        let mut totals = Totals::default();
        for (scenario, id, status) in checks {
            let check = json!({ "id": id, "name": "N", "status": status, "errorMessage": "no" });
            totals.add(scenario, &check);
        }
        totals
    }

    #[test]
    fn a_check_that_passes_less_often_is_lost() {
        let before = totals(&[("ping", "a", "SUCCESS"), ("ping", "a", "SUCCESS")]);
        let after = totals(&[("ping", "a", "SUCCESS"), ("ping", "a", "FAILURE")]);
        assert_eq!(lost(&before, &after).collect::<Vec<_>>(), ["ping: a (N): no"]);
        assert_eq!(lost(&after, &before).count(), 0);
    }

    #[test]
    fn a_scenario_that_was_not_reached_is_lost() {
        let before = totals(&[("ping", "a", "SUCCESS")]);
        let found: Vec<_> = lost(&before, &Totals::default()).collect();
        assert_eq!(found, ["ping: a (N): it was not reached"]);
    }

    #[test]
    fn what_did_not_pass_before_is_not_lost() {
        let before = totals(&[("ping", "a", "FAILURE"), ("ping", "b", "SKIPPED")]);
        assert_eq!(lost(&before, &Totals::default()).count(), 0);
        assert_eq!(before.failures().count(), 1);
        assert_eq!(before.scenarios(), 1);
    }

    #[test]
    fn a_scenario_that_was_skipped_is_not_counted() {
        assert_eq!(totals(&[("ping", "a", "SKIPPED")]).scenarios(), 0);
    }

    #[test]
    fn a_table_shows_every_way_side_by_side() {
        let one = totals(&[("ping", "a", "SUCCESS")]);
        let columns = [("direct".to_owned(), vec![one.clone()]), ("gate".to_owned(), vec![one])];
        let text = table(&["suite"], &columns);
        let words: Vec<_> = text.split_whitespace().collect();
        assert_eq!(words, ["suite", "direct", "gate", "ping", "1/0", "1/0", "total", "1/0", "1/0"]);
    }
}
