//! `Driver`: starts the server of a connection, keeps its deadlines, and in the end leaves nothing behind. It is the same for a client
//! on a pipe and for clients over HTTP.

use std::{sync::Arc, time::Duration};

use redress_proxy::{
    memory::Account,
    session::{Actions, Session},
};
use rustix::process::Signal;
use tokio::{
    sync::mpsc::{self, UnboundedReceiver},
    time::{Instant, timeout, timeout_at},
};

use super::{
    ActingThread, ClientEnd, ClientPipe, Connection, DriverEvent, ServerRuntime, Upstream, child,
    remote::connect,
};

/// How often the driver looks whether a client on a pipe is still there, once it has closed its side.
const GLANCE: Duration = Duration::from_millis(50);

/// How long a server may take to end once its input is closed, and its client has all answers. Hosts wait two seconds before they kill.
const AFTER_LAST_ANSWER: Duration = Duration::from_millis(900);
/// The same when a signal ends a client on a pipe, or the client is gone.
const AFTER_SIGNAL: Duration = Duration::from_millis(300);
/// The same for a client over HTTP.
const AFTER_SESSION: Duration = Duration::from_millis(500);
/// How long a process may take to end after SIGTERM.
const AFTER_TERM: Duration = Duration::from_millis(500);
/// How long the system may take to end a process after SIGKILL.
const AFTER_KILL: Duration = Duration::from_secs(2);
/// How long the ledger may take with the last failures of a client over HTTP, and a server behind a URL with a farewell.
const LAST_RECORDS: Duration = Duration::from_secs(2);
/// The same for a client on a pipe, and how long that may take to read the last answers.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// How long a client on a pipe may be quiet before the driver looks whether a minute of calls is to be recorded.
const MINUTE: Duration = Duration::from_secs(60);

/// Why a connection ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reason {
    /// The client has closed its side, and has every answer.
    Done,
    /// The client is gone.
    ClientGone,
    /// A signal, or the end of an HTTP session.
    Signal,
}

/// Drives one connection from its start to its end.
pub(crate) struct Driver {
    connection: Arc<Connection>,
    events: UnboundedReceiver<DriverEvent>,
}

impl Driver {
    /// The driver of a new connection.
    pub(crate) fn new(
        runtime: Arc<ServerRuntime>,
        session: Session,
        client: ClientEnd,
        account: Account,
    ) -> Self {
        let (sender, events) = mpsc::unbounded_channel();
        // A send fails only when the connection has ended.
        let notify = Box::new(move |event| sender.send(event).unwrap_or_default());
        let connection = Connection::new(runtime, session, (client, account), notify);
        Self { connection: Arc::new(connection), events }
    }

    /// The connection.
    pub(crate) const fn connection(&self) -> &Arc<Connection> {
        &self.connection
    }

    /// Has the server started once the connection is driven, unless that went wrong too often of late. A server behind a URL is there at
    /// once, and gets what comes with the very first request.
    pub(crate) fn begin(&self) {
        let connection = &self.connection;
        connect(connection);
        let may_begin = connection.lock().session.may_begin(connection.now().at);
        if may_begin {
            connection.notify(DriverEvent::Start);
        }
    }

    /// Drives the connection until it is to end, then ends it.
    pub(crate) async fn drive(mut self) {
        let reason = self.watch().await;
        self.end(reason).await;
    }

    /// Starts and restarts the server, and keeps deadlines, until there is a reason to end.
    async fn watch(&mut self) -> Reason {
        let Self { connection, events } = self;
        let settings = &connection.runtime.server.settings;
        let (deadline, most) = (settings.deadline, settings.shortest_deadline().min(MINUTE));
        let mut actions = Actions::new(connection.now());
        let mut is_draining = false;
        loop {
            // A request that comes later has its deadline after the sleep, so that none needs to wake the driver.
            let now = connection.now();
            let next = connection.lock().session.next_deadline();
            let sleep = next.map_or(most, |it| it.saturating_duration_since(now.at).min(most));
            let sleep = if is_draining { sleep.min(GLANCE) } else { sleep };
            let mut recorded = None;
            match timeout(sleep, events.recv()).await {
                Ok(Some(DriverEvent::Recorded(id, is_recorded))) => {
                    recorded = Some((id, is_recorded));
                }
                Ok(Some(DriverEvent::Start)) => child::start(connection).await,
                Ok(Some(DriverEvent::ClientEnded)) => {
                    is_draining = true;
                    connection.drain();
                }
                Ok(Some(DriverEvent::ClientGone)) => return Reason::ClientGone,
                Ok(Some(DriverEvent::Signal) | None) => return Reason::Signal,
                Ok(Some(DriverEvent::Look | DriverEvent::Ended)) | Err(_) => (),
            }
            actions.now = connection.now();
            let mut state = connection.lock();
            if let Some((id, is_recorded)) = recorded {
                state.session.repeat_recorded(id, is_recorded, &mut actions);
            }
            state.expire(&mut actions);
            let is_idle =
                state.session.is_idle() && actions.faults.is_empty() && connection.has_told_all();
            if let Some(upstream) = &state.upstream {
                upstream.end_if_stuck(actions.now.at, deadline);
            }
            connection.apply(state, &mut actions, ActingThread::Other);
            if connection.client.pipe().is_some() {
                connection.runtime.recorder.tell_calls();
            }
            if is_draining && is_idle {
                return Reason::Done;
            }
            if is_draining && connection.client.pipe().is_some_and(ClientPipe::is_gone) {
                return Reason::ClientGone;
            }
        }
    }

    /// Answers the requests that wait, and ends the server.
    async fn end(&mut self, reason: Reason) {
        let connection = Arc::clone(&self.connection);
        connection.begin_to_end();
        connection.act(ActingThread::Other, |session, actions| match reason {
            Reason::Done | Reason::Signal => session.close(actions),
            Reason::ClientGone => session.client_gone(actions),
        });
        let pipe = match &connection.client {
            ClientEnd::Pipe(pipe) => pipe,
            ClientEnd::Http(replies) => {
                connection.drain();
                self.until(LAST_RECORDS, Connection::has_told_all).await;
                replies.close();
                self.end_upstream(AFTER_SESSION, LAST_RECORDS).await;
                connection.lock().session.give_up_writes();
                return;
            }
        };
        let after_close = if reason == Reason::Done { AFTER_LAST_ANSWER } else { AFTER_SIGNAL };
        self.end_upstream(after_close, after_close).await;
        connection.lock().session.give_up_writes();
        connection.hear_no_more();
        connection.drain();
        self.until(LAST_WORDS, Connection::has_told_all).await;
        connection.runtime.recorder.end();
        let deadline = connection.runtime.server.settings.deadline;
        let patience = if reason == Reason::Done { deadline } else { LAST_WORDS };
        self.write_last_answers(pipe, patience).await;
    }

    /// Waits until the client has read the last answers, but not for ever, and not long after a signal.
    async fn write_last_answers(&mut self, pipe: &ClientPipe, patience: Duration) {
        let mut until = Instant::now() + patience;
        drop(pipe.output.flush(false, std::time::Instant::now()));
        while !pipe.output.drain(GLANCE).await && !pipe.is_gone() && Instant::now() < until {
            while let Ok(event) = self.events.try_recv() {
                if event == DriverEvent::Signal {
                    until = until.min(Instant::now() + LAST_WORDS);
                }
            }
        }
    }

    async fn end_upstream(&mut self, after_close: Duration, farewell: Duration) {
        let has_ended = |it: &Connection| it.lock().upstream.is_none();
        let Some(upstream) = self.connection.lock().upstream.clone() else { return };
        let (input, process) = match &upstream {
            Upstream::Child { input, process, .. } => (input, process),
            Upstream::Remote(remote) => {
                // A server that does not answer is left.
                drop(timeout(farewell, remote.close()).await);
                self.connection.lock().upstream = None;
                return;
            }
        };
        input.drain(GLANCE).await;
        upstream.close();
        if self.until(after_close, has_ended).await {
            return;
        }
        process.signal(Signal::TERM);
        if self.until(AFTER_TERM, has_ended).await {
            return;
        }
        process.signal(Signal::KILL);
        self.until(AFTER_KILL, has_ended).await;
    }

    /// Whether something holds within a time; every event is a reason to look.
    async fn until(&mut self, time: Duration, holds: impl Fn(&Connection) -> bool) -> bool {
        let end = Instant::now() + time;
        while !holds(&self.connection) {
            match timeout_at(end, self.events.recv()).await {
                Ok(Some(_)) => (),
                Ok(None) | Err(_) => return holds(&self.connection),
            }
        }
        true
    }
}
