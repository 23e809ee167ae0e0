//! `SessionManager`: one server and the sessions that clients have opened with it.

use std::{
    collections::BTreeMap,
    fmt::{self, Write as _},
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use indexmap::IndexMap;
use redress_proxy::{
    caller::Caller,
    memory::MemoryBudget,
    session::{ClientKind, Session, UpstreamKind},
    slots::{is_free, short},
};
use rustc_hash::FxBuildHasher;
use tokio::task::JoinSet;

use super::{Served, access::Principal, handle::Common};
use crate::{
    connection::{
        ActingThread, ClientEnd, Connection, Driver, DriverEvent, FailureRecorder, ServerRuntime,
    },
    replies::{ReplyRouter, Stream},
};

/// How sessions of one server are kept apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharing {
    /// Each has an upstream of its own.
    PerSession,
    /// All have one.
    Shared,
}

/// One server and its sessions.
pub(super) struct SessionManager {
    pub(super) runtime: Arc<ServerRuntime>,
    pub(super) memory: Arc<MemoryBudget>,
    pub(super) most_sessions: usize,
    sharing: Sharing,
    idle: Duration,
    first_call: Duration,
    state: Mutex<State>,
    next_client: AtomicU64,
    /// Its sessions take no further request.
    is_withdrawn: AtomicBool,
}

#[derive(Default)]
struct State {
    sessions: IndexMap<Box<str>, Arc<HttpSession>, FxBuildHasher>,
    /// The connection of all requests that belong to no session.
    common: Option<Arc<Connection>>,
    /// The connection of all sessions, if they share one that is not the common one.
    shared: Option<Arc<Connection>>,
    /// The tasks of all connections.
    tasks: JoinSet<()>,
    is_closed: bool,
}

/// A session that a client has opened.
pub(super) struct HttpSession {
    pub(super) connection: Arc<Connection>,
    pub(super) client: u64,
    /// The sender that opened it. Another one cannot use it.
    owner: Principal,
    /// Whether its client knows streams to which it can come back: by the revision that was agreed on, once it is known.
    pub(super) is_primed: OnceLock<bool>,
    sharing: Sharing,
    used: Mutex<Instant>,
    /// The account that its limits count for.
    caller: Caller,
    opened: Instant,
    /// Whether its client has sent a message in it.
    pub(super) is_called: AtomicBool,
}

/// How connections are made, and where they reserve bytes.
type How<'h> = (&'h Arc<ServerRuntime>, &'h Arc<MemoryBudget>);

/// How long a session is kept that the server has not opened, once no request waits for that.
const UNOPENED: Duration = Duration::from_secs(2);

/// Why there is no new session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SessionError {
    /// There are too many.
    TooMany,
    /// The gate ends.
    Closing,
}

impl fmt::Debug for HttpSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpSession").field("client", &self.client).finish_non_exhaustive()
    }
}

impl SessionManager {
    pub(super) fn new(served: Served, common: &Common) -> Self {
        let Common { clock, log, memory, .. } = common;
        let (ledger, on_failure) = (served.ledger, served.on_ledger_failure);
        let runtime = Arc::new(ServerRuntime {
            target: served.target,
            recorder: FailureRecorder::new(Arc::clone(&served.server), ledger, on_failure),
            server: served.server,
            clock: Arc::clone(clock),
            log: Arc::clone(log),
            name: served.name,
        });
        runtime.recorder.recover();
        runtime.server.reserve_in(memory);
        Self {
            runtime,
            memory: Arc::clone(memory),
            most_sessions: served.most_sessions,
            sharing: served.sharing,
            idle: served.idle,
            first_call: served.first_call,
            state: Mutex::default(),
            next_client: AtomicU64::new(1),
            is_withdrawn: AtomicBool::new(false),
        }
    }

    /// From now on its sessions take no further request. Each ends after those that it has in progress.
    pub(super) fn withdraw(&self) {
        self.is_withdrawn.store(true, Ordering::Release);
    }

    /// A new session, with its id.
    pub(super) fn open(
        &self,
        owner: Principal,
        caller: Caller,
        now: Instant,
    ) -> Result<(Box<str>, Arc<HttpSession>), SessionError> {
        let id = random_id();
        let mut state = self.lock();
        if state.is_closed {
            return Err(SessionError::Closing);
        }
        if !state.has_place(caller, self.most_sessions) {
            state.end_unused(now, self.idle);
            state.end_uncalled(now, self.first_call);
        }
        if !state.has_place(caller, self.most_sessions) {
            return Err(SessionError::TooMany);
        }
        let how = (&self.runtime, &self.memory);
        let connection = match self.sharing {
            Sharing::PerSession => state.start(how, (Sharing::PerSession, caller)),
            Sharing::Shared => state.shared(how),
        };
        let client = self.next_client.fetch_add(1, Ordering::Relaxed);
        if let Some(replies) = connection.client.replies() {
            replies.enter(client, caller);
        }
        let session = Arc::new(HttpSession {
            connection,
            client,
            owner,
            is_primed: OnceLock::new(),
            sharing: self.sharing,
            used: Mutex::new(now),
            caller,
            opened: now,
            is_called: AtomicBool::new(false),
        });
        state.sessions.insert(id.clone(), Arc::clone(&session));
        Ok((id, session))
    }

    /// The session with an id, if this sender opened it.
    pub(super) fn find(&self, id: &str, who: Principal) -> Option<Arc<HttpSession>> {
        if self.is_withdrawn.load(Ordering::Acquire) {
            return None;
        }
        let session = self.lock().sessions.get(id).filter(|it| it.owner == who).cloned()?;
        *session.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        Some(session)
    }

    /// Whether it takes no more sessions.
    pub(super) fn is_closed(&self) -> bool {
        self.lock().is_closed
    }

    /// Ends a session. Gives whether there was one.
    pub(super) fn end(&self, id: &str) -> bool {
        let session = self.lock().sessions.swap_remove(id);
        session.as_deref().map(HttpSession::end).is_some()
    }

    /// The connection of requests that belong to no session.
    pub(super) fn common(&self) -> Option<Arc<Connection>> {
        let mut state = self.lock();
        if state.is_closed { None } else { Some(state.common((&self.runtime, &self.memory))) }
    }

    /// Ends sessions that were not used for a while.
    pub(super) fn sweep(&self, now: Instant) {
        let mut state = self.lock();
        while state.tasks.try_join_next().is_some() {}
        let of_sessions = state.sessions.values().filter(|it| it.sharing == Sharing::PerSession);
        let connections = of_sessions.map(|it| &it.connection).chain(state.of_several());
        // What a server over HTTP answers with is its own affair.
        let routers = connections.filter(|it| it.runtime.target.kind() == UpstreamKind::Pipe);
        routers.filter_map(|it| it.client.replies()).for_each(|it| it.open_late());
        if self.is_withdrawn.load(Ordering::Acquire) {
            state.end_unawaited();
            return;
        }
        state.end_unused(now, self.idle);
        if state.sessions.len() >= short(self.most_sessions) {
            state.end_uncalled(now, self.first_call);
        }
    }

    /// Whether it is not used: no session, no waiting request, and none on its way in.
    pub(super) fn is_spent(self: &Arc<Self>) -> bool {
        let state = self.lock();
        let is_idle = |it: &Arc<Connection>| it.client.replies().is_none_or(|it| !it.is_awaited());
        Arc::strong_count(self) == 1 && state.sessions.is_empty() && state.of_several().all(is_idle)
    }

    /// Ends every session; waiting requests are answered.
    pub(super) async fn end_all(&self) {
        let mut tasks = {
            let mut state = self.lock();
            state.is_closed = true;
            for (_, session) in state.sessions.drain(..) {
                // Sessions that share a connection end with it.
                if session.sharing == Sharing::PerSession {
                    session.end();
                }
            }
            state.of_several().for_each(|it| it.notify(DriverEvent::Signal));
            (state.common, state.shared) = (None, None);
            std::mem::take(&mut state.tasks)
        };
        while tasks.join_next().await.is_some() {}
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Ends sessions in which no request waits for an answer.
    fn end_unawaited(&mut self) {
        self.sessions.retain(|_, session| {
            let replies = session.connection.client.replies();
            let is_awaited = replies.is_some_and(|it| it.is_awaited_by(session.client));
            if !is_awaited {
                session.end();
            }
            is_awaited
        });
    }

    fn end_unused(&mut self, now: Instant, idle: Duration) {
        self.sessions.retain(|_, session| {
            let is_used = session.is_used(now, idle);
            if !is_used {
                session.end();
            }
            is_used
        });
    }

    /// Ends sessions in which no message came for so long after they were opened.
    fn end_uncalled(&mut self, now: Instant, first_call: Duration) {
        self.sessions.retain(|_, session| {
            let is_new = now.saturating_duration_since(session.opened) < first_call;
            let stays = is_new || session.is_called.load(Ordering::Relaxed);
            if !stays {
                session.end();
            }
            stays
        });
    }

    /// Whether a caller may have one more session.
    fn has_place(&self, caller: Caller, most: usize) -> bool {
        let taken = self.sessions.len();
        if taken < short(most) || taken >= most {
            return taken < most;
        }
        let mut callers = BTreeMap::<Caller, usize>::new();
        self.sessions.values().for_each(|it| *callers.entry(it.caller).or_default() += 1);
        let own = callers.get(&caller).copied().unwrap_or_default();
        is_free(caller, own, (taken, callers.len()), most)
    }

    fn common(&mut self, how: How<'_>) -> Arc<Connection> {
        let several = (Sharing::Shared, Caller::ONLY);
        let common = self.common.take().unwrap_or_else(|| self.start(how, several));
        Arc::clone(self.common.insert(common))
    }

    /// The connection of all sessions. A process speaks one revision from its first message on: clients with sessions and
    /// stateless ones have one each.
    fn shared(&mut self, how: How<'_>) -> Arc<Connection> {
        if how.0.target.kind() == UpstreamKind::Http {
            return self.common(how);
        }
        let several = (Sharing::Shared, Caller::ONLY);
        let shared = self.shared.take().unwrap_or_else(|| self.start(how, several));
        Arc::clone(self.shared.insert(shared))
    }

    /// The connections that several clients have.
    fn of_several(&self) -> impl Iterator<Item = &Arc<Connection>> {
        self.common.iter().chain(&self.shared)
    }

    /// A new connection. What its upstream says counts for that caller while it is read.
    fn start(&mut self, how: How<'_>, (sharing, caller): (Sharing, Caller)) -> Arc<Connection> {
        let (runtime, memory) = how;
        let (server, upstream) = (Arc::clone(&runtime.server), runtime.target.kind());
        let session = match sharing {
            Sharing::PerSession => Session::new(server, ClientKind::Http, upstream),
            Sharing::Shared => Session::shared(server, upstream),
        };
        let router = ReplyRouter::new(Arc::clone(memory));
        let client = ClientEnd::Http(Arc::new(router));
        let driver = Driver::new(Arc::clone(runtime), session, client, memory.account(caller));
        driver.begin();
        let connection = Arc::clone(driver.connection());
        self.tasks.spawn(driver.drive());
        connection
    }
}

impl HttpSession {
    /// A stream for what belongs to no request, or the rest of one that ended after an event.
    pub(super) fn listen(&self, after: Option<&str>) -> Option<Arc<Stream>> {
        let (stream, lost) = self.connection.client.replies()?.listen(self.client, after)?;
        self.connection.undelivered(&lost);
        Some(stream)
    }

    /// The client has left a stream, perhaps before it read the last events.
    pub(super) fn unread(&self, stream: &Stream) {
        if let Some(replies) = self.connection.client.replies() {
            self.connection.undelivered(&replies.unread(self.client, stream));
        }
    }

    fn end(&self) {
        match self.sharing {
            Sharing::PerSession => self.connection.notify(DriverEvent::Signal),
            Sharing::Shared => {
                let leave = |session: &mut Session, actions: &mut _| {
                    session.client_left(self.client, actions);
                };
                self.connection.act(ActingThread::Other, leave);
                if let Some(replies) = self.connection.client.replies() {
                    replies.exit(self.client);
                }
            }
        }
    }

    /// Whether it is used, or was a while ago. That while is short for a session that the server has not opened.
    fn is_used(&self, now: Instant, idle: Duration) -> bool {
        let used = *self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let is_busy = || self.connection.client.replies().is_some_and(|it| it.is_busy(self.client));
        let idle =
            if self.connection.lock().session.is_opened() { idle } else { idle.min(UNOPENED) };
        now.saturating_duration_since(used) < idle || is_busy()
    }
}

/// An unguessable id: 128 random bits from the system.
fn random_id() -> Box<str> {
    let mut bytes = [0; 16];
    let mut filled = 0;
    while let Some(rest) = bytes.get_mut(filled..).filter(|it| !it.is_empty()) {
        filled += rustix::rand::getrandom(rest, rustix::rand::GetRandomFlags::empty()).unwrap_or(0);
    }
    let mut id = String::with_capacity(32);
    for byte in bytes {
        write!(id, "{byte:02x}").unwrap_or_default();
    }
    id.into()
}
