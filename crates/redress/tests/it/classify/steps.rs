//! Failures of one step of several: nobody may say that nothing was changed.

use serde_json::{Value, json};

use super::answered;

fn effect(tool: &str, arguments: &Value, text: &str) -> Value {
    answered(tool, arguments, text, true).get("effect").cloned().unwrap_or_default()
}

#[test]
fn what_is_done_in_steps_may_be_done_in_part() {
    let (path, both) =
        (json!({"path": "/w/p/q"}), json!({"source": "/w/a", "destination": "/w/b"}));
    let all = json!({"path": "/w/p", "recursive": true});
    let several = json!({"paths": ["/w/a.txt", "/w/b.txt"]});
    let moves = json!({"moves": [{"from": "/w/a", "to": "/w/c"}, {"from": "/w/b", "to": "/w/d"}]});
    for (tool, arguments, text) in [
        ("create_directory", &path, "ENAMETOOLONG: name too long, mkdir '/w/p/q'"),
        ("create_directory", &path, "EACCES: permission denied, mkdir '/w/p/q'"),
        ("save", &path, "ENOTDIR: not a directory, mkdir '/w/p/q'"),
        ("save", &path, "mkdir /w/p/q: file name too long"),
        ("make_dir", &path, "[Errno 36] File name too long: '/w/p/q'"),
        ("create_folder", &path, "Permission denied (os error 13)"),
        ("delete_directory", &path, "EACCES: permission denied, unlink '/w/p/q/r'"),
        ("purge", &path, "unlinkat /w/p/q/r: permission denied"),
        ("remove", &all, "PermissionError: [Errno 13] Permission denied: 'r'"),
        ("copy", &both, "EACCES: permission denied, cp '/w/a' -> '/w/b'"),
        ("copy", &both, "EPERM: operation not permitted, copyfile '/w/a/x' -> '/w/b/x'"),
        ("move_file", &both, "EXDEV: cross-device link not permitted, rename '/w/a' -> '/w/b'"),
        (
            "replace_in_files",
            &json!({"dir": "/w/p"}),
            "EACCES: permission denied, open '/w/p/x.txt'",
        ),
        ("sync_now", &json!({"root": "/w/p"}), "[Errno 13] Permission denied: '/w/p/x'"),
        ("move_all", &moves, "ENOENT: no such file or directory, rename '/w/b' -> '/w/d'"),
        ("delete_files", &several, "ENOENT: no such file or directory, unlink '/w/b.txt'"),
    ] {
        assert_eq!(effect(tool, arguments, text), "unknown", "{tool}: {text}");
    }
}

#[test]
fn a_cut_answer_tells_nothing_of_the_end_of_the_work() {
    for (tool, arguments, text) in [
        ("run_command", json!({"command": "touch a; seq 9"}), "stdout maxBuffer length exceeded"),
        ("exec", json!({"cmd": "x y"}), "Command output exceeded 1048576 bytes"),
        ("send", json!({"to": "x"}), "maxContentLength size of 1000 exceeded"),
        ("query", json!({"sql": "x"}), "Result too large"),
    ] {
        assert_eq!(effect(tool, &arguments, text), "unknown", "{tool}: {text}");
    }
}

#[test]
fn a_path_that_nobody_gave_is_one_of_several() {
    let directory = json!({"path": "/w/a", "destination": "/w/b"});
    let missing = "ENOENT: no such file or directory";
    let copied = format!("{missing}, copyfile '/w/a/3.txt' -> '/w/b/3.txt'");
    let opened = format!("{missing}, open '/w/src/z.ts'");
    let python = "PermissionError: [Errno 13] Permission denied: '/srv/app/cache/x'";
    for (tool, arguments, text, expected) in [
        ("copy_directory", &directory, &*copied, "unknown"),
        ("rename_symbol", &json!({"name": "old", "to": "new"}), &opened, "unknown"),
        ("rename_symbol", &json!({"file": "/w/src/a.ts", "to": "new"}), &opened, "unknown"),
        ("rename_symbol", &json!({"file": "/w/src/z.ts", "to": "new"}), &opened, "unknown"),
        ("read_symbol", &json!({"name": "old"}), &opened, "unknown"),
        ("clear_cache", &json!({"age": 3}), python, "unknown"),
        ("create_user", &json!({"name": "x"}), python, "unknown"),
        ("get_cache", &json!({"age": 3}), python, "unknown"),
        (
            "extract_zip",
            &json!({"path": "a.zip", "dest": "out"}),
            "file already exists: out/b.txt",
            "unknown",
        ),
        (
            "git_add",
            &json!({"files": ["a"]}),
            "fatal: Unable to create '/r/.git/index.lock': File exists.",
            "unknown",
        ),
        (
            "create_order",
            &json!({"item": 1}),
            "Order placed but the mail could not be sent: invalid recipient",
            "unknown",
        ),
        (
            "create_file",
            &json!({"dir": "out", "name": "b.txt"}),
            "file already exists: out/b.txt",
            "unknown",
        ),
    ] {
        assert_eq!(effect(tool, arguments, text), expected, "{tool}: {text}");
    }
}

#[test]
fn one_of_many_things_may_be_the_last_of_those_that_were_done() {
    let both = json!({"documents": [{"_id": 1}, {"_id": 2}]});
    let duplicate = "E11000 duplicate key error collection: shop.a index: _id_ dup key: { _id: 2 }";
    for (tool, arguments, text, expected) in [
        ("insert_many", &both, duplicate, "unknown"),
        ("insert_one", &json!({"document": {"_id": 2}}), duplicate, "unknown"),
        ("save", &json!({"a": 1}), &format!("MongoBulkWriteError: {duplicate}"), "unknown"),
        ("delete_many", &json!({"ids": [1, 2]}), "404: resource 2 does not exist", "unknown"),
        ("delete_item", &json!({"id": 2}), "404: resource 2 does not exist", "unknown"),
        ("get_many", &json!({"ids": [1, 2]}), "404: resource 2 does not exist", "unknown"),
        ("import_csv", &json!({"path": "/w/a.csv"}), "Row 57: invalid date", "unknown"),
        ("import_csv", &json!({"path": "/w/a.csv"}), "Row 1: invalid date", "unknown"),
        ("set_row", &json!({"row": 57}), "Row 57: invalid date", "unknown"),
        ("validate_csv", &json!({"path": "/w/a.csv"}), "Row 57: invalid date", "unknown"),
    ] {
        assert_eq!(effect(tool, arguments, text), expected, "{tool}: {text}");
    }
}

#[test]
fn a_patch_that_stopped_has_changed_the_files_before() {
    let patch = json!({"patch": "x"});
    for (text, expected) in [
        (
            "patching file a.c\npatching file b.c\nHunk #1 FAILED at 3.\n1 out of 1 hunk FAILED -- saving rejects to file b.c.rej",
            "unknown",
        ),
        ("Patch failed at 0002 add b", "unknown"),
        ("error: patch failed: src/a.c:12\nerror: src/a.c: patch does not apply", "unknown"),
    ] {
        assert_eq!(effect("apply_patch", &patch, text), expected, "{text}");
    }
}

#[test]
fn what_gives_way_in_the_middle_leaves_a_doubt() {
    let (insert, select) = (json!({"sql": "INSERT INTO t VALUES (1)"}), json!({"sql": "SELECT 1"}));
    let click = json!({"selector": "#pay"});
    for (tool, arguments, text, expected) in [
        ("resize_images", &json!({"n": 1}), "MemoryError", "unknown"),
        ("build", &json!({"n": 1}), "JavaScript heap out of memory", "unknown"),
        (
            "set",
            &json!({"key": "a"}),
            "OOM command not allowed when used memory > 'maxmemory'.",
            "unknown",
        ),
        ("execute_sql", &insert, "disk I/O error", "unknown"),
        ("execute_sql", &select, "disk I/O error", "unknown"),
        (
            "click",
            &click,
            "locator.click: Target page, context or browser has been closed",
            "unknown",
        ),
        (
            "click",
            &click,
            "Failed to click #pay: Protocol error (Runtime.callFunctionOn): Target closed.",
            "unknown",
        ),
        (
            "click",
            &click,
            "Execution context was destroyed, most likely because of a navigation",
            "unknown",
        ),
        (
            "get_text",
            &click,
            "page.content: Target page, context or browser has been closed",
            "unknown",
        ),
        ("click", &click, "Browser not launched. Call launch first.", "unknown"),
        ("click", &click, "The page is already closed", "unknown"),
    ] {
        assert_eq!(effect(tool, arguments, text), expected, "{tool}: {text}");
    }
    let got = answered("execute_sql", &insert, "disk I/O error", true);
    assert_eq!(got["code"], "FILE_WRITE_FAILED");
    let got = answered("click", &click, "Target closed", true);
    assert!(!got["fault"]["message"].to_string().contains("No session"), "{got}");
}

#[test]
fn a_place_inside_of_what_was_not_given_is_one_of_an_answer() {
    let issue = |path: Value| {
        json!([{"code": "invalid_type", "expected": "string", "received": "undefined", "path": path, "message": "Required"}]).to_string()
    };
    let order = json!({"item": {"sku": "x"}});
    for (text, code, effect) in [
        (issue(json!(["response", "id"])), "UPSTREAM_PROTOCOL_ERROR", "unknown"),
        (format!("ZodError: {}", issue(json!([0, "id"]))), "UPSTREAM_PROTOCOL_ERROR", "unknown"),
        (
            "Validation error: Required at \"response.id\"".to_owned(),
            "UPSTREAM_PROTOCOL_ERROR",
            "unknown",
        ),
        (issue(json!(["quantity"])), "MISSING_REQUIRED_FIELD", "unknown"),
        (issue(json!(["item", "id"])), "MISSING_REQUIRED_FIELD", "none"),
        (issue(json!(["params", "id"])), "MISSING_REQUIRED_FIELD", "unknown"),
        (
            format!("Invalid arguments for tool create_order: {}", issue(json!(["a", "id"]))),
            "MISSING_REQUIRED_FIELD",
            "none",
        ),
    ] {
        let got = answered("create_order", &order, &text, true);
        assert_eq!((&got["code"], &got["effect"]), (&json!(code), &json!(effect)), "{text}");
        let is_named = got["fault"]["violations"].to_string().contains("response");
        assert!(!is_named, "{text}");
    }
}

#[test]
fn a_place_in_given_text_or_a_list_is_the_callers() {
    for (arguments, path) in [
        (json!({"data": "{\"user\":{\"token\":5}}"}), json!(["user", "token"])),
        (json!({"yaml": "user:\n  token: 5"}), json!(["user", "token"])),
        (json!({"options": {"user": {"token": 5}}}), json!(["user", "token"])),
        (json!({"config": "{\"servers\":[{\"port\":\"x\"}]}"}), json!(["servers", 0, "port"])),
        (json!({"items": [{"id": 5}]}), json!([0, "id"])),
        (json!({"name": 5}), json!(["body", "name"])),
    ] {
        let issue = json!([{"code": "invalid_type", "expected": "string", "received": "number", "path": path, "message": "Expected string, received number"}]);
        let got = answered("create_order", &arguments, &issue.to_string(), true);
        assert_eq!(
            (&got["code"], &got["effect"]),
            (&json!("INVALID_INPUT_TYPE"), &json!("unknown")),
            "{path}"
        );
    }
}
