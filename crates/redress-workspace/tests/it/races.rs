//! Others at work at the same time: writers, and somebody who swaps directories for links.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use redress_workspace::{Workspace, WorkspaceServer};
use serde_json::json;

use crate::client::Client;

#[test]
fn of_writers_with_the_same_previous_hash_one_wins() {
    let client = Client::with(&[("a", "0")]);
    let root = client.root.clone();
    // Two servers: as two processes, they share nothing but the directory.
    let servers =
        [0, 1].map(|_| Arc::new(WorkspaceServer::start(Workspace::open(&root).unwrap()).unwrap()));
    for round in 1..=5 {
        let hash = Client::of(&root).does("read_file", json!({"path": "a"}))["hash"].clone();
        let won: usize = thread::scope(|scope| {
            let writers: Vec<_> = (0..8)
                .map(|writer| {
                    let (server, hash, root) = (&servers[writer % 2], &hash, &root);
                    scope.spawn(move || {
                        let mut client = Client::on(server, root);
                        let content = format!("{round} {writer}");
                        let ask = json!({"name": "write_file", "arguments": {"path": "a", "content": content, "previous_hash": hash}});
                        let answer = client.ask("tools/call", &ask);
                        if answer["result"]["isError"] == json!(true) {
                            assert_eq!(answer["result"]["_meta"]["dev.redress/fault"]["code"], "HASH_MISMATCH");
                            None
                        } else {
                            Some(content)
                        }
                    })
                })
                .collect();
            let won: Vec<_> = writers.into_iter().filter_map(|it| it.join().unwrap()).collect();
            assert_eq!(won, [client.text("a")]);
            won.len()
        });
        assert_eq!(won, 1);
    }
    assert_eq!(client.names("."), ["a"]);
}

#[test]
fn a_link_that_is_swapped_in_during_the_call_leads_nowhere() {
    let client = Client::with(&[("d/f", "inside")]);
    let outside = client.root.with_file_name("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("f"), "secret").unwrap();
    let (dir, aside, link) =
        (client.root.join("d"), client.root.join("aside"), client.root.join("link"));
    symlink("../outside", &link).unwrap();
    let is_over = AtomicBool::new(false);
    let mut seen = [0_usize; 2];
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                fs::rename(&dir, &aside).unwrap();
                fs::rename(&link, &dir).unwrap();
                fs::rename(&dir, &link).unwrap();
                fs::rename(&aside, &dir).unwrap();
            }
        });
        let mut client = Client::of(&client.root);
        for call in 0..900 {
            let ask = match call % 3 {
                0 => {
                    json!({"name": "write_file", "arguments": {"path": "d/f", "content": "inside"}})
                }
                1 => json!({"name": "search_files", "arguments": {"pattern": "secret"}}),
                _ => json!({"name": "read_file", "arguments": {"path": "d/f"}}),
            };
            let answer = client.ask("tools/call", &ask)["result"].to_string();
            assert!(
                !answer.contains("\"content\":\"secret") && !answer.contains("secret\"}"),
                "{answer}"
            );
            seen[usize::from(answer.contains("\"isError\":true"))] += 1;
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert_eq!(fs::read_to_string(outside.join("f")).unwrap(), "secret");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1, "nothing was written outside");
    assert!(seen[0] > 0, "{seen:?}");
}

#[test]
fn a_directory_that_may_not_be_written_says_so() {
    let mut client = Client::with(&[("d/f", "old")]);
    let dir = client.root.join("d");
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o555)).unwrap();
    // Whoever may do everything is refused nothing, but in a file system that takes no files.
    let mut all_powerful = Client::of(Path::new("/sys/kernel"));
    let fault = if fs::write(dir.join("probe"), "").is_ok() {
        all_powerful.fails("write_file", json!({"path": "f", "content": "new"}))
    } else {
        client.fails("write_file", json!({"path": "d/f", "content": "new"}))
    };
    assert_eq!(
        (&fault["code"], &fault["effect"]),
        (&json!("INSUFFICIENT_PERMISSIONS"), &json!("none"))
    );
    assert_eq!(fs::read_to_string(dir.join("f")).unwrap(), "old");
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o755)).unwrap();
}
