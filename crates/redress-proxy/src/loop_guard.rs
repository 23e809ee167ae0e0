//! `LoopGuard`: a call that failed several times in the same way is answered without asking the server.
//!
//! It remembers calls and failures as hashes, for a bounded number of calls. Whatever the client does successfully makes it
//! forget what failed for that client, since it may have mended the rest. After a pause one call is let through.

use std::time::{Duration, Instant};

use indexmap::IndexMap;
use redress::{Fault, codes, fault::Basis};
use redress_registry::{Class, RetryKind};
use rustc_hash::FxBuildHasher;

/// How many failed calls of a session are remembered. The one that failed least recently is forgotten first.
const MOST: usize = 128;

/// When a repeated call is answered without asking the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopRule {
    /// Whether that is done at all.
    pub enabled: bool,
    /// How often the call must fail in the same way before.
    pub failures: u32,
    /// The time after which one call is let through. It doubles as long as the call fails in the same way.
    pub pause: Duration,
    /// The longest such time.
    pub longest_pause: Duration,
}

impl Default for LoopRule {
    fn default() -> Self {
        Self {
            enabled: true,
            failures: 3,
            pause: Duration::from_secs(30),
            longest_pause: Duration::from_secs(300),
        }
    }
}

/// Whether a failure is proved to be one that the same call meets again: the server, a rule or the protocol says so, or a validator
/// that refused the arguments. A retryable failure never is, nor one that another state mends: the world outside the gate changes.
pub(crate) fn is_lasting(fault: &Fault, is_of_validator: bool) -> bool {
    let is_proved = match fault.basis {
        Some(Basis::Stated | Basis::Taught) => true,
        Some(Basis::Protocol) => fault.class != Class::Internal,
        Some(Basis::Inferred) => is_of_validator,
        None => false,
    };
    let is_known =
        fault.class != Class::Unknown && fault.code() != codes::UNKNOWN_TOOL_FAILURE.name();
    is_proved && is_known && matches!(fault.retry.kind, RetryKind::AfterChange | RetryKind::Never)
}

/// What becomes of a call.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum LoopDecision<'g, F> {
    /// The server is asked.
    Send,
    /// The server is asked, since the pause is over.
    Trial,
    /// It is answered with the failure that it had so many times.
    Answer(&'g F, u32),
}

/// The calls of a session that failed, with what is kept of the last failure of each.
#[derive(Debug)]
pub(crate) struct LoopGuard<F> {
    rule: LoopRule,
    /// Least recently failed first.
    calls: IndexMap<u64, FailedCall<F>, FxBuildHasher>,
}

#[derive(Debug)]
struct FailedCall<F> {
    client: u64,
    /// The hash of the code and the server's text.
    failure: u64,
    times: u32,
    last: F,
    /// How long it is answered without asking.
    pause: Duration,
    /// When the next one is let through, once it has failed often enough.
    until: Option<Instant>,
    /// Whether one was let through and has not failed yet.
    is_tried: bool,
}

impl<F> LoopGuard<F> {
    pub(crate) fn new(rule: LoopRule) -> Self {
        Self { rule, calls: IndexMap::default() }
    }

    /// Whether it has nothing to say about any call.
    pub(crate) fn is_idle(&self) -> bool {
        self.calls.is_empty()
    }

    /// Whether it remembers failures.
    pub(crate) const fn is_enabled(&self) -> bool {
        self.rule.enabled
    }

    /// A call is about to be sent.
    pub(crate) fn ask(&mut self, call: u64, now: Instant) -> LoopDecision<'_, F> {
        let Some(failed) = self.calls.get_mut(&call) else { return LoopDecision::Send };
        match failed.until {
            None => LoopDecision::Send,
            Some(until) if now < until => LoopDecision::Answer(&failed.last, failed.times),
            Some(_) => {
                // A call that never ends must not let others through.
                failed.until = now.checked_add(failed.pause);
                failed.is_tried = true;
                LoopDecision::Trial
            }
        }
    }

    /// A call failed as it would fail again, with the hash of its failure.
    pub(crate) fn failed(
        &mut self,
        (client, call): (u64, u64),
        failure: u64,
        last: F,
        now: Instant,
    ) {
        if !self.rule.enabled {
            return;
        }
        let known = self.calls.shift_remove(&call).filter(|it| it.failure == failure);
        let mut failed = match known {
            Some(known) => FailedCall { times: known.times.saturating_add(1), last, ..known },
            None => FailedCall {
                client,
                failure,
                times: 1,
                last,
                pause: self.rule.pause,
                until: None,
                is_tried: false,
            },
        };
        if failed.times >= self.rule.failures && failed.until.is_none() {
            failed.until = now.checked_add(failed.pause);
        } else if std::mem::take(&mut failed.is_tried) {
            failed.pause = failed.pause.saturating_mul(2).min(self.rule.longest_pause);
            failed.until = now.checked_add(failed.pause);
        }
        self.calls.insert(call, failed);
        if self.calls.len() > MOST {
            self.calls.shift_remove_index(0);
        }
    }

    /// A call failed in a way that the next one may not.
    pub(crate) fn failed_otherwise(&mut self, call: u64) {
        self.calls.shift_remove(&call);
    }

    /// A call of the client succeeded, or the client has left.
    pub(crate) fn forget(&mut self, client: u64) {
        self.calls.retain(|_, it| it.client != client);
    }
}

#[cfg(test)]
mod tests {
    use std::{
        collections::BTreeMap,
        time::{Duration, Instant},
    };

    use proptest::{collection::vec, prelude::*, sample::select};
    use redress::{Fault, codes, fault::Basis};
    use redress_registry::{Retry, RetryKind, shipped};

    use super::{LoopDecision, LoopGuard, LoopRule, MOST, is_lasting};

    const CALL: (u64, u64) = (7, 1);

    fn after_three(now: Instant) -> LoopGuard<&'static str> {
        let mut guard = LoopGuard::new(LoopRule::default());
        for _ in 0..3 {
            assert_eq!(guard.ask(CALL.1, now), LoopDecision::Send);
            guard.failed(CALL, 5, "failed", now);
        }
        guard
    }

    #[test]
    fn the_fourth_call_after_three_like_failures_is_answered() {
        let now = Instant::now();
        let mut guard = after_three(now);
        assert_eq!(guard.ask(CALL.1, now), LoopDecision::Answer(&"failed", 3));
        assert_eq!(guard.ask(2, now), LoopDecision::Send, "another call");
    }

    #[test]
    fn one_call_is_let_through_after_each_pause() {
        let start = Instant::now();
        let mut guard = after_three(start);
        let (mut now, mut pauses) = (start, Vec::new());
        for times in 3..9 {
            let from = now;
            while guard.ask(CALL.1, now) != LoopDecision::Trial {
                now += Duration::from_secs(1);
            }
            assert_eq!(guard.ask(CALL.1, now), LoopDecision::Answer(&"failed", times));
            guard.failed(CALL, 5, "failed", now);
            pauses.push((now - from).as_secs());
        }
        assert_eq!(pauses, [30, 60, 120, 240, 300, 300]);
    }

    #[test]
    fn a_trial_that_never_ends_delays_the_next_one_alone() {
        let start = Instant::now();
        let mut guard = after_three(start);
        let then = start + Duration::from_secs(30);
        assert_eq!(guard.ask(CALL.1, then), LoopDecision::Trial);
        assert_eq!(guard.ask(CALL.1, then), LoopDecision::Answer(&"failed", 3));
        assert_eq!(guard.ask(CALL.1, then + Duration::from_secs(30)), LoopDecision::Trial);
    }

    #[test]
    fn another_failure_or_a_success_begins_anew() {
        let now = Instant::now();
        let ends: [fn(&mut LoopGuard<&'static str>); 3] = [
            |it| it.forget(CALL.0),
            |it| it.failed_otherwise(CALL.1),
            |it| it.failed(CALL, 6, "otherwise", Instant::now()),
        ];
        for end in ends {
            let mut guard = after_three(now);
            end(&mut guard);
            assert_eq!(guard.ask(CALL.1, now), LoopDecision::Send);
        }
        let mut guard = after_three(now);
        guard.forget(8);
        assert_eq!(guard.ask(CALL.1, now), LoopDecision::Answer(&"failed", 3), "another client");
    }

    #[test]
    fn a_bounded_number_of_calls_is_remembered() {
        let now = Instant::now();
        let mut guard = after_three(now);
        for call in 10..10 + MOST as u64 {
            guard.failed((7, call), 5, "failed", now);
        }
        assert_eq!(guard.calls.len(), MOST);
        assert_eq!(guard.ask(CALL.1, now), LoopDecision::Send);
    }

    #[test]
    fn a_guard_that_is_off_remembers_nothing() {
        let mut guard: LoopGuard<&str> =
            LoopGuard::new(LoopRule { enabled: false, ..LoopRule::default() });
        guard.failed(CALL, 5, "failed", Instant::now());
        assert!(guard.is_idle());
    }

    /// A failure of any code, retry rule and basis.
    fn failure() -> impl Strategy<Value = (Fault, bool)> {
        let codes: Vec<_> = shipped::core().codes.values().cloned().collect();
        let basis = proptest::option::of(select(&Basis::ALL[..]));
        (select(codes), select(RetryKind::ALL), basis, any::<bool>()).prop_map(
            |(row, kind, basis, is_of_validator)| {
                let mut fault = Fault::of(&row);
                (fault.retry, fault.basis) = (Retry::of(kind), basis);
                (fault, is_of_validator)
            },
        )
    }

    /// What happens next: a call, with its failure or none, so many seconds later.
    fn steps() -> impl Strategy<Value = Vec<(u64, u64, Option<usize>, u64)>> {
        let call =
            (0u64..2, 0u64..2, prop_oneof![4 => (0usize..3).prop_map(Some), 1 => Just(None)]);
        vec((call, select(vec![0u64, 0, 0, 0, 1, 29, 31, 400])), 0..80)
            .prop_map(|it| it.into_iter().map(|((a, b, c), d)| (a, b, c, d)).collect())
    }

    proptest! {
        #[test]
        fn only_what_failed_alike_and_lastingly_is_answered(failures in vec(failure(), 3), steps in steps()) {
            let mut guard: LoopGuard<usize> = LoopGuard::new(LoopRule::default());
            let mut past: BTreeMap<(u64, u64), Vec<usize>> = BTreeMap::new();
            let mut now = Instant::now();
            for (client, call, outcome, seconds) in steps {
                now += Duration::from_secs(seconds);
                let key = (client, client * 10 + call);
                if let LoopDecision::Answer(last, times) = guard.ask(key.1, now) {
                    let (fault, is_of_validator) = &failures[*last];
                    let is_inferred = fault.basis.is_none_or(|it| it == Basis::Inferred);
                    prop_assert!(fault.code() != codes::UNKNOWN_TOOL_FAILURE.name());
                    prop_assert!(!is_inferred || fault.basis.is_some() && *is_of_validator, "prose");
                    prop_assert!(!fault.retryable() && fault.retry.kind != RetryKind::AfterState);
                    let alike = past[&key].iter().rev().take_while(|it| *it == last).count();
                    prop_assert!(alike >= 3 && alike >= times as usize, "{alike} of {times}");
                    continue;
                }
                match outcome {
                    Some(at) => {
                        past.entry(key).or_default().push(at);
                        let (fault, is_of_validator) = &failures[at];
                        if is_lasting(fault, *is_of_validator) {
                            guard.failed(key, at as u64, at, now);
                        } else {
                            guard.failed_otherwise(key.1);
                        }
                    }
                    None => {
                        past.retain(|it, _| it.0 != client);
                        guard.forget(client);
                    }
                }
            }
        }
    }
}
