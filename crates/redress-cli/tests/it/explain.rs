//! `redress explain`.

use crate::redress::{redress, shell};

#[test]
fn a_code_is_explained_by_every_name_it_has() {
    for query in ["TIMEOUT", "timeout", "1001", "E_TIMEOUT"] {
        let ran = redress(&["explain", query, "--contract", "core"], b"");
        assert_eq!(ran.exit, 0, "{query}: {}", ran.err);
        assert!(ran.out.starts_with("TIMEOUT "), "{query}: {}", ran.out);
    }
}

#[test]
fn every_registry_that_has_the_code_is_listed() {
    let ran = redress(&["explain", "INTERNAL_ERROR", "--format", "json"], b"");
    let rows: Vec<serde_json::Value> =
        ran.out.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    let names: Vec<&str> = rows.iter().map(|it| it["registry"].as_str().unwrap()).collect();
    for name in ["core", "workrail", "stagewright", "mailvault"] {
        assert!(names.contains(&name), "{name} is missing in {names:?}");
    }
    assert!(rows.iter().all(|it| it["code"] == "INTERNAL_ERROR"));
}

#[test]
fn an_unknown_code_gets_suggestions_and_exit_code_2() {
    let ran = redress(&["explain", "FILE_NOT_FUND"], b"");
    assert_eq!((ran.exit, ran.out.as_str()), (2, ""));
    assert!(ran.err.starts_with("NOT_FOUND: "), "{}", ran.err);
    assert!(ran.err.contains("Did you mean FILE_NOT_FOUND"), "{}", ran.err);
    assert!(ran.err.contains("Fix: "), "{}", ran.err);
}

#[test]
fn a_contract_that_is_not_there_is_told_with_what_is() {
    let ran = redress(&["explain", "X", "--contract", "cora"], b"");
    assert_eq!(ran.exit, 2);
    assert!(ran.err.contains("Did you mean `core`?"), "{}", ran.err);
    let ran = redress(&["explain", "X", "--contract", "no/such.toml"], b"");
    assert_eq!(ran.exit, 2);
    assert!(ran.err.starts_with("FILE_NOT_FOUND: No file at \"no/such.toml\"."), "{}", ran.err);
}

#[test]
fn a_negative_number_and_the_name_of_a_rule_are_explained() {
    let ran = redress(&["explain", "-32601", "--contract", "core"], b"");
    assert!(ran.exit == 0 && ran.out.starts_with("METHOD_NOT_FOUND "), "{}{}", ran.out, ran.err);
    for (name, id) in [("hint-without-verb", "CK203 "), ("duplicate-number", "CK103 ")] {
        let ran = redress(&["explain", name], b"");
        assert!(ran.exit == 0 && ran.out.starts_with(id), "{name}: {}{}", ran.out, ran.err);
    }
}

#[test]
fn a_model_and_a_person_get_every_fact_that_helps() {
    let dir = tempfile::tempdir().unwrap();
    let text = include_str!("../../../../fuzz/corpus/registry/notes.toml")
        .replace("{ tool = \"list_notes\" }", "{ tool = \"list_notes\", args = { like = \"{id}\" } }, { tool = \"list_notes\" }")
        .replace("retry   = \"after_change\"", "retry   = { kind = \"after_delay\", after_ms = 20, max = 3 }\ndeprecated = { since = \"0.1.0\", reason = \"Told twice.\", to = \"NOT_FOUND\", until = \"1.0.0\" }");
    std::fs::write(dir.path().join("errors.toml"), text).unwrap();
    let explain = |what: &str| {
        let ran = shell(&format!("redress explain --contract errors.toml {what}"), dir.path());
        assert_eq!(ran.exit, 0, "{}", ran.err);
        ran.out
    };
    let agent = explain("NOTE_NOT_FOUND --format agent");
    assert!(
        agent.contains("\nNext: list_notes {\"like\":\"{id}\"}\nNext: list_notes\n"),
        "{agent}"
    );
    assert!(agent.ends_with("\nDeprecated: Told twice. Use NOT_FOUND.\n"), "{agent}");
    let page = explain("NOTE_NOT_FOUND");
    assert!(page.contains("after_delay (20 ms, at most 3 times)\n"), "{page}");
    assert!(page.contains("since 0.1.0, until 1.0.0: Told twice. Use NOT_FOUND.\n"), "{page}");
    assert!(page.lines().all(|it| !it.ends_with(' ')), "{page}");
    let gone = explain("NOTE_GONE --format agent");
    assert!(gone.starts_with("NOTE_GONE: retired in notes 0.1.0\nWhy: "), "{gone}");
    assert!(gone.ends_with("\nFix: Use NOTE_NOT_FOUND.\n"), "{gone}");
}
