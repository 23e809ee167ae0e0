//! A hard failure holds a session until somebody has looked at it.

use redress_govern::session::{Event, Lock, Rules, Session, Sessions, Wish};

const WRITE: Wish<'_> = Wish { tool: "write_file", reads: false, writes: Some("src/a.rs") };
const READ: Wish<'_> = Wish { tool: "read_file", reads: true, writes: None };
const REPORT: Wish<'_> =
    Wish { tool: "write_file", reads: false, writes: Some("docs/reports/412.md") };

fn sessions(locks: &[&str]) -> Sessions {
    let mut sessions = Sessions::new(Rules::new(locks, "docs/reports").expect("patterns"));
    let (id, root) = ("s-1".to_owned(), "/w".to_owned());
    let session = Session { id, root, role: None, lock: None };
    sessions.fold(Event::Begun { caller: "pipe", session });
    sessions
}

fn code(sessions: &Sessions, caller: &str, wish: Wish<'_>) -> Option<String> {
    sessions.judge(caller, wish).err().map(|it| it.code().to_owned())
}

#[test]
fn nothing_is_called_before_a_session_has_begun() {
    let sessions = sessions(&["*"]);
    assert_eq!(code(&sessions, "stranger", READ).as_deref(), Some("SESSION_NOT_INITIALIZED"));
    assert_eq!(code(&sessions, "pipe", WRITE), None);
}

#[test]
fn a_failure_locks_all_but_reading_and_its_report() {
    let mut sessions = sessions(&["*"]);
    sessions.fold(Event::Failed { id: "s-1", code: "FILE_NOT_FOUND", seq: 412 });
    let fault = sessions.judge("pipe", WRITE).expect_err("locked");
    assert_eq!(fault.code(), "SESSION_LOCKED");
    assert!(fault.details.as_ref().is_some_and(|it| it.as_str().contains("412")));
    assert_eq!(code(&sessions, "pipe", READ), None);
    assert_eq!(code(&sessions, "pipe", REPORT), None);
    let beside = Wish { writes: Some("docs/reports/../../src/a.rs"), ..WRITE };
    assert_eq!(code(&sessions, "pipe", beside).as_deref(), Some("SESSION_LOCKED"));
}

#[test]
fn the_first_failure_holds_and_only_its_report_unlocks() {
    let mut sessions = sessions(&["*"]);
    sessions.fold(Event::Failed { id: "s-1", code: "TIMEOUT", seq: 7 });
    sessions.fold(Event::Failed { id: "s-1", code: "FILE_NOT_FOUND", seq: 9 });
    let lock = Lock { seq: 7, code: "TIMEOUT".to_owned() };
    assert_eq!(sessions.of("pipe").and_then(|it| it.lock.clone()), Some(lock));
    assert!(sessions.may_report("pipe", 9).is_err());
    assert!(sessions.may_report("pipe", 7).is_ok());
    assert_eq!(sessions.named_in("pipe", "about record 70 and 77"), None);
    assert_eq!(sessions.named_in("pipe", "Failure #7: it was slow"), Some(7));
    sessions.fold(Event::Reported { id: "s-1", seq: 9 });
    assert_eq!(code(&sessions, "pipe", WRITE).as_deref(), Some("SESSION_LOCKED"));
    sessions.fold(Event::Reported { id: "s-1", seq: 7 });
    assert_eq!(code(&sessions, "pipe", WRITE), None);
}

#[test]
fn the_policy_says_which_codes_lock_and_a_refusal_of_the_guard_never_does() {
    let mut sessions = sessions(&["POLICY_*", "SESSION_*"]);
    for code in ["FILE_NOT_FOUND", "SESSION_LOCKED", "SESSION_INITIALIZATION_FAILED"] {
        sessions.fold(Event::Failed { id: "s-1", code, seq: 1 });
    }
    assert_eq!(code(&sessions, "pipe", WRITE), None);
    sessions.fold(Event::Failed { id: "s-1", code: "POLICY_VIOLATION", seq: 2 });
    assert_eq!(code(&sessions, "pipe", WRITE).as_deref(), Some("SESSION_LOCKED"));
}

#[test]
fn a_session_keeps_its_root() {
    let sessions = sessions(&["*"]);
    assert!(sessions.may_begin("pipe", "/w").expect("the same").is_some());
    assert!(sessions.may_begin("other", "/x").expect("a new one").is_none());
    let fault = sessions.may_begin("pipe", "/x").expect_err("another root");
    assert_eq!(fault.code(), "SESSION_INITIALIZATION_FAILED");
}
