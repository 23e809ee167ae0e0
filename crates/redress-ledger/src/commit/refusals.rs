//! Failures that are counted instead of recorded one by one, so that they cannot fill the disk.
//!
//! Of each kind some get records of their own; what comes faster is counted. A `refusals` record tells the counts, at most once a second.
//! The client is answered only after the record that came before it is durable, so that no more than the counts of the last
//! second are lost in a crash.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use redress_wire::json::Members;

use super::Queue;
use crate::{
    error::LedgerError,
    record::{Kind, Record},
    time::Time,
};

/// How many failures of a kind get records of their own at once; one more does each time so many milliseconds have passed.
const RECORDED_AT_ONCE: u64 = 16;
const RECORDED_EACH_MILLIS: u64 = 1_000;

/// How often counts are recorded.
const TELL_EACH_MILLIS: u64 = 1_000;

/// Kinds that are counted one by one; the rest is counted together.
const MAX_KINDS: usize = 1_000;

/// The name for codes that are not counted one by one.
const OTHERS: &str = "(others)";

/// What a failure is counted under.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RefusalKind {
    /// Its code.
    pub code: String,
    /// The class of it.
    pub class: &'static str,
    /// The server, if the request was for one.
    pub server: Option<String>,
    /// Where the request came from: the name of a class of addresses.
    pub from: &'static str,
}

/// What is called when what a failure waits for is durable, or will never be.
type OnTold = Box<dyn FnOnce(Result<(), LedgerError>) + Send>;

/// The counts that no record tells yet, and who waits for records.
#[derive(Default)]
pub(super) struct Refusals {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// How much of each kind was recorded lately: until when that is made up for, in milliseconds.
    recorded: BTreeMap<RefusalKind, u64>,
    counts: BTreeMap<RefusalKind, u64>,
    first: Time,
    last: Time,
    /// When counts were recorded last.
    told: Option<Time>,
    /// Records are numbered in the order in which they were queued, in which they become durable, too.
    queued: u64,
    durable: u64,
    waiting: VecDeque<(u64, OnTold)>,
}

/// What follows when a failure was counted.
enum Added {
    /// The counts go into the record of that number, for which the failure waits.
    Tell(u64, Option<(Record, u64)>),
    /// It waits for a record that is queued.
    Waits,
    /// The client may be answered.
    Told(OnTold),
}

impl State {
    /// Whether a failure of a kind gets a record of its own.
    fn may_record(&mut self, kind: &RefusalKind, now: Time) -> bool {
        let now = now.millis();
        let length = RECORDED_AT_ONCE * RECORDED_EACH_MILLIS;
        let most = now.saturating_add(length);
        let Some(until) = self.recorded.get_mut(kind) else {
            let is_known = self.recorded.len() < MAX_KINDS || self.make_room(now);
            if is_known {
                self.recorded.insert(kind.clone(), now.saturating_add(RECORDED_EACH_MILLIS));
            }
            return is_known;
        };
        // A clock that went back must not keep records away.
        let start = if *until > most { now } else { now.max(*until) };
        let next = start.saturating_add(RECORDED_EACH_MILLIS);
        let may = next <= most;
        if may {
            *until = next;
        }
        may
    }

    /// Forgets kinds that did not occur lately. Says whether there is room for another.
    fn make_room(&mut self, now: u64) -> bool {
        self.recorded.retain(|_, until| *until > now);
        self.recorded.len() < MAX_KINDS
    }

    fn count(&mut self, kind: RefusalKind, now: Time) {
        if self.counts.is_empty() {
            self.first = now;
        }
        self.last = now;
        let is_known = self.counts.len() < MAX_KINDS || self.counts.contains_key(&kind);
        let kind = if is_known {
            kind
        } else {
            RefusalKind { code: OTHERS.to_owned(), server: None, ..kind }
        };
        *self.counts.entry(kind).or_default() += 1;
    }

    /// Counts a failure whose client may be answered when what was queued before it is durable.
    fn add(&mut self, kind: RefusalKind, now: Time, then: OnTold) -> Added {
        self.count(kind, now);
        if self.is_due(now) {
            self.queued += 1;
            self.waiting.push_back((self.queued, then));
            Added::Tell(self.queued, self.take(now))
        } else if self.durable < self.queued {
            self.waiting.push_back((self.queued, then));
            Added::Waits
        } else {
            Added::Told(then)
        }
    }

    fn is_due(&self, now: Time) -> bool {
        // A clock that went back must not delay it.
        self.told.is_none_or(|it| now < it || now.since(it) >= TELL_EACH_MILLIS)
    }

    /// The record of the counts, and how many failures it counts.
    fn take(&mut self, now: Time) -> Option<(Record, u64)> {
        let counts = std::mem::take(&mut self.counts);
        let count = counts.values().sum();
        (count > 0).then(|| {
            self.told = Some(now);
            (record(&counts, count, (self.first, self.last)), count)
        })
    }

    /// Those who wait for records up to a number.
    fn take_waiting(&mut self, number: u64) -> Vec<OnTold> {
        self.durable = self.durable.max(number);
        let ready = self.waiting.iter().take_while(|it| it.0 <= self.durable).count();
        self.waiting.drain(..ready).map(|it| it.1).collect()
    }
}

fn record(counts: &BTreeMap<RefusalKind, u64>, count: u64, (first, last): (Time, Time)) -> Record {
    Record::new(Kind::Refusals, |it| {
        it.int("count", count).str("first", &first.to_string()).str("last", &last.to_string());
        let mut list = String::from("[");
        for (kind, count) in counts {
            if list.len() > 1 {
                list.push(',');
            }
            let mut line = Members::open(&mut list);
            line.str("code", &kind.code).str("class", kind.class);
            if let Some(server) = &kind.server {
                line.str("server", server);
            }
            line.str("from", kind.from).int("count", *count);
            line.close();
        }
        list.push(']');
        it.raw("counts", &list);
    })
}

/// A failure that gets a record of its own. Failures that are only counted are answered after it; so drop it when that record is durable,
/// or never will be.
pub struct Recording {
    queue: Arc<Queue>,
    number: u64,
}

impl std::fmt::Debug for Recording {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recording").field("number", &self.number).finish_non_exhaustive()
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        settle(&self.queue, self.number, &Ok(()));
    }
}

/// Whether a failure of a kind gets a record of its own.
pub(crate) fn may_record(queue: &Arc<Queue>, kind: &RefusalKind) -> Option<Recording> {
    let now = queue.now();
    let mut state = queue.refusals.lock();
    state.may_record(kind, now).then(|| {
        state.queued += 1;
        Recording { queue: Arc::clone(queue), number: state.queued }
    })
}

/// Counts a failure. `then` is called once, when the client may be answered.
pub(crate) fn count(queue: &Arc<Queue>, kind: RefusalKind, then: OnTold) {
    if let Some(refusal) = queue.is_over() {
        queue.miss();
        return then(Err(refusal));
    }
    let now = queue.now();
    let added = queue.refusals.lock().add(kind, now, then);
    match added {
        Added::Tell(number, told) => return tell(queue, number, told),
        Added::Told(then) => then(Ok(())),
        Added::Waits => (),
    }
    queue.expect_counts();
}

/// Records the counts that no record tells yet.
pub(crate) fn tell_counts(queue: &Arc<Queue>) {
    let now = queue.now();
    let mut state = queue.refusals.lock();
    let Some(told) = state.take(now) else { return };
    state.queued += 1;
    let number = state.queued;
    drop(state);
    tell(queue, number, Some(told));
}

fn tell(queue: &Arc<Queue>, number: u64, told: Option<(Record, u64)>) {
    let Some((record, count)) = told else { return settle(queue, number, &Ok(())) };
    let shared = Arc::clone(queue);
    let then = move |result: Result<_, _>, _| {
        if result.is_err() {
            // The record itself is one of them already.
            shared.miss_many(count.saturating_sub(1));
        }
        settle(&shared, number, &result.map(drop));
    };
    queue.push(record, Box::new(then));
}

/// A record is durable, or never will be: releases what waits for it.
fn settle(queue: &Queue, number: u64, result: &Result<(), LedgerError>) {
    let ready = queue.refusals.lock().take_waiting(number);
    for then in ready {
        then(result.clone());
    }
}

impl Refusals {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::{Added, MAX_KINDS, RECORDED_AT_ONCE, RefusalKind, State, Time};

    fn kind(code: &str) -> RefusalKind {
        RefusalKind { code: code.to_owned(), class: "internal", server: None, from: "local" }
    }

    #[test]
    fn the_first_of_a_kind_are_recorded_and_then_one_a_second() {
        let mut state = State::default();
        let mut recorded = |from: u64, tries: u64| {
            (0..tries)
                .filter(|it| state.may_record(&kind("A"), Time::from_millis(from + it)))
                .count()
        };
        assert_eq!(recorded(5_000, 500), usize::try_from(RECORDED_AT_ONCE).unwrap());
        assert_eq!(recorded(10_000, 3_000), 5 + 2, "five since, and one for each second");
        assert_eq!(recorded(100_000, 500), usize::try_from(RECORDED_AT_ONCE).unwrap());
        assert!(recorded(1, 500) > 0, "a clock that goes back keeps none away");
        assert!(state.may_record(&kind("B"), Time::from_millis(5_001)));
    }

    #[test]
    fn a_counted_failure_waits_for_the_record_queued_before_it() {
        let (told, hear) = mpsc::channel();
        let then = |number: u32| -> super::OnTold {
            let told = told.clone();
            Box::new(move |_| told.send(number).unwrap())
        };
        let settle = |state: &mut State, number| {
            state.take_waiting(number).into_iter().for_each(|it| it(Ok(())));
            hear.try_iter().collect::<Vec<_>>()
        };
        let mut state = State::default();
        let now = Time::from_millis(5_000);
        let first = state.add(kind("A"), now, then(1));
        assert!(matches!(first, Added::Tell(1, Some((_, 1)))), "the first counts are told at once");
        assert!(matches!(state.add(kind("A"), now, then(2)), Added::Waits));
        assert_eq!(settle(&mut state, 1), [1, 2]);
        assert!(matches!(state.add(kind("A"), now, then(3)), Added::Told(_)));
        // Another failure gets a record of its own.
        state.queued += 1;
        assert!(matches!(state.add(kind("A"), now, then(4)), Added::Waits));
        assert!(settle(&mut state, 1).is_empty());
        assert_eq!(settle(&mut state, 2), [4]);
        let later = Time::from_millis(6_000);
        assert!(matches!(state.add(kind("B"), later, then(5)), Added::Tell(3, Some((_, 4)))));
        assert_eq!(settle(&mut state, 3), [5]);
    }

    #[test]
    fn kinds_do_not_fill_the_memory() {
        let mut state = State::default();
        let now = Time::from_millis(5_000);
        for number in 0..3 * MAX_KINDS {
            state.may_record(&kind(&number.to_string()), now);
            state.count(kind(&number.to_string()), now);
        }
        assert_eq!(state.recorded.len(), MAX_KINDS);
        assert_eq!(state.counts.len(), MAX_KINDS + 1);
        assert_eq!(state.counts.values().sum::<u64>(), 3 * MAX_KINDS as u64);
        assert!(state.may_record(&kind("new"), Time::from_millis(60_000)), "the others are quiet");
    }
}
