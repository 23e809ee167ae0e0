//! How often a client makes a call, and how long it waits in between.

/// How a client repeats calls. Times are in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// How often a call is made at most; one: never again. A row may say less.
    pub attempts: u32,
    /// The longest first pause; it doubles with each further one.
    pub first_pause_ms: u64,
    /// The longest pause of our own, and the longest that a server may ask for.
    pub longest_wait_ms: u64,
}

impl Default for Policy {
    fn default() -> Self {
        Self { attempts: 3, first_pause_ms: 200, longest_wait_ms: 30_000 }
    }
}

impl Policy {
    /// How long to wait after a call was made `made` times and the server asked for `asked_ms`: at least that long, and
    /// then some part of a pause that grows, so that many clients do not come back at once.
    pub fn wait_ms(&self, made: u32, asked_ms: u64, random: u32) -> u64 {
        let doublings = made.saturating_sub(1).min(32);
        let pause = u128::from(self.first_pause_ms) << doublings;
        let pause = pause.min(u128::from(self.longest_wait_ms));
        let part = ((pause + 1) * u128::from(random)) >> u32::BITS;
        asked_ms.saturating_add(u64::try_from(part).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::Policy;

    #[test]
    fn pauses_grow_to_their_bound_and_keep_what_is_asked_for() {
        let policy = Policy::default();
        let longest = |made| policy.wait_ms(made, 0, u32::MAX);
        assert_eq!([1, 2, 3, 9, 40].map(longest), [200, 400, 800, 30_000, 30_000]);
        assert_eq!(policy.wait_ms(1, 0, 0), 0, "chance may take the whole pause away");
        assert_eq!(policy.wait_ms(1, 0, u32::MAX / 2), 100);
        assert_eq!(policy.wait_ms(1, 2_000, 0), 2_000);
        assert_eq!(policy.wait_ms(1, 2_000, u32::MAX), 2_200);
        let endless = Policy { first_pause_ms: u64::MAX, longest_wait_ms: u64::MAX, attempts: 2 };
        assert_eq!(endless.wait_ms(u32::MAX, u64::MAX, u32::MAX), u64::MAX);
    }
}
