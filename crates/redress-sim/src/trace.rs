//! `Trace`: a hash over all that happens, so that two runs can be compared byte for byte.

use std::fmt;

/// A hash over all that happens (FNV-1a, 64 bits).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trace(u64);

impl Default for Trace {
    fn default() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }
}

impl Trace {
    /// The trace that 16 hex digits write.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let digits = Some(text).filter(|it| it.len() == 16)?;
        u64::from_str_radix(digits, 16).ok().map(Self)
    }

    /// Adds bytes, and what they are.
    pub(crate) fn add(&mut self, what: &str, bytes: &[u8]) {
        for byte in what.bytes().chain([0]).chain(bytes.iter().copied()).chain([0]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        }
    }

    /// Adds a number, and what it is.
    pub(crate) fn number(&mut self, what: &str, number: u64) {
        self.add(what, &number.to_le_bytes());
    }

    /// Adds another trace.
    pub(crate) fn join(&mut self, other: Self) {
        self.number("trace", other.0);
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}
