//! A plan holds as long as its text is what a person approved.

use proptest::prelude::*;
use redress_govern::plan::{MAX_BYTES, NotAPlan, Plan, Status, decided, hash};

const DRAFT: &str = "<!-- redress-plan\nSCOPE: src/**, docs/*.md\n-->\n# Add a cache\n\nSteps.\n";

fn signed(hash: &str, approval: &str) -> bool {
    approval == format!("signed {hash}")
}

fn approved() -> String {
    let approval = format!("signed {}", hash(DRAFT));
    decided(DRAFT.as_bytes(), Status::Approved, Some(&approval)).expect("a plan")
}

fn code(text: &str) -> Option<String> {
    Plan::read(text.as_bytes()).expect("a plan").judge(signed).err().map(|it| it.code().to_owned())
}

#[test]
fn an_approved_plan_is_used_and_keeps_its_hash() {
    let text = approved();
    assert_eq!(code(&text), None);
    assert_eq!(hash(&text), hash(DRAFT));
    let plan = Plan::read(text.as_bytes()).expect("a plan");
    assert_eq!((plan.title.as_str(), plan.scope.patterns().len()), ("Add a cache", 2));
}

#[test]
fn line_ends_and_trailing_spaces_are_no_change() {
    assert_eq!(code(&approved().replace('\n', "  \r\n")), None);
}

#[test]
fn a_changed_text_or_scope_is_not_what_was_approved() {
    for changed in [approved().replace("Steps", "Other steps"), approved().replace("src/**", "**")]
    {
        assert_eq!(code(&changed).as_deref(), Some("PLAN_ENFORCEMENT_FAILED"));
    }
}

#[test]
fn a_status_that_somebody_wrote_is_no_approval() {
    let forged = decided(DRAFT.as_bytes(), Status::Approved, None).expect("a plan");
    assert_eq!(code(&forged).as_deref(), Some("PLAN_ENFORCEMENT_FAILED"));
    let forged = decided(DRAFT.as_bytes(), Status::Approved, Some("signed by me")).expect("a plan");
    assert_eq!(code(&forged).as_deref(), Some("PLAN_ENFORCEMENT_FAILED"));
    assert_eq!(code(DRAFT).as_deref(), Some("PLAN_NOT_APPROVED"));
    let revoked = decided(approved().as_bytes(), Status::Revoked, None).expect("a plan");
    assert_eq!(code(&revoked).as_deref(), Some("PLAN_NOT_APPROVED"));
}

#[test]
fn a_target_outside_the_scope_is_refused_with_the_scope() {
    let plan = Plan::read(approved().as_bytes()).expect("a plan");
    assert!(plan.allows("src/a/b.rs").is_ok());
    assert!(plan.allows("docs/x.md").is_ok());
    let fault = plan.allows("infra/main.tf").expect_err("outside");
    assert_eq!(fault.code(), "PLAN_SCOPE_VIOLATION");
    assert!(fault.hint.contains("src/**, docs/*.md"));
}

#[test]
fn a_star_stays_within_a_name() {
    let plan = |scope: &str| {
        let text = format!("<!-- redress-plan\nSCOPE: {scope}\n-->\n");
        Plan::read(text.as_bytes()).expect("a plan")
    };
    for (scope, path, is_in) in [
        ("src/*", "src/a", true),
        ("src/*", "src/a/b", false),
        ("*.md", "docs/a.md", false),
        ("**/*.md", "docs/a.md", true),
        ("src/**", "src", false),
        ("src/**", "src-x/a", false),
        ("src/**", "SRC/a", false),
        ("**", "anything/at/all", true),
        ("src/{a,b}.rs, docs/[xy,].md", "src/b.rs", true),
        ("src/{a,b}.rs, docs/[xy,].md", "docs/y.md", true),
        ("src/{a,b}.rs, docs/[xy,].md", "src/c.rs", false),
        ("a?c", "a/c", false),
        (".github/**", ".github/x", true),
    ] {
        assert_eq!(plan(scope).allows(path).is_ok(), is_in, "{scope} {path}");
    }
    for (scope, dir, is_in) in [
        ("src/**", "src/a", true),
        ("src/*", "src/a", false),
        ("src/**/*.rs", "src/a.rs", false),
        ("**", "", true),
        ("src/**", "", false),
        ("**/*", "", true),
    ] {
        assert_eq!(plan(scope).allows_all_below(dir).is_ok(), is_in, "{scope} {dir}");
    }
    assert!(plan("**").scope.is_everything() && !plan("src/**").scope.is_everything());
}

#[test]
fn what_is_no_plan_is_refused_with_its_reason() {
    for (text, why) in [
        ("", NotAPlan::NoHeader),
        ("# Plan", NotAPlan::NoHeader),
        ("<!-- redress-plan SCOPE: a -->", NotAPlan::NoHeader),
        ("<!-- redress-planned\nSCOPE: a\n-->", NotAPlan::NoHeader),
        ("<!-- redress-plan\nSCOPE: a", NotAPlan::Unclosed),
        ("<!-- redress-plan\nSCOPE: a -->\n", NotAPlan::Unclosed),
        ("<!-- redress-plan\n-->", NotAPlan::NoScope),
        ("<!-- redress-plan\nSCOPE: ,\n-->", NotAPlan::NoScope),
        ("\n\n<!-- redress-plan\nSCOPE: a\nOWNER: me\n-->", NotAPlan::BadLine(5)),
        ("<!-- redress-plan\nSTATUS: approved\n-->", NotAPlan::BadLine(2)),
        ("<!-- redress-plan\nno line\n-->", NotAPlan::BadLine(2)),
        ("<!-- redress-plan\nSTATUS: DRAFT\nSTATUS: APPROVED\n-->", NotAPlan::Twice(3)),
        ("<!-- redress-plan\nSCOPE: a\n-->\na\0b", NotAPlan::NotText(4)),
    ] {
        assert_eq!(Plan::read(text.as_bytes()).expect_err("none"), why, "{text:?}");
    }
    for scope in ["a[", "/etc/**", "../x", "a/../b", "./a", "src/", "a//b", "{a"] {
        let text = format!("<!-- redress-plan\nSCOPE: {scope}\n-->");
        let why = Plan::read(text.as_bytes()).expect_err("none");
        assert!(matches!(&why, NotAPlan::BadScope(it) if it.pattern == scope), "{scope} {why}");
    }
    assert_eq!(Plan::read(b"<!-- redress-plan\n\xff\n-->").err(), Some(NotAPlan::NotText(2)));
    assert_eq!(Plan::read(&vec![b' '; MAX_BYTES + 1]).err(), Some(NotAPlan::TooLarge));
}

/// Texts that are plans, or nearly.
fn near_plan() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("<!-- redress-plan".to_owned()),
        Just("-->".to_owned()),
        Just("SCOPE: src/**, {a,b}/*.md".to_owned()),
        Just(" STATUS : APPROVED".to_owned()),
        Just("HASH: 00".to_owned()),
        Just("APPROVAL: 11".to_owned()),
        Just(String::new()),
        Just("# Title  ".to_owned()),
        "[ -~]{0,12}",
        "\\PC{0,6}",
    ];
    let lines = proptest::collection::vec(line, 0..12);
    (any::<bool>(), lines, prop_oneof![Just("\n"), Just("\r\n")]).prop_map(
        |(is_plan, lines, end)| {
            let start: &[&str] =
                if is_plan { &["<!-- redress-plan", " SCOPE: a/**", "", "-->"] } else { &[] };
            let all = start.iter().map(ToString::to_string).chain(lines);
            all.collect::<Vec<_>>().join(end)
        },
    )
}

proptest! {
    #[test]
    fn any_bytes_are_a_plan_or_a_reason(bytes: Vec<u8>) {
        if let Err(why) = Plan::read(&bytes) {
            prop_assert!(!why.to_string().is_empty());
        }
    }

    #[test]
    fn a_decision_changes_nothing_that_is_hashed(text in near_plan()) {
        let Ok(plan) = Plan::read(text.as_bytes()) else { return Ok(()) };
        for status in [Status::Approved, Status::Revoked] {
            let decided = decided(text.as_bytes(), status, Some("5d1e")).expect("a plan");
            let again = Plan::read(decided.as_bytes()).expect("a plan");
            prop_assert_eq!(&again.hash, &plan.hash);
            prop_assert_eq!(again.declared.as_deref(), Some(plan.hash.as_str()));
            prop_assert_eq!(again.status, status);
            prop_assert_eq!(again.approval.as_deref(), Some("5d1e"));
        }
    }

    #[test]
    fn the_hash_is_the_same_under_other_line_ends(text in near_plan()) {
        let plain = text.replace("\r\n", "\n");
        prop_assert_eq!(hash(&plain), hash(&plain.replace('\n', "\r\n")));
        let padded = format!("\u{feff}\n{plain} \n\n");
        prop_assert_eq!(hash(&plain), hash(&padded));
    }
}
