//! `Space`: how much fits on a disk.

/// How many bytes fit; without a number, any.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Space(Option<u64>);

impl Space {
    pub(super) const fn of(bytes: u64) -> Self {
        Self(Some(bytes))
    }

    /// Whether there is room for more, where so many are used.
    pub(super) fn has_room(self, more: u64, used: u64) -> bool {
        self.0.is_none_or(|most| used + more <= most)
    }
}
