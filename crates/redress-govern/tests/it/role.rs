//! Three ways to be refused, told apart.

use redress_govern::role::{Role, Roles};

fn roles() -> Roles {
    Roles::new([
        Role::new("planner", &["read_*", "list_*", "bootstrap_plan"], &[]).expect("globs"),
        Role::new("executor", &["*_file", "list_*"], &["remove_file"]).expect("globs"),
    ])
}

fn code(role: Option<&str>, tool: &str) -> Option<String> {
    roles().judge(role, tool).err().map(|it| it.code().to_owned())
}

#[test]
fn a_role_calls_what_it_may() {
    assert_eq!(code(Some("planner"), "read_file"), None);
    assert_eq!(code(Some("executor"), "write_file"), None);
}

#[test]
fn a_tool_of_another_role_names_that_role() {
    let fault = roles().judge(Some("planner"), "write_file").expect_err("refused");
    assert_eq!(fault.code(), "ROLE_MISMATCH");
    assert!(fault.message.contains("executor"), "{}", fault.message);
}

#[test]
fn what_a_rule_forbids_is_told_apart_from_what_nobody_granted() {
    assert_eq!(code(Some("executor"), "remove_file").as_deref(), Some("UNAUTHORIZED_ACTION"));
    assert_eq!(code(Some("executor"), "drop_table").as_deref(), Some("INSUFFICIENT_PERMISSIONS"));
    assert_eq!(code(None, "read_file").as_deref(), Some("INSUFFICIENT_PERMISSIONS"));
    assert_eq!(code(Some("stranger"), "read_file").as_deref(), Some("INSUFFICIENT_PERMISSIONS"));
}

#[test]
fn a_pattern_that_is_none_is_named() {
    assert_eq!(Role::new("x", &["a[b"], &[]).expect_err("bad").pattern, "a[b");
}
