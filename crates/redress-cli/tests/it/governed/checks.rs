//! Commands that check what was written: until all have passed it is not done, and what failed is undone.

use std::{fs, io::Write as _, path::Path, process::Command};

use serde_json::json;

use super::{
    caller::{Served, caller},
    client::{Gate, code},
    place::Place,
    writes::{place, write},
};
use crate::redress::not_run;

const CHECK: &str =
    "[governance.preflight.no-bad]\ncommand = ['sh', '-c', 'echo looking; ! grep -rq BAD .']\n";

#[test]
fn a_check_reads_no_key_and_writes_nowhere_but_in_the_workspace() {
    let place = place(
        "[governance.preflight.evil]\ncommand = ['sh', '-c', 'echo ran > ran; cat ../config/redress/ledger.key > key || \
         echo x > ../ledger/x || echo x > ../outside || exit 7']\n",
    );
    let probe = redress_transport::confinement::Confinement::default();
    if !probe.is_held().unwrap() {
        return not_run("this kernel has no Landlock");
    }
    let mut gate = Gate::begun(&place);
    let (code, failed) = gate.call("write_file", &write("a.txt", "x"));
    assert_eq!(code, "PREFLIGHT_FAILED", "{failed}");
    assert!(failed.to_string().contains("exit code 7"), "{failed}");
    assert_eq!((place.text("ran").as_str(), place.text("key").as_str()), ("ran\n", ""));
    assert!(place.at("config/redress/ledger.key").exists() && !place.at("outside").exists());
    gate.end();
}

#[test]
fn a_write_that_fails_its_check_is_undone_whatever_it_did() {
    let place = place(CHECK);
    let mut gate = Gate::begun(&place);
    place.write("root/a.txt", "one\n");
    place.write("root/b.txt", "BAD\n");
    fs::create_dir_all(place.at("root/lib/deep")).unwrap();
    let (code, failed) = gate.call("write_file", &write("c.txt", "BAD"));
    let fault = &failed["_meta"]["dev.redress/fault"];
    assert_eq!((&*code, &fault["effect"]), ("PREFLIGHT_FAILED", &json!("none")), "{failed}");
    assert_eq!(fault["details"]["check"], "no-bad", "{fault}");
    let card = failed["content"][0]["text"].as_str().unwrap();
    assert!(
        card.contains("The check no-bad failed with exit code 1, so the change was undone."),
        "{card}"
    );
    assert!(card.contains("looking"), "{card}");
    let patch = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n--- /dev/null\n+++ b/deep/new\n@@ -0,0 +1 @@\n+x\n";
    for (tool, arguments) in [
        ("write_file", write("a.txt", "two\n")),
        ("write_file", json!({"path": "x/y/z", "content": "new", "create_parents": true})),
        ("apply_patch", json!({"patch": patch})),
        ("move", json!({"from": "a.txt", "to": "d.txt"})),
        ("move", json!({"from": "lib", "to": "src"})),
        ("remove", json!({"path": "a.txt"})),
        ("remove", json!({"path": "lib", "recursive": true})),
    ] {
        assert_eq!(gate.code(tool, &arguments), "PREFLIGHT_FAILED", "{tool} {arguments}");
        assert_eq!(place.text("a.txt"), "one\n", "{tool} {arguments}");
        let mut names: Vec<_> =
            fs::read_dir(place.at("root")).unwrap().map(|it| it.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["a.txt", "b.txt", "docs", "lib"], "{tool} {arguments}");
        assert!(place.at("root/lib/deep").is_dir(), "{tool} {arguments}");
    }
    assert_eq!(
        gate.code("write_file", &write("docs/reports/a.md", "It failed.")),
        "fine",
        "a report is no change"
    );
    assert_eq!(gate.code("remove", &json!({"path": "b.txt"})), "fine", "this one passes");
    assert_eq!(gate.code("write_file", &write("a.txt", "two\n")), "fine");
    assert_eq!(place.text("a.txt"), "two\n");
    assert_eq!(gate.code("read_file", &json!({"path": "a.txt"})), "fine");
    gate.end();
    let left = fs::read_dir(place.at("ledger/writes")).unwrap().map(|it| it.unwrap().path());
    assert!(
        left.into_iter().all(|it| it.extension().is_some_and(|it| it == "lock")),
        "nothing is kept"
    );
}

/// A check that waits until it is let go on.
const WAITING: &str = "[governance.preflight.slow]\n\
    command = ['sh', '-c', 'echo $$ > pid; : > begun; while [ ! -e ../go ]; do sleep 0.01; done']\n";

fn is_alive(pid: &str) -> bool {
    Path::new("/proc").join(pid.trim()).join("status").exists()
}

#[test]
fn while_a_write_is_checked_only_the_next_write_waits() {
    let place = place(WAITING);
    let mut gate = Gate::begun(&place);
    let first = gate.ask("write_file", &write("a.txt", "one"));
    place.until(|it| it.at("root/begun").exists());
    let second = gate.ask("write_file", &write("b.txt", "two"));
    assert_eq!(gate.code("read_file", &json!({"path": "a.txt"})), "fine");
    gate.request("ping", &json!({}));
    assert_eq!(gate.code("session_status", &json!({})), "fine");
    assert_eq!(place.text("b.txt"), "nothing", "one at a time");
    assert!(!gate.has_heard(first) && !gate.has_heard(second));
    let third = gate.ask("write_file", &write("c.txt", "three"));
    gate.cancel(third);
    place.write("go", "");
    assert_eq!(code(&gate.hear(first)), "fine");
    assert_eq!(code(&gate.hear(second)), "fine");
    assert_eq!(gate.code("write_file", &write("d.txt", "four")), "fine");
    let texts = ["a.txt", "b.txt", "c.txt"].map(|it| place.text(it));
    assert_eq!(texts, ["one", "two", "nothing"], "what was cancelled before its turn is not made");
    gate.end();
}

#[test]
fn a_check_that_takes_too_long_is_ended_and_told_once() {
    let policy = format!("{WAITING}timeout_ms = 300\n");
    let place = place(&policy);
    let mut gate = Gate::begun(&place);
    let (code, failed) = gate.call("write_file", &write("a.txt", "one"));
    assert_eq!(code, "PREFLIGHT_FAILED", "{failed}");
    assert_eq!(failed["_meta"]["dev.redress/fault"]["details"]["reason"], "did not end in time");
    assert_eq!(place.text("a.txt"), "nothing");
    assert!(!is_alive(&place.text("pid")), "it is gone");
    gate.end();
    // The same by the deadline of the call, within which a busy machine has to get to the check.
    place.configure(&format!("locks = []\n{WAITING}"), "workspace = 'root'\ndeadline_ms = 3000");
    let mut gate = Gate::begun(&place);
    let (code, failed) = gate.call("write_file", &write("a.txt", "one"));
    assert_eq!(
        (&*code, &failed["_meta"]["dev.redress/fault"]["effect"]),
        ("PREFLIGHT_FAILED", &json!("none")),
        "{failed}"
    );
    assert_eq!(place.text("a.txt"), "nothing");
    gate.end();
}

#[test]
fn what_a_check_has_started_ends_with_it() {
    let place = place(
        "[governance.preflight.leaves]\ncommand = ['sh', '-c', 'setsid sleep 600 >/dev/null 2>&1 & echo $! > pid; sleep 0.3']\n",
    );
    let mut gate = Gate::begun(&place);
    assert_eq!(gate.code("write_file", &write("a.txt", "one")), "fine");
    place.until(|it| !is_alive(&it.text("pid")));
    gate.end();
}

#[test]
fn nothing_unchecked_is_left_when_the_gate_ends() {
    for how in ["TERM", "gone", "cancel", "KILL"] {
        let place = place(WAITING);
        let mut gate = Gate::begun(&place);
        place.write("root/a.txt", "old");
        let id = gate.ask("write_file", &write("a.txt", "new"));
        place.until(|it| it.at("root/begun").exists());
        assert_eq!(place.text("a.txt"), "new");
        let pid = place.text("pid");
        match how {
            "gone" => {
                drop(gate.output);
                writeln!(gate.input, r#"{{"jsonrpc":"2.0","id":"p","method":"ping"}}"#).unwrap();
            }
            "cancel" => {
                gate.cancel(id);
                place.until(|it| it.text("a.txt") == "old");
                drop(gate.input);
            }
            _ => {
                let signal = format!("-{how}");
                Command::new("kill")
                    .args([&signal, &gate.child.id().to_string()])
                    .status()
                    .unwrap();
            }
        }
        gate.child.wait().unwrap();
        if how == "KILL" {
            assert_eq!(place.text("a.txt"), "new", "nobody is there to undo it");
            place.write("go", "");
            let mut gate = Gate::begun(&place);
            assert_eq!(place.text("a.txt"), "old", "but the next gate does");
            assert_eq!(gate.code("read_file", &json!({"path": "a.txt"})), "fine");
            gate.end();
            assert!(place.recorded().contains("PREFLIGHT_FAILED"), "and it is on record");
        } else {
            assert_eq!(place.text("a.txt"), "old", "{how}");
            assert!(!is_alive(&pid), "{how}");
        }
    }
}

#[test]
fn a_change_of_somebody_else_is_never_undone() {
    let place = place(
        &WAITING.replace("../go ]; do sleep 0.01; done", "../go ]; do sleep 0.01; done; exit 1"),
    );
    let mut gate = Gate::begun(&place);
    place.write("root/a.txt", "old");
    let id = gate.ask("write_file", &write("a.txt", "new"));
    place.until(|it| it.at("root/begun").exists());
    place.write("root/a.txt", "by a person");
    place.write("go", "");
    let failed = gate.hear(id);
    let fault = &failed["_meta"]["dev.redress/fault"];
    assert_eq!(
        (code(&failed), &fault["effect"]),
        ("PREFLIGHT_FAILED", &json!("partial")),
        "{failed}"
    );
    assert_eq!(fault["details"]["not_restored"], json!(["a.txt"]), "{fault}");
    assert_eq!(place.text("a.txt"), "by a person");
    gate.end();
}

#[test]
fn writes_over_http_are_checked_as_well() {
    let token = "the-token-of-the-writer";
    let place = place(&format!("{CHECK}{}", caller("one", token)));
    let served = Served::start(&place);
    let writer = served.open(token);
    let begin = json!({"workspace_root": place.at("root")});
    assert_eq!(writer.code("begin_session", &begin), "fine");
    assert_eq!(writer.code("write_file", &write("a.txt", "BAD")), "PREFLIGHT_FAILED");
    assert_eq!(place.text("a.txt"), "nothing");
    assert_eq!(writer.code("write_file", &write("a.txt", "good")), "fine");
    assert_eq!(place.text("a.txt"), "good");
    served.kill();
}

#[test]
fn writes_of_a_server_behind_a_url_are_checked_and_put_back() {
    let token = "the-token-of-the-writer";
    let rules = "[governance.write_rules.finished]\nforbid_text = ['FIXME']\n";
    let place = Place::new();
    let far = Served::open_to_all(&place);
    place.write(
        "contract.toml",
        "format = 'redress-registry/1'\nextends = ['core']\n[registry]\nname = 'far'\nversion = '0.1.0'\n\
         [tool.write_file]\noperation = 'command'\npaths = ['/path']\n",
    );
    place.configure(
        &format!("locks = []\n{CHECK}{rules}{}", caller("one", token)),
        &format!("url = '{}'\ncontract = 'contract.toml'", far.url()),
    );
    place.write("root/a.txt", "old");
    let served = Served::start(&place);
    let writer = served.open(token);
    assert_eq!(writer.code("begin_session", &json!({"workspace_root": place.at("root")})), "fine");
    for (content, code) in [("FIXME", "POLICY_VIOLATION"), ("BAD", "PREFLIGHT_FAILED")] {
        assert_eq!(writer.code("write_file", &write("a.txt", content)), code);
        assert_eq!(place.text("a.txt"), "old", "{code}");
    }
    assert_eq!(writer.code("write_file", &write("no/such/a.txt", "x")), "PATH_NOT_FOUND");
    assert_eq!(writer.code("write_file", &write("a.txt", "good")), "fine");
    assert_eq!(place.text("a.txt"), "good");
    served.kill();
    far.kill();
}
