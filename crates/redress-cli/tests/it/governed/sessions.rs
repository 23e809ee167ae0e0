//! The story of a session: it begins, is locked by a failure, is unlocked by a report, and is on record.

use std::{
    fs,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{approval::approved, client::Gate, place::Place};

/// What the preset wants to hear with every write.
const WHY: &str = "So that there is something to look at.";

/// What an attempt to leave the workspace is.
fn escape() -> Value {
    json!({"path": "../secret"})
}

#[test]
fn seed_000_04_begin_session_says_what_is_wrong() {
    let place = Place::new();
    let mut gate = Gate::start(&place, &["--preset", "atlas-gate", "--role", "WINDSURF"]);
    for (arguments, why) in [
        (json!({"workspace_root": 7}), "workspace_root must be a string"),
        (json!({}), "workspace_root is required"),
        (
            json!({"workspace_root": "/no/such/dir"}),
            "workspace_root cannot be used (no such directory)",
        ),
    ] {
        let (_, result) = gate.call("begin_session", &arguments);
        let text = result["content"][0]["text"].as_str().unwrap();
        let told: Value = serde_json::from_str(text).unwrap();
        let message = format!("The session could not be started: {why}.");
        assert_eq!(told["human_message"], message, "{arguments}");
        assert_eq!(told["error_code"], "SESSION_INITIALIZATION_FAILED");
    }
}

#[test]
fn the_story_of_a_session_is_told_from_begin_to_report() {
    let place = Place::new();
    approved(&place, "all.md", "**");
    let mut gate = Gate::start(
        &place,
        &["--preset", "atlas-gate", "--role", "WINDSURF", "--dialect", "native"],
    );
    let file = json!({"path": "a.txt", "content": "one", "plan": "all.md", "intent": WHY});
    assert_eq!(gate.code("write_file", &file), "SESSION_NOT_INITIALIZED");
    for root in [json!("relative"), json!("/no/such/dir"), json!(7), json!("/etc"), Value::Null] {
        let (code, result) = gate.call("begin_session", &json!({"workspace_root": root}));
        assert_eq!(code, "SESSION_INITIALIZATION_FAILED", "{root}");
        let card = result["content"][0]["text"].as_str().unwrap();
        let fix = if root == "/etc" {
            "the one directory that this gate serves"
        } else {
            "Give the absolute path"
        };
        assert!(card.contains(fix), "{root}: {card}");
        let wrong = &result["_meta"]["dev.redress/fault"]["violations"][0]["pointer"];
        assert_eq!(wrong, "/workspace_root", "{root}");
        if root == "/etc" {
            let served = place.at("root").canonicalize().unwrap();
            let quoted = json!(served).to_string();
            assert!(card.contains(&quoted), "a hint that can be followed: {card}");
        }
    }
    assert_eq!(gate.begin(), "fine", "a failed beginning is no dead end");
    assert_eq!(gate.begin(), "fine", "the same root is the same session");
    assert_eq!(gate.code("write_file", &file), "fine");
    let way_out =
        "Fix: This locks the session: report it with submit_failure_report to write again. ";
    for locks in [true, false] {
        let (code, result) = gate.call("read_file", &escape());
        assert_eq!(code, "PATH_TRAVERSAL_BLOCKED");
        let card = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(card.contains(way_out), locks, "only the first one locks: {card}");
    }
    let status = gate.status();
    assert_eq!(status["status"], "SESSION_LOCKED", "{status}");
    assert_eq!(status["locked_by"]["code"], "PATH_TRAVERSAL_BLOCKED");
    let seq = status["locked_by"]["ledger_seq"].as_u64().unwrap();
    for (tool, arguments) in [
        ("write_file", json!({"path": "b.txt", "content": "two"})),
        ("remove", json!({"path": "a.txt"})),
        ("apply_patch", json!({"patch": ""})),
        ("move", json!({"from": "a.txt", "to": "docs/reports/a.txt"})),
        ("write_file", json!({"path": "docs/reports/../../b.txt", "content": "two"})),
    ] {
        let (code, result) = gate.call(tool, &arguments);
        assert_eq!(code, "SESSION_LOCKED", "{tool} {arguments} {result}");
        let message = result["_meta"]["dev.redress/fault"]["message"].as_str().unwrap();
        let way_out =
            format!("report record {seq} (PATH_TRAVERSAL_BLOCKED) with submit_failure_report");
        assert!(message.contains(&way_out), "{message}");
    }
    assert_eq!(gate.code("read_file", &json!({"path": "a.txt"})), "fine", "reading goes on");
    let report = |seq: u64| json!({"ledger_seq": seq, "report": "The path left the workspace; it was a typo."});
    assert_eq!(gate.code("submit_failure_report", &report(seq + 1)), "INVALID_INPUT_VALUE");
    assert_eq!(
        gate.code("submit_failure_report", &json!({"ledger_seq": seq, "report": "ok"})),
        "INVALID_INPUT_VALUE"
    );
    for (arguments, code) in [
        (json!({"report": "no number"}), "MISSING_REQUIRED_FIELD"),
        (json!({"ledger_seq": seq}), "MISSING_REQUIRED_FIELD"),
        (json!({"ledger_seq": seq.to_string(), "report": "x"}), "INVALID_INPUT_TYPE"),
        (json!({"ledger_seq": seq, "report": 7}), "INVALID_INPUT_TYPE"),
    ] {
        let (given, result) = gate.call("submit_failure_report", &arguments);
        assert_eq!(given, code, "{arguments}");
        let card = result["content"][0]["text"].as_str().unwrap();
        assert!(card.contains("only with other arguments ("), "{card}");
    }
    assert_eq!(gate.status()["status"], "SESSION_LOCKED");
    assert_eq!(gate.code("submit_failure_report", &report(seq)), "fine");
    let file = json!({"path": "b.txt", "content": "two", "plan": "all.md", "intent": WHY});
    assert_eq!(gate.code("write_file", &file), "fine");
    let (_, records) = gate.call("read_ledger", &json!({}));
    let records = records["structuredContent"]["records"].as_array().unwrap().clone();
    let kinds: Vec<_> = records.iter().map(|it| it["kind"].as_str().unwrap()).collect();
    assert!(kinds.contains(&"session") && kinds.contains(&"fault"), "{kinds:?}");
    let fault = records.iter().find(|it| it["seq"] == seq).unwrap();
    assert_eq!(fault["fault"]["code"], "PATH_TRAVERSAL_BLOCKED");
    assert_eq!(fault["fault"]["context"]["role"], "WINDSURF");
    assert_eq!(fault["fault"]["context"]["session_id"], status["session_id"]);
    gate.kill();
}

#[test]
fn a_call_that_succeeded_is_on_record_without_its_arguments() {
    let place = Place::new();
    let plan = approved(&place, "all.md", "**");
    let mut gate = Gate::start(&place, &["--preset", "atlas-gate", "--role", "WINDSURF"]);
    gate.begin();
    let file = json!({"path": "a.txt", "content": "a-word-that-nobody-records", "plan": "all.md", "intent": WHY});
    assert_eq!(gate.code("write_file", &file), "fine");
    assert_eq!(gate.code("read_file", &json!({"path": "gone.txt"})), "FILE_NOT_FOUND");
    // An answer does not wait for the record of a success, so that the record may come after it.
    let until = Instant::now() + Duration::from_secs(60);
    let (mut reads, mut calls) = (0, Vec::new());
    while calls.len() < 2 {
        assert!(Instant::now() < until, "{calls:?}");
        let answer = gate.call("read_ledger", &json!({"limit": 50})).1;
        reads += 1;
        calls.clone_from(answer["structuredContent"]["records"].as_array().unwrap());
        calls.retain(|it| it["kind"] == "call" && it["call"]["tool"] != "read_ledger");
    }
    let tools: Vec<_> = calls.iter().map(|it| it["call"]["tool"].as_str().unwrap()).collect();
    assert_eq!(tools, ["begin_session", "write_file"], "a failure is a fault: {calls:?}");
    let call = &calls[1]["call"];
    let hash = redress_govern::eval::sha256(&file.to_string());
    assert_eq!(call["arguments_sha256"], hash, "{call}");
    assert_eq!(call["plan_hash"], plan, "{call}");
    assert_eq!((&call["role"], &call["server"]), (&json!("WINDSURF"), &json!("workspace")));
    assert_eq!(call["session_id"], gate.status()["session_id"]);
    assert!(call["elapsed_ms"].is_u64(), "{call}");
    gate.end();
    let ledger = |args: &[&str]| {
        let ran = place.ran(&[&["ledger"], args].concat());
        (ran.exit, ran.out)
    };
    let (exit, said) = ledger(&["query", "ledger", "--kind", "call", "--tool", "write_file"]);
    assert_eq!((exit, said.lines().count()), (0, 1), "{said}");
    assert!(!said.contains("a-word-that-nobody-records"), "{said}");
    let (_, said) = ledger(&["tail", "ledger", "--kind", "call", "--format", "text"]);
    assert!(said.contains("call workspace/write_file by WINDSURF in "), "{said}");
    let counted = format!("{}  call", 3 + reads);
    assert!(ledger(&["stats", "ledger"]).1.contains(&counted), "calls are counted");
    assert_eq!(ledger(&["verify", "ledger"]).0, 0);
}

#[test]
fn a_report_that_is_written_as_a_file_unlocks() {
    let place = Place::new();
    let mut gate = Gate::start(&place, &["--governed"]);
    gate.begin();
    gate.code("read_file", &escape());
    let seq = gate.status()["locked_by"]["ledger_seq"].as_u64().unwrap();
    let write = |text: &str| json!({"path": "docs/reports/fail.md", "content": text});
    place.write("root/docs/reports/old.md", "old");
    for (tool, arguments) in [
        ("write_file", write("I say a lot, but I do not say which.")),
        ("write_file", write(&seq.to_string())),
        ("write_file", write(&format!("It was 2026-11-{seq} when it failed."))),
        (
            "write_file",
            json!({"path": format!("docs/reports/record {seq} of this session.md"), "content": ""}),
        ),
        ("remove", json!({"path": "docs/reports/old.md"})),
        (
            "move",
            json!({"from": "docs/reports/old.md", "to": format!("docs/reports/record {seq} is told.md")}),
        ),
        (
            "apply_patch",
            json!({"patch": format!("*** Begin Patch\n*** Delete File: docs/reports/old.md\n*** Add File: docs/reports/fail.md\n+Record {seq}: it was a typo.\n*** End Patch")}),
        ),
    ] {
        let (code, result) = gate.call(tool, &arguments);
        assert_eq!(code, "SESSION_LOCKED", "{tool} {arguments}");
        let card = result["content"][0]["text"].as_str().unwrap();
        assert!(
            card.contains(&format!("has to name record {seq} (PATH_TRAVERSAL_BLOCKED)")),
            "{card}"
        );
        assert!(
            card.contains(&format!("submit_failure_report {{\"ledger_seq\":{seq}}}")),
            "{card}"
        );
    }
    assert!(!place.at("root/docs/reports/fail.md").exists(), "nothing was written");
    let report = format!("Record {seq}: the path was a typo.");
    assert_eq!(gate.code("write_file", &write(&report)), "fine");
    assert_eq!(gate.status()["status"], "SESSION_INITIALIZED");
    // The answer does not wait for the disk; the next failure does, and comes behind it.
    assert_eq!(gate.code("read_file", &json!({"path": "gone.txt"})), "FILE_NOT_FOUND");
    let (_, records) = gate.call("read_ledger", &json!({}));
    let records = records["structuredContent"]["records"].as_array().unwrap().clone();
    let told = records.iter().find(|it| it["session"]["event"] == "reported").unwrap();
    assert_eq!(told["session"]["path"], "docs/reports/fail.md", "{told}");
    gate.kill();
}

#[test]
fn a_gate_that_starts_again_knows_its_sessions_and_locks() {
    let place = Place::new();
    let mut gate = Gate::start(&place, &["--governed"]);
    gate.begin();
    gate.code("read_file", &escape());
    let before = gate.status();
    gate.kill();
    let mut gate = Gate::start(&place, &["--governed"]);
    assert_eq!(gate.code("read_file", &json!({"path": "a.txt"})), "SESSION_NOT_INITIALIZED");
    assert_eq!(gate.begin(), "fine");
    let after = gate.status();
    assert_eq!(after, before, "the same session, and the same lock");
    let seq = &after["locked_by"]["ledger_seq"];
    let report = json!({"ledger_seq": seq, "report": "It was a typo, and is corrected now."});
    assert_eq!(gate.code("submit_failure_report", &report), "fine");
    // The answer does not wait for the disk; the next failure does, and comes behind it.
    assert_eq!(gate.code("read_file", &json!({"path": "gone.txt"})), "FILE_NOT_FOUND");
    gate.kill();
    let mut gate = Gate::start(&place, &["--governed"]);
    gate.begin();
    assert_eq!(gate.status()["status"], "SESSION_INITIALIZED", "a report is not forgotten either");
    gate.kill();
}

#[test]
fn of_gates_that_run_at_once_each_has_its_failure_reported() {
    let place = Place::new();
    let mut gates = [(); 2].map(|()| Gate::start(&place, &["--governed"]));
    for gate in &mut gates {
        gate.begin();
    }
    for gate in &mut gates {
        assert_eq!(gate.code("read_file", &escape()), "PATH_TRAVERSAL_BLOCKED");
    }
    for gate in gates {
        gate.kill();
    }
    for _ in 0..2 {
        let mut gate = Gate::start(&place, &["--governed"]);
        gate.begin();
        let seq = gate.status()["locked_by"]["ledger_seq"].clone();
        let report = json!({"ledger_seq": seq, "report": "It was a typo, and is corrected now."});
        assert_eq!(gate.code("submit_failure_report", &report), "fine", "one after the other");
        // The answer does not wait for the disk; the next failure does, and comes behind it.
        assert_eq!(gate.code("read_file", &json!({"path": "gone.txt"})), "FILE_NOT_FOUND");
        gate.kill();
    }
    let mut gate = Gate::start(&place, &["--governed"]);
    gate.begin();
    assert_eq!(gate.status()["status"], "SESSION_INITIALIZED");
    gate.kill();
}

#[test]
fn gates_at_once_share_a_session_with_its_locks_and_reports() {
    let place = Place::new();
    let [mut one, mut other] = [(); 2].map(|()| Gate::start(&place, &["--governed"]));
    one.begin();
    assert_eq!(one.code("read_file", &escape()), "PATH_TRAVERSAL_BLOCKED");
    other.begin();
    assert_eq!(
        other.status(),
        one.status(),
        "it began after the failure, though it started before"
    );
    let write = json!({"path": "a.txt", "content": "one"});
    assert_eq!(other.code("write_file", &write), "SESSION_LOCKED");
    let seq = one.status()["locked_by"]["ledger_seq"].clone();
    let report = json!({"ledger_seq": seq, "report": "It was a typo, and is corrected now."});
    assert_eq!(other.code("submit_failure_report", &report), "fine");
    assert_eq!(other.code("write_file", &write), "fine");
    // The answer does not wait for the disk; the next failure does, and comes behind it.
    assert_eq!(other.code("read_file", &json!({"path": "gone.txt"})), "FILE_NOT_FOUND");
    assert_eq!(one.code("write_file", &write), "fine");
    one.kill();
    other.kill();
}

#[test]
fn a_swapped_workspace_is_a_violation_with_its_invariant() {
    let place = Place::new();
    approved(&place, "all.md", "**");
    let mut gate = Gate::start(&place, &["--preset", "atlas-gate", "--role", "WINDSURF"]);
    gate.begin();
    let file = json!({"path": "a.txt", "content": "one", "plan": "all.md", "intent": WHY});
    assert_eq!(gate.code("write_file", &file), "fine");
    fs::rename(place.at("root"), place.at("old")).unwrap();
    fs::create_dir(place.at("root")).unwrap();
    let (code, result) = gate.call("write_file", &file);
    assert_eq!(code, "INVARIANT_VIOLATION");
    let envelope: Value =
        serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(envelope["invariant_id"], "INV_ROOT_UNCHANGED", "{envelope}");
    assert_eq!(envelope["role"], "WINDSURF");
    gate.kill();
}
