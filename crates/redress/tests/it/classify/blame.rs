//! Who can mend a failure: the caller with other arguments, a person, or nobody.

use serde_json::{Value, json};

use super::answered;

/// Code and kind of retry.
fn told(tool: &str, arguments: &Value, text: &str) -> (String, String) {
    let got = answered(tool, arguments, text, true);
    let text = |place: &str| got.pointer(place).and_then(Value::as_str).unwrap_or_default().into();
    (text("/code"), text("/retry/kind"))
}

#[test]
fn a_defect_of_the_server_is_not_a_missing_argument() {
    let (nothing, some) = (json!({}), json!({"id": 1}));
    for (arguments, text, code) in [
        (
            &nothing,
            "TypeError: Cannot read properties of undefined (reading 'id')",
            "INTERNAL_ERROR",
        ),
        (&some, "TypeError: Cannot read properties of undefined (reading 'id')", "INTERNAL_ERROR"),
        (&nothing, "'NoneType' object has no attribute 'id'", "INTERNAL_ERROR"),
        (&nothing, "Cannot read properties of undefined (reading 'trim')", "INTERNAL_ERROR"),
        (&nothing, "'NoneType' object has no attribute 'lower'", "INTERNAL_ERROR"),
        (
            &nothing,
            "Cannot destructure property 'path' of 'request.params.arguments' as it is undefined.",
            "INTERNAL_ERROR",
        ),
        (&some, "'dict' object has no attribute 'name'", "INTERNAL_ERROR"),
        (&json!({"id": {}}), "'dict' object has no attribute 'lower'", "INVALID_INPUT_TYPE"),
    ] {
        assert_eq!(told("work", arguments, text).0, code, "{text}");
    }
}

#[test]
fn who_gave_no_query_is_not_asked_for_another_one() {
    let (user, query) = (json!({"name": "bob"}), json!({"sql": "SELECT * FROM users"}));
    let table = json!({"table": "users"});
    for (tool, arguments, text, code, retry) in [
        ("create_user", &user, "no such table: users", "INTERNAL_ERROR", "after_human"),
        ("get_user", &user, "relation \"users\" does not exist", "INTERNAL_ERROR", "after_human"),
        ("execute_sql", &query, "no such table: users", "QUERY_FAILED", "after_change"),
        ("drop", &table, "no such table: users", "QUERY_FAILED", "after_change"),
    ] {
        let expected = (code.to_owned(), retry.to_owned());
        assert_eq!(told(tool, arguments, text), expected, "{text}");
    }
}

#[test]
fn what_a_tool_deleted_is_not_what_it_looked_for() {
    let name = json!({"name": "x"});
    for (text, code) in [
        ("pod \"x\" deleted\nerror: timed out waiting for the condition", "TIMEOUT"),
        ("id 3 is invalid (2 deleted)", "INVALID_INPUT_VALUE"),
        ("The issue was deleted", "NOT_FOUND"),
        ("message_deleted", "NOT_FOUND"),
    ] {
        assert_eq!(told("remove", &name, text).0, code, "{text}");
    }
}

#[test]
fn what_only_a_person_mends_is_left_to_one() {
    for text in ["License expired. Contact sales", "subscription expired, please renew"] {
        assert_eq!(told("create_user", &json!({"name": "x"}), text).1, "after_human", "{text}");
    }
}

#[test]
fn what_another_value_mends_is_left_to_the_caller() {
    let published = "You cannot publish over the previously published versions: 1.0.0.";
    for (tool, arguments, text, code) in [
        (
            "publish",
            &json!({"tag": "a"}),
            &*format!("403 Forbidden - PUT https://registry.example/x - {published}"),
            "ALREADY_EXISTS",
        ),
        (
            "render",
            &json!({"template": "welcome.html"}),
            "template 'welcome.html' not found",
            "NOT_FOUND",
        ),
    ] {
        let expected = (code.to_owned(), "after_change".to_owned());
        assert_eq!(told(tool, arguments, text), expected, "{text}");
    }
}
