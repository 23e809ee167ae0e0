//! Every rule of the diff has two versions of a registry between which it finds something, and a
//! third between which and the first it finds nothing.

use std::{collections::BTreeSet, fs, path::PathBuf};

use redress_registry::{
    Registry, Source,
    diff::{Bump, Change, DiffReport, diff, rules},
    read, resolve,
    rule::Impact,
    shipped,
};

#[test]
fn every_rule_finds_its_change() {
    for rule in rules() {
        let report = diff(&fixture(rule.id, "old"), &fixture(rule.id, "new"));
        let found = shown(&report, rule.id);
        assert!(!found.is_empty(), "{}: {}", rule.id, report.to_json());
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(folder().join(rule.id));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!("changes", found));
    }
}

#[test]
fn every_rule_passes_another_change() {
    for rule in rules() {
        let report = diff(&fixture(rule.id, "old"), &fixture(rule.id, "good"));
        assert_eq!(shown(&report, rule.id), "", "{}", rule.id);
    }
}

#[test]
fn every_fixture_belongs_to_a_rule() {
    let ids: BTreeSet<String> = rules().map(|it| it.id.to_owned()).collect();
    let folders = fs::read_dir(folder()).unwrap();
    let folders = folders.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(ids, folders);
}

#[test]
fn a_registry_has_not_changed_against_itself() {
    for registry in shipped::all() {
        let report = diff(registry, registry);
        assert_eq!(report.changes, [], "{}", registry.name);
        assert!(report.ok);
    }
}

#[test]
fn a_draft_may_change_all_but_its_identity() {
    let old = text("DF010", "old").replace("\"stable\"", "\"draft\"");
    let changed = old.replace("not_found", "unavailable").replace("after_change", "now");
    let report = compare(&old, &changed);
    assert!(report.changes.iter().all(|it| it.severity == Impact::Text), "{report:?}");
    assert_eq!(report.required_bump, Bump::Patch);

    let gone = old.split("[code").next().unwrap();
    assert_eq!(compare(&old, gone).required_bump, Bump::Impossible);
}

#[test]
fn an_exception_covers_no_forbidden_change() {
    let old = text("DF010", "old");
    let allow = |rule: &str, until: &str| {
        format!(
            "\n[[allow]]\nrule = \"{rule}\"\ncode = \"NOTE_NOT_FOUND\"\nwhy = \"Wrong.\"\nuntil = \"{until}\"\n"
        )
    };
    let new = old.replace("\"not_found\"", "\"internal\"");
    assert_eq!(compare(&old, &new).required_bump, Bump::Major);
    let excepted = new.clone() + &allow("DF010", "2.0.0");
    assert_eq!(compare(&old, &excepted).required_bump, Bump::Patch);
    let over = new + &allow("DF010", "1.2.0");
    assert_eq!(compare(&old, &over).required_bump, Bump::Major);

    let moved = old.replace("since = \"1.0.0\"", "since = \"1.1.0\"") + &allow("DF005", "never");
    assert_eq!(compare(&old, &moved).required_bump, Bump::Impossible);
}

#[test]
fn a_version_that_is_too_small_is_not_ok() {
    let old = text("DF010", "old");
    let new = text("DF010", "new");
    let at = |version: &str| compare(&old, &new.replace("1.2.0", version)).ok;
    assert!(!at("1.2.0") && !at("1.3.0") && at("2.0.0"));

    let before_one =
        |text: &str, version: &str| text.replace("1.2.0", version).replace("1.0.0", "0.1.0");
    let old = before_one(&old, "0.1.0");
    assert!(!compare(&old, &before_one(&new, "0.1.1")).ok);
    assert!(compare(&old, &before_one(&new, "0.2.0")).ok);
}

#[test]
fn a_rename_without_a_tombstone_is_told_twice() {
    let old = text("DF010", "old");
    let report = compare(&old, &old.replace("NOTE_NOT_FOUND", "NO_SUCH_NOTE"));
    let told: Vec<_> =
        report.changes.iter().map(|it| (it.rule, it.code.as_deref().unwrap())).collect();
    assert_eq!(
        told,
        [("DF002", "NOTE_NOT_FOUND"), ("DF006", "NOTE_NOT_FOUND"), ("DF040", "NO_SUCH_NOTE")]
    );
}

fn compare(old: &str, new: &str) -> DiffReport {
    diff(&registry("old", old), &registry("new", new))
}

/// The changes of one rule, with what they ask for.
fn shown(report: &DiffReport, rule: &str) -> String {
    let of_rule: Vec<&Change> = report.changes.iter().filter(|it| it.rule == rule).collect();
    let line = |it: &Change| {
        format!(
            "{} {}, {}: {}: {}\n  - {}\n  + {}\n",
            it.severity.name(),
            it.who.name(),
            it.bump().name(),
            it.code.as_ref().or(it.tool.as_ref()).map_or("-", |it| it),
            it.message,
            it.witness.before,
            it.witness.after,
        )
    };
    of_rule.into_iter().map(line).collect()
}

fn fixture(rule: &str, file: &str) -> Registry {
    registry(&format!("{rule}/{file}"), &text(rule, file))
}

fn text(rule: &str, file: &str) -> String {
    let path = folder().join(rule).join(format!("{file}.toml"));
    fs::read_to_string(&path).unwrap_or_else(|it| panic!("{}: {it}", path.display()))
}

fn registry(file: &str, text: &str) -> Registry {
    let draft = read(&Source::new(file, text)).unwrap_or_else(|it| panic!("{file}: {it:#?}"));
    let find = |name: &str| shipped::get(name).cloned();
    resolve(&draft, &find).unwrap_or_else(|it| panic!("{file}: {it:#?}"))
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/diff")
}
