//! `Connection`: a session with its two ends, as its threads or tasks share it, and how what a session gives is carried out.

mod batch;
mod client;
mod ending;
mod reading;
mod recorder;
mod remote;
mod room;
mod upstream;

use std::{
    io,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use redress::text::visible;
use redress_govern::Job;
use redress_ledger::{By, Clock};

pub(crate) use self::{
    client::{Client, Pipe},
    recorder::FailureRecorder,
    remote::connect,
    room::{FIRST, GLANCE, PIECE},
    upstream::{Input, Upstream},
};
use crate::{
    inflight::UpstreamId,
    inside::Inside,
    log::Log,
    memory::{Account, Held, OutOfMemory, Reservation, SMALL},
    moment::Moment,
    outgoing::Undelivered,
    process::{Process, Program, Started},
    remote::Address,
    server::Server,
    session::{Actions, Exit, KillReason, Session, UpstreamKind},
};

/// How much may wait for an upstream that does not read.
const MOST_WAITING: usize = 32 << 20;

/// How long nobody needs to look whether deadlines have passed. Then whoever has the session looks, also if the one that watches does
/// not get to it: a server that writes without end keeps nobody waiting.
const LOOK: Duration = Duration::from_millis(50);

/// What the threads and tasks of a connection tell the one that watches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
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
    /// Somebody wants us to end.
    Signal,
}

/// Who carries something out: nobody waits for the one that he must not wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The thread that reads from the client writes to the server.
    Client,
    /// The thread that reads from the server writes to the client.
    Server,
    /// Any other leaves the writing to the couriers.
    Other,
}

/// How the connections of one server are made.
pub(crate) struct ServerRuntime {
    pub(crate) target: Target,
    pub(crate) server: Arc<Server>,
    pub(crate) recorder: FailureRecorder,
    pub(crate) clock: Clock,
    pub(crate) log: Arc<Log>,
    /// What the server is called in lines of the gate, if there are several.
    pub(crate) name: Option<String>,
}

/// What stands behind the gate.
#[derive(Debug, Clone)]
pub enum Target {
    /// A program that speaks on its standard streams.
    Program(Box<Program>),
    /// A server that speaks HTTP.
    Url(Arc<Address>),
    /// A server in this process.
    Inside(Inside),
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
            Self::Inside(inside) => Some(Process::start_inside(inside)),
            Self::Url(_) => None,
        }
    }
}

/// Tells the one that watches.
pub(crate) type Tell = Box<dyn Fn(Event) + Send + Sync>;

/// A session with its two ends.
pub(crate) struct Connection {
    core: Mutex<ConnectionState>,
    pub(crate) runtime: Arc<ServerRuntime>,
    pub(crate) client: Client,
    /// Where bytes of the upstream are reserved while they are read.
    pub(crate) account: Account,
    tell: Tell,
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
    pub(crate) upstream: Option<Upstream>,
    /// Counts the upstreams, so that whatever belongs to an old one has no say.
    generation: u64,
    /// When somebody looked last whether deadlines have passed.
    looked: Instant,
}

impl ConnectionState {
    /// A new upstream; what the ones before it still say does not count.
    pub(crate) fn connect(&mut self, upstream: Upstream) -> u64 {
        self.generation += 1;
        self.upstream = Some(upstream);
        self.generation
    }

    /// Does what is due in the session.
    pub(crate) fn expire(&mut self, turn: &mut Actions) {
        self.looked = turn.now.at;
        self.session.expire(turn);
    }

    /// The same, if nobody has for a while.
    pub(crate) fn keep_deadlines(&mut self, turn: &mut Actions) {
        if turn.now.at.saturating_duration_since(self.looked) >= LOOK {
            self.expire(turn);
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
        (client, account): (Client, Account),
        tell: Tell,
    ) -> Self {
        Self {
            core: Mutex::new(ConnectionState {
                session,
                upstream: None,
                generation: 0,
                looked: Instant::now(),
            }),
            runtime,
            client,
            account,
            tell,
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
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn tell(&self, event: Event) {
        (self.tell)(event);
    }

    /// Does something to the session and carries out what comes of it.
    pub(crate) fn turn<T>(
        self: &Arc<Self>,
        role: Role,
        act: impl FnOnce(&mut Session, &mut Actions) -> T,
    ) -> T {
        let mut turn = Actions::new(self.now());
        let mut core = self.lock();
        core.keep_deadlines(&mut turn);
        let done = act(&mut core.session, &mut turn);
        self.apply(core, &mut turn, role);
        done
    }

    /// Carries out what a session gave. Gives whether [`Self::commit`] must follow.
    pub(crate) fn apply(
        self: &Arc<Self>,
        mut core: MutexGuard<'_, ConnectionState>,
        turn: &mut Actions,
        role: Role,
    ) -> bool {
        let upstream = self.flush_upstream(&mut core, turn);
        self.in_hand.fetch_add(1 + turn.faults.len(), Ordering::AcqRel);
        drop(core);
        // A task must not wait for a disk.
        let commits = role == Role::Server && self.client.pipe().is_some();
        // A session is on record before what failed in it.
        for object in turn.sessions.drain(..) {
            self.runtime.recorder.record_session(&object);
        }
        let held = Held::new(std::mem::take(&mut turn.answered));
        let (is_to_commit, mut lost) = self.record(turn, &held, commits);
        for repeat in turn.repeats.drain(..) {
            let connection = Arc::clone(self);
            let then = move |goes_on| connection.tell(Event::Recorded(repeat.id, goes_on));
            self.runtime.recorder.record_repeat(&repeat, then);
        }
        for job in turn.writes.drain(..) {
            self.begin_write(job);
        }
        let is_heard = !turn.to_client.is_empty();
        lost.append(self.client.take(&mut turn.to_client, &held));
        drop(held);
        self.client.dismiss(turn.withdrawn.drain(..));
        self.handed_over(is_heard || role != Role::Other);
        if let Some(upstream) = upstream {
            upstream.flush(role, turn.now.at);
        }
        if is_heard && !self.client.flush(role, turn.now.at) {
            self.tell(Event::ClientGone);
        }
        if std::mem::take(&mut turn.is_called) {
            self.runtime.server.get_ready();
        }
        // Nobody waits for these.
        for call in turn.calls.drain(..) {
            self.runtime.recorder.record_call(call);
        }
        self.undelivered(&lost);
        is_to_commit
    }

    /// Counts what nobody will hear, and answers what the upstream asked.
    pub(crate) fn undelivered(self: &Arc<Self>, lost: &Undelivered) {
        self.runtime.server.metrics.unheard(lost.count);
        if !lost.questions.is_empty() {
            self.turn(Role::Other, |session, turn| {
                lost.questions.iter().for_each(|it| session.unheard(*it, turn));
            });
        }
    }

    /// Whether anything is to come from the upstream that somebody waits for.
    pub(crate) fn awaits_upstream(&self) -> bool {
        self.lock().session.awaits_upstream()
    }

    /// Makes failures durable on this thread, and has the client hear of them at once.
    pub(crate) fn commit(&self) {
        while self.runtime.recorder.commit() {
            if !self.client.flush(Role::Server, Instant::now()) {
                self.tell(Event::ClientGone);
            }
        }
    }

    /// What was in hand has reached the client's end. Whoever watches looks again if that is worth it: not because it
    /// has looked itself.
    fn handed_over(&self, is_worth_a_look: bool) {
        self.in_hand.fetch_sub(1, Ordering::AcqRel);
        if is_worth_a_look && self.is_draining.load(Ordering::Acquire) {
            self.tell(Event::Look);
        }
    }

    /// Whether the client has been told everything, or will be by the courier.
    pub(crate) fn has_told_all(&self) -> bool {
        self.in_hand.load(Ordering::Acquire) == 0
    }

    /// Whether more answers than that have not reached the client's end.
    fn is_behind(&self, most: usize) -> bool {
        self.in_hand.load(Ordering::Acquire) > most
    }

    /// What must happen in the order of the session, under its lock.
    fn flush_upstream(&self, core: &mut ConnectionState, turn: &mut Actions) -> Option<Upstream> {
        if std::mem::take(&mut turn.replace)
            && let Some(upstream) = core.upstream.take()
        {
            upstream.kill(KillReason::Silence);
            upstream.close();
        }
        if std::mem::take(&mut turn.start) {
            self.tell(Event::Start);
        }
        if std::mem::take(&mut turn.is_sooner) {
            self.tell(Event::Look);
        }
        let upstream = core.upstream.as_ref();
        if std::mem::take(&mut turn.kill)
            && let Some(upstream) = upstream
        {
            upstream.kill(KillReason::NoGreeting);
        }
        let upstream = upstream.filter(|_| !turn.to_upstream.is_empty());
        if let Some(upstream) = upstream {
            upstream.push(&mut turn.to_upstream, &mut turn.queued);
        }
        turn.to_upstream.clear();
        turn.queued.clear();
        upstream.cloned()
    }

    /// Records failures; the client hears of each once its record is durable. Gives whether any is to be committed, and
    /// what nobody will hear.
    fn record(
        self: &Arc<Self>,
        turn: &mut Actions,
        held: &Held,
        commits: bool,
    ) -> (bool, Undelivered) {
        let (mut is_to_commit, mut lost) = (false, Undelivered::default());
        for told in turn.faults.drain(..) {
            if self.runtime.recorder.are_kept() && told.is_to_be_recorded() {
                let connection = Arc::clone(self);
                self.runtime.recorder.record(told, commits, move |reply, by| {
                    let lost = connection.client.take_one(reply);
                    if by == By::Other {
                        connection.client.flush(Role::Other, Instant::now());
                    }
                    connection.undelivered(&lost);
                    connection.handed_over(true);
                });
                is_to_commit = commits;
            } else {
                self.runtime.recorder.miss();
                lost.append(self.client.take_told(told, &mut turn.to_client, held));
                self.in_hand.fetch_sub(1, Ordering::AcqRel);
            }
        }
        (is_to_commit, lost)
    }

    /// Has a write wait for its turn; whatever comes of it is carried out on the thread that makes it.
    fn begin_write(self: &Arc<Self>, job: Arc<Job>) {
        let connection = Arc::clone(self);
        let then = Box::new(move |id: Option<u64>, report| {
            let id = id.map(UpstreamId::from_number);
            connection.turn(Role::Other, |session, turn| session.write_told(id, report, turn));
        });
        if let Some(governor) = self.runtime.server.governor() {
            governor.begin_write(job, then);
        }
    }

    /// A message of a client, without a line break in it.
    pub(crate) fn client_says<T>(
        self: &Arc<Self>,
        say: impl FnOnce(&mut Session, &mut Actions) -> T,
    ) -> T {
        let admits = self.runtime.recorder.admit();
        self.turn(Role::Client, |session, turn| {
            session.admit_calls(admits);
            say(session, turn)
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
        let mut turn = Actions::new(self.now());
        let mut core = self.lock();
        if core.is_current(generation) {
            if let Some(upstream) = core.upstream.take() {
                upstream.close();
            }
            core.session.upstream_gone(exit, &mut turn);
            self.apply(core, &mut turn, Role::Other);
        } else {
            drop(core);
        }
        self.tell(Event::Ended);
    }

    /// The upstream could not be started; whoever waits for it is told.
    pub(crate) fn not_started(self: &Arc<Self>, error: &io::Error) {
        let name = self.runtime.name.as_ref().map(|it| format!("{it}: ")).unwrap_or_default();
        let settings = &self.runtime.server.settings;
        let program = settings.redactor.known(&settings.program);
        let line = format!("redress: {name}cannot start {program}: {error}");
        self.runtime.log.pass(format!("{}\n", visible(&line)).as_bytes());
        self.turn(Role::Other, |session, turn| session.upstream_failed(error, turn));
    }
}
