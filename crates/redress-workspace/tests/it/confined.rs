//! Nothing outside the root is read, written or told of, whatever the path looks like.

use std::{fs, os::unix::fs::symlink, os::unix::net::UnixListener};

use serde_json::{Value, json};

use crate::client::Client;

/// Each tool that takes a path, with that path.
fn calls(path: &str) -> [(&'static str, Value); 8] {
    let patch = format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-secret\n+gone\n");
    [
        ("read_file", json!({"path": path})),
        ("write_file", json!({"path": path, "content": "x"})),
        ("list_directory", json!({"path": path})),
        ("search_files", json!({"path": path, "pattern": "secret"})),
        ("apply_patch", json!({"patch": patch})),
        ("apply_patch", json!({"edits": [{"path": path, "search": "secret", "replace": "gone"}]})),
        ("move", json!({"from": path, "to": "taken"})),
        ("remove", json!({"path": path, "recursive": true})),
    ]
}

#[test]
fn no_way_leads_out() {
    let mut client = Client::with(&[("in/a", "fine")]);
    let outside = client.root.with_file_name("root-x");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("s"), "secret\n").unwrap();
    symlink("../root-x", client.root.join("climbs")).unwrap();
    symlink(&outside, client.root.join("jumps")).unwrap();
    symlink("in/../../root-x", client.root.join("winds")).unwrap();
    symlink("climbs", client.root.join("chains")).unwrap();
    symlink("/proc/self/root", client.root.join("magic")).unwrap();
    let at = outside.join("s").to_string_lossy().into_owned();
    for (path, codes) in [
        ("../root-x/s", &["PATH_TRAVERSAL_BLOCKED"] as &[&str]),
        ("in/../../root-x/s", &["PATH_TRAVERSAL_BLOCKED"]),
        (&at, &["OUTSIDE_WORKSPACE"]),
        ("/etc/passwd", &["OUTSIDE_WORKSPACE"]),
        ("climbs/s", &["OUTSIDE_WORKSPACE"]),
        ("jumps/s", &["OUTSIDE_WORKSPACE"]),
        ("winds/s", &["OUTSIDE_WORKSPACE"]),
        ("chains/s", &["OUTSIDE_WORKSPACE"]),
        ("magic/etc/passwd", &["OUTSIDE_WORKSPACE"]),
    ] {
        for (tool, arguments) in calls(path) {
            let code = client.code(tool, arguments);
            assert!(codes.contains(&&*code), "{tool} {path}: {code}");
        }
    }
    // Of a link itself, only the name goes: what it leads to is untouched.
    for link in ["climbs", "jumps"] {
        assert_eq!(
            client.code("write_file", json!({"path": link, "content": "x"})),
            "SPECIAL_FILE"
        );
        assert_eq!(client.code("list_directory", json!({"path": link})), "OUTSIDE_WORKSPACE");
        client.does("remove", json!({"path": link, "recursive": true}));
    }
    assert_eq!(fs::read_to_string(outside.join("s")).unwrap(), "secret\n");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
}

#[test]
fn links_inside_are_followed_and_not_written_through() {
    let mut client = Client::with(&[("real/a", "text")]);
    symlink("real", client.root.join("way")).unwrap();
    symlink("real/a", client.root.join("name")).unwrap();
    symlink("self", client.root.join("self")).unwrap();
    assert_eq!(client.does("read_file", json!({"path": "way/a"}))["content"], "text");
    assert_eq!(client.does("read_file", json!({"path": "name"}))["content"], "text");
    symlink("real/gone", client.root.join("nowhere")).unwrap();
    for (tool, arguments) in calls("way/a").into_iter().chain([
        ("write_file", json!({"path": "way/b", "content": "x"})),
        ("write_file", json!({"path": "way/c/d/b", "content": "x", "create_parents": true})),
        ("write_file", json!({"path": "nowhere/b", "content": "x", "create_parents": true})),
        ("write_file", json!({"path": "self/b", "content": "x", "create_parents": true})),
        ("apply_patch", json!({"patch": "--- /dev/null\n+++ b/way/n/b\n@@ -0,0 +1 @@\n+x\n"})),
        ("move", json!({"from": "real/a", "to": "way/b"})),
        ("move", json!({"from": "real/a", "to": "way/e/b", "create_parents": true})),
    ]) {
        if !["read_file", "list_directory", "search_files"].contains(&tool) {
            let fault = client.fails(tool, arguments.clone());
            assert_eq!(fault["code"], "SPECIAL_FILE", "{tool} {arguments}");
        }
    }
    assert_eq!(
        (client.names("real"), client.text("real/a")),
        (vec!["a".to_owned()], "text".to_owned())
    );
    client.does("write_file", json!({"path": "real/a", "content": "new"}));
    assert_eq!(client.code("write_file", json!({"path": "name", "content": "x"})), "SPECIAL_FILE");
    assert_eq!(client.code("read_file", json!({"path": "self"})), "INVALID_PATH");
    assert_eq!(client.does("stat", json!({"path": "name"}))["leads_to"], "real/a");
    let found = client.does("search_files", json!({"pattern": "new"}));
    assert_eq!(found["matches"].as_array().unwrap().len(), 1, "a search follows no link");
}

#[test]
fn special_files_are_refused_at_once() {
    let mut client = Client::with(&[]);
    let pipe = client.root.join("pipe");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    let _socket = UnixListener::bind(client.root.join("socket")).unwrap();
    for path in ["pipe", "socket"] {
        for (tool, arguments) in [
            ("read_file", json!({"path": path})),
            ("write_file", json!({"path": path, "content": "x"})),
            ("apply_patch", json!({"edits": [{"path": path, "search": "a", "replace": "b"}]})),
        ] {
            assert_eq!(client.code(tool, arguments), "SPECIAL_FILE", "{tool} {path}");
        }
        assert_eq!(client.does("stat", json!({"path": path}))["kind"], "special");
    }
    assert!(
        client.does("search_files", json!({"pattern": "x"}))["matches"]
            .as_array()
            .unwrap()
            .is_empty()
    );
}

#[test]
fn names_that_deceive_are_not_made() {
    let mut client = Client::with(&[("cafe\u{301}.txt", "NFD"), ("Makefile", "all:")]);
    for name in
        ["a.", "b ", " c", "d/ e", "x\u{202e}txt.exe", "tab\t", "zero\u{200b}width", "nul\0"]
    {
        let code =
            client.code("write_file", json!({"path": name, "content": "", "create_parents": true}));
        assert_eq!(code, "INVALID_PATH", "{name:?}");
        assert_eq!(
            client.code("move", json!({"from": "Makefile", "to": name})),
            "INVALID_PATH",
            "{name:?}"
        );
    }
    // Names are bytes here, as they are for the system: what only looks the same is another name, and is suggested.
    let fault = client.fails("read_file", json!({"path": "caf\u{e9}.txt"}));
    assert_eq!(
        (&fault["code"], &fault["similar_refs"][0]["ref"]),
        (&json!("FILE_NOT_FOUND"), &json!("cafe\u{301}.txt"))
    );
    let fault = client.fails("read_file", json!({"path": "makefile"}));
    assert_eq!(fault["similar_refs"][0]["ref"], "Makefile");
    assert_eq!(client.names("."), ["Makefile", "cafe\u{301}.txt"]);
}

#[test]
fn names_beyond_the_limits_are_refused() {
    let mut client = Client::with(&[]);
    for path in ["x".repeat(256), "ü".repeat(128), "y/".repeat(257) + "y", "z".repeat(5000)] {
        for (tool, arguments) in calls(&path) {
            assert_eq!(client.code(tool, arguments), "INVALID_PATH", "{tool}");
        }
    }
    client.does("write_file", json!({"path": "x".repeat(255), "content": ""}));
}

#[test]
fn a_journal_that_came_with_the_files_makes_nothing_happen() {
    let mut client = Client::with(&[("keep", "")]);
    let name = client.root.join(".redress-0000000000000000.tmp");
    fs::write(&name, r#"[{"path":"keep","staged":null}]"#).unwrap();
    client.does("write_file", json!({"path": "a", "content": ""}));
    assert_eq!(client.names("."), ["a", "keep"]);
    // A directory of that name is in nobody's way but that of patches of several files.
    fs::create_dir(&name).unwrap();
    client.does("write_file", json!({"path": "b", "content": ""}));
    assert_eq!(client.text("keep"), "");
}

#[test]
fn files_that_are_being_written_are_nobodys() {
    let name = ".redress-0123456789abcdef.tmp";
    let mut client = Client::with(&[("sub/a", "")]);
    fs::write(client.root.join("sub").join(name), "half").unwrap();
    let path = format!("sub/{name}");
    for (tool, arguments) in calls(&path) {
        assert_eq!(client.code(tool, arguments), "INVALID_PATH", "{tool}");
    }
    assert_eq!(client.does("list_directory", json!({"path": "sub"}))["total"], 1);
    assert!(
        client.does("search_files", json!({"pattern": "half"}))["matches"]
            .as_array()
            .unwrap()
            .is_empty()
    );
    client.does("write_file", json!({"path": "sub/b", "content": ""}));
    assert_eq!(client.names("sub"), ["a", "b"], "the next one who writes there clears it away");
}
