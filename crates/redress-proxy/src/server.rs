//! `Server`: what all sessions of one server share.

use std::{
    hash::{BuildHasher as _, RandomState},
    sync::{
        Arc, OnceLock, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use redress_govern::Governor;
use redress_ledger::CallCounter;

use crate::{
    breaker::Breakers,
    caller::Caller,
    failed_tools::FailedTools,
    limits::{ClientShares, Limits},
    memory::{Account, MemoryBudget},
    metrics::{CountedEvent, Metrics},
    quota::Quota,
    restarts::{StartDecision, Starts},
    retry::Budget,
    settings::Settings,
    upstream_id::Secret,
};

/// What all sessions of one server share: its settings, and what counts across them.
#[derive(Debug)]
pub struct Server {
    /// How it is gated.
    pub settings: Settings,
    /// What its calls come to.
    pub metrics: Arc<Metrics>,
    /// Its governor, if it is governed.
    governor: Option<RwLock<Arc<Governor>>>,
    pub(crate) breakers: Breakers,
    pub(crate) limits: Arc<Limits>,
    pub(crate) budget: Budget,
    quota: Quota,
    pub(crate) starts: Starts,
    /// Whether the rules by which failures are judged are made ready, or will be.
    is_ready: AtomicBool,
    /// Whether there should be a ledger, and none could be opened.
    has_lost_ledger: AtomicBool,
    /// The bytes that the gate may hold; without it they are not counted.
    memory: OnceLock<Arc<MemoryBudget>>,
    /// Where its calls are counted for the ledger.
    calls: OnceLock<Arc<CallCounter>>,
    /// The tools that failed in a run and have not succeeded in it since.
    pub(crate) failed_tools: FailedTools,
    /// Tells its sessions from those of other processes.
    mark: u64,
    /// What ids and pauses follow from, if they are to be the same each time.
    seed: Option<u64>,
}

/// What a server does now, for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Condition {
    /// The state of its breaker: `closed`, `open` or `half open`.
    pub breaker: &'static str,
    /// How many starts of its process failed in a row.
    pub failed_starts: u32,
    /// Whether it is not started for a while because of that.
    pub is_parked: bool,
    /// The calls in progress.
    pub in_flight: u64,
    /// How often its process was started anew.
    pub restarts: u64,
}

impl Server {
    /// A server that was not asked anything yet.
    pub fn new(settings: Settings, now: Instant) -> Self {
        Self {
            metrics: Arc::new(Metrics::new(&settings.contract)),
            governor: None,
            breakers: Breakers::new(settings.breaker),
            limits: Arc::new(Limits::new(settings.limits, now)),
            budget: Budget::new(&settings.retry),
            quota: Quota::new(settings.fault_bytes_per_hour, now),
            starts: Starts::default(),
            is_ready: AtomicBool::new(false),
            has_lost_ledger: AtomicBool::new(false),
            memory: OnceLock::new(),
            calls: OnceLock::new(),
            failed_tools: FailedTools::default(),
            mark: RandomState::new().hash_one(()),
            seed: None,
            settings,
        }
    }

    /// The same server, whose ids and pauses follow from a number and can be guessed: for simulations that are repeated.
    #[must_use]
    pub const fn seeded(mut self, seed: u64) -> Self {
        (self.mark, self.seed) = (seed, Some(seed));
        self
    }

    /// What a session draws its ids and pauses from.
    pub(crate) fn secret(&self) -> Secret {
        self.seed.map_or_else(Secret::default, Secret::Seed)
    }

    /// What records call the session of a client. The id that the client itself uses is a secret of the client.
    pub fn session_name(&self, client: u64) -> String {
        format!("{:016x}.{client}", self.mark)
    }

    /// The same server, whose counters go on from those of the one whose place it takes.
    #[must_use]
    pub fn counting_on(mut self, before: &Self) -> Self {
        self.metrics = Arc::clone(&before.metrics);
        self.metrics.go_on(&self.settings.contract);
        self
    }

    /// The same server, governed.
    #[must_use]
    pub fn governed_by(mut self, governor: Arc<Governor>) -> Self {
        self.governor = Some(RwLock::new(governor));
        self
    }

    /// Its governor, if it is governed.
    pub fn governor(&self) -> Option<Arc<Governor>> {
        let governor = self.governor.as_ref()?;
        Some(Arc::clone(&governor.read().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Whether a governor decides on its calls.
    pub const fn is_governed(&self) -> bool {
        self.governor.is_some()
    }

    /// From now on that governor lets calls of a governed server pass, in sessions that are open, too. It should come after the one before:
    /// [`Governor::after`].
    pub fn change_governor(&self, governor: Arc<Governor>) {
        if let Some(now) = &self.governor {
            *now.write().unwrap_or_else(PoisonError::into_inner) = governor;
        }
    }

    /// There should be a ledger, and none could be opened: what is not recorded counts as such, and calls are refused unless
    /// they may go on.
    pub fn lose_ledger(&self) {
        self.has_lost_ledger.store(true, Ordering::Release);
    }

    /// Whether there should be a ledger, and none could be opened.
    pub fn has_lost_ledger(&self) -> bool {
        self.has_lost_ledger.load(Ordering::Acquire)
    }

    /// What it does now, for a person.
    pub fn condition(&self, now: Instant) -> Condition {
        Condition {
            is_parked: matches!(self.starts.may_start(now), StartDecision::Parked(_)),
            breaker: self.breakers.phase().name(),
            failed_starts: self.starts.in_a_row(),
            in_flight: u64::try_from(self.limits.in_flight()).unwrap_or(u64::MAX),
            restarts: self.metrics.event(CountedEvent::Restart),
        }
    }

    /// What its failures come to, in the words of the JSON-RPC taxonomy; `None` unless that was asked for.
    pub fn error_stats(&self) -> Option<String> {
        let stats = self.settings.error_stats?;
        Some(self.metrics.stats(stats))
    }

    /// Whether a failure of that many bytes may have a record of its own. If not, the ledger counts it.
    pub fn may_record(&self, bytes: usize, now: Instant) -> bool {
        self.quota.take(bytes, now)
    }

    /// Whether the rules by which failures are judged should be made ready now, while a server works on its first call.
    /// Says so once.
    pub fn needs_rules(&self) -> bool {
        !self.is_ready.load(Ordering::Relaxed) && !self.is_ready.swap(true, Ordering::Relaxed)
    }

    /// From now on what is held for its clients is reserved there.
    pub fn reserve_in(&self, memory: &Arc<MemoryBudget>) {
        self.memory.get_or_init(|| Arc::clone(memory));
    }

    /// From now on its calls are counted there.
    pub fn count_calls_in(&self, counter: Arc<CallCounter>) {
        self.calls.get_or_init(|| counter);
    }

    /// Where its calls are counted, if there is a ledger.
    pub(crate) fn call_counter(&self) -> Option<&CallCounter> {
        self.calls.get().map(|it| &**it)
    }

    /// What a caller reserves of the gate's memory, if that is counted.
    pub fn account(&self, caller: Caller) -> Option<Account> {
        Some(self.memory.get()?.account(caller))
    }

    pub(crate) fn shares(&self) -> ClientShares {
        ClientShares::of(Arc::clone(&self.limits))
    }
}
