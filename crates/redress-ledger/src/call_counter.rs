//! `CallCounter`: the calls of one server while their minute lasts, and those of all servers of a ledger as `tally` records.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use crate::{
    tally::{CallOutcome, Calls, Tally},
    time::Time,
};

/// The most tools of a server that are counted by name in one minute.
const MOST_TOOLS: usize = 1_000;

/// The longest name that is counted by itself, in bytes.
const LONGEST_NAME: usize = 1 << 10;

/// The most minutes that are kept while they cannot be recorded.
const MOST_MINUTES: usize = 60;

/// Counts the calls of one server.
#[derive(Debug)]
pub struct CallCounter {
    server: String,
    state: Mutex<Counted>,
}

#[derive(Debug, Default)]
struct Counted {
    /// The minute that lasts.
    minute: Time,
    /// Its calls, in the order in which the tools were called first.
    calls: Vec<Calls>,
    /// The place of each tool in them.
    places: BTreeMap<Box<str>, usize>,
    /// The minutes that are over.
    over: BTreeMap<Time, Vec<Calls>>,
}

impl CallCounter {
    /// The name of all tools that are not counted by their own.
    pub const OTHERS: &'static str = "(others)";

    fn new(server: &str) -> Self {
        Self { server: server.to_owned(), state: Mutex::default() }
    }

    /// A call ended at a time, and took so long. Costs a search by name and two additions.
    pub fn ended(&self, tool: &str, outcome: CallOutcome, took: Duration, at: Time) {
        let minute = Tally::minute_of(at);
        let mut state = self.lock();
        if state.minute != minute {
            state.next_minute(minute);
        }
        if let Some(calls) = state.calls_of(tool, &self.server) {
            calls.add(outcome);
            calls.took(u64::try_from(took.as_micros().div_ceil(1_000)).unwrap_or(u64::MAX));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Counted> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counted {
    fn next_minute(&mut self, minute: Time) {
        let before = std::mem::replace(&mut self.minute, minute);
        self.places.clear();
        if !self.calls.is_empty() {
            // A clock that went back may come to a minute twice.
            self.over.entry(before).or_default().append(&mut self.calls);
        }
        if self.over.len() > MOST_MINUTES {
            self.over.pop_first();
        }
    }

    fn calls_of(&mut self, tool: &str, server: &str) -> Option<&mut Calls> {
        let known = self.places.get(tool).copied();
        let at = known.unwrap_or_else(|| {
            let is_kept = self.calls.len() < MOST_TOOLS && tool.len() <= LONGEST_NAME;
            let name = if is_kept { tool } else { CallCounter::OTHERS };
            *self.places.entry(name.into()).or_insert_with(|| {
                let (server, tool) = (server.to_owned(), name.to_owned());
                self.calls.push(Calls { server, tool, ..Calls::default() });
                self.calls.len() - 1
            })
        });
        self.calls.get_mut(at)
    }

    /// Takes the minutes that are over at a time; without one all.
    fn take(&mut self, now: Option<Time>) -> BTreeMap<Time, Vec<Calls>> {
        match now.map(Tally::minute_of) {
            Some(minute) if minute == self.minute => (),
            Some(minute) => self.next_minute(minute),
            None => self.next_minute(self.minute),
        }
        std::mem::take(&mut self.over)
    }
}

/// The counters of the servers of one ledger.
#[derive(Debug, Default)]
pub(crate) struct CallCounters(Mutex<Vec<Arc<CallCounter>>>);

impl CallCounters {
    /// The counter of a server, which is kept if it is new.
    pub(crate) fn of(&self, server: &str) -> Arc<CallCounter> {
        let mut all = self.lock();
        if let Some(known) = all.iter().find(|it| it.server == server) {
            return Arc::clone(known);
        }
        let counter = Arc::new(CallCounter::new(server));
        all.push(Arc::clone(&counter));
        counter
    }

    /// Takes the minutes that are over at a time, one tally for all servers each; without a time all.
    pub(crate) fn take(&self, now: Option<Time>) -> impl Iterator<Item = Tally> {
        let mut minutes: BTreeMap<Time, Vec<Calls>> = BTreeMap::new();
        for counter in self.lock().iter() {
            for (minute, calls) in counter.lock().take(now) {
                minutes.entry(minute).or_default().extend(calls);
            }
        }
        minutes.into_iter().map(|(minute, calls)| Tally { minute, calls })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<CallCounter>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{CallCounter, CallCounters, CallOutcome, MOST_MINUTES, MOST_TOOLS};
    use crate::time::Time;

    const MINUTE: u64 = 60_000;

    fn at(minute: u64) -> Time {
        Time::from_millis(minute * MINUTE + 17)
    }

    fn call(counter: &CallCounter, tool: &str, minute: u64) {
        counter.ended(tool, CallOutcome::Ok, Duration::from_micros(1_001), at(minute));
    }

    #[test]
    fn a_minute_is_taken_when_it_is_over_of_all_servers() {
        let counters = CallCounters::default();
        let (files, notes) = (counters.of("files"), counters.of("notes"));
        call(&files, "read", 5);
        call(&counters.of("files"), "read", 5);
        call(&notes, "add", 5);
        assert_eq!(counters.take(Some(at(5))).count(), 0, "it is not over");
        call(&files, "read", 6);
        let all: Vec<_> = counters.take(Some(at(6))).collect();
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].minute, Time::from_millis(5 * MINUTE));
        let told: Vec<_> =
            all[0].calls.iter().map(|it| (&*it.server, &*it.tool, it.ok, it.latency[1])).collect();
        assert_eq!(told, [("files", "read", 2, 2), ("notes", "add", 1, 1)]);
        assert_eq!(counters.take(None).next().unwrap().minute, Time::from_millis(6 * MINUTE));
        assert_eq!(counters.take(None).count(), 0);
    }

    #[test]
    fn names_and_minutes_do_not_fill_the_memory() {
        let counters = CallCounters::default();
        let counter = counters.of("files");
        for number in 0..2 * MOST_TOOLS {
            call(&counter, &number.to_string(), 1);
        }
        call(&counter, &"x".repeat(5_000), 1);
        let calls = counters.take(None).next().unwrap().calls;
        assert_eq!(calls.len(), MOST_TOOLS + 1);
        assert_eq!(calls.last().map(|it| (&*it.tool, it.ok)), Some((CallCounter::OTHERS, 1_001)));
        for minute in 0..3 * MOST_MINUTES as u64 {
            call(&counter, "read", minute);
        }
        assert_eq!(counters.take(None).count(), MOST_MINUTES);
    }

    #[test]
    fn a_clock_that_went_back_loses_no_call() {
        let counters = CallCounters::default();
        let counter = counters.of("files");
        for minute in [7, 3, 7, 3] {
            call(&counter, "read", minute);
        }
        let all: Vec<_> = counters.take(Some(at(3))).collect();
        let told: Vec<_> =
            all.iter().map(|it| it.calls.iter().map(|it| it.ok).sum::<u64>()).collect();
        assert_eq!(told, [1, 2], "the second call of minute 3 is not over");
        assert_eq!(counters.take(None).map(|it| it.calls.len()).sum::<usize>(), 1);
    }
}
