//! How hashes are written.

/// Bytes as hex digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from_digit(half.into(), 16).unwrap_or_default();
    let mut hex = String::with_capacity(bytes.len() * 2);
    hex.extend(bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]));
    hex
}
