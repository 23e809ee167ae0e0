//! `redress explain`.

use crate::redress::redress;

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
fn an_unknown_code_gets_a_fault_with_suggestions_and_exit_code_2() {
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
