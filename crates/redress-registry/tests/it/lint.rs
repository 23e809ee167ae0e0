//! Every lint rule has a fixture that it finds and one that it passes.

use std::{collections::BTreeSet, fs, path::PathBuf, sync::Arc};

use crate::documentation::example_file;
use insta::assert_snapshot;
use redress_registry::{
    Finding, Registry, Source,
    draft::Draft,
    lint::{lint, rules},
    read, shipped,
};

/// Stands at the end of each line that a rule must blame in its `bad.toml`.
const MARK: &str = "# bad";

#[test]
fn every_rule_finds_its_bad_fixture_at_the_marked_lines() {
    for rule in rules() {
        let text = fixture(rule.id, "bad.toml");
        let found = findings("bad.toml", &text, rule.id);
        let blamed: BTreeSet<usize> = found.iter().map(|it| it.place.line).collect();
        assert_eq!(blamed, marked(&text), "{}: lines blamed and lines marked {MARK}", rule.id);
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(folder().join(rule.id));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| assert_snapshot!("findings", shown(&found)));
    }
}

#[test]
fn every_rule_passes_its_good_fixture() {
    for rule in rules() {
        let found = findings("good.toml", &fixture(rule.id, "good.toml"), rule.id);
        assert!(found.is_empty(), "{}: {}", rule.id, shown(&found));
    }
}

#[test]
fn every_fixture_belongs_to_a_rule() {
    let ids: BTreeSet<String> = rules().map(|it| it.id.to_owned()).collect();
    let folders: BTreeSet<String> = fs::read_dir(folder())
        .unwrap()
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(folders, ids);
}

#[test]
fn a_secret_in_the_message_is_one_mistake() {
    let row = |message: &str| {
        let text = format!(
            "format = \"redress-registry/1\"\n[code.LOGIN_REFUSED]\nretry = \"after_change\"\n\
             hint = \"Try again in some other way.\"\nmessage = \"{message}\"\n\
             params.word = {{ type = \"string\", secret = true }}\n"
        );
        let found = lint(&draft("row.toml", &text), &find);
        let rules = found.iter().map(|it| it.rule).filter(|it| ["CK205", "CK310"].contains(it));
        rules.collect::<Vec<_>>()
    };
    assert_eq!(row("The word {word} is wrong."), ["CK205"]);
    assert_eq!(row("The word is wrong."), ["CK310"]);
}

#[test]
fn the_shipped_registries_are_clean() {
    for name in shipped::names() {
        let source = shipped::source(name).unwrap();
        let found = lint(&draft(name, &source.text), &find);
        assert!(found.is_empty(), "\n{}", shown(&found));
    }
}

#[test]
fn the_example_of_the_documentation_is_clean() {
    let found = lint(&read(&example_file()).unwrap(), &find);
    assert!(found.is_empty(), "\n{}", shown(&found));
}

fn findings(file: &str, text: &str, rule: &str) -> Vec<Finding> {
    let found = lint(&draft(file, text), &find);
    found.into_iter().filter(|it| it.rule == rule).collect()
}

fn draft(file: &str, text: &str) -> Draft {
    read(&Source::new(file, text)).unwrap_or_else(|it| panic!("{file}: {it:#?}"))
}

fn find(name: &str) -> Option<Arc<Registry>> {
    shipped::get(name).cloned()
}

fn shown(found: &[Finding]) -> String {
    let line = |it: &Finding| {
        let code = it.code.as_deref().map(|it| format!(" {it}")).unwrap_or_default();
        format!("{}: {}{code}: {}\n    fix: {}\n", it.place, it.rule, it.message, it.fix)
    };
    found.iter().map(line).collect()
}

fn marked(text: &str) -> BTreeSet<usize> {
    text.lines().enumerate().filter(|(_, it)| it.ends_with(MARK)).map(|(at, _)| at + 1).collect()
}

fn fixture(rule: &str, file: &str) -> String {
    let path = folder().join(rule).join(file);
    fs::read_to_string(&path).unwrap_or_else(|it| panic!("{}: {it}", path.display()))
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/lint")
}

#[test]
fn seed_002_48_a_gap_in_a_range_is_a_note() {
    let found = findings("bad.toml", &fixture("CK111", "bad.toml"), "CK111");
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].level, redress_registry::Level::Information);
    assert!(found[0].message.contains("3050") && found[0].fix.contains("3001"), "{found:?}");
}
