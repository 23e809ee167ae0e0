//! `Breaker`: whether a server that was out of reach several times is asked at all.
//!
//! It is fed by facts of the transport and by nothing else: a process that ended, a connection that failed, an HTTP 502,
//! 503 or 504 of the server itself, a silence in which a deadline passed. Whatever a server answers, a failure of a
//! tool too, proves that it is there. One event counts once, however many requests it hits.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicU8, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use redress_registry::Class;

/// When calls are paused, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreakerRule {
    /// How often the server must be out of reach; zero: calls are never paused.
    pub failures: u32,
    /// Within which time.
    pub window: Duration,
    /// The first pause. It doubles as long as the server stays away.
    pub pause: Duration,
    /// The longest pause.
    pub longest_pause: Duration,
}

impl Default for BreakerRule {
    fn default() -> Self {
        Self {
            failures: 5,
            window: Duration::from_secs(30),
            pause: Duration::from_secs(5),
            longest_pause: Duration::from_secs(60),
        }
    }
}

/// The state of a breaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Circuit {
    /// Calls pass.
    Closed,
    /// Calls are refused.
    Open,
    /// One call has passed, to see whether the server is back.
    HalfOpen,
}

impl Circuit {
    /// The state in words.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Open => "open",
            Self::HalfOpen => "half open",
        }
    }
}

/// The breakers of one server: one for all sessions that have the same upstream, and one for each that has its own. What one
/// client does to a process of its own pauses no other client.
#[derive(Debug)]
pub(crate) struct Breakers {
    rule: BreakerRule,
    shared: Arc<Breaker>,
    own: Mutex<Vec<Weak<Breaker>>>,
}

impl Breakers {
    pub(crate) fn new(rule: BreakerRule) -> Self {
        Self { rule, shared: Arc::new(Breaker::new(rule)), own: Mutex::default() }
    }

    /// The one of all sessions that have the same upstream.
    pub(crate) fn shared(&self) -> Arc<Breaker> {
        Arc::clone(&self.shared)
    }

    /// One for a session that has its own.
    pub(crate) fn own(&self) -> Arc<Breaker> {
        let breaker = Arc::new(Breaker::new(self.rule));
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        own.retain(|it| it.strong_count() > 0);
        own.push(Arc::downgrade(&breaker));
        breaker
    }

    /// Where they stand: where the one does that lets the fewest calls pass.
    pub(crate) fn phase(&self) -> Circuit {
        let own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        let phases = || own.iter().filter_map(Weak::upgrade).chain([self.shared()]);
        [Circuit::Open, Circuit::HalfOpen]
            .into_iter()
            .find(|circuit| phases().any(|it| it.phase() == *circuit))
            .unwrap_or(Circuit::Closed)
    }
}

/// A failure of that class speaks of the transport, if nothing was answered.
pub(crate) const fn is_of_transport(class: Class) -> bool {
    matches!(class, Class::Unavailable | Class::DeadlineExceeded)
}

/// Whether a server is asked.
#[derive(Debug)]
pub(crate) struct Breaker {
    rule: BreakerRule,
    /// A copy of what the lock guards, so that a success takes no lock.
    glance: AtomicU8,
    /// Answers, counted while a failure is remembered.
    answers: AtomicU64,
    state: Mutex<State>,
}

const QUIET: u8 = 0;
const WATCHING: u8 = 1;
const OPEN: u8 = 2;
const HALF_OPEN: u8 = 3;

#[derive(Debug, Default)]
struct State {
    /// Until when it counts that the server was out of reach, and how many answers there had been by then.
    failures: VecDeque<(Instant, u64)>,
    open: Option<Open>,
}

#[derive(Debug, Clone, Copy)]
struct Open {
    until: Instant,
    pause: Duration,
    /// A call is on its way, to see whether the server is back.
    is_tried: bool,
}

impl Breaker {
    pub(crate) fn new(rule: BreakerRule) -> Self {
        let state = Mutex::default();
        Self { rule, glance: AtomicU8::new(QUIET), answers: AtomicU64::new(0), state }
    }

    /// Whether a call may pass; if not, when the next one may. The call that may pass after a pause is the trial.
    pub(crate) fn admit(&self, now: Instant) -> Result<(), Instant> {
        if self.glance.load(Ordering::Acquire) < OPEN {
            return Ok(());
        }
        let mut state = self.lock();
        match &mut state.open {
            None => Ok(()),
            Some(open) if open.until <= now => {
                // A trial without a result does not keep the next one away.
                *open = Open { until: now + open.pause, is_tried: true, ..*open };
                self.glance.store(HALF_OPEN, Ordering::Release);
                Ok(())
            }
            Some(open) => Err(open.until),
        }
    }

    /// Whether a pause is over, so that the next call is a trial.
    pub(crate) fn is_due(&self, now: Instant) -> bool {
        self.glance.load(Ordering::Acquire) >= OPEN
            && self.lock().open.is_some_and(|it| it.until <= now)
    }

    /// The server has answered something.
    pub(crate) fn answered(&self) {
        match self.glance.load(Ordering::Acquire) {
            QUIET => (),
            WATCHING => {
                self.answers.fetch_add(1, Ordering::Relaxed);
            }
            _ => {
                *self.lock() = State::default();
                self.glance.store(QUIET, Ordering::Release);
            }
        }
    }

    /// The server was out of reach.
    pub(crate) fn failed(&self, now: Instant) {
        self.failed_after(Duration::ZERO, now);
    }

    /// The same, after a caller waited for so long. Who asks one thing after the other sees that so often in no shorter time, and
    /// the window is not to hide it from him.
    pub(crate) fn failed_after(&self, wait: Duration, now: Instant) {
        if self.rule.failures == 0 {
            return;
        }
        let mut state = self.lock();
        let pause = match state.open {
            Some(open) if !open.is_tried => return,
            Some(open) => Some((open.pause * 2).min(self.rule.longest_pause)),
            None => self.counts(&mut state, wait, now).then_some(self.rule.pause),
        };
        if let Some(pause) = pause {
            state.failures.clear();
            state.open = Some(Open { until: now + pause, pause, is_tried: false });
        }
        let glance = if state.open.is_some() { OPEN } else { WATCHING };
        self.glance.store(glance, Ordering::Release);
    }

    /// Its state.
    pub(crate) fn phase(&self) -> Circuit {
        match self.glance.load(Ordering::Acquire) {
            QUIET | WATCHING => Circuit::Closed,
            OPEN => Circuit::Open,
            _ => Circuit::HalfOpen,
        }
    }

    /// Counts a failure; whether there are enough of them now, and not fewer than answers.
    fn counts(&self, state: &mut State, wait: Duration, now: Instant) -> bool {
        let most = usize::try_from(self.rule.failures).unwrap_or(usize::MAX);
        let answers = self.answers.load(Ordering::Relaxed);
        let window = self.rule.window.max(wait.saturating_mul(self.rule.failures));
        state.failures.retain(|it| it.0 >= now);
        while state.failures.len() >= most {
            state.failures.pop_front();
        }
        // A time that no clock reaches is as good as one that it does.
        let until = now.checked_add(window).unwrap_or(now);
        state.failures.push_back((until, answers));
        let since_first = state.failures.front().map_or(0, |it| answers.saturating_sub(it.1));
        state.failures.len() >= most && since_first <= u64::from(self.rule.failures)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use proptest::prelude::{Strategy as _, prop_oneof, proptest};
    use redress::codes;

    use super::{Breaker, BreakerRule, Circuit, is_of_transport};

    const SECOND: Duration = Duration::from_secs(1);

    fn opened() -> (Breaker, Instant) {
        let (breaker, now) = (Breaker::new(BreakerRule::default()), Instant::now());
        for _ in 0..5 {
            assert_eq!(breaker.admit(now), Ok(()));
            breaker.failed(now);
        }
        (breaker, now)
    }

    #[test]
    fn several_failures_in_a_while_open_it() {
        let (breaker, now) = opened();
        assert_eq!((breaker.phase(), breaker.admit(now)), (Circuit::Open, Err(now + 5 * SECOND)));
    }

    #[test]
    fn failures_far_apart_do_not_open_it() {
        let (breaker, now) = (Breaker::new(BreakerRule::default()), Instant::now());
        for nth in 0..100 {
            breaker.failed(now + nth * 8 * SECOND);
        }
        assert_eq!(breaker.phase(), Circuit::Closed);
    }

    #[test]
    fn a_silence_counts_until_as_many_of_its_length_could_follow() {
        let (breaker, now) = (Breaker::new(BreakerRule::default()), Instant::now());
        for nth in 1..=5 {
            assert_eq!(breaker.phase(), Circuit::Closed);
            breaker.failed_after(60 * SECOND, now + nth * 61 * SECOND);
        }
        assert_eq!(breaker.phase(), Circuit::Open);
    }

    #[test]
    fn a_server_that_mostly_answers_stays_in_reach() {
        let (breaker, now) = (Breaker::new(BreakerRule::default()), Instant::now());
        for _ in 0..100 {
            breaker.failed(now);
            breaker.answered();
            breaker.answered();
        }
        assert_eq!(breaker.phase(), Circuit::Closed);
        for _ in 0..5 {
            breaker.failed(now + SECOND);
        }
        assert_eq!(breaker.phase(), Circuit::Open, "answers of the past do not count for ever");
    }

    #[test]
    fn after_the_pause_one_call_tries() {
        let (breaker, now) = opened();
        let then = now + 5 * SECOND;
        assert_eq!(breaker.admit(then), Ok(()));
        assert_eq!(
            (breaker.phase(), breaker.admit(then)),
            (Circuit::HalfOpen, Err(then + 5 * SECOND))
        );
        breaker.answered();
        assert_eq!((breaker.phase(), breaker.admit(then)), (Circuit::Closed, Ok(())));
    }

    #[test]
    fn a_trial_that_fails_makes_the_pause_longer_up_to_a_limit() {
        let (breaker, mut now) = opened();
        let mut pauses = Vec::new();
        for _ in 0..6 {
            let then = breaker.admit(now).unwrap_err();
            pauses.push((then - now).as_secs());
            now = then;
            assert_eq!(breaker.admit(now), Ok(()));
            breaker.failed(now);
        }
        assert_eq!(pauses, [5, 10, 20, 40, 60, 60]);
    }

    #[test]
    fn a_trial_that_is_never_heard_of_is_followed_by_another() {
        let (breaker, now) = opened();
        assert_eq!(breaker.admit(now + 5 * SECOND), Ok(()));
        assert_eq!(breaker.admit(now + 10 * SECOND), Ok(()));
    }

    #[test]
    fn late_failures_of_calls_do_not_make_the_pause_longer() {
        let (breaker, now) = opened();
        breaker.failed(now + SECOND);
        assert_eq!(breaker.admit(now + SECOND), Err(now + 5 * SECOND));
    }

    #[test]
    fn none_can_be_had() {
        let breaker = Breaker::new(BreakerRule { failures: 0, ..BreakerRule::default() });
        for _ in 0..100 {
            breaker.failed(Instant::now());
        }
        assert_eq!(breaker.phase(), Circuit::Closed);
    }

    #[test]
    fn only_rows_about_reaching_a_server_speak_of_the_transport() {
        for code in [codes::UPSTREAM_UNAVAILABLE, codes::UPSTREAM_CRASHED, codes::TIMEOUT] {
            assert!(is_of_transport(code.entry().class), "{}", code.name());
        }
        for code in [codes::UPSTREAM_PROTOCOL_ERROR, codes::OUTPUT_TOO_LARGE, codes::NOT_FOUND] {
            assert!(!is_of_transport(code.entry().class), "{}", code.name());
        }
    }

    #[derive(Debug, Clone, Copy)]
    enum Step {
        Wait(u64),
        Ask,
        Answer,
        Fail,
    }

    proptest! {
        #[test]
        fn whatever_happens_a_pause_ends_and_is_never_too_long(
            steps in proptest::collection::vec(prop_oneof![
                (0u64..20_000).prop_map(Step::Wait),
                proptest::strategy::Just(Step::Ask),
                proptest::strategy::Just(Step::Answer),
                proptest::strategy::Just(Step::Fail),
            ], 0..200),
        ) {
            let (breaker, mut now) = (Breaker::new(BreakerRule::default()), Instant::now());
            for step in steps {
                match step {
                    Step::Wait(ms) => now += Duration::from_millis(ms),
                    Step::Answer => breaker.answered(),
                    Step::Fail => breaker.failed(now),
                    Step::Ask => if let Err(then) = breaker.admit(now) {
                        assert!(then > now && then - now <= 60 * SECOND);
                        assert_eq!(breaker.admit(then), Ok(()));
                        now = then;
                    },
                }
            }
        }
    }
}
