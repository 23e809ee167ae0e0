//! `Limits`: how many calls a server is asked at once and per time, shared fairly by its clients.
//!
//! The last quarter of what there is is kept for clients that have less than their part of it: one that floods the
//! gate is refused before the others are.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::{caller::Caller, slots::SlotPool};

/// How much is too much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitRule {
    /// How many calls of all sessions may be in progress.
    pub in_flight: usize,
    /// How many calls of one session may be in progress.
    pub in_flight_per_session: usize,
    /// How many calls may be made per time.
    pub rate: Option<Rate>,
}

impl Default for LimitRule {
    fn default() -> Self {
        Self { in_flight: 4_096, in_flight_per_session: 1_024, rate: None }
    }
}

/// So many calls in so much time, at once or spread over it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// How many calls.
    pub calls: u32,
    /// In which time.
    pub per: Duration,
}

/// Why a call is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LimitExceeded {
    /// So many are in progress.
    InFlight {
        /// The limit that was reached.
        limit: usize,
    },
    /// The next may come after that time.
    Rate {
        /// How long to wait.
        wait: Duration,
    },
}

/// What all sessions of a server share.
#[derive(Debug)]
pub(crate) struct Limits {
    rule: LimitRule,
    in_flight: AtomicUsize,
    /// Sessions that have calls in progress, or would like to.
    sessions: AtomicUsize,
    /// The same calls by caller, however many sessions it has.
    callers: Mutex<SlotPool>,
    rate: Option<Bucket>,
    /// From when on time is counted.
    start: Instant,
}

impl Limits {
    pub(crate) fn new(rule: LimitRule, start: Instant) -> Self {
        let rate = rule.rate.filter(|it| it.calls > 0 && !it.per.is_zero()).map(Bucket::new);
        let (in_flight, sessions) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let callers = Mutex::new(SlotPool::new(rule.in_flight));
        Self { rule, in_flight, sessions, callers, rate, start }
    }

    /// How many calls are in progress.
    pub(crate) fn in_flight(&self) -> usize {
        self.in_flight.load(Ordering::Relaxed)
    }

    fn callers(&self) -> MutexGuard<'_, SlotPool> {
        self.callers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn nanos(&self, now: Instant) -> u64 {
        let since = now.saturating_duration_since(self.start);
        u64::try_from(since.as_nanos()).unwrap_or(u64::MAX / 2)
    }
}

/// The place that a call in progress has among those of all callers. It is given back when this value is dropped.
#[derive(Debug)]
pub(crate) struct CallSlot {
    limits: Arc<Limits>,
    caller: Caller,
}

impl Drop for CallSlot {
    fn drop(&mut self) {
        self.limits.callers().leave(self.caller);
    }
}

/// The parts of all clients of a session, mostly one.
#[derive(Debug)]
pub(crate) struct ClientShares {
    limits: Arc<Limits>,
    by_client: IndexMap<u64, ClientShare, FxBuildHasher>,
}

/// More clients than this are not kept unless they have calls in progress.
const MOST_IDLE: usize = 4_096;

impl ClientShares {
    pub(crate) fn of(limits: Arc<Limits>) -> Self {
        Self { limits, by_client: IndexMap::default() }
    }

    /// A place for one more call of a caller; none is needed where there can be no other caller.
    pub(crate) fn place(&self, caller: Caller) -> Result<Option<CallSlot>, LimitExceeded> {
        if caller.is_only() {
            return Ok(None);
        }
        if !self.limits.callers().enter(caller) {
            return Err(LimitExceeded::InFlight { limit: self.limits.rule.in_flight });
        }
        Ok(Some(CallSlot { limits: Arc::clone(&self.limits), caller }))
    }

    /// Whether one more call of a client may begin. The caller says when it is over.
    pub(crate) fn enter(&mut self, client: u64, now: Instant) -> Result<(), LimitExceeded> {
        if self.by_client.len() >= MOST_IDLE && !self.by_client.contains_key(&client) {
            self.by_client.retain(|_, it| it.own > 0);
        }
        let share = self.by_client.entry(client);
        share.or_insert_with(|| ClientShare::of(Arc::clone(&self.limits))).enter(now)
    }

    /// A call of a client is over.
    pub(crate) fn leave(&mut self, client: u64) {
        if let Some(share) = self.by_client.get_mut(&client) {
            share.leave();
        }
    }
}

/// The part of one client.
#[derive(Debug)]
struct ClientShare {
    limits: Arc<Limits>,
    own: usize,
    is_counted: bool,
    /// When its own part of the rate is used up until, in nanoseconds.
    used_until: u64,
}

impl ClientShare {
    const fn of(limits: Arc<Limits>) -> Self {
        Self { limits, own: 0, is_counted: false, used_until: 0 }
    }

    /// Whether one more call may begin. The caller says when it is over.
    fn enter(&mut self, now: Instant) -> Result<(), LimitExceeded> {
        self.count();
        let limit = self.is_too_much();
        if let Some(limit) = limit {
            return Err(LimitExceeded::InFlight { limit });
        }
        self.take_token(now)?;
        self.own += 1;
        self.limits.in_flight.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// A call is over.
    fn leave(&mut self) {
        self.own = self.own.saturating_sub(1);
        self.limits.in_flight.fetch_sub(1, Ordering::Relaxed);
        if self.own == 0 {
            self.uncount();
        }
    }

    /// The limit that one more call would break.
    fn is_too_much(&self) -> Option<usize> {
        let rule = &self.limits.rule;
        if self.own >= rule.in_flight_per_session {
            return Some(rule.in_flight_per_session);
        }
        let all = self.limits.in_flight.load(Ordering::Relaxed);
        let is_scarce = all >= rule.in_flight - rule.in_flight / 4;
        let is_refused =
            all >= rule.in_flight || is_scarce && self.own >= self.part(rule.in_flight);
        is_refused.then_some(rule.in_flight)
    }

    fn take_token(&mut self, now: Instant) -> Result<(), LimitExceeded> {
        let Some(bucket) = &self.limits.rate else { return Ok(()) };
        let (now, sessions) = (self.limits.nanos(now), self.sessions());
        let own_interval = bucket.interval.saturating_mul(sessions);
        let own_until = self.used_until.max(now).saturating_add(own_interval);
        // Its own part is a bucket as long as that of all, filled more slowly.
        let own_excess = (own_until - now).saturating_sub(bucket.length.max(own_interval));
        let is_scarce = bucket.used(now) > bucket.length - bucket.length / 4;
        if is_scarce && own_excess > 0 {
            return Err(LimitExceeded::Rate { wait: Duration::from_nanos(own_excess) });
        }
        bucket.take(now).map_err(|wait| LimitExceeded::Rate { wait })?;
        self.used_until = own_until.min(now.saturating_add(bucket.length.max(own_interval)));
        Ok(())
    }

    /// A fair part of something.
    fn part(&self, of: usize) -> usize {
        let sessions = usize::try_from(self.sessions()).unwrap_or(usize::MAX);
        of.div_ceil(sessions).max(1)
    }

    fn sessions(&self) -> u64 {
        u64::try_from(self.limits.sessions.load(Ordering::Relaxed)).unwrap_or(u64::MAX).max(1)
    }

    fn count(&mut self) {
        if !std::mem::replace(&mut self.is_counted, true) {
            self.limits.sessions.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn uncount(&mut self) {
        if std::mem::take(&mut self.is_counted) {
            self.limits.sessions.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl Drop for ClientShare {
    fn drop(&mut self) {
        self.limits.in_flight.fetch_sub(self.own, Ordering::Relaxed);
        self.uncount();
    }
}

/// A bucket of tokens that fills evenly, as one number: until when everything in it is used up.
#[derive(Debug)]
struct Bucket {
    used_until: AtomicU64,
    /// The time that one token takes.
    interval: u64,
    /// The time that all of them take.
    length: u64,
}

impl Bucket {
    fn new(rate: Rate) -> Self {
        let length = u64::try_from(rate.per.as_nanos()).unwrap_or(u64::MAX / 4).max(1);
        let interval = (length / u64::from(rate.calls).max(1)).max(1);
        Self { used_until: AtomicU64::new(0), interval, length: length.max(interval) }
    }

    /// How much of it is used.
    fn used(&self, now: u64) -> u64 {
        self.used_until.load(Ordering::Relaxed).saturating_sub(now)
    }

    /// Takes a token, or says when there will be one.
    fn take(&self, now: u64) -> Result<(), Duration> {
        let taken = self.used_until.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |it| {
            let next = it.max(now).saturating_add(self.interval);
            (next - now <= self.length).then_some(next)
        });
        taken.map(drop).map_err(|it| {
            let over = it.max(now).saturating_add(self.interval) - now - self.length;
            Duration::from_nanos(over)
        })
    }
}

#[cfg(test)]
mod tests;
