//! Every rule about dialects and packages has a fixture that it finds and one that it passes.

use std::{collections::BTreeSet, fs, path::PathBuf, sync::Arc};

use redress::{dialect, package};
use redress_registry::{Finding, Registry, Rule, Source, draft::Draft, read, resolve, shipped};
use serde_json::json;

/// Stands at the end of each line that a rule must blame in its `bad.toml`.
const MARK: &str = "# bad";

#[test]
fn every_dialect_rule_finds_its_bad_fixture_at_the_marked_lines() {
    for rule in rules() {
        let text = fixture(rule.id, "bad.toml");
        let found = findings("bad.toml", &text, rule.id);
        let blamed: BTreeSet<usize> = found.iter().map(|it| it.place.line).collect();
        let marked: BTreeSet<usize> = (1..)
            .zip(text.lines())
            .filter(|(_, it)| it.ends_with(MARK))
            .map(|(at, _)| at)
            .collect();
        assert_eq!(blamed, marked, "{}", rule.id);
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(folder().join(rule.id));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!("findings", shown(&found)));
    }
}

#[test]
fn every_dialect_rule_passes_its_good_fixture() {
    for rule in rules() {
        let found = findings("good.toml", &fixture(rule.id, "good.toml"), rule.id);
        assert!(found.is_empty(), "{}", shown(&found));
    }
}

#[test]
fn the_shipped_registries_keep_the_laws_of_dialects() {
    for name in shipped::names() {
        let draft = read(&shipped::source(name).unwrap()).unwrap();
        let found = lint(&draft, shipped::get(name).unwrap());
        assert!(found.is_empty(), "\n{}", shown(&found));
    }
}

#[test]
fn an_exception_silences_a_dialect_rule() {
    let text = fixture("CK601", "bad.toml")
        + "\n[[allow]]\nrule = \"CK601\"\ncode = \"NOTE_NOT_FOUND\"\nwhy = \"x\"\nuntil = \"never\"\n";
    assert!(findings("bad.toml", &text, "CK601").is_empty());
}

fn rules() -> impl Iterator<Item = &'static Rule> {
    dialect::lint::rules().chain(package::lint::rules())
}

fn lint(draft: &Draft, registry: &Arc<Registry>) -> Vec<Finding> {
    let calls = json!({ "calls": { "NOTE_LOCKED": { "skip": "It needs a second writer." } } });
    let is_example = &*registry.name == "notes";
    let mut found = package::lint::lint(draft, registry, is_example.then_some(&calls));
    found.extend(dialect::lint::lint(draft, registry));
    found
}

fn findings(file: &str, text: &str, rule: &str) -> Vec<Finding> {
    let draft = read(&Source::new(file, text)).unwrap();
    let find = |name: &str| shipped::get(name).map(Arc::clone);
    let registry: Arc<Registry> = Arc::new(resolve(&draft, &find).unwrap());
    lint(&draft, &registry).into_iter().filter(|it| it.rule == rule).collect()
}

fn shown(found: &[Finding]) -> String {
    let line =
        |it: &Finding| format!("{}: {}: {}\n    fix: {}\n", it.place, it.rule, it.message, it.fix);
    found.iter().map(line).collect()
}

fn fixture(rule: &str, file: &str) -> String {
    fs::read_to_string(folder().join(rule).join(file)).unwrap()
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/lint")
}
