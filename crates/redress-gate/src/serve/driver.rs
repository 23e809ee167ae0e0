//! The task that watches one connection: it starts the server, keeps deadlines, and in the end leaves nothing behind.

use std::{sync::Arc, time::Duration};

use rustix::process::Signal;
use tokio::{
    sync::mpsc::{self, UnboundedReceiver},
    time::{Instant, timeout},
};

use super::child;
use crate::{
    caller::Caller,
    connection::{Client, Connection, Event, Role, ServerRuntime, Target, Upstream, connect},
    memory::MemoryBudget,
    replies::ReplyRouter,
    session::{Actions, Session},
};

/// How long a server may take to end once its input is closed.
const AFTER_CLOSE: Duration = Duration::from_millis(500);
/// How long it may take to end once it is asked to.
const AFTER_TERM: Duration = Duration::from_millis(500);
/// How long the system may take to end what is killed.
const AFTER_KILL: Duration = Duration::from_secs(2);
/// How long the ledger may take with what is told last.
const LAST_RECORDS: Duration = Duration::from_secs(2);

/// A connection whose upstream is being started, unless that went wrong too often of late, and what its task waits for.
pub(super) fn open(
    runtime: &Arc<ServerRuntime>,
    session: Session,
    (memory, caller): (&Arc<MemoryBudget>, Caller),
) -> (Arc<Connection>, UnboundedReceiver<Event>) {
    let (sender, events) = mpsc::unbounded_channel();
    // Nobody listens any more only when the connection has ended.
    let tell = Box::new(move |event| sender.send(event).unwrap_or_default());
    let client = Client::Http(Arc::new(ReplyRouter::new(Arc::clone(memory))));
    let ends = (client, memory.account(caller));
    let connection = Arc::new(Connection::new(Arc::clone(runtime), session, ends, tell));
    // A server behind a URL is there at once, and hears what comes with the very first request.
    connect(&connection);
    let may_begin = connection.lock().session.may_begin(connection.now().at);
    if may_begin {
        connection.tell(Event::Start);
    }
    (connection, events)
}

/// Starts the server, unless it runs by itself.
async fn start(connection: &Arc<Connection>) {
    match &connection.runtime.target {
        Target::Program(_) | Target::Inside(_) => child::start(connection).await,
        Target::Url(_) => (),
    }
}

/// Watches a connection until it is to end, then ends it.
pub(super) async fn drive(connection: Arc<Connection>, mut events: UnboundedReceiver<Event>) {
    watch(&connection, &mut events).await;
    end(&connection, &mut events).await;
}

async fn watch(connection: &Arc<Connection>, events: &mut UnboundedReceiver<Event>) {
    let deadline = connection.runtime.server.settings.deadline;
    let most = connection.runtime.server.settings.shortest_deadline();
    let mut turn = Actions::new(connection.now());
    loop {
        // A request that comes after this has its deadline after the sleep, so that none needs to wake us.
        let now = connection.now();
        let next = connection.lock().session.next_deadline();
        let sleep = next.map_or(most, |it| it.saturating_duration_since(now.at).min(most));
        let mut recorded = None;
        match timeout(sleep, events.recv()).await {
            Ok(Some(Event::Recorded(id, is_recorded))) => recorded = Some((id, is_recorded)),
            Ok(Some(Event::Start)) => start(connection).await,
            Ok(Some(Event::ClientEnded | Event::ClientGone | Event::Signal) | None) => return,
            Ok(Some(Event::Look | Event::Ended)) | Err(_) => (),
        }
        turn.now = connection.now();
        let mut core = connection.lock();
        if let Some((id, is_recorded)) = recorded {
            core.session.repeat_recorded(id, is_recorded, &mut turn);
        }
        core.expire(&mut turn);
        if let Some(upstream) = &core.upstream {
            upstream.end_if_stuck(turn.now.at, deadline);
        }
        connection.apply(core, &mut turn, Role::Other);
    }
}

/// Whoever waits is told, the server's process ends.
async fn end(connection: &Arc<Connection>, events: &mut UnboundedReceiver<Event>) {
    connection.begin_to_end();
    connection.drain();
    connection.turn(Role::Other, Session::close);
    until(connection, events, LAST_RECORDS, Connection::has_told_all).await;
    if let Some(replies) = connection.client.replies() {
        replies.close();
    }
    end_process(connection, events).await;
    connection.lock().session.give_up_writes();
}

async fn end_process(connection: &Arc<Connection>, events: &mut UnboundedReceiver<Event>) {
    let has_ended = |connection: &Connection| connection.lock().upstream.is_none();
    let Some(upstream) = connection.lock().upstream.clone() else { return };
    let process = match &upstream {
        Upstream::Child { process, .. } => process,
        Upstream::Remote(remote) => {
            remote.close().await;
            connection.lock().upstream = None;
            return;
        }
    };
    upstream.close();
    if until(connection, events, AFTER_CLOSE, has_ended).await {
        return;
    }
    process.signal(Signal::TERM);
    if until(connection, events, AFTER_TERM, has_ended).await {
        return;
    }
    process.signal(Signal::KILL);
    until(connection, events, AFTER_KILL, has_ended).await;
}

/// Whether something holds within a time; every event is a reason to look.
async fn until(
    connection: &Connection,
    events: &mut UnboundedReceiver<Event>,
    time: Duration,
    holds: impl Fn(&Connection) -> bool,
) -> bool {
    let end = Instant::now() + time;
    while !holds(connection) {
        match tokio::time::timeout_at(end, events.recv()).await {
            Ok(Some(_)) => (),
            Ok(None) | Err(_) => return holds(connection),
        }
    }
    true
}
