//! Patches through the tool: all of it or nothing, and where it does not fit.

use std::fs;

use serde_json::json;

use crate::client::Client;

const TEN: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";

#[test]
fn a_diff_changes_creates_and_deletes_files_together() {
    let mut client = Client::with(&[("a", TEN), ("gone", "x\n")]);
    let patch = "diff --git a/a b/a\nindex 1..2 100644\n--- a/a\n+++ b/a\n@@ -4,3 +4,3 @@ around\n 4\n-5\n+five\n 6\n\
        --- /dev/null\n+++ b/new/b\n@@ -0,0 +1,2 @@\n+one\n+two\n\\ No newline at end of file\n\
        --- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
    let dry = client.does("apply_patch", json!({"patch": patch, "dry_run": true}));
    assert_eq!(
        (client.text("a").as_str(), client.names(".")),
        (TEN, vec!["a".to_owned(), "gone".to_owned()])
    );
    let done = client.does("apply_patch", json!({"patch": patch}));
    assert_eq!(done["files"], dry["files"], "a dry run says what happens");
    let fates: Vec<_> =
        done["files"].as_array().unwrap().iter().map(|it| it["action"].as_str().unwrap()).collect();
    assert_eq!(fates, ["changed", "created", "deleted"]);
    assert_eq!(client.text("a"), TEN.replace('5', "five"));
    assert_eq!(client.text("new/b"), "one\ntwo");
    assert_eq!(
        (client.names("."), client.names("new")),
        (vec!["a".to_owned(), "new".to_owned()], vec!["b".to_owned()])
    );
}

#[test]
fn what_does_not_fit_changes_nothing_and_is_located() {
    let mut client = Client::with(&[("a", TEN), ("b", "x\ny\n")]);
    let patch = "--- a/b\n+++ b/b\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n--- a/a\n+++ b/a\n@@ -4,3 +4,3 @@\n 4\n-fife\n+five\n 6\n@@ -8,2 +8,2 @@\n-eight\n+VIII\n 9\n";
    let fault = client.fails("apply_patch", json!({"patch": patch}));
    assert_eq!(
        (&fault["code"], &fault["details"]["path"]),
        (&json!("PATCH_APPLY_FAILED"), &json!("a"))
    );
    let conflicts = &fault["details"]["conflicts"];
    assert_eq!((&conflicts[0]["part"], &conflicts[0]["patch_line"]), (&json!(1), &json!(9)));
    assert_eq!(
        (&conflicts[0]["file_line"], &conflicts[0]["found"], &conflicts[0]["wanted"]),
        (&json!(5), &json!("5"), &json!("fife"))
    );
    assert_eq!(conflicts[1]["part"], 2);
    assert_eq!(fault["violations"].as_array().unwrap().len(), 2);
    assert_eq!(fault["next_actions"][0]["tool"], "read_file");
    assert_eq!((client.text("a").as_str(), client.text("b").as_str()), (TEN, "x\ny\n"));
    assert_eq!(client.names("."), ["a", "b"]);
}

#[test]
fn pieces_of_text_are_replaced_in_order() {
    let mut client = Client::with(&[("a", "one two two\n"), ("b", "x")]);
    let edit = |path: &str, search: &str, with: &str, all: bool| json!({"path": path, "search": search, "replace": with, "all": all});
    client.does("apply_patch", json!({"edits": [edit("a", "one", "two", false), edit("a", "two", "2", true), edit("b", "x", "y", false)]}));
    assert_eq!((client.text("a").as_str(), client.text("b").as_str()), ("2 2 2\n", "y"));
    let fault = client.fails(
        "apply_patch",
        json!({"edits": [edit("b", "y", "z", false), edit("a", "2", "3", false)]}),
    );
    assert_eq!(
        (&fault["code"], &fault["violations"][0]["pointer"]),
        (&json!("PATCH_APPLY_FAILED"), &json!("/edits/1/search"))
    );
    assert_eq!(client.text("b"), "y");
    assert_eq!(
        client.code("apply_patch", json!({"edits": [edit("c", "y", "z", false)]})),
        "FILE_NOT_FOUND"
    );
}

#[test]
fn what_is_no_patch_says_in_which_line() {
    let mut client = Client::with(&[("a", TEN)]);
    for (patch, line) in [
        ("hello", 1),
        ("--- a/a\n+++ b/a\nhello\n", 3),
        ("--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n 1\n-2\n", 6),
        ("--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+one\n 2\n", 6),
        ("--- a/a\n+++ b/c\n@@ -1 +1 @@\n-1\n+one\n", 2),
        ("diff --git a/a b/c\nrename from a\nrename to c\n", 2),
        ("@@ -1 +1 @@\n-1\n+one\n", 1),
    ] {
        let fault = client.fails("apply_patch", json!({"patch": patch}));
        assert_eq!(
            (&fault["code"], &fault["details"]["line"]),
            (&json!("PATCH_INVALID"), &json!(line)),
            "{patch}"
        );
    }
    assert_eq!(client.code("apply_patch", json!({})), "MISSING_REQUIRED_FIELD");
    for arguments in [json!({"patch": "", "edits": []}), json!({"edits": []})] {
        assert_eq!(client.code("apply_patch", arguments), "INVALID_INPUT_VALUE");
    }
    assert_eq!(client.text("a"), TEN);
}

#[test]
fn a_file_that_cannot_be_written_undoes_the_others() {
    let mut client = Client::with(&[("a", "a\n"), ("z", "z\n")]);
    // Two paths, one file: nothing would be right.
    std::os::unix::fs::symlink(".", client.root.join("here")).unwrap();
    for (path, code) in [("here/a", "SPECIAL_FILE"), ("./a", "PATCH_INVALID")] {
        let both = format!(
            "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-a\n+c\n"
        );
        assert_eq!(client.code("apply_patch", json!({"patch": both})), code);
    }
    fs::create_dir(client.root.join("d")).unwrap();
    let bad = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n--- /dev/null\n+++ b/d\n@@ -0,0 +1 @@\n+x\n";
    assert_eq!(client.code("apply_patch", json!({"patch": bad})), "INVALID_PATH");
    assert_eq!((client.text("a").as_str(), client.names(".").len()), ("a\n", 4));
}
