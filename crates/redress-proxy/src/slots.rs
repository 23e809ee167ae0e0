//! `SlotPool`: a number of slots that callers share fairly, such as connections or calls in progress.
//!
//! The last quarter is kept for callers that have less than their share, and there is always a share for one more caller than there
//! are. So a new caller finds a slot, too.

use std::collections::BTreeMap;

use crate::caller::Caller;

/// How many of so many slots are taken when they are short.
pub const fn short(most: usize) -> usize {
    most - most / 4
}

/// Whether a caller with so many slots of its own may take one more, where so many are taken by so many callers.
pub fn is_free(caller: Caller, own: usize, (taken, callers): (usize, usize), most: usize) -> bool {
    if taken >= most {
        return false;
    }
    let callers = callers + usize::from(own == 0);
    let share = (most / (callers + 1)).max(1);
    taken < short(most) || own < share || caller.is_only()
}

/// `SlotPool` that callers share.
#[derive(Debug)]
pub struct SlotPool {
    most: usize,
    taken: usize,
    by_caller: BTreeMap<Caller, usize>,
}

impl SlotPool {
    /// That many free slots.
    pub fn new(most: usize) -> Self {
        Self { most, taken: 0, by_caller: BTreeMap::new() }
    }

    /// Takes a slot, if there is one for the caller. Gives whether there is.
    pub fn enter(&mut self, caller: Caller) -> bool {
        let own = self.by_caller.get(&caller).copied().unwrap_or_default();
        let is_free = is_free(caller, own, (self.taken, self.by_caller.len()), self.most);
        if is_free {
            self.taken += 1;
            self.by_caller.insert(caller, own + 1);
        }
        is_free
    }

    /// Gives a slot back.
    pub fn leave(&mut self, caller: Caller) {
        let Some(own) = self.by_caller.get_mut(&caller) else { return };
        *own -= 1;
        self.taken -= 1;
        if *own == 0 {
            self.by_caller.remove(&caller);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop, prop_assert, proptest};

    use super::{Caller, SlotPool};
    use crate::caller::Peer;

    fn caller(number: u8) -> Caller {
        Caller { token: None, peer: Peer::V4([10, 0, 0, number].into()) }
    }

    fn enter_all(slots: &mut SlotPool, number: u8) -> usize {
        std::iter::from_fn(|| slots.enter(caller(number)).then_some(())).count()
    }

    #[test]
    fn one_caller_does_not_take_the_last_places() {
        let mut slots = SlotPool::new(64);
        assert_eq!(enter_all(&mut slots, 1), 48);
        assert_eq!(enter_all(&mut slots, 2), 16, "below its share of 21");
        slots.leave(caller(1));
        assert!(!slots.enter(caller(1)), "it has more than its share");
        assert!(slots.enter(caller(3)));
    }

    #[test]
    fn the_only_caller_that_there_can_be_takes_all() {
        let mut slots = SlotPool::new(64);
        assert_eq!((0..100).filter(|_| slots.enter(Caller::ONLY)).count(), 64);
    }

    #[test]
    fn a_place_that_is_given_back_is_free() {
        let mut slots = SlotPool::new(3);
        assert_eq!(enter_all(&mut slots, 1), 3);
        slots.leave(caller(1));
        slots.leave(caller(9));
        assert!(slots.enter(caller(2)));
        assert!(!slots.enter(caller(1)));
    }

    proptest! {
        #[test]
        fn no_order_of_callers_takes_more_places_than_there_are(
            most in 0usize..40,
            steps in prop::collection::vec((0u8..6, prop::bool::ANY), 0..300),
        ) {
            let mut slots = SlotPool::new(most);
            for (who, leaves) in steps {
                if leaves {
                    slots.leave(caller(who));
                } else {
                    slots.enter(caller(who));
                }
                prop_assert!(slots.taken <= most);
                prop_assert!(slots.taken == slots.by_caller.values().sum::<usize>());
                prop_assert!(slots.by_caller.values().all(|it| *it > 0));
            }
        }
    }
}
