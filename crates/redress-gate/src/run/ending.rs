//! The end of a run: whoever waits is told, the server's process ends, nothing is left behind.

use std::{
    sync::{Arc, mpsc},
    thread,
    time::{Duration, Instant},
};

use rustix::process::Signal;
use tokio::runtime::Handle;

use super::Why;
use crate::{
    connection::{Connection, Event, Input, Pipe, Role, Upstream},
    session::Actions,
};

/// How often we look whether the client is still there, once it has closed its side.
pub(super) const GLANCE: Duration = Duration::from_millis(50);

/// How long the server may take to end once its input is closed. Hosts wait two seconds before they kill us.
const AFTER_CLOSE: Duration = Duration::from_millis(900);
/// The same when somebody wants us to end.
const AFTER_SIGNAL: Duration = Duration::from_millis(300);
/// How long it may take to end once it is asked to.
const AFTER_TERM: Duration = Duration::from_millis(500);
/// How long the system may take to end what is killed.
const AFTER_KILL: Duration = Duration::from_secs(2);
/// How long the client may take to read what it is told last, when it is not all that we wait for.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// How often we look whether all that is known is on record.
const PAUSE: Duration = Duration::from_millis(1);

/// Ends everything.
pub(super) fn end(connection: &Arc<Connection>, events: &mpsc::Receiver<Event>, why: Why) {
    connection.begin_to_end();
    let mut turn = Actions::new(connection.now());
    let mut core = connection.lock();
    match why {
        Why::Done | Why::Signal => core.session.close(&mut turn),
        Why::ClientGone => core.session.client_gone(&mut turn),
    }
    connection.apply(core, &mut turn, Role::Other);
    let patience = if why == Why::Done { AFTER_CLOSE } else { AFTER_SIGNAL };
    end_process(connection, events, patience);
    connection.lock().session.give_up_writes();
    connection.hear_no_more();
    let until = Instant::now() + LAST_WORDS;
    while !connection.has_told_all() && Instant::now() < until {
        thread::park_timeout(PAUSE);
    }
    connection.runtime.recorder.end();
    if let Some(pipe) = connection.client.pipe() {
        let patience =
            if why == Why::Done { connection.runtime.server.settings.deadline } else { LAST_WORDS };
        say_last_words(pipe, events, patience);
    }
}

/// Waits until the client has read what it was told last; not for ever, and not when somebody wants us to end.
fn say_last_words(pipe: &Pipe, events: &mpsc::Receiver<Event>, patience: Duration) {
    let mut until = Instant::now() + patience;
    pipe.outbox.call_courier();
    while !pipe.outbox.drain(GLANCE) && !pipe.is_gone() && Instant::now() < until {
        if events.try_iter().any(|it| it == Event::Signal) {
            until = until.min(Instant::now() + LAST_WORDS);
        }
    }
}

fn end_process(connection: &Connection, events: &mpsc::Receiver<Event>, patience: Duration) {
    let Some(upstream) = connection.lock().upstream.clone() else { return };
    let (input, process) = match &upstream {
        Upstream::Child { input, process } => (input, process),
        Upstream::Remote(remote) => {
            let farewell = tokio::time::timeout(patience, remote.close());
            // A server that does not listen is left.
            drop(Handle::current().block_on(farewell));
            return;
        }
    };
    if let Input::Outbox(outbox) = input {
        outbox.drain(GLANCE);
    }
    upstream.close();
    if has_ended(connection, events, patience) {
        return;
    }
    process.signal(Signal::TERM);
    if has_ended(connection, events, AFTER_TERM) {
        return;
    }
    process.signal(Signal::KILL);
    has_ended(connection, events, AFTER_KILL);
}

/// Whether the process ends within a time.
fn has_ended(connection: &Connection, events: &mpsc::Receiver<Event>, time: Duration) -> bool {
    let until = Instant::now() + time;
    loop {
        if connection.lock().upstream.is_none() {
            return true;
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || events.recv_timeout(left) == Err(mpsc::RecvTimeoutError::Timeout) {
            return connection.lock().upstream.is_none();
        }
    }
}
