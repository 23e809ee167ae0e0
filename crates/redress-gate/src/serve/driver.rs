//! The task that watches one link: it starts the server, keeps deadlines, and in the end leaves nothing behind.

use std::{sync::Arc, time::Duration};

use rustix::process::Signal;
use tokio::{
    sync::mpsc::{self, UnboundedReceiver},
    time::{Instant, timeout},
};

use super::{child, desk::Desk};
use crate::{
    caller::Caller,
    link::{Client, Event, Link, Plan, Role, Target, Upstream, connect},
    memory::MemoryBudget,
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

/// A link whose upstream is being started, unless that went wrong too often of late, and what its task waits for.
pub(super) fn open(
    plan: &Arc<Plan>,
    session: Session,
    (memory, caller): (&Arc<MemoryBudget>, Caller),
) -> (Arc<Link>, UnboundedReceiver<Event>) {
    let (sender, events) = mpsc::unbounded_channel();
    // Nobody listens any more only when the link has ended.
    let tell = Box::new(move |event| sender.send(event).unwrap_or_default());
    let client = Client::Http(Arc::new(Desk::new(Arc::clone(memory))));
    let ends = (client, memory.account(caller));
    let link = Arc::new(Link::new(Arc::clone(plan), session, ends, tell));
    // A server behind a URL is there at once, and hears what comes with the very first request.
    connect(&link);
    let may_begin = link.lock().session.may_begin(link.now().at);
    if may_begin {
        link.tell(Event::Start);
    }
    (link, events)
}

/// Starts the server, unless it runs by itself.
async fn start(link: &Arc<Link>) {
    match &link.plan.target {
        Target::Program(_) | Target::Inside(_) => child::start(link).await,
        Target::Url(_) => (),
    }
}

/// Watches a link until it is to end, then ends it.
pub(super) async fn drive(link: Arc<Link>, mut events: UnboundedReceiver<Event>) {
    watch(&link, &mut events).await;
    end(&link, &mut events).await;
}

async fn watch(link: &Arc<Link>, events: &mut UnboundedReceiver<Event>) {
    let deadline = link.plan.server.settings.deadline;
    let most = link.plan.server.settings.shortest_deadline();
    let mut turn = Actions::new(link.now());
    loop {
        // A request that comes after this has its deadline after the sleep, so that none needs to wake us.
        let now = link.now();
        let next = link.lock().session.next_deadline();
        let sleep = next.map_or(most, |it| it.saturating_duration_since(now.at).min(most));
        let mut recorded = None;
        match timeout(sleep, events.recv()).await {
            Ok(Some(Event::Recorded(id, is_recorded))) => recorded = Some((id, is_recorded)),
            Ok(Some(Event::Start)) => start(link).await,
            Ok(Some(Event::ClientEnded | Event::ClientGone | Event::Signal) | None) => return,
            Ok(Some(Event::Look | Event::Ended)) | Err(_) => (),
        }
        turn.now = link.now();
        let mut core = link.lock();
        if let Some((id, is_recorded)) = recorded {
            core.session.repeat_recorded(id, is_recorded, &mut turn);
        }
        core.expire(&mut turn);
        if let Some(upstream) = &core.upstream {
            upstream.end_if_stuck(turn.now.at, deadline);
        }
        link.settle(core, &mut turn, Role::Other);
    }
}

/// Whoever waits is told, the server's process ends.
async fn end(link: &Arc<Link>, events: &mut UnboundedReceiver<Event>) {
    link.begin_to_end();
    link.drain();
    link.turn(Role::Other, Session::close);
    until(link, events, LAST_RECORDS, Link::has_told_all).await;
    if let Some(desk) = link.client.desk() {
        desk.close();
    }
    end_process(link, events).await;
    link.lock().session.give_up_writes();
}

async fn end_process(link: &Arc<Link>, events: &mut UnboundedReceiver<Event>) {
    let has_ended = |link: &Link| link.lock().upstream.is_none();
    let Some(upstream) = link.lock().upstream.clone() else { return };
    let process = match &upstream {
        Upstream::Child { process, .. } => process,
        Upstream::Remote(remote) => {
            remote.close().await;
            link.lock().upstream = None;
            return;
        }
    };
    upstream.close();
    if until(link, events, AFTER_CLOSE, has_ended).await {
        return;
    }
    process.signal(Signal::TERM);
    if until(link, events, AFTER_TERM, has_ended).await {
        return;
    }
    process.signal(Signal::KILL);
    until(link, events, AFTER_KILL, has_ended).await;
}

/// Whether something holds within a time; every event is a reason to look.
async fn until(
    link: &Link,
    events: &mut UnboundedReceiver<Event>,
    time: Duration,
    holds: impl Fn(&Link) -> bool,
) -> bool {
    let end = Instant::now() + time;
    while !holds(link) {
        match tokio::time::timeout_at(end, events.recv()).await {
            Ok(Some(_)) => (),
            Ok(None) | Err(_) => return holds(link),
        }
    }
    true
}
