//! What the limits promise, with a clock that is held still.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use proptest::prelude::proptest;

use super::{
    CallSlot, ClientShare, ClientShares, LimitExceeded, LimitRule, Limits, MOST_IDLE, Rate,
};
use crate::caller::{Caller, Peer};

fn limits(in_flight: usize, in_flight_per_session: usize) -> Arc<Limits> {
    let rule = LimitRule { in_flight, in_flight_per_session, rate: None };
    Arc::new(Limits::new(rule, Instant::now()))
}

fn rated(calls: u32, per: Duration) -> (Arc<Limits>, Instant) {
    let now = Instant::now();
    let rule = LimitRule { rate: Some(Rate { calls, per }), ..LimitRule::default() };
    (Arc::new(Limits::new(rule, now)), now)
}

/// How many calls of a session are let in.
fn enter_all(share: &mut ClientShare, tries: usize, now: Instant) -> usize {
    (0..tries).filter(|_| share.enter(now).is_ok()).count()
}

#[test]
fn one_session_alone_may_have_everything_up_to_its_own_limit() {
    let now = Instant::now();
    let mut share = ClientShare::of(limits(100, 1_000));
    assert_eq!(enter_all(&mut share, 200, now), 100);
    assert_eq!(share.enter(now), Err(LimitExceeded::InFlight { limit: 100 }));
    share.leave();
    assert_eq!(share.enter(now), Ok(()));
    let mut share = ClientShare::of(limits(100, 10));
    assert_eq!(enter_all(&mut share, 200, now), 10);
    assert_eq!(share.enter(now), Err(LimitExceeded::InFlight { limit: 10 }));
}

#[test]
fn one_that_floods_is_refused_before_the_others_are() {
    let now = Instant::now();
    let limits = limits(100, 1_000);
    let (mut flood, mut calm) =
        (ClientShare::of(Arc::clone(&limits)), ClientShare::of(Arc::clone(&limits)));
    assert_eq!(enter_all(&mut calm, 1, now), 1);
    assert_eq!(enter_all(&mut flood, 1_000, now), 75 - 1);
    assert_eq!(enter_all(&mut calm, 20, now), 20, "there is room for the other one");
    assert_eq!(limits.in_flight(), 95);
}

#[test]
fn a_newcomer_gets_its_part_once_something_ends() {
    let now = Instant::now();
    let limits = limits(100, 1_000);
    let (mut flood, mut late) =
        (ClientShare::of(Arc::clone(&limits)), ClientShare::of(Arc::clone(&limits)));
    assert_eq!(enter_all(&mut flood, 1_000, now), 100);
    assert!(late.enter(now).is_err());
    for _ in 0..60 {
        flood.leave();
        flood.enter(now).unwrap_or_default();
        late.enter(now).unwrap_or_default();
    }
    assert_eq!((flood.own, late.own), (50, 50));
}

#[test]
fn a_session_that_ends_leaves_nothing_behind() {
    let limits = limits(100, 1_000);
    let mut share = ClientShare::of(Arc::clone(&limits));
    enter_all(&mut share, 30, Instant::now());
    drop(share);
    assert_eq!(
        (limits.in_flight(), limits.sessions.load(std::sync::atomic::Ordering::Relaxed)),
        (0, 0)
    );
}

#[test]
fn clients_have_parts_of_their_own_until_they_leave() {
    let (limits, now) = (limits(1_000_000, 2), Instant::now());
    let mut shares = ClientShares::of(Arc::clone(&limits));
    for client in 0..3 * u64::try_from(MOST_IDLE).unwrap() {
        assert_eq!(shares.enter(client, now), Ok(()));
        if client > 9 {
            shares.leave(client);
        }
    }
    assert!(shares.by_client.len() <= MOST_IDLE);
    assert_eq!(limits.in_flight(), 10);
    assert_eq!(shares.enter(7, now), Ok(()));
    assert_eq!(shares.enter(7, now), Err(LimitExceeded::InFlight { limit: 2 }));
    assert_eq!(shares.enter(8, now), Ok(()));
    drop(shares);
    assert_eq!(limits.in_flight(), 0);
}

#[test]
fn a_caller_with_many_sessions_leaves_calls_to_another() {
    let limits = limits(100, 1_000);
    let of = |number: u8| Caller { token: None, peer: Peer::V4([10, 0, 0, number].into()) };
    let call = |caller: Caller| -> Vec<CallSlot> {
        let sessions: Vec<_> = (0..64).map(|_| ClientShares::of(Arc::clone(&limits))).collect();
        let places = sessions.iter().cycle().take(1_000);
        places.filter_map(|it| it.place(caller).ok().flatten()).collect()
    };
    let flood = call(of(1));
    assert_eq!(flood.len(), 75);
    let calm = call(of(2));
    assert_eq!(calm.len(), 25, "less than its share of 33");
    drop((flood, calm));
    assert_eq!(call(of(1)).len(), 75, "what is over is given back");
    assert!(ClientShares::of(limits).place(Caller::ONLY).is_ok_and(|it| it.is_none()));
}

#[test]
fn a_rate_allows_so_many_at_once_and_then_one_after_another() {
    let (limits, now) = rated(10, Duration::from_secs(1));
    let mut share = ClientShare::of(limits);
    assert_eq!(enter_all(&mut share, 20, now), 10);
    let Err(LimitExceeded::Rate { wait }) = share.enter(now) else { panic!("refused") };
    assert_eq!(wait, Duration::from_millis(100));
    assert_eq!(enter_all(&mut share, 20, now + wait), 1);
    assert_eq!(enter_all(&mut share, 20, now + Duration::from_secs(10)), 10, "no more than fits");
}

#[test]
fn one_that_asks_all_the_time_does_not_take_the_rate_of_another() {
    let (limits, mut now) = rated(100, Duration::from_secs(1));
    let (mut flood, mut calm) = (ClientShare::of(Arc::clone(&limits)), ClientShare::of(limits));
    let (mut of_flood, mut of_calm) = (0, 0);
    flood.enter(now).unwrap();
    calm.enter(now).unwrap();
    for nth in 0..10_000_u32 {
        now += Duration::from_millis(1);
        of_flood += enter_all(&mut flood, 3, now);
        if nth % 40 == 0 {
            of_calm += enter_all(&mut calm, 1, now);
        }
    }
    assert_eq!(of_calm, 250, "25 calls a second of 100");
    assert!(of_flood > 500, "{of_flood}");
}

proptest! {
    #[test]
    fn no_order_of_events_breaks_a_limit(steps in proptest::collection::vec((0usize..4, 0u8..3), 0..500)) {
        let (limits, now) = (limits(20, 8), Instant::now());
        let mut shares: Vec<_> = (0..4).map(|_| ClientShare::of(Arc::clone(&limits))).collect();
        for (who, what) in steps {
            let share = &mut shares[who];
            match what {
                0 if share.own > 0 => share.leave(),
                0 => (),
                _ => drop(share.enter(now)),
            }
            assert!(shares[who].own <= 8 && limits.in_flight() <= 20);
            assert_eq!(limits.in_flight(), shares.iter().map(|it| it.own).sum::<usize>());
        }
    }
}
