//! `FallbackChain`: one call, several ways to make it. Each try is recorded; the decision table says what comes next.

use std::{
    fmt,
    pin::Pin,
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::{
    budget::Budget,
    decide::{Attempt, Decided, Decision, decide},
    policy::Policy,
    repeat::Ground,
};
use crate::{Fault, codes, fault::Origin, outcome::ToolTraits};

/// What a chain does not have of its own: a clock, chance, and a way to wait.
pub trait Surroundings: Sync {
    /// Now, in milliseconds since 1970.
    fn now_ms(&self) -> u64;

    /// Any number, all equally likely.
    fn random(&self) -> u32;

    /// Comes back after so many milliseconds.
    fn wait(&self, ms: u64) -> impl Future<Output = ()> + Send;
}

/// A try that failed.
#[derive(Debug, Clone, PartialEq)]
pub struct Failed {
    /// What failed.
    pub fault: Box<Fault>,
    /// How that is known.
    pub ground: Ground,
}

impl From<Fault> for Failed {
    fn from(fault: Fault) -> Self {
        Self { fault: Box::new(fault), ground: Ground::Stated }
    }
}

impl From<(Fault, Ground)> for Failed {
    fn from((fault, ground): (Fault, Ground)) -> Self {
        Self { fault: Box::new(fault), ground }
    }
}

/// One try, as it is recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Try {
    /// The name of the step.
    pub step: String,
    /// The how manieth time the step was tried.
    pub made: u32,
    /// What failed, and what was decided about it; nothing if it succeeded.
    pub failed: Option<Trouble>,
}

/// A failure, and what was decided about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Trouble {
    /// What failed.
    pub fault: Box<Fault>,
    /// How that is known.
    pub ground: Ground,
    /// What is to be done. At the end of a chain: by the caller.
    pub decided: Decided,
}

/// How a chain ended.
#[derive(Debug)]
pub struct Ended<T> {
    /// The answer, or the last failure with what the caller is to do about it.
    pub answer: Result<T, Trouble>,
    /// Every try, in order.
    pub tries: Vec<Try>,
}

type Run<'c, T> =
    Box<dyn FnMut() -> Pin<Box<dyn Future<Output = Result<T, Failed>> + Send + 'c>> + Send + 'c>;

struct ChainStep<'c, T> {
    name: String,
    traits: ToolTraits,
    run: Run<'c, T>,
}

/// Ways to make one call, in the order in which they are tried.
///
/// A step is repeated, and the next one is tried, only if the decision table says so: never what may have had an effect.
/// A step after the first that answers with nothing has not succeeded.
pub struct FallbackChain<'c, T> {
    is_nothing: fn(&T) -> bool,
    policy: Policy,
    until_ms: Option<u64>,
    steps: Vec<ChainStep<'c, T>>,
}

impl<T> fmt::Debug for FallbackChain<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.steps.iter().map(|it| &it.name)).finish()
    }
}

impl<'c, T> FallbackChain<'c, T> {
    /// A chain without steps. `is_nothing` says which answers say nothing.
    pub fn new(is_nothing: fn(&T) -> bool) -> Self {
        Self { is_nothing, policy: Policy::default(), until_ms: None, steps: Vec::new() }
    }

    /// How each step is repeated.
    #[must_use]
    pub fn policy(self, policy: Policy) -> Self {
        Self { policy, ..self }
    }

    /// When the caller stops waiting, in milliseconds since 1970. No pause goes beyond it.
    #[must_use]
    pub fn until(self, until_ms: u64) -> Self {
        Self { until_ms: Some(until_ms), ..self }
    }

    /// Another way, tried after those before it. `traits` are those of the tool that it calls.
    #[must_use]
    pub fn step<F, R>(mut self, name: &str, traits: ToolTraits, mut run: F) -> Self
    where
        F: FnMut() -> R + Send + 'c,
        R: Future<Output = Result<T, Failed>> + Send + 'c,
    {
        let run: Run<'c, T> = Box::new(move || Box::pin(run()));
        self.steps.push(ChainStep { name: name.to_owned(), traits, run });
        self
    }

    /// Tries until a step answers, or until nothing is left that a program may do by itself.
    pub async fn run(
        mut self,
        surroundings: &impl Surroundings,
        budget: &Mutex<Budget>,
    ) -> Ended<T> {
        let mut tries = Vec::new();
        let mut last = no_way();
        for at in 0..self.steps.len() {
            let mut made = 0;
            loop {
                made += 1;
                let Some(step) = self.steps.get_mut(at) else { break };
                let (name, traits) = (step.name.clone(), step.traits);
                let failed = match (step.run)().await {
                    Ok(answer) if at > 0 && (self.is_nothing)(&answer) => nothing_came(),
                    Ok(answer) => {
                        lock(budget).succeeded();
                        tries.push(Try { step: name, made, failed: None });
                        return Ended { answer: Ok(answer), tries };
                    }
                    Err(failed) => failed,
                };
                let now_ms = surroundings.now_ms();
                let attempt = Attempt {
                    traits,
                    ground: failed.ground,
                    made,
                    fallback: at + 1 < self.steps.len(),
                    now_ms,
                    time_left_ms: self.until_ms.map(|it| it.saturating_sub(now_ms)),
                    random: surroundings.random(),
                };
                let decided = decide(&failed.fault, &attempt, &self.policy, &mut lock(budget));
                last = Trouble { fault: failed.fault, ground: failed.ground, decided };
                tries.push(Try { step: name, made, failed: Some(last.clone()) });
                match last.decided.decision {
                    Decision::RetryNow => (),
                    Decision::RetryAfter(ms) => surroundings.wait(ms).await,
                    Decision::FallBack => break,
                    _ => return Ended { answer: Err(last), tries },
                }
            }
        }
        Ended { answer: Err(last), tries }
    }
}

/// A budget is whole between two calls, whatever happened to a thread that had it.
fn lock(budget: &Mutex<Budget>) -> MutexGuard<'_, Budget> {
    budget.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A fallback had nothing to say. Whether it did something is unknown.
fn nothing_came() -> Failed {
    let mut fault = codes::UNKNOWN_TOOL_FAILURE.raise([] as [(&str, &str); 0]);
    "The fallback answered with nothing, which is no success.".clone_into(&mut fault.message);
    fault.origin = Origin::Client;
    Failed { fault: Box::new(fault), ground: Ground::Guessed }
}

/// A chain without steps fails like a tool that is not there.
fn no_way() -> Trouble {
    let mut fault = codes::UNSUPPORTED.raise([] as [(&str, &str); 0]);
    "There is no way to make this call.".clone_into(&mut fault.message);
    fault.origin = Origin::Client;
    let (policy, attempt) = (Policy::default(), Attempt::default());
    let decided = decide(&fault, &attempt, &policy, &mut Budget::default());
    Trouble { fault: Box::new(fault), ground: Ground::NotSent, decided }
}
