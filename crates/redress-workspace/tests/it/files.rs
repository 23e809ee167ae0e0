//! What each tool does when all is well, and how it says that something is not.

use std::fs;

use serde_json::json;

use crate::client::Client;

#[test]
fn a_file_is_read_in_parts_and_as_a_whole() {
    let mut client = Client::with(&[("a.txt", "one\ntwo\nthree\n")]);
    let whole = client.does("read_file", json!({"path": "a.txt"}));
    assert_eq!(whole["content"], "one\ntwo\nthree\n");
    assert_eq!((&whole["total_lines"], &whole["size_bytes"]), (&json!(3), &json!(14)));
    assert!(whole.get("next_offset").is_none());
    let part = client.does("read_file", json!({"path": "a.txt", "offset": 2, "limit": 1}));
    assert_eq!((&part["content"], &part["next_offset"]), (&json!("two\n"), &json!(3)));
    assert_eq!(part["hash"], whole["hash"]);
    let bytes = client
        .does("read_file", json!({"path": "a.txt", "encoding": "base64", "offset": 4, "limit": 3}));
    assert_eq!((&bytes["content"], &bytes["next_offset"]), (&json!("dHdv"), &json!(7)));
}

#[test]
fn a_file_that_is_no_text_says_so() {
    let mut client = Client::with(&[]);
    fs::write(client.root.join("nul"), b"a\0b").unwrap();
    fs::write(client.root.join("latin"), b"caf\xe9").unwrap();
    for path in ["nul", "latin"] {
        let fault = client.fails("read_file", json!({"path": path}));
        assert_eq!(fault["code"], "BINARY_FILE");
        assert!(fault["hint"].as_str().unwrap().contains("base64"));
        client.does("read_file", json!({"path": path, "encoding": "base64"}));
    }
}

#[test]
fn a_missing_file_comes_with_what_was_meant_and_where_to_look() {
    let mut client = Client::with(&[("src/main.rs", ""), ("src/lib.rs", "")]);
    let fault = client.fails("read_file", json!({"path": "src/mian.rs"}));
    assert_eq!(fault["code"], "FILE_NOT_FOUND");
    assert_eq!(fault["similar_refs"][0]["ref"], "src/main.rs");
    assert_eq!(
        fault["next_actions"][0],
        json!({"tool": "list_directory", "args": {"path": "src"}})
    );
    assert_eq!(fault["violations"][0], json!({"pointer": "/path", "reason": "not_found"}));
    let fault = client.fails("read_file", json!({"path": "scr/main.rs"}));
    assert_eq!(fault["similar_refs"][0]["ref"], "src/main.rs");
    assert_eq!(fault["next_actions"][0]["args"]["path"], ".");
}

#[test]
fn a_file_is_written_under_conditions() {
    let mut client = Client::with(&[("a.txt", "old")]);
    let hash = client.does("read_file", json!({"path": "a.txt"}))["hash"].clone();
    let ask = json!({"path": "a.txt", "content": "new", "previous_hash": hash});
    let done = client.does("write_file", ask.clone());
    assert_eq!((&done["created"], client.text("a.txt").as_str()), (&json!(false), "new"));
    let fault = client.fails("write_file", ask);
    assert_eq!(
        (&fault["code"], &fault["violations"][0]["pointer"]),
        (&json!("HASH_MISMATCH"), &json!("/previous_hash"))
    );
    assert_eq!(fault["details"]["actual"], done["hash"]);
    assert_eq!(fault["next_actions"][0], json!({"tool": "read_file", "args": {"path": "a.txt"}}));
    let absent = json!({"path": "b.txt", "content": "", "previous_hash": "0".repeat(64)});
    assert_eq!(client.code("write_file", absent), "HASH_MISMATCH");
    let only = json!({"path": "a.txt", "content": "x", "create_only": true});
    assert_eq!(client.code("write_file", only), "FILE_ALREADY_EXISTS");
    let deep = json!({"path": "x/y/z.txt", "content": "x"});
    assert_eq!(client.code("write_file", deep), "PATH_NOT_FOUND");
    let deep = json!({"path": "x/y/z.txt", "content": "x", "create_parents": true});
    assert_eq!(client.does("write_file", deep)["created"], true);
    let bytes = json!({"path": "bin", "content": "AAH/", "encoding": "base64"});
    client.does("write_file", bytes);
    assert_eq!(fs::read(client.root.join("bin")).unwrap(), [0, 1, 255]);
    assert_eq!(client.names("."), ["a.txt", "bin", "x"]);
}

#[test]
fn a_file_keeps_its_mode_and_other_links_keep_their_content() {
    use std::os::unix::fs::PermissionsExt as _;
    let mut client = Client::with(&[("run.sh", "old")]);
    let (path, outside) = (client.root.join("run.sh"), client.root.with_file_name("outside"));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap();
    fs::hard_link(&path, &outside).unwrap();
    client.does("write_file", json!({"path": "run.sh", "content": "new"}));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o750);
    assert_eq!(fs::read_to_string(outside).unwrap(), "old", "the name outside is untouched");
}

#[test]
fn directories_are_listed_in_pages() {
    let mut client = Client::with(&[("a", ""), ("b/x", ""), ("c", "12")]);
    std::os::unix::fs::symlink("a", client.root.join("d")).unwrap();
    let page = client.does("list_directory", json!({"limit": 3}));
    assert_eq!(page["total"], 4);
    assert_eq!(page["entries"][1], json!({"name": "b", "kind": "directory"}));
    assert_eq!(page["entries"][2], json!({"name": "c", "kind": "file", "size_bytes": 2}));
    let rest = client.does("list_directory", json!({"limit": 3, "after": page["next_after"]}));
    assert_eq!(rest["entries"], json!([{"name": "d", "kind": "link"}]));
    assert!(rest.get("next_after").is_none());
    assert_eq!(client.code("list_directory", json!({"path": "a"})), "INVALID_PATH");
}

#[test]
fn paths_are_moved_and_removed_only_as_asked() {
    let mut client = Client::with(&[("a", "1"), ("b", "2"), ("d/e/f", "3")]);
    assert_eq!(client.code("move", json!({"from": "a", "to": "b"})), "FILE_ALREADY_EXISTS");
    client.does("move", json!({"from": "a", "to": "b", "overwrite": true}));
    assert_eq!(client.text("b"), "1");
    assert_eq!(client.code("move", json!({"from": "a", "to": "c"})), "PATH_NOT_FOUND");
    assert_eq!(client.code("move", json!({"from": "d", "to": "d/x"})), "INVALID_PATH");
    assert_eq!(
        client.code("move", json!({"from": "b", "to": "d", "overwrite": true})),
        "FILE_ALREADY_EXISTS"
    );
    client.does("move", json!({"from": "d", "to": "n/d", "create_parents": true}));
    let card = client.reads("remove", json!({"path": "n"}));
    assert!(card.starts_with("DIRECTORY_NOT_EMPTY: "), "{card}");
    assert!(card.contains("set `recursive` to true"), "{card}");
    assert_eq!(
        client.code("remove", json!({"path": "b", "previous_hash": "0".repeat(64)})),
        "HASH_MISMATCH"
    );
    assert_eq!(client.does("remove", json!({"path": "n", "recursive": true}))["removed"], 4);
    assert_eq!(client.names("."), ["b"]);
    assert_eq!(client.code("remove", json!({"path": "."})), "INVALID_PATH");
}

#[test]
fn a_search_finds_lines_and_files() {
    let mut client = Client::with(&[
        ("src/a.rs", "fn one() {}\nfn two() {}\n"),
        ("src/b.txt", "fn three() {}\n"),
        ("target/c.rs", "fn four() {}\n"),
        (".gitignore", "target/\n*.log\n"),
        ("src/x.log", "fn five() {}\n"),
        ("keep/.gitignore", "!*.log\n"),
        ("keep/y.log", "fn six() {}\n"),
        ("bin", "fn\0"),
    ]);
    let found = client.does("search_files", json!({"pattern": "fn t", "globs": ["*.rs"]}));
    assert_eq!(found["matches"], json!([{"path": "src/a.rs", "line": 2, "text": "fn two() {}"}]));
    let found = client
        .does("search_files", json!({"pattern": "^FN \\w+", "regex": true, "ignore_case": true}));
    let paths: Vec<_> = found["matches"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["path"].as_str().unwrap())
        .collect();
    assert_eq!(paths, ["keep/y.log", "src/a.rs", "src/a.rs", "src/b.txt"]);
    let found =
        client.does("search_files", json!({"pattern": "fn", "include_ignored": true, "limit": 2}));
    assert_eq!(
        (found["matches"].as_array().unwrap().len(), &found["truncated"]),
        (2, &json!(true))
    );
    let found = client
        .does("search_files", json!({"globs": ["**/*.rs", "!target"], "include_ignored": true}));
    assert_eq!(found["matches"], json!([{"path": "src/a.rs"}]));
    let fault = client.fails("search_files", json!({"pattern": "(", "regex": true}));
    assert_eq!(
        (&fault["code"], &fault["violations"][0]["pointer"]),
        (&json!("INVALID_INPUT_FORMAT"), &json!("/pattern"))
    );
    assert_eq!(
        client.code("search_files", json!({"pattern": "(a{999}){999}", "regex": true})),
        "INVALID_INPUT_FORMAT"
    );
}

#[test]
fn a_code_is_explained_by_any_of_its_names() {
    let mut client = Client::with(&[]);
    assert_eq!(
        client.does("explain_error", json!({"code": "hash_mismatch"}))["retry"],
        "after_state"
    );
    assert_eq!(client.does("explain_error", json!({"code": "5100"}))["code"], "BINARY_FILE");
    let fault = client.fails("explain_error", json!({"code": "FILE_NOT_FUND"}));
    assert_eq!(
        (&fault["code"], &fault["similar_refs"][0]["ref"]),
        (&json!("NOT_FOUND"), &json!("FILE_NOT_FOUND"))
    );
    assert_eq!(client.code("read_ledger", json!({})), "UNSUPPORTED");
}
