//! `UpstreamId`: an id of the gate, under which an upstream knows a request, and the secret that ids are drawn from.

use std::hash::{BuildHasher, DefaultHasher, Hasher as _, RandomState};

use redress_wire::json::{Kind, Value};

/// How many bits of an id say where its request is kept. The rest is random.
pub(crate) const PLACE_BITS: u32 = 12;

/// Ids have 46 bits and 14 digits: every reader of JSON that we know of keeps that many.
const RANDOM_BITS: u32 = 33;
pub(crate) const DIGITS: usize = 14;

/// An id of ours, under which an upstream knows a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct UpstreamId(u64);

impl UpstreamId {
    /// Its digits in a message.
    pub fn digits(self) -> [u8; DIGITS] {
        let mut digits = [b'0'; DIGITS];
        let mut rest = self.0;
        for digit in digits.iter_mut().rev() {
            *digit = b'0' + u8::try_from(rest % 10).unwrap_or_default();
            rest /= 10;
        }
        digits
    }

    /// The id that an answer names. Some servers turn a number into a string.
    pub fn of(value: Value<'_>) -> Option<Self> {
        match value.kind() {
            Kind::Number => Self::read(value.raw().as_bytes()),
            _ => Self::read(value.as_str()?.as_bytes()),
        }
    }

    /// The id that digits spell, if they spell one.
    pub fn read(digits: &[u8]) -> Option<Self> {
        let digits: &[u8; DIGITS] = digits.try_into().ok()?;
        let (mut id, mut is_number) = (0, true);
        for digit in digits {
            is_number &= digit.is_ascii_digit();
            id = id * 10 + u64::from(digit & 0xF);
        }
        is_number.then_some(Self(id))
    }

    /// The id as a number, for those who only give it back.
    pub(crate) const fn number(self) -> u64 {
        self.0
    }

    /// The id with that number.
    pub const fn from_number(number: u64) -> Self {
        Self(number)
    }

    /// The id of a request that is kept at a place. Of the random number, the first bits count.
    pub(crate) fn new(random: u64, place: usize) -> Self {
        let top = 1 << (RANDOM_BITS + PLACE_BITS);
        let random = random >> (u64::BITS - RANDOM_BITS);
        Self(top | random << PLACE_BITS | u64::try_from(place).unwrap_or_default())
    }

    /// Where its request is kept.
    pub(crate) fn place(self) -> usize {
        usize::try_from(self.0 & ((1 << PLACE_BITS) - 1)).unwrap_or_default()
    }
}

/// The key of hashes from which ids and pauses are drawn, so that they cannot be guessed.
#[derive(Debug, Clone)]
pub(crate) enum Secret {
    /// Drawn by the system.
    System(RandomState),
    /// Given, so that a simulation can be repeated.
    Seed(u64),
}

impl Default for Secret {
    fn default() -> Self {
        Self::System(RandomState::new())
    }
}

impl BuildHasher for Secret {
    type Hasher = DefaultHasher;

    fn build_hasher(&self) -> DefaultHasher {
        match self {
            Self::System(state) => state.build_hasher(),
            Self::Seed(seed) => {
                let mut hasher = DefaultHasher::new();
                hasher.write_u64(*seed);
                hasher
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{DIGITS, PLACE_BITS, UpstreamId};

    #[test]
    fn an_id_has_its_place_and_a_fixed_length() {
        for (random, place) in [(0, 0), (u64::MAX, (1 << PLACE_BITS) - 1), (7 << 40, 9)] {
            let id = UpstreamId::new(random, place);
            let digits = id.digits();
            assert_eq!((id.place(), digits.len()), (place, DIGITS));
            assert_eq!(UpstreamId::read(&digits), Some(id));
        }
        assert_eq!(UpstreamId::read(b"12"), None);
    }
}
