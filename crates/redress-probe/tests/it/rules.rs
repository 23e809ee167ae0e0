//! Every rule finds the server that breaks it, and nothing in the one that breaks none.

use std::{sync::Arc, time::Duration};

use redress_probe::{Probed, report::Happened, rules, score::Letter};
use redress_registry::shipped;

use crate::odd::{options, run};

#[test]
fn a_server_that_fails_well_gets_full_marks() {
    let Probed { server, run, .. } = run(&options(&[])).unwrap();
    assert_eq!((&*server.name, &*server.revision), ("odd", "2025-11-25"));
    assert_eq!(run.findings, [], "{:#?}", run.findings);
    let score = run.score.unwrap();
    assert_eq!((score.points, score.letter), (100, Letter::A));
    assert_eq!((run.stopped, run.restarts), (None, 0));
    let names: Vec<_> = run.tools.iter().map(|it| &*it.name).collect();
    assert_eq!(names, ["read", "write", "wipe", "sweep", "drop", "choose"]);
    let read = &run.tools[0];
    assert!(read.read_only && read.cases.played > 20, "{read:?}");
    assert_eq!((read.cases.effects, read.cases.played), (0, read.cases.planned));
}

#[test]
fn every_rule_finds_the_server_that_breaks_it() {
    for rule in rules().filter(|it| !it.id.starts_with("CK")) {
        let case = match rule.id {
            "PR201" => "server/unknown-tool",
            "PR202" => "server/unknown-method",
            "PR203" => "server/no-name",
            "PR204" => "server/not-json",
            "PR205" => "server/bad-revision",
            "PR206" => "server/unknown-notification",
            "PR212" => "read/outside",
            _ => "read/missing/id",
        };
        let mut options = options(&["--break", rule.id]);
        options.only = vec![case.to_owned()];
        if ["PR101", "PR107"].contains(&rule.id) {
            options.deadline = Duration::from_millis(300);
        }
        let run = run(&options).unwrap().run;
        let found = run.findings.iter().find(|it| it.rule == rule.id);
        let Some(found) = found else { panic!("{}: {:#?}", rule.id, run.findings) };
        let hit = &found.hits[0];
        assert!(hit.case.starts_with(case), "{hit:?}");
        assert!(hit.repeat.starts_with("redress probe --seed 1 --only "), "{}", hit.repeat);
        assert!(run.exchange(hit).is_some());
        assert!(run.score.unwrap().points < 100, "{}", rule.id);
        let others: Vec<_> =
            run.findings.iter().filter(|it| it.rule != rule.id).map(|it| &*it.rule).collect();
        assert!(others.len() <= 2, "{} drags others along: {others:?}", rule.id);
    }
}

#[test]
fn codes_on_the_wire_are_held_to_the_contract() {
    for rule in ["CK801", "CK802", "CK803"] {
        let mut options = options(&["--break", rule]);
        options.only = vec!["read/missing/id".to_owned()];
        options.contract = Some(Arc::clone(shipped::core()));
        let run = run(&options).unwrap().run;
        let found: Vec<_> = run.findings.iter().map(|it| &*it.rule).collect();
        assert_eq!(found, [rule], "{:#?}", run.findings);
    }
    let mut options = options(&[]);
    options.contract = Some(Arc::clone(shipped::core()));
    options.budget = 60;
    let run = run(&options).unwrap().run;
    let found: Vec<_> = run.findings.iter().map(|it| (&*it.rule, it.hits.len())).collect();
    let coverage = run.coverage.unwrap();
    assert_eq!(coverage.seen, ["INVALID_INPUT_VALUE"]);
    assert_eq!(found, [("CK804", coverage.unseen.len())]);
    assert!(coverage.unknown.is_empty());
}

#[test]
fn a_server_that_dies_is_started_again_and_its_end_is_told() {
    let mut options = options(&["--break", "PR103"]);
    options.only = vec!["read/missing".into(), "read/type".into(), "server/unknown-tool".into()];
    let run = run(&options).unwrap().run;
    let ended = run.exchanges.iter().filter_map(|it| match &it.happened {
        Happened::Exited { code, stderr, .. } => Some((*code, stderr.text.trim().to_owned())),
        _ => None,
    });
    let ended: Vec<_> = ended.collect();
    assert_eq!(
        ended,
        vec![(Some(3), "FATAL: cannot go on".to_owned()); 3],
        "then it is left alone"
    );
    assert!(run.restarts >= 2);
    assert!(run.score.unwrap().points <= 59);
}

#[test]
fn the_same_seed_gives_the_same_calls_whichever_are_played() {
    let sent = |only: &str, seed| {
        let mut options = options(&[]);
        options.seed = seed;
        options.only = vec![only.to_owned()];
        let run = run(&options).unwrap().run;
        let exchanges = run.exchanges.into_iter().filter(|it| it.case == "read/unicode/id");
        let texts =
            exchanges.map(|it| it.request.text.split_once("\"method\"").unwrap().1.to_owned());
        texts.collect::<Vec<_>>()
    };
    let one = sent("read/unicode/id", 7);
    assert_eq!(one.len(), 1);
    assert_eq!(sent("read", 7), one);
    assert_ne!(sent("read/unicode/id", 8), one);
}

#[test]
fn a_budget_of_calls_is_kept_and_said() {
    let mut options = options(&[]);
    options.budget = 5;
    let run = run(&options).unwrap().run;
    assert!(run.exchanges.len() <= 6, "{}", run.exchanges.len());
    assert_eq!(run.stopped, Some(redress_probe::report::Stopped::Budget));
    assert!(
        run.tools
            .iter()
            .all(|it| it.cases.played + it.cases.unplayed + it.cases.effects == it.cases.planned)
    );
}

#[test]
fn every_revision_of_sessions_is_spoken() {
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18"] {
        let mut options = options(&["--revision", revision, "--break", "PR207"]);
        options.only = vec!["read/missing/id".into(), "server/batch".into()];
        let Probed { server, run, .. } = run(&options).unwrap();
        assert_eq!(server.revision, revision);
        let found: Vec<_> = run.findings.iter().map(|it| &*it.rule).collect();
        assert!(!found.contains(&"PR207"), "older revisions refuse so: {found:?}");
        let has_batch = run.exchanges.iter().any(|it| it.case == "server/batch");
        assert_eq!(has_batch, revision != "2025-03-26", "that one has batches");
    }
}
