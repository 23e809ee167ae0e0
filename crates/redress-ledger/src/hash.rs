//! `Hash`: the SHA-256 that ties each record to the one before it.

use std::fmt;

use sha2::{Digest as _, Sha256};

/// A SHA-256, written as 64 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Hash([u8; 32]);

impl Hash {
    /// The hash before the first record.
    pub(crate) const ZERO: Self = Self([0; 32]);

    /// The hash that the first record of a chain follows.
    pub const fn start() -> Self {
        Self::ZERO
    }

    /// The hash of some bytes.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The hash that 64 lower-case hex digits write.
    pub fn parse(text: &str) -> Option<Self> {
        from_hex(text.as_bytes()).map(Self)
    }

    pub(crate) fn parse_bytes(text: &[u8]) -> Option<Self> {
        from_hex(text).map(Self)
    }

    /// The first 32 digits, 128 bits: what a receipt carries. With fewer, two records with the same receipt can be found.
    pub fn short(&self) -> String {
        hex(self.0.get(..16).unwrap_or_default())
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        write_hex(&self.0, out);
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Bytes as lower-case hex digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let mut out = Vec::with_capacity(bytes.len() * 2);
    write_hex(bytes, &mut out);
    String::from_utf8(out).unwrap_or_default()
}

/// Exactly `N` bytes from `2 * N` lower-case hex digits.
pub(crate) fn from_hex<const N: usize>(text: &[u8]) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    let (pairs, rest) = text.as_chunks::<2>();
    if pairs.len() != N || !rest.is_empty() {
        return None;
    }
    for (slot, [high, low]) in bytes.iter_mut().zip(pairs) {
        *slot = digit(*high)? << 4 | digit(*low)?;
    }
    Some(bytes)
}

fn write_hex(bytes: &[u8], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for byte in bytes {
        for half in [byte >> 4, byte & 15] {
            out.extend(DIGITS.get(usize::from(half)));
        }
    }
}

const fn digit(it: u8) -> Option<u8> {
    match it {
        b'0'..=b'9' => Some(it - b'0'),
        b'a'..=b'f' => Some(it - b'a' + 10),
        _ => None,
    }
}
