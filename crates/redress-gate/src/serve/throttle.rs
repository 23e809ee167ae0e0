//! `Throttle`: counts requests without a valid token, and slows down the peers that make them.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

/// How many requests of a peer fail before it is slowed down.
const FREE: u32 = 5;

/// The first pause. Each further one is twice as long.
const FIRST: Duration = Duration::from_millis(50);

/// The longest pause.
const LONGEST: Duration = Duration::from_secs(2);

/// How long an answer waits behind others of the same peer. What would wait longer is refused at once.
const QUEUE: Duration = Duration::from_secs(10);

/// A peer that makes no such request for so long starts anew.
const FORGET: Duration = Duration::from_secs(60);

/// How many peers are known at once. One more takes the place of the one that was quiet for the longest time.
const MOST_PEERS: usize = 1024;

/// How much time there is at least between two records.
const BETWEEN: Duration = Duration::from_secs(60);

/// How many peers a record names.
const MOST_NAMED: usize = 8;

/// Counts requests without a valid token, and slows down the peers that make them. A request with a valid token is never slowed down.
#[derive(Debug, Default)]
pub(crate) struct Throttle(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    peers: IndexMap<Network, Peer, FxBuildHasher>,
    /// Requests of peers that lost their place, which are in no record yet.
    others: u64,
    recorded: Option<Instant>,
}

/// One peer.
#[derive(Debug, Clone, Copy)]
struct Peer {
    /// How many requests in a row failed.
    failures: u32,
    /// The time of the newest one.
    last: Instant,
    /// When its newest answer is given.
    answered: Instant,
    /// How many are in no record yet.
    unrecorded: u64,
}

/// When a request without a valid token is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
    /// After this time.
    After(Duration),
    /// At once, with a refusal: too many others of the same peer wait. There may be room after this time.
    TooMany(Duration),
}

/// Requests without a valid token that are to be recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failures {
    /// How many.
    pub(crate) all: u64,
    /// How many each of the most active peers made.
    pub(crate) peers: Vec<(Network, u64)>,
}

/// The addresses that one peer can choose from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Network {
    /// One address.
    V4(Ipv4Addr),
    /// A network with a prefix of 64 bits, which is what one customer gets at least.
    V6(Ipv6Addr),
    /// This machine, which has many addresses.
    Loopback,
}

impl Throttle {
    /// Counts a request. Gives when it is answered, and what is to be recorded now.
    pub(crate) fn failed(&self, from: IpAddr, now: Instant) -> (Pace, Option<Failures>) {
        let mut state = self.lock();
        let pace = state.pace(Network::of(from), now);
        (pace, state.due(now))
    }

    /// What is to be recorded now.
    pub(crate) fn due(&self, now: Instant) -> Option<Failures> {
        self.lock().due(now)
    }

    /// What was not recorded yet.
    pub(crate) fn rest(&self) -> Option<Failures> {
        self.lock().take()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn pace(&mut self, network: Network, now: Instant) -> Pace {
        if !self.peers.contains_key(&network) && self.peers.len() >= MOST_PEERS {
            self.forget_one();
        }
        let new = Peer { failures: 0, last: now, answered: now, unrecorded: 0 };
        let peer = self.peers.entry(network).or_insert(new);
        if now.saturating_duration_since(peer.last) >= FORGET {
            peer.failures = 0;
        }
        peer.failures = peer.failures.saturating_add(1);
        peer.unrecorded = peer.unrecorded.saturating_add(1);
        peer.last = now;
        let Some(doublings) = peer.failures.checked_sub(FREE + 1) else {
            return Pace::After(Duration::ZERO);
        };
        let pause = FIRST.saturating_mul(1 << doublings.min(16)).min(LONGEST);
        // Answers to one peer are given one after the other, on however many connections it asks.
        let answered = peer.answered.max(now) + pause;
        let wait = answered.saturating_duration_since(now);
        if wait > QUEUE {
            return Pace::TooMany(wait);
        }
        peer.answered = answered;
        Pace::After(wait)
    }

    fn forget_one(&mut self) {
        let quiet = self.peers.iter().min_by_key(|it| it.1.last).map(|it| *it.0);
        if let Some(peer) = quiet.and_then(|it| self.peers.swap_remove(&it)) {
            self.others += peer.unrecorded;
        }
    }

    fn due(&mut self, now: Instant) -> Option<Failures> {
        let is_early = |it: Instant| now.saturating_duration_since(it) < BETWEEN;
        if self.recorded.is_some_and(is_early) {
            return None;
        }
        let failures = self.take()?;
        self.recorded = Some(now);
        Some(failures)
    }

    fn take(&mut self) -> Option<Failures> {
        let mut peers: Vec<_> = self.peers.iter().map(|it| (*it.0, it.1.unrecorded)).collect();
        peers.retain(|it| it.1 > 0);
        let all = peers.iter().fold(self.others, |all, it| all.saturating_add(it.1));
        if all == 0 {
            return None;
        }
        self.others = 0;
        self.peers.values_mut().for_each(|it| it.unrecorded = 0);
        peers.sort_by_key(|it| std::cmp::Reverse(it.1));
        peers.truncate(MOST_NAMED);
        Some(Failures { all, peers })
    }
}

impl Network {
    fn of(address: IpAddr) -> Self {
        match address.to_canonical() {
            it if it.is_loopback() => Self::Loopback,
            IpAddr::V4(it) => Self::V4(it),
            IpAddr::V6(it) => {
                let [a, b, c, d, ..] = it.segments();
                Self::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
            }
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::V4(it) => it.fmt(f),
            Self::V6(it) => write!(f, "{it}/64"),
            Self::Loopback => f.write_str("loopback"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        net::{IpAddr, Ipv4Addr},
        time::{Duration, Instant},
    };

    use super::{BETWEEN, FORGET, FREE, LONGEST, MOST_NAMED, MOST_PEERS, Pace, QUEUE, Throttle};

    const PEER: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));

    fn paces(throttle: &Throttle, peer: IpAddr, now: Instant, count: usize) -> Vec<Pace> {
        (0..count).map(|_| throttle.failed(peer, now).0).collect()
    }

    #[test]
    fn each_failed_token_is_answered_later_than_the_one_before() {
        let (throttle, now) = (Throttle::default(), Instant::now());
        let ms = |it| Pace::After(Duration::from_millis(it));
        assert_eq!(paces(&throttle, PEER, now, FREE as usize), [ms(0); FREE as usize]);
        assert_eq!(paces(&throttle, PEER, now, 4), [ms(50), ms(150), ms(350), ms(750)]);
        let rest = paces(&throttle, PEER, now, 1_000);
        let waiting = rest.iter().filter(|it| matches!(it, Pace::After(_))).count();
        assert!(waiting < 10, "{waiting} answers wait at once");
        for pace in rest.iter().skip(waiting) {
            let Pace::TooMany(wait) = pace else { panic!("{pace:?}") };
            assert!((QUEUE..=QUEUE + LONGEST).contains(wait), "{wait:?}");
        }
        let later = now + QUEUE + Duration::from_secs(1);
        assert_eq!(paces(&throttle, PEER, later, 1), [Pace::After(LONGEST)], "never faster");
        assert_eq!(paces(&throttle, PEER, later + FORGET, 1), [ms(0)], "until it has paused");
    }

    #[test]
    fn one_peer_does_not_slow_another_down() {
        let (throttle, now) = (Throttle::default(), Instant::now());
        paces(&throttle, PEER, now, 1_000);
        let fine = Pace::After(Duration::ZERO);
        for other in ["192.0.2.2", "2001:db8::1", "127.0.0.1"] {
            assert_eq!(paces(&throttle, other.parse().unwrap(), now, 1), [fine], "{other}");
        }
        // One peer has all of these.
        for same in [
            ["127.0.0.1", "127.9.8.7"],
            ["::1", "127.0.0.1"],
            ["2001:db8::1", "2001:db8::2:3:4:5"],
            ["192.0.2.9", "::ffff:192.0.2.9"],
        ] {
            let [one, other] = same.map(|it| it.parse().unwrap());
            paces(&throttle, one, now, 1_000);
            let pace = throttle.failed(other, now).0;
            assert!(matches!(pace, Pace::TooMany(_)), "{same:?}: {pace:?}");
        }
    }

    #[test]
    fn the_table_of_peers_is_bounded_and_loses_no_count() {
        let (throttle, now) = (Throttle::default(), Instant::now());
        let first = throttle.failed(PEER, now).1.unwrap();
        assert_eq!(
            (first.all, first.peers[0].0.to_string(), first.peers[0].1),
            (1, "192.0.2.1".into(), 1)
        );
        let many = u32::try_from(MOST_PEERS).unwrap() * 3;
        for nth in 0..many {
            let peer = IpAddr::V4(Ipv4Addr::from(0x0a00_0000 + nth));
            assert!(throttle.failed(peer, now).1.is_none(), "one record, then none for a while");
        }
        assert_eq!(throttle.lock().peers.len(), MOST_PEERS);
        assert!(throttle.due(now + BETWEEN / 2).is_none());
        let counted = throttle.due(now + BETWEEN).unwrap();
        assert_eq!((counted.all, counted.peers.len()), (u64::from(many), MOST_NAMED));
        assert!(throttle.due(now + 3 * BETWEEN).is_none(), "nothing happened since");
        assert!(throttle.rest().is_none());
        throttle.failed(PEER, now + 3 * BETWEEN);
        throttle.failed(PEER, now + 3 * BETWEEN);
        assert_eq!(throttle.rest().unwrap().all, 1, "the first of them was recorded");
    }
}
