//! `MemoryBudget`: how many bytes of messages the gate holds for all its clients at a time, and who gets them.
//!
//! Bodies that are being read, messages that wait for a server or a client, and events that are kept for a client that comes back are
//! reserved here before they are held. A reservation is refused if the reserved bytes, the caller's own bytes, and the
//! bytes of this reservation are together more than the budget. So a caller alone gets at most half of it, several callers leave a part to the
//! next one, and where many large messages wait, a small one still fits.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;

use crate::caller::Caller;

/// A message of at most so many bytes needs no reservation of its own while the system takes it at once.
pub const SMALL: usize = 16 << 10;

/// The bytes that a gate may hold.
#[derive(Debug)]
pub struct MemoryBudget {
    most: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    used: usize,
    by_caller: BTreeMap<Caller, usize>,
}

/// The budget does not have the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutOfMemory;

impl MemoryBudget {
    /// A budget of so many bytes.
    pub fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most, state: Mutex::default() })
    }

    /// A budget that is never used up, for a gate whose client and server wait for each other.
    pub fn endless() -> Arc<Self> {
        Self::new(usize::MAX)
    }

    /// What a caller reserves of it.
    pub fn account(self: &Arc<Self>, caller: Caller) -> Account {
        Account { budget: Arc::clone(self), caller }
    }

    /// How many bytes are reserved.
    pub fn used(&self) -> usize {
        self.lock().used
    }

    /// Changes what a reservation has. Giving bytes back always works.
    fn resize(&self, caller: Caller, from: usize, to: usize) -> Result<(), OutOfMemory> {
        if from == to {
            return Ok(());
        }
        let mut state = self.lock();
        let used = (state.used - from).saturating_add(to);
        let own = state.by_caller.get(&caller).copied().unwrap_or_default();
        let own = (own - from).saturating_add(to);
        if to > from && used.saturating_add(own).saturating_add(to) > self.most {
            return Err(OutOfMemory);
        }
        state.used = used;
        if own == 0 {
            state.by_caller.remove(&caller);
        } else {
            state.by_caller.insert(caller, own);
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A caller and the budget that it reserves bytes from.
#[derive(Clone)]
pub struct Account {
    budget: Arc<MemoryBudget>,
    caller: Caller,
}

impl fmt::Debug for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Account").field("caller", &self.caller).finish_non_exhaustive()
    }
}

impl Default for Account {
    fn default() -> Self {
        MemoryBudget::endless().account(Caller::ONLY)
    }
}

impl Account {
    /// Reserves bytes.
    pub fn reserve(&self, bytes: usize) -> Result<Reservation, OutOfMemory> {
        let mut reservation = self.open();
        reservation.resize(bytes)?;
        Ok(reservation)
    }

    /// A reservation of nothing yet.
    pub fn open(&self) -> Reservation {
        Reservation { account: self.clone(), bytes: 0 }
    }
}

/// Bytes that are reserved as long as this value lives.
#[derive(Debug)]
pub struct Reservation {
    account: Account,
    bytes: usize,
}

impl Reservation {
    /// Reserves more bytes, or fewer. If there are not enough, nothing changes.
    pub fn resize(&mut self, bytes: usize) -> Result<(), OutOfMemory> {
        self.account.budget.resize(self.account.caller, self.bytes, bytes)?;
        self.bytes = bytes;
        Ok(())
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        // Giving back cannot fail.
        self.resize(0).unwrap_or_default();
    }
}

/// A message and the bytes that are reserved for it.
#[derive(Debug, Clone, Default)]
pub struct ReservedMessage {
    /// What it says.
    pub bytes: Bytes,
    /// What is reserved for it.
    pub held: SharedReservation,
}

impl ReservedMessage {
    /// The message as bytes that keep what is reserved for them.
    pub fn into_bytes(self) -> Bytes {
        self.held.bind(self.bytes)
    }
}

impl From<Bytes> for ReservedMessage {
    fn from(bytes: Bytes) -> Self {
        Self { bytes, held: SharedReservation::default() }
    }
}

/// Reservations that several messages in one buffer share, or none.
#[derive(Debug, Clone, Default)]
pub struct SharedReservation(Option<Arc<[Reservation]>>);

impl SharedReservation {
    /// The reservations of one buffer.
    pub fn new(reservations: Vec<Reservation>) -> Self {
        Self((!reservations.is_empty()).then(|| reservations.into()))
    }

    /// Whether anything is reserved.
    pub const fn is_any(&self) -> bool {
        self.0.is_some()
    }

    /// Bytes that keep the reservations until the last of them is dropped.
    pub fn bind(&self, bytes: Bytes) -> Bytes {
        match &self.0 {
            None => bytes,
            Some(held) => Bytes::from_owner(Bound { bytes, _held: Arc::clone(held) }),
        }
    }
}

/// Bytes and their reservations.
struct Bound {
    bytes: Bytes,
    _held: Arc<[Reservation]>,
}

impl AsRef<[u8]> for Bound {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bytes::Bytes;
    use proptest::prelude::{prop, prop_assert, prop_assert_eq, proptest};

    use super::{Account, MemoryBudget, OutOfMemory, Reservation, SharedReservation};
    use crate::caller::{Caller, Peer};

    fn caller(number: u8) -> Caller {
        Caller { token: None, peer: Peer::V4([10, 0, 0, number].into()) }
    }

    fn account(budget: &Arc<MemoryBudget>, number: u8) -> Account {
        budget.account(caller(number))
    }

    #[test]
    fn a_reservation_is_given_back_with_the_last_of_its_bytes() {
        let budget = MemoryBudget::new(1_000);
        let held = SharedReservation::new(vec![account(&budget, 1).reserve(100).unwrap()]);
        let bytes = held.bind(Bytes::from(vec![b'a'; 100]));
        let (start, end) = (bytes.slice(..10), bytes.slice(90..));
        drop((held, bytes, start));
        assert_eq!(budget.used(), 100);
        drop(end);
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn one_caller_gets_half_and_the_next_still_has_room() {
        let budget = MemoryBudget::new(1_000);
        let take = |number: u8, size: usize| -> Vec<Reservation> {
            std::iter::from_fn(|| account(&budget, number).reserve(size).ok()).collect()
        };
        let _first = take(1, 10);
        assert_eq!(budget.used(), 490);
        let _second = take(2, 10);
        assert_eq!(budget.used(), 740);
        let _third = take(3, 10);
        assert!(account(&budget, 4).reserve(20).is_ok(), "the fourth has room, too");
    }

    #[test]
    fn a_small_message_fits_beside_large_ones_of_its_caller() {
        let budget = MemoryBudget::new(256 << 20);
        let own = account(&budget, 1);
        let mut bodies: Vec<Reservation> = (0..100).map(|_| own.open()).collect();
        for step in 1..=240 {
            for body in &mut bodies {
                // A refused caller goes on with what it has.
                body.resize(step * (64 << 10)).unwrap_or_default();
            }
        }
        assert!(budget.used() <= 128 << 20, "{}", budget.used());
        assert!(own.reserve(256 << 10).is_ok());
        assert_eq!(own.reserve(15 << 20).err(), Some(OutOfMemory));
        assert!(account(&budget, 2).reserve(16 << 20).is_ok(), "another one notices nothing");
    }

    #[test]
    fn bytes_of_several_threads_are_all_given_back() {
        let budget = MemoryBudget::new(10_000);
        std::thread::scope(|scope| {
            for number in 0..4 {
                let account = account(&budget, number);
                scope.spawn(move || {
                    for size in 0..2_000 {
                        drop(account.reserve(size));
                    }
                });
            }
        });
        assert_eq!((budget.used(), budget.lock().by_caller.len()), (0, 0));
    }

    proptest! {
        #[test]
        fn reservations_never_exceed_the_budget(
            most in 0usize..5_000,
            steps in prop::collection::vec((0u8..5, 0usize..8, 0usize..3_000, prop::bool::ANY), 0..200),
        ) {
            let budget = MemoryBudget::new(most);
            let mut held: Vec<(u8, Reservation)> = Vec::new();
            for (who, which, bytes, ends) in steps {
                let at = which % held.len().max(1);
                if ends && at < held.len() {
                    held.swap_remove(at);
                } else if let Some((_, some)) = held.get_mut(at).filter(|_| which > 3) {
                    let before = some.bytes;
                    if some.resize(bytes).is_err() {
                        prop_assert!(bytes > before);
                        prop_assert_eq!(some.bytes, before, "a refusal changes nothing");
                    }
                } else if let Ok(reservation) = account(&budget, who).reserve(bytes) {
                    held.push((who, reservation));
                }
                let sum: usize = held.iter().map(|it| it.1.bytes).sum();
                prop_assert_eq!(budget.used(), sum);
                prop_assert!(sum <= most);
                for who in 0..5 {
                    let own = held.iter().filter(|it| it.0 == who).map(|it| it.1.bytes);
                    let own: usize = own.sum();
                    let known = budget.lock().by_caller.get(&caller(who)).copied();
                    prop_assert_eq!(known.unwrap_or_default(), own);
                    prop_assert!(own <= most / 2);
                }
            }
            drop(held);
            prop_assert_eq!((budget.used(), budget.lock().by_caller.len()), (0, 0));
        }
    }
}
