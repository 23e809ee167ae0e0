//! When the upstream is not asked at all: it is out of reach, or too much is asked.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use redress::ErrorStats;
use serde_json::{Value, json};

use super::{CALL, FAILED, Rig, TOOLS, code, fault, settings};
use crate::{
    breaker::{BreakerRule, Circuit},
    exposition::render,
    limits::{LimitRule, Rate},
    server::Server,
    session::{Actions, ClientKind, Exit, Session, UpstreamKind},
    settings::{Mode, Settings},
};

const SECOND: Duration = Duration::from_secs(1);
const FINE: &str = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}"#;

/// A session whose breaker opens after three failures.
fn breaking(mode: Mode) -> Rig {
    let breaker = BreakerRule { failures: 3, ..BreakerRule::default() };
    let mut rig = Rig::gated(Settings { breaker, ..settings(mode) });
    rig.ready();
    rig.client(r#"{"jsonrpc":"2.0","id":"t","method":"tools/list"}"#);
    rig.server(TOOLS);
    rig
}

fn phase(rig: &Rig) -> Circuit {
    rig.session.server.breakers.phase()
}

/// A call that is never answered.
fn silence(rig: &mut Rig) -> Vec<Value> {
    rig.client(CALL);
    rig.after(60 * SECOND)
}

fn crash(rig: &mut Rig) -> Vec<Value> {
    if rig.session.upstream.state == super::super::upstream::State::Down {
        rig.client(CALL);
        rig.ready();
    } else {
        rig.client(CALL);
    }
    let heard = rig.gone(&Exit { code: Some(1), ..Exit::default() });
    rig.after(SECOND);
    heard
}

#[test]
fn failures_of_tools_never_pause_a_server() {
    let mut rig = breaking(Mode::Enforce);
    for _ in 0..100 {
        rig.client(CALL);
        assert_eq!(code(&rig.server(FAILED)[0]), "FILE_NOT_FOUND");
        rig.client(CALL);
        rig.server(r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32603,"message":"503 Service Unavailable"}}"#);
        rig.client(CALL);
        rig.server(r#"{"jsonrpc":"2.0","id":ID,"result":{"content":7}}"#);
    }
    assert_eq!(phase(&rig), Circuit::Closed);
}

#[test]
fn a_server_that_crashes_is_paused_and_one_call_tries_it_again() {
    let mut rig = breaking(Mode::Enforce);
    for _ in 0..3 {
        assert_eq!(code(&crash(&mut rig)[0]), "UPSTREAM_CRASHED");
    }
    rig.actions.start = false;
    let heard = rig.client(CALL);
    assert_eq!(code(&heard[0]), "CIRCUIT_OPEN");
    let fault = fault(&heard[0]);
    assert_eq!((&fault["effect"], &fault["origin"]), (&json!("none"), &json!("gate")));
    assert_eq!(fault["retry"], json!({"kind": "after_delay", "after_ms": 4000, "max": 3}));
    assert!(!rig.actions.start, "nothing is started meanwhile");
    rig.after(4 * SECOND);
    assert!(rig.client(CALL).is_empty());
    assert_eq!(code(&rig.client(&CALL.replace(":7,", ":8,"))[0]), "CIRCUIT_OPEN", "one alone");
    rig.ready();
    assert_eq!(rig.server(FINE)[0]["id"], 7);
    assert_eq!(phase(&rig), Circuit::Closed);
    assert!(rig.client(CALL).is_empty());
}

#[test]
fn one_crash_counts_once_however_many_calls_it_hits() {
    let mut rig = breaking(Mode::Enforce);
    for id in 0..50 {
        rig.client(&CALL.replace(":7,", &format!(":{id},")));
    }
    assert_eq!(rig.gone(&Exit::default()).len(), 50);
    assert_eq!(phase(&rig), Circuit::Closed);
}

#[test]
fn a_deadline_counts_only_if_nothing_at_all_was_heard() {
    let mut rig = breaking(Mode::Enforce);
    let log = br#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#;
    for _ in 0..10 {
        rig.client(CALL);
        rig.after(30 * SECOND);
        rig.server_bytes(log);
        assert_eq!(code(&rig.after(30 * SECOND)[0]), "TIMEOUT");
    }
    assert_eq!(phase(&rig), Circuit::Closed, "a slow tool is no server that is away");
    let window = Duration::from_secs(600);
    let breaker = BreakerRule { failures: 3, window, ..BreakerRule::default() };
    let mut rig = Rig::gated(Settings { breaker, ..settings(Mode::Enforce) });
    rig.ready();
    for _ in 0..3 {
        assert_eq!(code(&silence(&mut rig)[0]), "TIMEOUT");
    }
    assert_eq!(code(&rig.client(CALL)[0]), "CIRCUIT_OPEN");
}

#[test]
fn a_process_that_hangs_is_replaced_for_the_trial() {
    let window = Duration::from_secs(600);
    let breaker = BreakerRule { failures: 2, window, ..BreakerRule::default() };
    let hung = || {
        let mut rig = Rig::gated(Settings { breaker, ..settings(Mode::Enforce) });
        rig.ready();
        (0..2).for_each(|_| assert_eq!(code(&silence(&mut rig)[0]), "TIMEOUT"));
        assert_eq!(code(&rig.client(CALL)[0]), "CIRCUIT_OPEN");
        assert!(!rig.actions.replace, "it may come to itself in the pause");
        rig
    };
    let mut rig = hung();
    rig.after(5 * SECOND);
    assert!(rig.client(CALL).is_empty());
    assert!(rig.actions.replace && rig.actions.start);
    let recorded = rig.recorded.last().unwrap();
    assert_eq!(recorded["code"], "UPSTREAM_UNAVAILABLE", "it did not crash: {recorded}");
    assert_eq!(recorded["details"]["upstream"]["replaced"], true, "{recorded}");
    rig.ready();
    assert_eq!(rig.server(FINE)[0]["id"], 7, "the trial reaches the new one");
    let mut rig = hung();
    rig.server_bytes(br#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#);
    rig.after(5 * SECOND);
    assert!(rig.client(CALL).is_empty());
    assert!(!rig.actions.replace, "it has come to itself");
}

#[test]
fn what_one_session_does_to_its_process_pauses_no_other() {
    let breaker = BreakerRule { failures: 3, ..BreakerRule::default() };
    let server =
        Arc::new(Server::new(Settings { breaker, ..settings(Mode::Enforce) }, Instant::now()));
    let session = || Session::new(Arc::clone(&server), ClientKind::Http, UpstreamKind::Pipe);
    let (one, other) = (session(), session());
    (0..3).for_each(|_| one.admission.unreachable(Instant::now()));
    assert_eq!(server.breakers.phase(), Circuit::Open, "whoever looks on sees it");
    assert!(one.admission.ask(Instant::now()).is_err());
    assert!(other.admission.ask(Instant::now()).is_ok());
    drop(one);
    assert_eq!(server.breakers.phase(), Circuit::Closed);
}

#[test]
fn a_parked_server_stays_parked() {
    let mut rig = breaking(Mode::Enforce);
    for _ in 0..5 {
        crash(&mut rig);
        rig.after(10 * SECOND);
    }
    assert_eq!(code(&rig.client(CALL)[0]), "UPSTREAM_PARKED");
    assert_eq!(fault(&rig.client(CALL)[0])["details"]["crashes"], 5);
}

#[test]
fn a_server_that_cannot_start_is_parked_for_every_session() {
    let mut rig = Rig::down(Mode::Enforce);
    for _ in 0..5 {
        rig.client(CALL);
        rig.ready();
        rig.gone(&Exit { code: Some(1), ..Exit::default() });
        rig.after(10 * SECOND);
    }
    let another = |rig: &Rig| {
        let server = Arc::clone(&rig.session.server);
        let session = Session::new(server, ClientKind::Http, UpstreamKind::Pipe);
        Rig::of(session, Actions::new(rig.actions.now))
    };
    let mut other = another(&rig);
    assert!(!other.session.may_begin(rig.actions.now.at), "it is not even tried");
    let told = other.client(CALL);
    assert_eq!(code(&told[0]), "UPSTREAM_PARKED");
    assert_eq!(fault(&told[0])["details"]["crashes"], 5);
    rig.after(300 * SECOND);
    rig.client(CALL);
    rig.ready();
    rig.server(FINE);
    assert!(another(&rig).session.may_begin(rig.actions.now.at), "one that speaks opens the door");
}

#[test]
fn who_only_observes_does_not_stand_in_the_way() {
    let mut rig = breaking(Mode::Observe);
    for _ in 0..3 {
        crash(&mut rig);
    }
    assert_eq!(phase(&rig), Circuit::Open);
    assert!(rig.client(CALL).is_empty());
}

#[test]
fn an_idle_exit_and_a_missing_command_do_not_count() {
    let mut rig = breaking(Mode::Enforce);
    for _ in 0..4 {
        rig.gone(&Exit::default());
        rig.after(SECOND);
        rig.client(CALL);
        rig.failed(std::io::ErrorKind::NotFound);
    }
    assert_eq!(phase(&rig), Circuit::Closed);
}

#[test]
fn too_many_calls_at_once_are_refused_and_a_ping_is_not() {
    let limits = LimitRule { in_flight: 100, in_flight_per_session: 4, rate: None };
    let mut rig = Rig::gated(Settings { limits, ..settings(Mode::Enforce) });
    rig.ready();
    for id in 0..4 {
        assert!(rig.client(&CALL.replace(":7,", &format!(":{id},"))).is_empty());
    }
    let heard = rig.client(CALL);
    assert_eq!((code(&heard[0]), &fault(&heard[0])["details"]["limit"]), ("OVERLOADED", &json!(4)));
    assert_eq!(fault(&heard[0])["retry"]["kind"], "after_delay");
    assert!(rig.client(r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#).is_empty());
    rig.server(FINE);
    assert_eq!(code(&rig.client(CALL)[0]), "OVERLOADED", "the ping was none of the four");
    rig.client(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#);
    assert!(rig.client(CALL).is_empty(), "there is room again");
}

#[test]
fn every_way_a_call_can_end_makes_room() {
    let limits = LimitRule { in_flight: 100, in_flight_per_session: 4, rate: None };
    let mut rig = Rig::gated(Settings { limits, ..settings(Mode::Enforce) });
    rig.ready();
    rig.client(CALL);
    rig.server(FINE);
    rig.client(CALL);
    rig.server(FAILED);
    rig.server_bytes(br#"{"jsonrpc":"2.0","method":"x"}"#);
    rig.after(2 * SECOND);
    rig.client(CALL);
    rig.client(CALL);
    rig.after(60 * SECOND);
    rig.client(CALL);
    rig.gone(&Exit::default());
    assert_eq!(rig.session.server.limits.in_flight(), 0);
    rig.client(CALL);
    rig.session.close(&mut rig.actions);
    rig.heard();
    assert_eq!(rig.session.server.limits.in_flight(), 0);
}

#[test]
fn a_rate_is_kept_and_says_how_long_to_wait() {
    let rate = Some(Rate { calls: 2, per: SECOND });
    let limits = LimitRule { rate, ..LimitRule::default() };
    let mut rig = Rig::gated(Settings { limits, ..settings(Mode::Enforce) });
    rig.ready();
    for id in 0..2 {
        assert!(rig.client(&CALL.replace(":7,", &format!(":{id},"))).is_empty());
    }
    let heard = rig.client(CALL);
    let fault = fault(&heard[0]);
    assert_eq!((code(&heard[0]), &fault["retry"]["after_ms"]), ("RATE_LIMITED", &json!(500)));
    assert_eq!(fault["details"]["retry_after_ms"], 500);
    rig.after(SECOND / 2);
    assert!(rig.client(CALL).is_empty());
}

#[test]
fn the_page_tells_what_became_of_every_call() {
    let mut rig = Rig::knowing(Mode::Enforce);
    rig.client(CALL);
    rig.server(FINE);
    rig.client(CALL);
    rig.server(FAILED);
    rig.client(CALL);
    rig.client(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#);
    rig.client(&CALL.replace("\"read\"", "\"a tool that nobody knows\""));
    rig.server(r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"{\"ok\":false,\"error\":\"ETIMEDOUT\"}"}]}}"#);
    rig.client("{");
    rig.client(CALL);
    rig.session.admit_calls(false);
    rig.client(&CALL.replace(":7,", ":8,"));
    let page = render(&[Arc::clone(&rig.session.server)]);
    for line in [
        r#"redress_calls_total{server="files",outcome="ok"} 2"#,
        r#"redress_calls_total{server="files",outcome="fault"} 2"#,
        r#"redress_calls_total{server="files",outcome="cancelled"} 1"#,
        r#"redress_calls_total{server="files",outcome="refused"} 2"#,
        r#"redress_faults_total{server="files",code="FILE_NOT_FOUND",class="not_found",origin="tool"} 1"#,
        r#"redress_faults_total{server="files",code="PARSE_FAILED",class="invalid_argument",origin="gate"} 1"#,
        r#"redress_refused_total{server="files",code="AUDIT_LOG_FAILED"} 1"#,
        r#"redress_refused_total{server="files",code="PARSE_FAILED"} 1"#,
        r#"redress_silent_failures_total{server="files"} 1"#,
        r#"redress_in_flight{server="files"} 1"#,
        r#"redress_call_duration_seconds_count{server="files"} 7"#,
    ] {
        assert!(page.lines().any(|it| it == line), "{line}\n{page}");
    }
    assert!(!page.contains("nobody knows"), "a name from outside became a label");
}

#[test]
fn error_stats_are_answered_by_the_gate_only_if_it_was_told_to() {
    let ask = r#"{"jsonrpc":"2.0","id":"s","method":"sys/errorStats"}"#;
    let mut rig = Rig::up();
    assert!(rig.client(ask).is_empty());
    assert_eq!(rig.sent.len(), 1, "it is the server's to answer");
    let error_stats = Some(ErrorStats { sample: None });
    let mut rig = Rig::gated(Settings { error_stats, ..settings(Mode::Enforce) });
    rig.ready();
    rig.client("{");
    let heard = rig.client(ask);
    assert!(rig.sent.is_empty());
    assert_eq!((&heard[0]["id"], &heard[0]["result"]["total"]), (&json!("s"), &json!(1)));
    assert_eq!(heard[0]["result"]["byCode"], json!({"-32700": 1}));
}

#[test]
fn a_fault_names_no_tool_that_the_server_does_not_have() {
    let stale = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"x"}],"structuredContent":{"v":1,"code":"PLAN_NOT_FOUND","message":"m"},"isError":true}}"#;
    let next = |tools: &str| {
        let mut rig = Rig::up();
        rig.client(r#"{"jsonrpc":"2.0","id":"t","method":"tools/list"}"#);
        rig.server(tools);
        rig.client(CALL);
        let mut heard = rig.server(stale);
        heard.extend(rig.after(2 * SECOND));
        fault(&heard[0]).get("next_actions").cloned()
    };
    let step = Some(json!([{"tool": "list_plans"}]));
    assert_eq!(
        next(
            r#"{"jsonrpc":"2.0","id":ID,"result":{"tools":[{"name":"read"},{"name":"list_plans"}]}}"#
        ),
        step
    );
    let unlisted = r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"no lists"}}"#;
    assert_eq!(next(unlisted), None, "it is a tool of the gate, which does not govern here");
    assert_eq!(next(TOOLS), None);
}
