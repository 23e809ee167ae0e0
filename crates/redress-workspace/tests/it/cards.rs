//! What a model reads is enough to mend the call, or to go on.

use serde_json::{Value, json};

use crate::client::Client;

/// The lines of a card, which says all of this.
fn says(client: &mut Client, tool: &str, arguments: Value, parts: &[&str]) {
    let shown = arguments.to_string();
    let text = client.reads(tool, arguments);
    for part in parts {
        assert!(text.contains(part), "{tool} {shown}: {part:?} is not in\n{text}");
    }
}

#[test]
fn a_patch_that_does_not_fit_says_where_and_what_to_do() {
    let client =
        &mut Client::with(&[("a", "one\ntwo\ntwo\n"), ("b", "fn main() {\n    run();\n}\n")]);
    let edit = |path: &str, search: &str| json!({"path": path, "search": search, "replace": "x"});
    let edits = |it: &[Value]| json!({"edits": it});
    says(
        client,
        "apply_patch",
        edits(&[edit("a", "one"), edit("b", "fn main() {\n  run()")]),
        &[
            "Edit 2 does not fit \"b\": the text to search for is not in the file.",
            "Line 2 is \"run();\", not \"run()\". Copy the text",
            "Next: read_file {\"path\":\"b\"",
        ],
    );
    says(
        client,
        "apply_patch",
        edits(&[edit("a", "two")]),
        &[
            "Edit 1 does not fit \"a\": the text to search for is in the file more than once.",
            "Fix: Line 3 has it, too. Add lines around it until it is there only once, or set `all`",
        ],
    );
    says(client, "apply_patch", edits(&[edit("a", "")]), &["is empty", "write_file"]);
    let patch = |hunk: &str| json!({"patch": format!("--- a/a\n+++ b/a\n{hunk}")});
    says(
        client,
        "apply_patch",
        patch("@@ -1,2 +1,2 @@\n one\n-too\n+2\n@@ -3 +3 @@\n-no\n+x\n"),
        &[
            "Hunk 1 (line 3 of the patch) does not fit \"a\": its lines are not",
            "One more does not fit.",
            "Fix: Line 2 is \"two\", not \"too\". Make the patch from the file's exact text.",
        ],
    );
    says(
        client,
        "apply_patch",
        patch("@@ -1,2 +1,3 @@\n one\n"),
        &[
            "PATCH_INVALID: The patch is malformed in line 5: the hunk ends early: 1 old and 2 new lines are missing.",
        ],
    );
    says(client, "apply_patch", json!({}), &["Neither `patch` nor `edits` was given."]);
}

#[test]
fn a_wrong_argument_is_named_with_what_it_should_be() {
    let client = &mut Client::with(&[("a", "one\n")]);
    says(
        client,
        "read_file",
        json!({"path": "a", "ofset": 3}),
        &["The tool has no argument \"ofset\".", "Did you mean offset?"],
    );
    says(client, "search_files", json!({"pattern": "a", "glob": "*"}), &["Did you mean globs?"]);
    says(client, "read_file", json!({"path": "a", "limit": 0}), &["limit must be at least 1."]);
    says(
        client,
        "read_file",
        json!({"path": "a", "encoding": "base46"}),
        &["encoding must be one of [\"text\",\"base64\"]."],
    );
    says(
        client,
        "search_files",
        json!({"pattern": "(", "regex": true}),
        &["The argument pattern is not a regular expression: unclosed group."],
    );
    says(
        client,
        "write_file",
        json!({"path": "b", "content": "!", "encoding": "base64"}),
        &["The argument content is not Base64: Invalid"],
    );
    for (tool, arguments) in [
        ("write_file", json!({"path": "x/y/z", "content": ""})),
        ("move", json!({"from": "a", "to": "x/y/z"})),
    ] {
        says(
            client,
            tool,
            arguments,
            &["The directory \"x/y\" does not exist.", "set create_parents"],
        );
    }
}

#[test]
fn a_part_of_a_file_says_how_to_go_on() {
    let long = "line\n".repeat(3000);
    let wide = format!("{}\nend\n", "x".repeat(300_000));
    let files =
        [("long", long.as_str()), ("wide", wide.as_str()), ("empty", ""), ("short", "1\n2\n")];
    let client = &mut Client::with(&files);
    let mut ends = |arguments: Value, end: &str| {
        let text = client.reads("read_file", arguments);
        let tail = text.rsplit("--\n").next().unwrap_or_default();
        assert_eq!(tail, end);
    };
    ends(json!({"path": "long"}), "Lines 1 to 2000 of 3000. Go on with offset 2001.");
    ends(
        json!({"path": "long", "offset": 5, "limit": 2}),
        "Lines 5 to 6 of 3000. Go on with offset 7.",
    );
    ends(
        json!({"path": "wide"}),
        "Lines 1 to 1 of 2. Go on with offset 2. The last line is cut, as it alone is longer than an answer; its rest comes as bytes, with encoding base64.",
    );
    ends(
        json!({"path": "wide", "encoding": "base64"}),
        "Bytes 0 to 262143 of 300005. Go on with offset 262144.",
    );
    ends(
        json!({"path": "short", "offset": 300}),
        "Line 300 is behind the end: the file has 2 lines.",
    );
    ends(json!({"path": "empty"}), "The file is empty.");
    ends(json!({"path": "short"}), "1\n2\n");
}
