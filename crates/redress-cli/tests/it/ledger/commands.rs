//! Query, tail, stats and export on what real gates recorded; and everything that is wrong with a question.

use std::{fs, process::Command, thread};

use serde_json::json;

use super::home::{Home, failing, receipt};
use crate::{redress::run, strace::strace};

/// A ledger with failures of several kinds.
fn varied() -> Home {
    let home = Home::new();
    let mut gate = home.gate(&[], &[]);
    for _ in 0..3 {
        gate.fail();
    }
    gate.call("say", &failing());
    gate.call("exit", &json!({"code": 3}));
    gate.end();
    let mut gate = home.gate(&[], &["--name", "other"]);
    gate.fail();
    gate.end();
    home
}

#[test]
fn records_are_found_by_what_is_known_of_them() {
    let home = varied();
    let count = |args: &[&str]| home.json(&[&["query"], args].concat()).len();
    assert_eq!(count(&["--kind", "fault"]), 6);
    assert_eq!(count(&["--code", "FILE_NOT_FOUND"]), 5);
    assert_eq!(count(&["--class", "unavailable"]), 1);
    assert_eq!(count(&["--tool", "read"]), 4);
    assert_eq!(count(&["--tool", "read", "--server", "bad"]), 3);
    assert_eq!(count(&["--name", "other", "--tool", "read"]), 1);
    assert_eq!(count(&["--session", "none"]), 0);
    let first = home.json(&["query", "--tool", "read", "--server", "bad"]).remove(0);
    let session = first["fault"]["context"]["session_id"].as_str().unwrap();
    assert_eq!(count(&["--session", session]), 5, "those of one client, without the other's");
    assert_eq!(count(&["--since", "1h", "--kind", "genesis"]), 2);
    assert_eq!(count(&["--until", "1h"]), 0);
    assert_eq!(count(&["--since", "2020-01-01", "--until", "2020-01-02T00:00:00+01:00"]), 0);
    assert_eq!(count(&["--kind", "fault", "--limit", "2"]), 2);
    let above = home.path().join("state/redress");
    assert_eq!(count(&[above.to_str().unwrap(), "--kind", "fault"]), 6);
    assert_eq!(count(&[home.ledger().to_str().unwrap(), "--kind", "fault"]), 5);

    let lines = home.run(&["query", home.ledger().to_str().unwrap()]).out;
    assert_eq!(lines, fs::read_to_string(home.segment()).unwrap(), "byte by byte");
    let text = home.run(&["query", "--code", "UPSTREAM_CRASHED", "--format", "text"]).out;
    assert!(text.contains("Z UPSTREAM_CRASHED bad/exit The server process"), "{text}");
    assert!(!text.contains('\u{1b}'), "no colour in a pipe: {text}");
}

#[test]
fn the_newest_come_last_and_numbers_add_up() {
    let home = varied();
    let newest = home.json(&["tail", "-n", "3", "--kind", "fault"]);
    let servers: Vec<_> = newest.iter().map(|it| &it["fault"]["context"]["server"]).collect();
    assert_eq!(servers, ["bad", "bad", "other"]);
    assert_eq!(home.json(&["tail"]).len(), 10);
    assert_eq!(home.json(&["tail", "-n", "0"]).len(), 0);
    let stats = home.json(&["stats"]).remove(0);
    assert_eq!(stats["by_code"], json!({"FILE_NOT_FOUND": 5, "UPSTREAM_CRASHED": 1}));
    assert_eq!(stats["by_server"], json!({"bad": 5, "other": 1}));
    assert_eq!((&stats["by_tool"]["read"], &stats["damaged"]), (&json!(4), &json!(0)));
    let text = home.run(&["stats", "--server", "other"]).out;
    assert!(text.contains("by code\n       1  FILE_NOT_FOUND"), "{text}");
    let table = home.run(&["export", "--format", "csv", "--kind", "fault"]).out;
    assert_eq!(table.lines().count(), 7);
    assert!(table.starts_with("time,chain,seq,kind,hash,code,"), "{table}");
    let lines = home.run(&["export", home.ledger().to_str().unwrap()]).out;
    assert_eq!(lines, fs::read_to_string(home.segment()).unwrap());
}

#[test]
fn a_question_that_makes_no_sense_is_refused_with_a_way_out() {
    let home = varied();
    let nowhere = home.path().join("nowhere");
    let file = home.segment();
    for (args, code, hint) in [
        (&["query", "--code", "FILE_NOT_FUOND"][..], "NOT_FOUND", "Did you mean FILE_NOT_FOUND"),
        (&["tail", "--code", "FILE_NOT_FUOND"], "NOT_FOUND", "Did you mean FILE_NOT_FOUND"),
        (&["stats", "--code", "x"], "NOT_FOUND", "redress ledger stats"),
        (&["query", "--name", "bda"], "NOT_FOUND", "There is bad"),
        (&["query", nowhere.to_str().unwrap()], "NOT_FOUND", "--ledger"),
        (&["verify", home.path().to_str().unwrap()], "NOT_FOUND", "--ledger"),
        (&["stats", file.to_str().unwrap()], "INVALID_PATH", "directory"),
        (&["query", "--since", "soon"], "INVALID_INPUT_VALUE", "2h"),
        (&["export", "--until", "2026-02-30"], "INVALID_INPUT_VALUE", "2h"),
        (&["tail", "--since", "1h", "--until", "2h"], "INVALID_INPUT_VALUE", "earlier"),
        (&["verify", "--receipt", "7"], "INVALID_INPUT_VALUE", "SEQ:HASH"),
        (&["verify", "--key", "00"], "INVALID_INPUT_VALUE", "ledger.pub"),
        (&["verify", "--key", home.path().to_str().unwrap()], "INVALID_PATH", "Fix"),
    ] {
        let ran = home.run(args);
        assert_eq!(ran.exit, 2, "{args:?} {}", ran.err);
        assert!(ran.err.starts_with(code) && ran.err.contains(hint), "{args:?} {}", ran.err);
        assert!(ran.err.contains("\nFix: "), "{args:?} {}", ran.err);
        assert!(ran.out.is_empty(), "{args:?} {}", ran.out);
    }
    for (args, near) in [(["--class", "unavailble"], "unavailable"), (["--kind", "fualt"], "fault")]
    {
        let ran = home.run(&[&["query"], &args[..]].concat());
        assert!(ran.exit == 2 && ran.err.contains(near), "{}", ran.err);
    }
    let ran = Home::new().run(&["tail", "-f"]);
    assert!(ran.exit == 2 && ran.err.contains("when it first starts"), "{}", ran.err);
}

#[test]
fn no_name_makes_a_ledger_around_the_others() {
    let home = Home::new();
    for name in ["", "..", "a/b"] {
        let mut gate = Command::new(env!("CARGO_BIN_EXE_redress"));
        gate.args(["run", "--name", name, "--", "cat"]);
        for command in [&mut home.at_home(gate), &mut home.command(&["verify", "--name", name])] {
            let ran = run(command, b"");
            assert!(ran.exit == 2 && ran.err.contains("--name"), "{name:?}: {}", ran.err);
        }
    }
    assert!(!home.path().join("state").exists());
}

#[test]
fn a_chain_in_the_wrong_place_hides_nothing_and_is_told() {
    let home = varied();
    let chain = home.segment().parent().unwrap().to_owned();
    let above = home.ledger().parent().unwrap().join(chain.file_name().unwrap());
    fs::create_dir(&above).unwrap();
    fs::copy(home.segment(), above.join("00000001.jsonl")).unwrap();
    let ran = home.run(&["verify"]);
    assert_eq!(ran.exit, 1, "{}", ran.out);
    assert!(ran.out.contains("copied: the same chain is"), "{}", ran.out);
    assert_eq!(home.json(&["query", "--name", "other", "--kind", "fault"]).len(), 1);
}

#[test]
fn what_the_system_does_not_let_be_read_is_no_damage() {
    let home = varied();
    let (file, log) = (home.segment(), home.path().join("strace.log"));
    let options = ["-P", file.to_str().unwrap(), "-e", "inject=openat:error=EACCES"];
    for (args, said) in [
        (&["verify"][..], "NOT PROVEN: "),
        (&["query", "--kind", "fault"], "unreadable: "),
        (&["stats"], "unreadable: "),
        (&["tail"], "unreadable: "),
    ] {
        let words = strace(&log, &options);
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).args([env!("CARGO_BIN_EXE_redress"), "ledger"]).args(args);
        let ran = run(&mut home.at_home(command), b"");
        assert_eq!(ran.exit, 3, "{args:?}: {}{}", ran.out, ran.err);
        assert!((ran.out + &ran.err).contains(said), "{args:?}");
    }
}

#[test]
fn what_was_put_aside_is_told_to_the_operator() {
    let home = Home::new();
    let mut gate = home.gate(&[], &[]);
    gate.fail();
    gate.fail();
    gate.child.kill().unwrap();
    gate.child.wait().unwrap();
    let text = fs::read_to_string(home.segment()).unwrap();
    fs::write(home.segment(), text.replace("ENOENT", "EPERM!")).unwrap();
    home.gate(&[], &[]).end();
    let said = fs::read_to_string(home.log()).unwrap();
    assert!(
        said.contains("ledger: chain ") && said.contains(" is corrupt (00000001.jsonl:"),
        "{said}"
    );
}

#[test]
fn a_name_that_no_record_has_is_told_with_those_that_are_near() {
    let home = varied();
    for (args, said) in [
        (&["--tool", "raed"][..], "no record has the tool `raed`. Did you mean read?"),
        (&["--server", "othr"], "no record has the server `othr`. Did you mean other?"),
        (
            &["--server", "\u{1b}[2Jx"],
            r"no record has the server `\u{1b}[2Jx`. There is bad, other.",
        ),
        (&["--session", "none"], "no record has the session `none`."),
        (&["--code", "TIMEOUT"], "no record has the code `TIMEOUT`. There is FILE_NOT_FOUND"),
        (&["--tool", "exit", "--server", "other"], "every name is recorded, but no record has"),
        (&["--tool", "read", "--until", "1h"], "every name is recorded, but no record has"),
    ] {
        for command in ["query", "tail", "stats", "export"] {
            let ran = home.run(&[&[command], args].concat());
            assert_eq!(ran.exit, 0, "{command} {args:?} {}", ran.err);
            let said = format!("Nothing found: {said}");
            assert!(ran.err.starts_with(&said), "{command} {args:?} {}", ran.err);
        }
    }
    for args in [&["query", "--tool", "read"][..], &["query", "--tool", "raed", "--limit", "0"]] {
        assert_eq!(home.run(args).err, "", "{args:?}");
    }
}

#[test]
fn garbage_in_the_directory_is_passed_over_and_told() {
    let home = varied();
    let chain = home.segment().parent().unwrap().to_owned();
    fs::write(home.ledger().join("20260119T153210123Z-1-aa"), "no directory").unwrap();
    fs::create_dir_all(home.ledger().join("20260119T153210123Z-2-aa/00000001.jsonl")).unwrap();
    fs::write(home.path().join("state/redress/notes.txt"), [0xff; 99]).unwrap();
    fs::create_dir(home.path().join("state/redress/empty")).unwrap();
    fs::write(chain.join("00000001.jsonl.bak"), "x").unwrap();
    assert_eq!(home.json(&["query", "--kind", "fault"]).len(), 6);

    let file = chain.join("00000001.jsonl");
    let mut bytes = fs::read(&file).unwrap();
    let first = format!("00000001.jsonl:{}:", bytes.split(|it| *it == b'\n').count());
    bytes.extend_from_slice(b"\xff\xfe{}\n\n");
    bytes.extend_from_slice(&vec![b'x'; 3 << 20]);
    bytes.push(b'\n');
    fs::write(&file, &bytes).unwrap();
    for args in [&["query"][..], &["tail"], &["stats"], &["export"]] {
        let ran = home.run(args);
        assert_eq!(ran.exit, 1, "{args:?} {}", ran.err);
        assert!(ran.err.contains("damaged: 3 places") && ran.err.contains(&first), "{}", ran.err);
        assert!(ran.err.contains("redress ledger verify"), "{}", ran.err);
    }
    assert_eq!(home.run(&["verify"]).exit, 1);
}

#[test]
fn two_gates_before_one_command_share_a_ledger() {
    let home = Home::new();
    let told: Vec<String> = thread::scope(|scope| {
        let client = || {
            let mut gate = home.gate(&[], &[]);
            let answers: Vec<_> = (0..40).map(|_| receipt(&gate.fail()).unwrap()).collect();
            gate.end();
            answers
        };
        let two = [scope.spawn(client), scope.spawn(client)];
        two.into_iter().flat_map(|it| it.join().unwrap()).collect()
    });
    assert_eq!(told.len(), 80, "all were answered");
    assert_eq!(home.json(&["query", "--kind", "fault"]).len(), 80);
    let receipts = told.iter().flat_map(|it| ["--receipt", it]);
    let args: Vec<&str> = ["verify"].into_iter().chain(receipts).collect();
    let ran = home.run(&args);
    assert!(ran.exit == 0 && ran.out.contains("sound: 1 ledger, 2 chains"), "{}", ran.out);
}

#[test]
fn who_verifies_is_not_alarmed_by_those_who_write() {
    let (home, _) = Home::with_failures(1);
    thread::scope(|scope| {
        let writers = scope.spawn(|| {
            for _ in 0..6 {
                let mut gate = home.gate(&[], &[]);
                for _ in 0..10 {
                    gate.fail();
                }
                gate.end();
            }
        });
        while !writers.is_finished() {
            home.assert_sound();
        }
        writers.join().unwrap();
    });
    home.assert_sound();
}
