//! A plan holds as long as its text is what a person approved.

use redress_govern::plan::{NotAPlan, Plan, Status, decided, hash};

const DRAFT: &str = "<!-- redress-plan\nSCOPE: src/**, docs/*.md\n-->\n# Add a cache\n\nSteps.\n";

fn signed(hash: &str, approval: &str) -> bool {
    approval == format!("signed {hash}")
}

fn approved() -> String {
    let approval = format!("signed {}", hash(DRAFT));
    decided(DRAFT, Status::Approved, Some(&approval)).expect("a plan")
}

fn code(text: &str) -> Option<String> {
    Plan::read(text).expect("a plan").judge(signed).err().map(|it| it.code().to_owned())
}

#[test]
fn an_approved_plan_is_used_and_keeps_its_hash() {
    let text = approved();
    assert_eq!(code(&text), None);
    assert_eq!(hash(&text), hash(DRAFT));
    let plan = Plan::read(&text).expect("a plan");
    assert_eq!((plan.title.as_str(), plan.scope().len()), ("Add a cache", 2));
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
    let forged = decided(DRAFT, Status::Approved, None).expect("a plan");
    assert_eq!(code(&forged).as_deref(), Some("PLAN_ENFORCEMENT_FAILED"));
    let forged = decided(DRAFT, Status::Approved, Some("signed by me")).expect("a plan");
    assert_eq!(code(&forged).as_deref(), Some("PLAN_ENFORCEMENT_FAILED"));
    assert_eq!(code(DRAFT).as_deref(), Some("PLAN_NOT_APPROVED"));
    let revoked = decided(&approved(), Status::Revoked, None).expect("a plan");
    assert_eq!(code(&revoked).as_deref(), Some("PLAN_NOT_APPROVED"));
}

#[test]
fn a_target_outside_the_scope_is_refused_with_the_scope() {
    let plan = Plan::read(&approved()).expect("a plan");
    assert!(plan.allows("src/a/b.rs").is_ok());
    assert!(plan.allows("./docs/x.md").is_ok());
    let fault = plan.allows("infra/main.tf").expect_err("outside");
    assert_eq!(fault.code(), "PLAN_SCOPE_VIOLATION");
    assert!(fault.hint.contains("src/**, docs/*.md"));
}

#[test]
fn what_is_no_plan_is_refused_with_its_reason() {
    for (text, why) in [
        ("# Plan", NotAPlan::NoHeader),
        ("<!-- redress-plan\n-->", NotAPlan::NoScope),
        ("<!-- redress-plan\nSCOPE: a\nOWNER: me\n-->", NotAPlan::BadLine(3)),
        ("<!-- redress-plan\nSCOPE: a[\n-->", NotAPlan::BadScope("a[".to_owned())),
        ("<!-- redress-plan\nSTATUS: approved\n-->", NotAPlan::BadLine(2)),
    ] {
        assert_eq!(Plan::read(text).expect_err("none"), why);
    }
}
