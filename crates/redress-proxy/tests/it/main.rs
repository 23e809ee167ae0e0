//! A session as a driver in another crate plays it: lines and moments go in, bytes and actions come out.
#![expect(clippy::expect_used, reason = "a test fails by it")]

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use redress_ledger::{Redactor, Time};
use redress_proxy::{
    moment::Moment,
    outgoing::Sender,
    server::Server,
    session::{Actions, ClientKind, Expected, Session, UpstreamKind},
    settings::Settings,
    tail::Tail,
};
use redress_registry::shipped;

const CALL: &[u8] = br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"read","arguments":{"path":"a.txt"}}}"#;
const FAILED: &str = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"ENOENT: no such file or directory, open 'a.txt'"}],"isError":true}}"#;

/// A driver whose clock is set by hand. It keeps what the session sends.
struct Driver {
    session: Session,
    actions: Actions,
    start: Instant,
    to_upstream: Vec<String>,
    to_client: Vec<String>,
}

impl Driver {
    fn new(seed: u64) -> Self {
        let start = Instant::now();
        let redactor = Arc::new(Redactor::default());
        let settings = Settings::new("files".to_owned(), Arc::clone(shipped::core()), redactor);
        let server = Arc::new(Server::new(settings, start).seeded(seed));
        let session = Session::new(server, ClientKind::Pipe, UpstreamKind::Pipe);
        let actions = Actions::new(Moment { at: start, wall: Time::from_millis(0) });
        Self { session, actions, start, to_upstream: Vec::new(), to_client: Vec::new() }
    }

    fn set_clock(&mut self, at: Instant) {
        let passed = at.saturating_duration_since(self.start).as_millis();
        let wall = Time::from_millis(u64::try_from(passed).unwrap_or_default());
        self.actions.now = Moment { at, wall };
    }

    /// Performs what the session wants done.
    fn perform(&mut self) {
        let text = |it: &[u8]| String::from_utf8_lossy(it).into_owned();
        self.to_upstream.extend(self.actions.to_upstream.messages().map(|it| text(it.1)));
        self.to_client.extend(self.actions.to_client.messages().map(|it| text(it.1)));
        self.actions.to_upstream.clear();
        self.actions.to_client.clear();
        for pending in self.actions.faults.drain(..) {
            let mut line = Vec::new();
            pending.render(None, &mut line);
            self.to_client.push(text(&line));
        }
    }

    /// The id under which the upstream got the call.
    fn id_of_call(&self) -> String {
        let call = self.to_upstream.iter().find(|it| it.contains("tools/call"));
        let id = call.and_then(|it| it.split_once("\"id\":")).expect("the call is sent").1;
        id.chars().take_while(char::is_ascii_digit).collect()
    }
}

/// Plays one failing call, and gives all that was sent.
fn play(seed: u64) -> (Vec<String>, Vec<String>) {
    let mut driver = Driver::new(seed);
    let expected = driver.session.client_line(CALL, Sender::default(), &mut driver.actions);
    assert_eq!(expected, Expected::Answer);
    driver.set_clock(driver.start + Duration::from_millis(5));
    driver.session.upstream_ready(Arc::new(Tail::default()), &mut driver.actions);
    driver.perform();
    let failed = FAILED.replace("ID", &driver.id_of_call());
    driver.session.upstream_line(failed.as_bytes(), &mut driver.actions);
    driver.perform();
    // The list of tools, which says more of the call, never comes.
    while driver.to_client.is_empty() {
        let due = driver.session.next_deadline().expect("each request has a deadline");
        driver.set_clock(due);
        driver.session.expire(&mut driver.actions);
        driver.perform();
    }
    assert!(driver.session.is_idle(), "the call is answered");
    (driver.to_upstream, driver.to_client)
}

#[test]
fn a_failing_call_is_answered_once_and_by_its_contract() {
    let (_, answers) = play(1);
    let [answer] = answers.as_slice() else { panic!("{answers:?}") };
    assert!(answer.starts_with(r#"{"jsonrpc":"2.0","id":7,"#), "{answer}");
    assert!(answer.contains("FILE_NOT_FOUND: "), "{answer}");
}

#[test]
fn the_same_seed_plays_the_same_bytes() {
    assert_eq!(play(7), play(7));
    assert_ne!(play(7).0, play(8).0, "ids follow from the seed");
}
