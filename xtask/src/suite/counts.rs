//! What a step ran, counted from its log, and the floors that the counts are held to.

use std::collections::BTreeMap;

use serde_json::Value;

/// The least that a step runs of one kind of thing.
pub(super) type Floor = (u64, &'static str);

/// How our own tasks and tests tell a count: `ran: 432 packages`.
const RAN: &str = "ran: ";

/// How libtest tells one: `test result: ok. 12 passed; 0 failed; 1 ignored; …`.
const RESULT: &str = "test result: ok. ";

/// How rustfmt names a file under `--verbose`.
const FORMATTED: &str = "Formatting /";

/// How cargo's messages for programs begin.
const MESSAGE: &str = "{\"reason\":";

/// What a step ran: how many of each kind.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Counts(BTreeMap<String, u64>);

impl Counts {
    /// Adds up the counts of a log; the lines of one kind are summed.
    pub(super) fn of(log: &str) -> Self {
        let mut counts = Self::default();
        for line in log.lines() {
            counts.line(line);
        }
        counts
    }

    fn line(&mut self, line: &str) {
        if let Some((count, what)) = line.strip_prefix(RAN).and_then(|it| it.split_once(' ')) {
            if let Ok(count) = count.parse() {
                self.add(what, count);
            }
        } else if let Some(result) = line.strip_prefix(RESULT) {
            self.add("tests", part(result, " passed"));
            self.add("ignored", part(result, " ignored"));
        } else if line.starts_with(FORMATTED) {
            self.add("files", 1);
        } else if line.starts_with(MESSAGE) {
            self.message(line);
        }
    }

    /// Counts what cargo built, or found built, of the workspace.
    fn message(&mut self, line: &str) {
        let message: Value = serde_json::from_str(line).unwrap_or_default();
        let text = |key| message.get(key).and_then(Value::as_str).unwrap_or_default();
        if text("reason") == "compiler-artifact" && text("package_id").starts_with("path+") {
            self.add("targets", 1);
            self.add("executables", u64::from(!text("executable").is_empty()));
            let files = message.get("filenames").and_then(Value::as_array).into_iter().flatten();
            let is_page = |it: &str| it.ends_with("/index.html");
            let pages = files.filter(|it| it.as_str().is_some_and(is_page)).count();
            self.add("pages", pages as u64);
        }
    }

    fn add(&mut self, what: &str, count: u64) {
        *self.0.entry(what.to_owned()).or_default() += count;
    }

    /// Says which floor is missed first.
    pub(super) fn missed(&self, floors: &[Floor]) -> Option<String> {
        if floors.is_empty() {
            return Some("it has no floor".to_owned());
        }
        floors.iter().find_map(|(least, what)| match self.0.get(*what) {
            None => Some(format!("it did not say how many {what} it ran (at least {least})")),
            Some(ran) if ran < least => Some(format!("it ran {ran} {what}, fewer than {least}")),
            Some(_) => None,
        })
    }

    /// The counts in words: those with a floor first, and then how many tests were ignored or did not run on this machine.
    pub(super) fn told(&self, floors: &[Floor]) -> String {
        let named = floors.iter().map(|it| it.1).chain(["ignored", "not run"]);
        let counts = named.filter_map(|what| self.0.get(what).map(|count| (count, what)));
        let words: Vec<_> = counts.map(|(count, what)| format!("{count} {what}")).collect();
        words.join(", ")
    }
}

/// The number before a word in a result of libtest.
fn part(result: &str, word: &str) -> u64 {
    let found = result.split("; ").find_map(|it| it.strip_suffix(word));
    found.and_then(|it| it.parse().ok()).unwrap_or_default()
}

/// A log without cargo's messages for programs, which people do not read.
pub(super) fn readable(log: &str) -> String {
    log.split_inclusive('\n').filter(|it| !it.starts_with(MESSAGE)).collect()
}

#[cfg(test)]
mod tests {
    use super::{Counts, readable};

    const TESTS: &str = "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.1s\n\
         test result: ok. 30 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.1s\n";

    #[test]
    fn lines_of_one_kind_are_summed() {
        let counts =
            Counts::of("ran: 3 codes\nran: 4 codes\nran: 2 vectors of it\nran: no codes\n");
        assert_eq!(counts.told(&[(1, "codes"), (1, "vectors of it")]), "7 codes, 2 vectors of it");
    }

    #[test]
    fn results_of_libtest_are_summed_and_ignored_tests_told() {
        let floors = [(40, "tests")];
        assert_eq!(Counts::of(TESTS).told(&floors), "42 tests, 1 ignored");
        assert_eq!(Counts::of(TESTS).missed(&floors), None);
    }

    #[test]
    fn tests_that_did_not_run_are_told() {
        let counts = Counts::of("ran: 40 tests\nran: 1 not run\nran: 1 not run\n");
        assert_eq!(counts.told(&[(40, "tests")]), "40 tests, 2 not run");
    }

    #[test]
    fn a_filter_that_matches_no_test_misses_the_floor() {
        let log = "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 42 filtered out; finished in 0.00s\n";
        let missed = Counts::of(log).missed(&[(40, "tests")]);
        assert_eq!(missed.as_deref(), Some("it ran 0 tests, fewer than 40"));
    }

    #[test]
    fn a_log_without_a_count_misses_the_floor() {
        let missed = Counts::of("all is well\n").missed(&[(1, "files")]);
        assert_eq!(missed.as_deref(), Some("it did not say how many files it ran (at least 1)"));
    }

    #[test]
    fn every_floor_must_be_met() {
        let counts = Counts::of("ran: 23 targets\nran: 0 inputs\n");
        let missed = counts.missed(&[(23, "targets"), (1000, "inputs")]);
        assert_eq!(missed.as_deref(), Some("it ran 0 inputs, fewer than 1000"));
        assert_eq!(counts.missed(&[]).as_deref(), Some("it has no floor"));
    }

    #[test]
    fn targets_of_the_workspace_are_counted_and_not_shown() {
        let log = "{\"reason\":\"compiler-artifact\",\"package_id\":\"path+file:///a#0.1.0\",\"executable\":\"/a/b\",\"filenames\":[\"/a/doc/b/index.html\"]}\n\
             {\"reason\":\"compiler-artifact\",\"package_id\":\"path+file:///a#0.1.0\",\"executable\":null}\n\
             {\"reason\":\"compiler-artifact\",\"package_id\":\"registry+there#1.0.0\",\"executable\":null}\n\
             warning: unused\n";
        let floors = [(2, "targets"), (1, "executables"), (1, "pages")];
        assert_eq!(Counts::of(log).told(&floors), "2 targets, 1 executables, 1 pages");
        assert_eq!(readable(log), "warning: unused\n");
    }

    #[test]
    fn formatted_files_are_counted() {
        let log =
            "Using rustfmt config file /a/rustfmt.toml\nFormatting /a/b.rs\nFormatting /a/c.rs\n";
        assert_eq!(Counts::of(log).told(&[(1, "files")]), "2 files");
    }
}
