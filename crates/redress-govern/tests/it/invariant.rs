//! The table of invariants is what the code checks and what the documentation says.

use std::{fs, io, path::Path};

use redress_govern::invariant::{ALL, Passed};

/// All sources of the product but the table itself, without tests.
fn sources(dir: &Path, text: &mut String) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            sources(&path, text)?;
        } else if path.extension().is_some_and(|it| it == "rs") && !path.ends_with("tests.rs") {
            text.push_str(&fs::read_to_string(&path)?);
        }
    }
    Ok(())
}

#[test]
fn every_invariant_is_checked_in_code_and_documented() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut code = String::new();
    for name in ["redress-gate", "redress-proxy", "redress-cli", "redress-govern"] {
        sources(&root.join("crates").join(name).join("src"), &mut code).unwrap();
    }
    let page = fs::read_to_string(root.join("docs/reference/governance.md")).unwrap();
    let listed: Vec<&str> = page.lines().filter(|it| it.starts_with("| `INV_")).collect();
    let rows: Vec<String> = ALL
        .iter()
        .map(|it| format!("| `{}` | {} | {} |", it.id, it.promise, it.when.words()))
        .collect();
    assert_eq!(
        listed, rows,
        "docs/reference/governance.md lists other invariants than the table has"
    );
    for it in ALL {
        // `add(&ID, …)` in the self-audit, `ID.violated(…)` elsewhere.
        let is_checked = [format!("&{},", it.id), format!("{}.violated(", it.id)]
            .iter()
            .any(|it| code.contains(it));
        assert!(is_checked, "nothing checks {}", it.id);
        assert_eq!(ALL.iter().filter(|other| other.id == it.id).count(), 1, "{}", it.id);
    }
}

#[test]
fn a_call_that_should_not_have_passed_violates_its_invariant() {
    let fine = Passed {
        session: Some("id"),
        role: Some("reader"),
        has_roles: true,
        is_locked: false,
        is_harmless: false,
    };
    assert!(fine.check().is_ok());
    assert!(Passed { is_locked: true, is_harmless: true, ..fine }.check().is_ok());
    assert!(Passed { role: None, has_roles: false, ..fine }.check().is_ok());
    for (passed, id) in [
        (Passed { session: None, ..fine }, "INV_SESSION_KNOWN"),
        (Passed { role: None, ..fine }, "INV_ROLE_KNOWN"),
        (Passed { is_locked: true, ..fine }, "INV_LOCK_HOLDS"),
    ] {
        let fault = passed.check().unwrap_err();
        assert_eq!(fault.code(), "INVARIANT_VIOLATION");
        assert_eq!(fault.context.invariant_id.as_deref(), Some(id));
        assert!(!fault.message.contains("But"), "what was found is for the operator");
    }
}
