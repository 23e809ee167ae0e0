//! A run with a step that is broken is red, however the step is broken.

use std::path::Path;

use super::{chosen, counts::Counts, schedule, steps};
use crate::suite::schedule::Step;

/// What a run of these steps finds wrong. Cargo is the program that every machine with the tests has.
fn wrong(steps: &[Step]) -> Vec<String> {
    schedule::run(Path::new(env!("CARGO_MANIFEST_DIR")), steps).unwrap()
}

#[test]
fn a_step_that_says_nothing_is_red() {
    let silent = Step::cargo("test silent", "--version", &[(1, "tests")]);
    assert_eq!(
        wrong(&[silent]),
        ["test silent: it did not say how many tests it ran (at least 1)"]
    );
}

#[test]
fn a_step_without_a_floor_is_red() {
    let free = Step::cargo("test free", "--version", &[]);
    assert_eq!(wrong(&[free]), ["test free: it has no floor"]);
}

#[test]
fn a_step_that_fails_is_red_and_so_is_what_needs_it() {
    let bad = Step::cargo("test bad", "no-such-command", &[(1, "tests")]);
    let next = Step::cargo("test next", "--version", &[(1, "tests")]).needs("test bad");
    let found = wrong(&[bad, next]);
    assert_eq!(found.len(), 2);
    assert!(found[0].starts_with("test bad: exit status: "), "{found:?}");
    assert_eq!(found[1], "test next: not run, since it needs a step that failed");
}

/// Steps of the run that break without an error of their own, and what their logs say then.
const BROKEN: [(&str, &str); 12] = [
    ("tools", "ran: 11 tools\n"),
    ("peers", "ran: 166 npm packages\nran: 0 Python packages\n"),
    ("dependencies", "ran: 0 packages\n"),
    ("generated files", "ran: 32 files\n"),
    ("lints", "    Finished `dev` profile in 0.1s\n"),
    // A filter that matches nothing.
    ("tests", "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 2200 filtered out\n"),
    // All tests, and a corpus without records.
    ("tests", "test result: ok. 9999 passed; 0 failed; 0 ignored\nran: 0 corpus records\n"),
    // A browser that is not started.
    ("browser", "test result: ok. 0 passed; 0 failed; 4 ignored\n"),
    // A registry that does not load.
    ("packages", "ran: 15 checks\nran: 0 codes\n"),
    // An empty list of scenarios.
    ("conformance", "ran: 0 scenarios\n"),
    ("fuzz", "ran: 23 targets\nran: 101 corpus files\nran: 0 inputs\n"),
    // A disk that was not mounted.
    ("disks", "test result: ok. 4 passed; 0 failed; 0 ignored\n"),
];

#[test]
fn a_step_that_ran_too_little_is_red() {
    let steps = steps(true);
    for (name, log) in BROKEN {
        let step = steps.iter().find(|it| it.name() == name).unwrap();
        assert!(Counts::of(log).missed(step.floors()).is_some(), "{name}: {log}");
    }
}

#[test]
fn every_step_has_floors_above_zero() {
    for full in [false, true] {
        for step in steps(full) {
            let floors = step.floors();
            assert!(!floors.is_empty() && floors.iter().all(|it| it.0 > 0), "{}", step.name());
        }
    }
}

#[test]
fn no_step_is_left_out_of_a_run() {
    let every = [
        "tools",
        "peers",
        "dependencies",
        "layout",
        "format",
        "generated files",
        "lints",
        "build",
        "programs",
        "tests",
        "official clients",
        "browser",
        "packages",
        "conformance",
        "simulator",
        "fuzz",
        "docs",
        "instructions",
    ];
    let names = |full| steps(full).iter().map(Step::name).collect::<Vec<_>>();
    assert_eq!(names(false), every);
    assert_eq!(
        names(true),
        [&every[..], &["disks", "public servers", "shipped packages"]].concat()
    );
}

#[test]
fn a_step_waits_only_for_steps_before_it() {
    let steps = steps(true);
    for (nth, step) in steps.iter().enumerate() {
        for awaited in step.awaited() {
            let is_before = steps[..nth].iter().any(|it| it.name() == awaited);
            assert!(is_before, "{} waits for {awaited}", step.name());
        }
    }
}

#[test]
fn cargo_never_changes_the_lock_file() {
    for step in steps(true) {
        let words = step.words();
        assert!(!step.is_cargo() || words[0] == "fmt" || words.iter().any(|it| it == "--locked"));
    }
}

#[test]
fn a_step_can_run_alone_but_not_in_ci() {
    let only = ["tests".to_owned()];
    assert_eq!(chosen(steps(false), &only, false).unwrap().len(), 1);
    assert!(chosen(steps(false), &only, true).is_err());
    assert!(chosen(steps(false), &["no such".to_owned()], false).is_err());
}
