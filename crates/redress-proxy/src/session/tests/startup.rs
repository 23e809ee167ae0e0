//! Servers that cannot be begun with: what is told, and to whom.

use std::time::Duration;

use super::{CALL, OPEN, Rig, fault};
use crate::session::Exit;

#[test]
fn a_program_that_is_no_server_is_told_from_one_that_crashed() {
    let begun = |said: &str, log: &str, code| {
        let mut rig = Rig::up();
        rig.client(OPEN);
        if !said.is_empty() {
            rig.server(said);
        }
        rig.stderr.add(log.as_bytes());
        let heard = rig.gone(&Exit { code: Some(code), ..Exit::default() });
        fault(&heard[0]).clone()
    };
    let fault = begun("workstation-7", "", 0);
    assert_eq!(
        (&fault["code"], &fault["server_text"]),
        (&"UPSTREAM_CRASHED".into(), &"workstation-7".into())
    );
    assert_eq!(fault["retry"]["kind"], "after_human");
    let log = "npm error code E404\nnpm error 404  'nope@*' is not in this registry.\n\
        npm error A complete log of this run can be found in: /root/.npm/_logs/x.log\n";
    let fault = begun("", log, 1);
    assert_eq!(fault["server_text"], "npm error 404 'nope@*' is not in this registry.");
    assert_eq!(fault["retry"]["kind"], "after_human");
    assert!(fault["hint"].as_str().unwrap().starts_with("Check the command"), "{fault}");
    let fault = begun("", "connection reset, will exit\n", 1);
    assert_eq!(fault["retry"]["kind"], "after_delay");
}

#[test]
fn a_call_beside_an_opening_that_failed_is_told_the_same() {
    let mut rig = Rig::up();
    rig.client(OPEN);
    rig.client(CALL);
    rig.stderr.add(b"Error: Cannot find module '/w/nosuch.js'\n");
    for heard in rig.gone(&Exit { code: Some(1), ..Exit::default() }) {
        let fault = fault(&heard);
        assert_eq!(fault["code"], "UPSTREAM_CRASHED");
        assert_eq!(
            (&fault["retry"]["kind"], &fault["effect"]),
            (&"after_human".into(), &"none".into())
        );
    }
    rig.client(CALL);
    rig.after(Duration::from_secs(5));
    rig.ready();
    let heard = rig.gone(&Exit { code: Some(1), ..Exit::default() });
    assert_eq!(
        fault(&heard[0])["effect"],
        "none",
        "a session that was never opened has done nothing"
    );
}

#[test]
fn what_a_server_says_at_every_start_is_no_reason_why_it_ended() {
    let mut rig = Rig::up();
    let parked = (0..99).find_map(|_| {
        rig.stderr.add(b"Starting default (STDIO) server...\n");
        rig.client(CALL);
        rig.gone(&Exit { signal: Some("SIGKILL".into()), ..Exit::default() });
        let refused = rig.client(CALL).pop();
        rig.after(Duration::from_secs(10));
        rig.ready();
        refused
    });
    let parked = parked.expect("a server that always ends is parked");
    assert_eq!(fault(&parked)["code"], "UPSTREAM_PARKED");
    assert_eq!(fault(&parked).get("server_text"), None, "{parked}");
    let tail = &fault(&parked)["details"]["upstream"]["stderr_tail"];
    assert_eq!(tail, "Starting default (STDIO) server...");
}

#[test]
fn a_server_that_was_slow_to_open_may_be_slow_again() {
    let mut rig = Rig::up();
    rig.client(OPEN);
    rig.after(Duration::from_secs(12));
    rig.server(r#"{"id":ID,"result":{"capabilities":{}}}"#);
    rig.gone(&Exit { code: Some(1), ..Exit::default() });
    rig.client(CALL);
    rig.ready();
    rig.after(Duration::from_secs(35));
    assert!(!rig.actions.kill);
    rig.after(Duration::from_secs(1));
    assert!(rig.actions.kill);
}
