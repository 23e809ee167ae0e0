//! `Connection`: a session with its two ends, the client and the upstream, and the one place that performs what the session puts out.
//!
//! [`Connection::apply`] does that after each step of the session: failures are recorded first, then messages are queued in front of
//! both ends and written. [`Driver`] keeps time, and starts and ends the server. Both are the same for a client on a pipe and for
//! clients over HTTP. Only the reading and writing of a process's pipes differs: threads do it, or tasks.

mod child;
mod client;
mod client_input;
mod driver;
mod interruptible_pipe;
mod reader_handoff;
mod reading;
mod recorder;
mod remote;
mod tasks;
mod threads;
mod upstream;
mod writer;

use std::{
    io,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use redress::outcome::KillReason;
use redress::text::visible;
use redress_govern::Job;
use redress_ledger::{By, Clock};
use redress_proxy::{
    memory::{Account, OutOfMemory, Reservation, SMALL, SharedReservation},
    moment::Moment,
    outgoing::{ReplyToken, Undelivered},
    server::Server,
    session::{Actions, Exit, Session, UpstreamKind},
    upstream_id::UpstreamId,
};
use redress_transport::{in_process::InProcessServer, program::Program};

pub use self::recorder::OnLedgerFailure;
use self::upstream::Upstream;
pub(crate) use self::{
    child::{Early, attach},
    client::{ClientEnd, ClientPipe},
    client_input::{GLANCE, attend_client, take_piece},
    driver::Driver,
    recorder::FailureRecorder,
    remote::connect,
};
use crate::{
    log::StderrLog,
    process::{Process, Started},
    remote::{Remote, RemoteAddress},
    threads::spawn,
};

/// How much may wait for an upstream that does not read.
const MOST_WAITING: usize = 32 << 20;

/// How many messages are taken at a time, so that others get the session in between.
pub(crate) const PIECE: usize = 256;

/// How many are taken first: their recipients wake up while the others are read.
pub(crate) const FIRST: usize = 4;

/// How many failures of a client may wait for their records before more of its messages are taken.
const MOST_IN_HAND: usize = 1_024;

/// How long deadlines may go unchecked. After that, each thread or task that has the session checks them, so that a server that writes
/// without end delays no timeout.
const LOOK: Duration = Duration::from_millis(50);

/// What the threads and tasks of a connection tell its driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DriverEvent {
    /// The server is to be started.
    Start,
    /// The next deadline may be sooner, or the last answer may be out.
    Look,
    /// The client has closed its side.
    ClientEnded,
    /// The client does not read any more.
    ClientGone,
    /// The server's process has ended.
    Ended,
    /// A repeat is on record, or never will be.
    Recorded(UpstreamId, bool),
    /// A signal, or the end of an HTTP session.
    Signal,
}

/// The thread that performs actions, which decides for which pipe it may wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ActingThread {
    /// The reader of the client may wait for the server.
    Client,
    /// The reader of the server may wait for the client, and for the disk.
    Server,
    /// Any other waits for neither: the writers of the pipes write.
    Other,
}

/// What all connections to one server share.
pub(crate) struct ServerRuntime {
    pub(crate) target: Target,
    pub(crate) server: Arc<Server>,
    pub(crate) recorder: FailureRecorder,
    pub(crate) clock: Clock,
    pub(crate) log: Arc<StderrLog>,
    /// The name of the server in log lines, if there are several.
    pub(crate) name: Option<String>,
}

/// The server behind the gate.
#[derive(Debug, Clone)]
pub enum Target {
    /// A program that speaks on its standard streams.
    Program(Box<Program>),
    /// A server that speaks HTTP.
    Url(Arc<RemoteAddress>),
    /// A server in this process.
    Inside(InProcessServer),
}

impl Target {
    /// What kind of upstream it is.
    pub(crate) const fn kind(&self) -> UpstreamKind {
        match self {
            Self::Program(_) | Self::Inside(_) => UpstreamKind::Pipe,
            Self::Url(_) => UpstreamKind::Http,
        }
    }

    /// Starts it, if it does not run by itself.
    pub(crate) fn start(&self) -> Option<io::Result<Started>> {
        match self {
            Self::Program(program) => Some(Process::start(program)),
            Self::Inside(inside) => Some(Process::start_in_process(inside)),
            Self::Url(_) => None,
        }
    }
}

/// Passes an event to the driver.
type Notify = Box<dyn Fn(DriverEvent) + Send + Sync>;

/// A session with its two ends.
pub(crate) struct Connection {
    state: Mutex<ConnectionState>,
    pub(crate) runtime: Arc<ServerRuntime>,
    pub(crate) client: ClientEnd,
    /// Where bytes of the upstream are reserved while they are read.
    pub(crate) account: Account,
    notify: Notify,
    /// Answers that have left the session and have not reached the client's end.
    in_hand: AtomicUsize,
    is_draining: AtomicBool,
    is_ending: AtomicBool,
    is_deaf: AtomicBool,
    pub(crate) has_started: AtomicBool,
}

/// What is behind the lock.
pub(crate) struct ConnectionState {
    pub(crate) session: Session,
    upstream: Option<Upstream>,
    /// Counts the upstreams, so that whatever belongs to an old one has no say.
    generation: u64,
    /// When deadlines were checked last.
    looked: Instant,
}

impl ConnectionState {
    /// A new upstream; what the ones before it still say does not count.
    fn connect(&mut self, upstream: Upstream) -> u64 {
        self.generation += 1;
        self.upstream = Some(upstream);
        self.generation
    }

    /// Does what is due in the session.
    pub(crate) fn expire(&mut self, actions: &mut Actions) {
        self.looked = actions.now.at;
        self.session.expire(actions);
    }

    /// Does what is due, if that was not checked for a while.
    pub(crate) fn keep_deadlines(&mut self, actions: &mut Actions) {
        if actions.now.at.saturating_duration_since(self.looked) >= LOOK {
            self.expire(actions);
        }
    }

    /// Whether what that upstream says still counts.
    pub(crate) const fn is_current(&self, generation: u64) -> bool {
        self.generation == generation && self.upstream.is_some()
    }
}

impl Connection {
    pub(crate) fn new(
        runtime: Arc<ServerRuntime>,
        session: Session,
        (client, account): (ClientEnd, Account),
        notify: Notify,
    ) -> Self {
        Self {
            state: Mutex::new(ConnectionState {
                session,
                upstream: None,
                generation: 0,
                looked: Instant::now(),
            }),
            runtime,
            client,
            account,
            notify,
            in_hand: AtomicUsize::new(0),
            is_draining: AtomicBool::new(false),
            is_ending: AtomicBool::new(false),
            is_deaf: AtomicBool::new(false),
            has_started: AtomicBool::new(false),
        }
    }

    pub(crate) fn now(&self) -> Moment {
        Moment { at: Instant::now(), wall: (self.runtime.clock)() }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, ConnectionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn notify(&self, event: DriverEvent) {
        (self.notify)(event);
    }

    /// Does something to the session and carries out what comes of it.
    pub(crate) fn act<T>(
        self: &Arc<Self>,
        thread: ActingThread,
        act: impl FnOnce(&mut Session, &mut Actions) -> T,
    ) -> T {
        let mut actions = Actions::new(self.now());
        let mut state = self.lock();
        state.keep_deadlines(&mut actions);
        let done = act(&mut state.session, &mut actions);
        self.apply(state, &mut actions, thread);
        done
    }

    /// Carries out what a session gave. Gives whether [`Self::commit`] must follow.
    pub(crate) fn apply(
        self: &Arc<Self>,
        mut state: MutexGuard<'_, ConnectionState>,
        actions: &mut Actions,
        thread: ActingThread,
    ) -> bool {
        let upstream = self.flush_upstream(&mut state, actions);
        self.in_hand.fetch_add(1 + actions.faults.len(), Ordering::AcqRel);
        drop(state);
        // A task must not wait for a disk.
        let commits = thread == ActingThread::Server && self.client.pipe().is_some();
        // A session is on record before what failed in it.
        for object in actions.sessions.drain(..) {
            self.runtime.recorder.record_session(&object);
        }
        let held = SharedReservation::new(std::mem::take(&mut actions.answered));
        let (is_to_commit, mut lost) = self.record(actions, &held, commits);
        for repeat in actions.repeats.drain(..) {
            let connection = Arc::clone(self);
            let then = move |goes_on| connection.notify(DriverEvent::Recorded(repeat.id, goes_on));
            self.runtime.recorder.record_repeat(&repeat, then);
        }
        for job in actions.writes.drain(..) {
            self.begin_write(job);
        }
        let is_heard = !actions.to_client.is_empty();
        lost.append(self.client.take(&mut actions.to_client, &held));
        drop(held);
        self.client.dismiss(actions.withdrawn.drain(..));
        self.handed_over(is_heard || thread != ActingThread::Other);
        if let Some(upstream) = upstream {
            upstream.flush(thread, actions.now.at);
        }
        if is_heard && !self.client.flush(thread, actions.now.at) {
            self.notify(DriverEvent::ClientGone);
        }
        // The first failure should not pay for the rules, nor a gate that is never asked anything.
        if std::mem::take(&mut actions.is_called) && self.runtime.server.needs_rules() {
            // Without a thread the first failure pays.
            spawn("redress-warm", redress::classify::warm_up).unwrap_or_default();
        }
        // No client waits for these.
        for call in actions.calls.drain(..) {
            self.runtime.recorder.record_call(call);
        }
        self.undelivered(&lost);
        is_to_commit
    }

    /// Counts messages that no client will receive, and answers the upstream's requests among them.
    pub(crate) fn undelivered(self: &Arc<Self>, lost: &Undelivered) {
        self.runtime.server.metrics.unheard(lost.count);
        if !lost.questions.is_empty() {
            self.act(ActingThread::Other, |session, actions| {
                lost.questions.iter().for_each(|it| session.unheard(*it, actions));
            });
        }
    }

    /// Whether the upstream owes an answer.
    pub(crate) fn awaits_upstream(&self) -> bool {
        self.lock().session.awaits_upstream()
    }

    /// Makes failures durable on this thread, and has the client hear of them at once.
    pub(crate) fn commit(&self) {
        while self.runtime.recorder.commit() {
            if !self.client.flush(ActingThread::Server, Instant::now()) {
                self.notify(DriverEvent::ClientGone);
            }
        }
    }

    /// What was in hand has reached the client's end. The driver looks again if that is worth it: not because it
    /// has looked itself.
    fn handed_over(&self, is_worth_a_look: bool) {
        self.in_hand.fetch_sub(1, Ordering::AcqRel);
        if is_worth_a_look && self.is_draining.load(Ordering::Acquire) {
            self.notify(DriverEvent::Look);
        }
    }

    /// Whether every answer has reached the queue of the client.
    pub(crate) fn has_told_all(&self) -> bool {
        self.in_hand.load(Ordering::Acquire) == 0
    }

    /// Whether more answers than that have not reached the client's end.
    fn is_behind(&self, most: usize) -> bool {
        self.in_hand.load(Ordering::Acquire) > most
    }

    /// What must happen in the order of the session, under its lock.
    fn flush_upstream(
        &self,
        state: &mut ConnectionState,
        actions: &mut Actions,
    ) -> Option<Upstream> {
        if std::mem::take(&mut actions.replace)
            && let Some(upstream) = state.upstream.take()
        {
            upstream.kill(KillReason::Silence);
            upstream.close();
        }
        if std::mem::take(&mut actions.start) {
            self.notify(DriverEvent::Start);
        }
        if std::mem::take(&mut actions.is_sooner) {
            self.notify(DriverEvent::Look);
        }
        let upstream = state.upstream.as_ref();
        if std::mem::take(&mut actions.kill)
            && let Some(upstream) = upstream
        {
            upstream.kill(KillReason::NoGreeting);
        }
        let upstream = upstream.filter(|_| !actions.to_upstream.is_empty());
        if let Some(upstream) = upstream {
            upstream.push(&mut actions.to_upstream, &mut actions.queued);
        }
        actions.to_upstream.clear();
        actions.queued.clear();
        upstream.cloned()
    }

    /// Records failures; the client hears of each once its record is durable. Gives whether any is to be committed, and
    /// the messages that no client will receive.
    fn record(
        self: &Arc<Self>,
        actions: &mut Actions,
        held: &SharedReservation,
        commits: bool,
    ) -> (bool, Undelivered) {
        let (mut is_to_commit, mut lost) = (false, Undelivered::default());
        for told in actions.faults.drain(..) {
            if self.runtime.recorder.is_active() && told.is_to_be_recorded() {
                let connection = Arc::clone(self);
                self.runtime.recorder.record(told, commits, move |reply, by| {
                    let lost = connection.client.take_one(reply);
                    if by == By::Other {
                        connection.client.flush(ActingThread::Other, Instant::now());
                    }
                    connection.undelivered(&lost);
                    connection.handed_over(true);
                });
                is_to_commit = commits;
            } else {
                self.runtime.recorder.miss();
                lost.append(self.client.take_told(told, &mut actions.to_client, held));
                self.in_hand.fetch_sub(1, Ordering::AcqRel);
            }
        }
        (is_to_commit, lost)
    }

    /// Has a write wait for its turn; the thread that makes it performs what comes of it.
    fn begin_write(self: &Arc<Self>, job: Arc<Job>) {
        let connection = Arc::clone(self);
        let then = Box::new(move |id: Option<u64>, report| {
            let id = id.map(UpstreamId::from_number);
            connection.act(ActingThread::Other, |session, actions| {
                session.write_told(id, report, actions);
            });
        });
        if let Some(governor) = self.runtime.server.governor() {
            governor.begin_write(job, then);
        }
    }

    /// Takes a message of a client, without a line break in it.
    pub(crate) fn client_says<T>(
        self: &Arc<Self>,
        say: impl FnOnce(&mut Session, &mut Actions) -> T,
    ) -> T {
        let admits = self.runtime.recorder.admit();
        self.act(ActingThread::Client, |session, actions| {
            session.admit_calls(admits);
            say(session, actions)
        })
    }

    /// Reserves the bytes of a message on its way to the upstream. A small one needs none while the upstream takes what it is sent.
    pub(crate) fn reserve_way(
        &self,
        account: &Account,
        bytes: usize,
    ) -> Result<Option<Reservation>, OutOfMemory> {
        let takes = |it: &Upstream| it.waiting() == 0;
        if bytes <= SMALL && self.lock().upstream.as_ref().is_some_and(takes) {
            return Ok(None);
        }
        account.reserve(bytes).map(Some)
    }

    /// Whether so much waits for the upstream that it must not become more.
    pub(crate) fn is_clogged(&self) -> bool {
        let most = MOST_WAITING.max(self.runtime.server.settings.max_message);
        self.lock().upstream.as_ref().is_some_and(|it| it.waiting() > most)
    }

    /// The upstream ended, and all that it said has been read.
    pub(crate) fn upstream_ended(self: &Arc<Self>, generation: u64, exit: &Exit) {
        let mut actions = Actions::new(self.now());
        let mut state = self.lock();
        if state.is_current(generation) {
            if let Some(upstream) = state.upstream.take() {
                upstream.close();
            }
            state.session.upstream_gone(exit, &mut actions);
            self.apply(state, &mut actions, ActingThread::Other);
        } else {
            drop(state);
        }
        self.notify(DriverEvent::Ended);
    }

    /// The upstream could not be started: the requests that wait for it are answered.
    pub(crate) fn not_started(self: &Arc<Self>, error: &io::Error) {
        let name = self.runtime.name.as_ref().map(|it| format!("{it}: ")).unwrap_or_default();
        let settings = &self.runtime.server.settings;
        let program = settings.redactor.known(&settings.program);
        let line = format!("redress: {name}cannot start {program}: {error}");
        self.runtime.log.pass(format!("{}\n", visible(&line)).as_bytes());
        self.act(ActingThread::Other, |session, actions| session.upstream_failed(error, actions));
    }

    /// Whether more messages of a client have to wait: those of a request, if it has a token.
    pub(crate) fn is_full(&self, reply_token: ReplyToken) -> bool {
        let is_full = match &self.client {
            ClientEnd::Pipe(pipe) => pipe.is_full(),
            ClientEnd::Http(replies) => replies.is_full(reply_token),
        };
        is_full || self.is_behind(MOST_IN_HAND)
    }

    /// The server behind a URL, if that is the upstream.
    pub(crate) fn remote(&self) -> Option<Arc<Remote>> {
        match (&self.runtime.target, &self.lock().upstream) {
            (Target::Url(_), Some(Upstream::Remote(remote))) => Some(Arc::clone(remote)),
            _ => None,
        }
    }

    /// From now on every answer may be the last one, so that the driver looks after each.
    pub(crate) fn drain(&self) {
        self.is_draining.store(true, Ordering::Release);
    }

    /// From now on the driver ends the upstream.
    pub(crate) fn begin_to_end(&self) {
        self.is_ending.store(true, Ordering::Release);
    }

    /// Whether the driver ends the upstream.
    pub(crate) fn is_ending(&self) -> bool {
        self.is_ending.load(Ordering::Acquire)
    }

    /// Takes no more messages of the client: what comes of them could not be recorded any more.
    pub(crate) fn hear_no_more(&self) {
        self.is_deaf.store(true, Ordering::Release);
        // A message that was taken before is counted when the lock is free.
        drop(self.lock());
    }

    /// Whether no more messages of the client are taken. To be asked with the lock.
    pub(crate) fn is_deaf(&self) -> bool {
        self.is_deaf.load(Ordering::Acquire)
    }

    /// Whether the server has ever started.
    pub(crate) fn has_ever_started(&self) -> bool {
        self.has_started.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use redress_ledger::Redactor;
    use redress_proxy::settings::Settings;
    use redress_registry::shipped;

    /// A server without settings of its own.
    pub(crate) fn settings() -> Settings {
        let redactor = Arc::new(Redactor::new(["hunter2hunter2"]));
        Settings::new("files".to_owned(), Arc::clone(shipped::core()), redactor)
    }
}
