//! Chains of fallbacks: what is tried, in which order, how often, and what is recorded.

use std::{
    pin::pin,
    sync::{
        Mutex,
        atomic::{AtomicU32, AtomicU64, Ordering},
    },
    task::{Context, Poll, Waker},
};

use proptest::{prelude::any, prop_assert, proptest};
use redress::{
    Fault, codes,
    outcome::ToolTraits,
    recover::{Budget, Decision, Ended, Failed, FallbackChain, Policy, StopReason, Surroundings},
};
use redress_registry::{Effect, RetryKind};

use crate::arbitrary::fault;

const PLAIN: ToolTraits = ToolTraits { read_only: false, idempotent: false, trusted: true };
const READS: ToolTraits = ToolTraits { read_only: true, ..PLAIN };

/// A clock that only waiting moves.
#[derive(Default)]
struct Still(AtomicU64);

impl Surroundings for Still {
    fn now_ms(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn random(&self) -> u32 {
        u32::MAX
    }

    fn wait(&self, ms: u64) -> impl Future<Output = ()> + Send {
        self.0.fetch_add(ms, Ordering::Relaxed);
        std::future::ready(())
    }
}

/// Runs a future that never really waits.
fn finish<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return value;
        }
    }
}

fn run(chain: FallbackChain<'_, String>) -> Ended<String> {
    finish(chain.run(&Still::default(), &Mutex::default()))
}

fn chain<'c>() -> FallbackChain<'c, String> {
    FallbackChain::new(String::is_empty)
}

fn fails(fault: &Fault) -> impl Future<Output = Result<String, Failed>> + Send + use<> {
    std::future::ready(Err(Failed::from(fault.clone())))
}

fn says(text: &str) -> impl Future<Output = Result<String, Failed>> + Send + use<> {
    std::future::ready(Ok(text.to_owned()))
}

fn away() -> Fault {
    let mut fault = codes::UPSTREAM_UNAVAILABLE.raise([] as [(&str, &str); 0]);
    fault.effect = Effect::None;
    fault
}

fn names(ended: &Ended<String>) -> Vec<(&str, u32, Option<&str>)> {
    let row = |it: &'_ redress::recover::Trouble| it.decided.row;
    ended.tries.iter().map(|it| (&*it.step, it.made, it.failed.as_ref().map(row))).collect()
}

#[test]
fn the_first_answer_ends_a_chain() {
    let ended = run(chain().step("a", PLAIN, || says("")).step("b", PLAIN, || says("never")));
    assert_eq!(names(&ended), [("a", 1, None)]);
    assert_eq!(ended.answer.unwrap(), "", "the server's own answer may be empty");
}

#[test]
fn a_step_is_repeated_while_it_may_be_then_the_next_is_tried() {
    let fault = away();
    let ended = run(chain().step("a", PLAIN, || fails(&fault)).step("b", PLAIN, || says("yes")));
    let tries = [
        ("a", 1, Some("again_later")),
        ("a", 2, Some("again_later")),
        ("a", 3, Some("elsewhere")),
        ("b", 1, None),
    ];
    assert_eq!(names(&ended), tries);
    assert_eq!(ended.answer.unwrap(), "yes");
}

#[test]
fn what_may_have_happened_is_tried_nowhere_else() {
    let fault = codes::UPSTREAM_CRASHED.raise([] as [(&str, &str); 0]);
    let asked = AtomicU32::new(0);
    let ended = run(chain().step("send", PLAIN, || fails(&fault)).step("other", PLAIN, || {
        asked.fetch_add(1, Ordering::Relaxed);
        says("sent twice")
    }));
    assert_eq!(names(&ended), [("send", 1, Some("in_doubt"))]);
    assert_eq!(asked.load(Ordering::Relaxed), 0);
    assert!(matches!(ended.answer.unwrap_err().decided.decision, Decision::AskHuman { .. }));
    let ended =
        run(chain().step("read", READS, || fails(&fault)).step("other", READS, || says("read")));
    assert_eq!(ended.answer.unwrap(), "read");
}

#[test]
fn a_fallback_that_returns_nothing_has_not_succeeded() {
    let fault = codes::UNSUPPORTED.raise([] as [(&str, &str); 0]);
    let ended = run(chain().step("a", PLAIN, || fails(&fault)).step("b", PLAIN, || says("")));
    assert_eq!(names(&ended), [("a", 1, Some("not_here")), ("b", 1, Some("cannot_succeed"))]);
    let trouble = ended.answer.unwrap_err();
    assert_eq!(trouble.fault.message, "The fallback answered with nothing, which is no success.");
    let three = chain().step("a", READS, || fails(&fault)).step("b", READS, || says("")).step(
        "c",
        READS,
        || says("found"),
    );
    assert_eq!(run(three).answer.unwrap(), "found");
}

#[test]
fn a_chain_without_steps_fails() {
    let trouble = run(chain()).answer.unwrap_err();
    assert_eq!(trouble.decided.decision, Decision::Stop(StopReason::CannotSucceed));
}

#[test]
fn no_pause_goes_beyond_the_time_of_the_caller() {
    let mut fault = away();
    fault.retry.after_ms = Some(2_000);
    let ended = run(chain().until(1_999).step("a", PLAIN, || fails(&fault)));
    assert_eq!(names(&ended), [("a", 1, Some("wait_too_long"))]);
}

#[test]
fn successes_fill_the_budget_that_repeats_empty() {
    let budget = Mutex::new(Budget::default());
    let mut fault = away();
    fault.retry.kind = RetryKind::Now;
    let failing = chain().step("a", PLAIN, || fails(&fault));
    finish(failing.run(&Still::default(), &budget)).answer.unwrap_err();
    assert_eq!(budget.lock().unwrap().saved(), 8_000);
    finish(chain().step("a", PLAIN, || says("x")).run(&Still::default(), &budget)).answer.unwrap();
    assert_eq!(budget.lock().unwrap().saved(), 8_100);
}

proptest! {
    #[test]
    fn every_chain_ends(faults in proptest::collection::vec((fault(), any::<bool>()), 0..5), attempts in 0..6_u32) {
        let policy = Policy { attempts, ..Policy::default() };
        let mut steps = chain().policy(policy);
        for (at, (fault, reads)) in faults.iter().enumerate() {
            let traits = if *reads { READS } else { PLAIN };
            steps = steps.step(&at.to_string(), traits, || fails(fault));
        }
        let ended = run(steps);
        prop_assert!(ended.answer.is_err());
        prop_assert!(ended.tries.len() <= faults.len() * usize::try_from(attempts.max(1)).unwrap());
    }
}
