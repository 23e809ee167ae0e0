//! Hashes and random identifiers, and how they are written.

use sha2::{Digest as _, Sha256};

/// Bytes as hex digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from_digit(half.into(), 16).unwrap_or_default();
    let mut hex = String::with_capacity(bytes.len() * 2);
    hex.extend(bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]));
    hex
}

/// The hash that tells workspaces apart.
pub(crate) fn root_hash(root: &str) -> String {
    let mut hash = hex(&Sha256::digest(root));
    hash.truncate(32);
    hash
}

/// A random UUID, version 4.
pub(crate) fn uuid() -> String {
    let mut bytes = [0_u8; 16];
    let mut filled = 0;
    while let Some(rest) = bytes.get_mut(filled..).filter(|it| !it.is_empty()) {
        filled += rustix::rand::getrandom(rest, rustix::rand::GetRandomFlags::empty()).unwrap_or(0);
    }
    let number = u128::from_be_bytes(bytes);
    let number = number & !(0xf << 76) | 4 << 76;
    let number = number & !(0b11 << 62) | 0b10 << 62;
    let hex = format!("{number:032x}");
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default().to_owned();
    [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)].join("-")
}
