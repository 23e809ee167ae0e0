//! `FailedTools`: the tools that failed in a run and have not succeeded in it since, so that the success that follows is recorded.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use crate::trace_id::TraceId;

/// The most runs that are known. Then the one that failed first is forgotten.
const MOST_RUNS: usize = 4_096;

/// The most tools of a run that are known.
const MOST_TOOLS: usize = 256;

/// A run: a trace, or without one the session of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RunId {
    Trace(TraceId),
    Client(u64),
}

/// A success of a tool that had failed in its run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mended {
    /// The number of the call, as [`FailedTools::failed`] gives it for a failure.
    pub(crate) call: u64,
    /// How often the tool had failed before.
    pub(crate) failures: u64,
}

/// The tools that failed in a run and have not succeeded in it since.
#[derive(Debug, Default)]
pub(crate) struct FailedTools {
    /// Whether there is any, so that a success costs no lock where there is none.
    is_any: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    runs: BTreeMap<RunId, Run>,
    /// Counts the runs that were added.
    added: u64,
}

#[derive(Debug)]
struct Run {
    number: u64,
    /// The calls that ended since the first failure that is still open, that one included.
    calls: u64,
    tools: BTreeMap<Box<str>, u64>,
}

impl FailedTools {
    /// Whether any tool has failed and not succeeded since.
    pub(crate) fn is_any(&self) -> bool {
        self.is_any.load(Ordering::Relaxed)
    }

    /// A call failed. Gives its number: 1 for the first failure of a run that is still open, and one more for each call of the run
    /// that ended since.
    pub(crate) fn failed(&self, run: RunId, tool: &str) -> u64 {
        let mut state = self.lock();
        if !state.runs.contains_key(&run) && state.runs.len() >= MOST_RUNS {
            state.forget_oldest();
        }
        state.added += 1;
        let number = state.added;
        let new = || Run { number, calls: 0, tools: BTreeMap::new() };
        let run = state.runs.entry(run).or_insert_with(new);
        run.calls += 1;
        if let Some(failures) = run.tools.get_mut(tool) {
            *failures += 1;
        } else if run.tools.len() < MOST_TOOLS {
            run.tools.insert(tool.into(), 1);
        }
        let call = run.calls;
        drop(state);
        self.is_any.store(true, Ordering::Relaxed);
        call
    }

    /// A call succeeded. Gives what that ends, if its tool had failed.
    pub(crate) fn succeeded(&self, run: RunId, tool: &str) -> Option<Mended> {
        let mut state = self.lock();
        let known = state.runs.get_mut(&run)?;
        known.calls += 1;
        let (call, failures) = (known.calls, known.tools.remove(tool)?);
        if known.tools.is_empty() {
            state.runs.remove(&run);
            self.is_any.store(!state.runs.is_empty(), Ordering::Relaxed);
        }
        Some(Mended { call, failures })
    }

    /// A call ended in another way.
    pub(crate) fn ended(&self, run: RunId) {
        if let Some(run) = self.lock().runs.get_mut(&run) {
            run.calls += 1;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn forget_oldest(&mut self) {
        let oldest = self.runs.iter().min_by_key(|it| it.1.number).map(|it| *it.0);
        oldest.and_then(|it| self.runs.remove(&it));
    }
}

#[cfg(test)]
mod tests {
    use super::{FailedTools, MOST_RUNS, MOST_TOOLS, Mended, RunId};

    const RUN: RunId = RunId::Client(7);

    #[test]
    fn the_first_success_of_a_tool_ends_all_its_failures() {
        let failed = FailedTools::default();
        assert!(!failed.is_any());
        assert_eq!(failed.failed(RUN, "read"), 1);
        assert_eq!(failed.failed(RUN, "read"), 2);
        assert_eq!(failed.succeeded(RUN, "list"), None, "it had not failed");
        failed.ended(RUN);
        assert_eq!(failed.failed(RUN, "write"), 5);
        assert_eq!(failed.succeeded(RunId::Client(8), "read"), None, "another run");
        assert_eq!(failed.succeeded(RUN, "read"), Some(Mended { call: 6, failures: 2 }));
        assert_eq!(failed.succeeded(RUN, "read"), None, "nothing had failed since");
        assert!(failed.is_any());
        assert_eq!(failed.succeeded(RUN, "write"), Some(Mended { call: 8, failures: 1 }));
        assert!(!failed.is_any());
        assert_eq!(failed.failed(RUN, "read"), 1, "it begins anew");
    }

    #[test]
    fn runs_and_names_do_not_fill_the_memory() {
        let failed = FailedTools::default();
        for client in 0..2 * MOST_RUNS as u64 {
            failed.failed(RunId::Client(client), "read");
        }
        assert_eq!(failed.lock().runs.len(), MOST_RUNS);
        assert_eq!(failed.succeeded(RunId::Client(0), "read"), None, "the first was forgotten");
        for tool in 0..2 * MOST_TOOLS {
            failed.failed(RUN, &tool.to_string());
        }
        assert_eq!(failed.lock().runs[&RUN].tools.len(), MOST_TOOLS);
    }
}
