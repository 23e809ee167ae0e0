//! A hard failure holds a session until somebody has looked at it.

use redress::{Fault, fault::NextAction};
use redress_govern::session::{
    GovernedSession, Lock, RecordRef, SessionEvent, SessionRules, Sessions, Wish,
};

const WRITE: Wish<'_> = Wish { tool: "write_file", reads: false, report: None };
const READ: Wish<'_> = Wish { tool: "read_file", reads: true, report: None };
const REPORT: Wish<'_> = Wish { report: Some("Record 412: the file was not there."), ..WRITE };

fn rules(locks: &[&str]) -> SessionRules {
    SessionRules::new(locks, "docs/reports").expect("patterns")
}

fn judge<'s>(
    sessions: &'s Sessions,
    caller: &str,
    wish: Wish<'_>,
) -> Result<&'s GovernedSession, Box<Fault>> {
    sessions.judge(&rules(&["*"]), caller, wish)
}

fn sessions() -> Sessions {
    let mut sessions = Sessions::default();
    let (id, root) = ("s-1".to_owned(), "/w".to_owned());
    sessions.fold(SessionEvent::Begun {
        caller: "pipe",
        session: GovernedSession::new(id, root, None),
    });
    sessions
}

fn place(chain: &str, seq: u64) -> RecordRef {
    RecordRef { chain: chain.into(), seq }
}

fn locked(code: &str, chain: &str, seq: u64) -> SessionEvent<'static> {
    SessionEvent::Locked {
        id: "s-1",
        lock: Lock { place: place(chain, seq), code: code.to_owned() },
    }
}

fn reported(chain: &str, seq: u64) -> SessionEvent<'static> {
    SessionEvent::Reported { id: "s-1", place: place(chain, seq) }
}

fn held_by(sessions: &Sessions) -> Option<RecordRef> {
    sessions.of("pipe").and_then(|it| it.lock()).map(|it| it.place.clone())
}

fn code(sessions: &Sessions, caller: &str, wish: Wish<'_>) -> Option<String> {
    judge(sessions, caller, wish).err().map(|it| it.code().to_owned())
}

#[test]
fn nothing_is_called_before_a_session_has_begun() {
    let sessions = sessions();
    assert_eq!(code(&sessions, "stranger", READ).as_deref(), Some("SESSION_NOT_INITIALIZED"));
    assert_eq!(code(&sessions, "pipe", WRITE), None);
}

#[test]
fn a_failure_locks_all_but_reading_and_its_report() {
    let mut sessions = sessions();
    sessions.fold(locked("FILE_NOT_FOUND", "a", 412));
    let fault = judge(&sessions, "pipe", WRITE).expect_err("locked");
    assert_eq!(fault.code(), "SESSION_LOCKED");
    assert!(fault.details.as_ref().is_some_and(|it| it.as_str().contains("412")));
    assert_eq!(code(&sessions, "pipe", READ), None);
    assert_eq!(code(&sessions, "pipe", REPORT), None);
    assert!(fault.message.contains("record 412 (FILE_NOT_FOUND)"), "{}", fault.message);
    assert!(fault.hint.contains("that names 412"), "{}", fault.hint);
    let next = NextAction::call("submit_failure_report", [("ledger_seq", 412_u64)]);
    assert_eq!(fault.next_actions, [next]);
}

#[test]
fn a_report_says_something_and_names_the_record_by_itself() {
    let mut sessions = sessions();
    sessions.fold(locked("TIMEOUT", "a", 412));
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
    let fault = judge(&sessions, "pipe", Wish { report: Some("412"), ..WRITE }).expect_err("empty");
    assert_eq!(fault.code(), "SESSION_LOCKED");
    assert!(fault.hint.contains("the number 412"), "{}", fault.hint);
    assert!(sessions.may_report("pipe", 412, "too short").is_err());
}

#[test]
fn the_first_failure_holds_and_only_its_report_unlocks() {
    let mut sessions = sessions();
    assert!(sessions.will_lock("s-1"));
    assert!(!sessions.will_lock("s-1"), "while it is being recorded, no other one locks");
    sessions.fold(locked("TIMEOUT", "a", 7));
    assert!(!sessions.will_lock("s-1"));
    assert_eq!(held_by(&sessions), Some(place("a", 7)));
    assert!(sessions.may_report("pipe", 9, "It was slow, and is no more.").is_err());
    assert!(sessions.may_report("pipe", 7, "It was slow, and is no more.").is_ok());
    sessions.fold(reported("a", 9));
    assert_eq!(code(&sessions, "pipe", WRITE).as_deref(), Some("SESSION_LOCKED"));
    sessions.fold(reported("a", 7));
    assert_eq!(code(&sessions, "pipe", WRITE), None);
    assert!(sessions.will_lock("s-1"));
    sessions.no_lock("s-1");
    assert!(sessions.will_lock("s-1"), "what could not be recorded holds nothing");
    assert!(!sessions.will_lock("s-unknown"));
}

#[test]
fn sessions_do_not_depend_on_the_order_of_events() {
    let begun = |id: &str| {
        let session = GovernedSession::new(id.to_owned(), "/w".to_owned(), None);
        SessionEvent::Begun { caller: "pipe", session }
    };
    // Two processes with the same numbers; one of the failures is not reported.
    let events = [
        begun("s-1"),
        begun("s-2"),
        locked("TIMEOUT", "a", 4),
        locked("TIMEOUT", "b", 4),
        locked("TIMEOUT", "a", 9),
        reported("a", 4),
        reported("a", 9),
    ];
    let mut order: Vec<usize> = (0..events.len()).collect();
    let mut count = 0;
    permute(&mut order, 0, &mut |order| {
        let mut sessions = Sessions::default();
        for at in order {
            sessions.fold(events[*at].clone());
        }
        assert_eq!(held_by(&sessions), Some(place("b", 4)), "{order:?}");
        sessions.fold(reported("b", 4));
        assert_eq!(held_by(&sessions), None, "{order:?}");
        count += 1;
    });
    assert_eq!(count, 5_040);
}

fn permute(order: &mut [usize], from: usize, each: &mut impl FnMut(&[usize])) {
    if from == order.len() {
        return each(order);
    }
    for at in from..order.len() {
        order.swap(from, at);
        permute(order, from + 1, each);
        order.swap(from, at);
    }
}

#[test]
fn the_policy_says_which_codes_lock_and_guard_refusals_never() {
    let rules = rules(&["POLICY_*", "SESSION_*"]);
    for code in ["FILE_NOT_FOUND", "SESSION_LOCKED", "SESSION_INITIALIZATION_FAILED"] {
        assert!(!rules.locks(code), "{code}");
    }
    assert!(rules.locks("POLICY_VIOLATION"));
}

#[test]
fn a_session_keeps_its_root() {
    let sessions = sessions();
    assert!(sessions.may_begin("pipe", "/w").expect("the same").is_some());
    assert!(sessions.may_begin("other", "/x").expect("a new one").is_none());
    let fault = sessions.may_begin("pipe", "/x").expect_err("another root");
    assert_eq!(fault.code(), "SESSION_INITIALIZATION_FAILED");
}
