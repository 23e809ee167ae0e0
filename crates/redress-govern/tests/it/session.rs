//! A hard failure holds a session until somebody has looked at it.

use redress::fault::NextAction;
use redress_govern::session::{Event, Place, Rules, Session, Sessions, Wish};

const WRITE: Wish<'_> = Wish { tool: "write_file", reads: false, report: None };
const READ: Wish<'_> = Wish { tool: "read_file", reads: true, report: None };
const REPORT: Wish<'_> = Wish { report: Some("Record 412: the file was not there."), ..WRITE };

fn sessions(locks: &[&str]) -> Sessions {
    let mut sessions = Sessions::new(Rules::new(locks, "docs/reports").expect("patterns"));
    let (id, root) = ("s-1".to_owned(), "/w".to_owned());
    sessions.fold(Event::Begun { caller: "pipe", session: Session::new(id, root, None) });
    sessions
}

fn place(chain: &str, seq: u64) -> Place {
    Place { chain: chain.into(), seq }
}

fn failed<'e>(code: &'e str, chain: &str, seq: u64) -> Event<'e> {
    Event::Failed { id: "s-1", code, place: place(chain, seq) }
}

fn reported(chain: &str, seq: u64) -> Event<'static> {
    Event::Reported { id: "s-1", place: place(chain, seq) }
}

fn held_by(sessions: &Sessions) -> Option<Place> {
    sessions.of("pipe").and_then(|it| it.lock()).map(|it| it.place.clone())
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
    sessions.fold(failed("FILE_NOT_FOUND", "a", 412));
    let fault = sessions.judge("pipe", WRITE).expect_err("locked");
    assert_eq!(fault.code(), "SESSION_LOCKED");
    assert!(fault.details.as_ref().is_some_and(|it| it.as_str().contains("412")));
    assert_eq!(code(&sessions, "pipe", READ), None);
    assert_eq!(code(&sessions, "pipe", REPORT), None);
    assert!(fault.hint.contains("record 412 (FILE_NOT_FOUND)"), "{}", fault.hint);
    let next = NextAction::call("submit_failure_report", [("ledger_seq", 412_u64)]);
    assert_eq!(fault.next_actions, [next]);
}

#[test]
fn a_report_says_something_and_names_the_record_by_itself() {
    let mut sessions = sessions(&["*"]);
    sessions.fold(failed("TIMEOUT", "a", 412));
    let lock = sessions.of("pipe").and_then(|it| it.lock()).expect("locked");
    let said = "and it was the network that was slow";
    for named in ["412", "Record 412:", "#412.", "(412)", "seq=412,", "ledger-412", "412"] {
        assert!(lock.is_told(&format!("{named} {said}")), "{named}");
        assert!(lock.is_told(&format!("{said} {named}")), "{named}");
        assert!(!lock.is_told(named), "a number alone is no report: {named}");
    }
    for other in
        ["1412", "4120", "v412", "412ms", "0412", "4.412", "412.5", "412-11-16", "11:412", "4 12"]
    {
        assert!(!lock.is_told(&format!("{said} {other} {said}")), "{other}");
    }
    let fault = sessions.judge("pipe", Wish { report: Some("412"), ..WRITE }).expect_err("empty");
    assert_eq!(fault.code(), "SESSION_LOCKED");
    assert!(fault.hint.starts_with("Name record 412 (TIMEOUT) by its number"), "{}", fault.hint);
    assert!(sessions.may_report("pipe", 412, "too short").is_err());
}

#[test]
fn the_first_failure_holds_and_only_its_report_unlocks() {
    let mut sessions = sessions(&["*"]);
    sessions.fold(failed("TIMEOUT", "a", 7));
    sessions.fold(failed("FILE_NOT_FOUND", "a", 9));
    assert_eq!(held_by(&sessions), Some(place("a", 7)));
    assert!(sessions.may_report("pipe", 9, "It was slow, and is no more.").is_err());
    assert!(sessions.may_report("pipe", 7, "It was slow, and is no more.").is_ok());
    sessions.fold(reported("a", 9));
    assert_eq!(code(&sessions, "pipe", WRITE).as_deref(), Some("SESSION_LOCKED"));
    sessions.fold(reported("a", 7));
    assert_eq!(code(&sessions, "pipe", WRITE), None);
}

#[test]
fn a_report_of_one_process_opens_no_lock_of_another_with_the_same_number() {
    for [first, last] in [["a", "b"], ["b", "a"]] {
        let mut sessions = sessions(&["*"]);
        for chain in ["a", "b"] {
            sessions.fold(Event::Started { chain });
        }
        for chain in ["a", "b"] {
            sessions.fold(failed("TIMEOUT", chain, 4));
        }
        sessions.fold(Event::Started { chain: "c" });
        sessions.fold(reported(first, 4));
        assert_eq!(held_by(&sessions), Some(place(last, 4)));
        sessions.fold(failed("TIMEOUT", "c", 9));
        sessions.fold(reported(last, 4));
        assert_eq!(held_by(&sessions), None, "c knew of a lock, so that its failure is none");
    }
}

#[test]
fn a_process_that_begins_a_session_anew_opens_no_lock() {
    let mut sessions = sessions(&["*"]);
    sessions.fold(failed("TIMEOUT", "a", 4));
    let again = Session::new("s-2".to_owned(), "/w".to_owned(), None);
    sessions.fold(Event::Begun { caller: "pipe", session: again });
    assert_eq!(code(&sessions, "pipe", WRITE).as_deref(), Some("SESSION_LOCKED"));
    sessions.fold(reported("a", 4));
    assert_eq!(code(&sessions, "pipe", WRITE), None, "whichever of its ids a report names");
}

#[test]
fn the_policy_says_which_codes_lock_and_a_refusal_of_the_guard_never_does() {
    let mut sessions = sessions(&["POLICY_*", "SESSION_*"]);
    for code in ["FILE_NOT_FOUND", "SESSION_LOCKED", "SESSION_INITIALIZATION_FAILED"] {
        sessions.fold(failed(code, "a", 1));
    }
    assert_eq!(code(&sessions, "pipe", WRITE), None);
    sessions.fold(failed("POLICY_VIOLATION", "a", 2));
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
