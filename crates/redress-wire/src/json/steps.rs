//! Strings in large steps: where the next byte is that needs a look, and how far a text goes without one.

/// As many bytes as are looked at together.
pub(super) const BLOCK: usize = 64;

/// Where a string goes on behind blocks that hold nothing but plain bytes and the escapes that most texts have. The byte at
/// `start` must not be escaped.
pub(super) fn skip_blocks(bytes: &[u8], start: usize) -> usize {
    let Some(mut before) = start.checked_sub(1) else { return start };
    // A backslash there may be an escaped one, which escapes nothing.
    if bytes.get(before) == Some(&b'\\') {
        return start;
    }
    while let Some(window) = bytes.get(before..).and_then(|it| it.first_chunk())
        && !needs_a_look(window)
    {
        before += BLOCK;
    }
    // The last byte of a block may escape what follows.
    if bytes.get(before) == Some(&b'\\') { before } else { before + 1 }
}

/// Whether a block, behind the byte before it, may end the string, or holds what is not allowed or not common: a quote that is
/// not escaped, a control character, an escape other than of a quote, a line break or a tab. Written so that the compiler
/// compares many bytes at once.
fn needs_a_look(window: &[u8; BLOCK + 1]) -> bool {
    let (before, block) = (window.first_chunk::<BLOCK>(), window.last_chunk::<BLOCK>());
    let (Some(before), Some(block)) = (before, block) else { return true };
    let mut any = 0;
    for (before, byte) in before.iter().zip(block) {
        let is = |it: u8| u8::from(*byte == it);
        let is_escaped = u8::from(*before == b'\\');
        let is_common = is(b'"') | is(b'n') | is(b'r') | is(b't');
        any |= (is_escaped & !is_common) | (is(b'"') & !is_escaped) | u8::from(*byte < 0x20);
    }
    any != 0
}

/// How many bytes at the start need no look: no quote, no backslash, no control character. Most texts have an escape
/// now and then, so it starts with small steps; long runs are then taken in large ones.
pub(super) fn plain(bytes: &[u8]) -> usize {
    let mut rest = bytes;
    let mut small_steps = 0;
    while let Some((eight, after)) = rest.split_first_chunk::<8>() {
        let special = specials(u64::from_le_bytes(*eight));
        if special != 0 {
            return bytes.len() - rest.len() + special.trailing_zeros() as usize / 8;
        }
        rest = after;
        small_steps += 1;
        if small_steps == SMALL_STEPS {
            while let Some((large, after)) = rest.split_first_chunk::<LARGE_STEP>()
                && !has_special(large)
            {
                rest = after;
            }
        }
    }
    // What the last eight share with the steps before is plain. Without any special byte this is the length.
    if let Some(last) = bytes.last_chunk::<8>() {
        let special = specials(u64::from_le_bytes(*last));
        return bytes.len() - 8 + special.trailing_zeros() as usize / 8;
    }
    rest.iter().position(|it| is_special(*it)).unwrap_or(rest.len())
}

/// After so many small steps a run counts as long.
const SMALL_STEPS: u32 = 8;

/// As many bytes as are compared at once.
const LARGE_STEP: usize = 64;

const fn is_special(byte: u8) -> bool {
    byte == b'"' || byte == b'\\' || byte < 0x20
}

/// Written so that the compiler compares many bytes at once.
fn has_special(bytes: &[u8; LARGE_STEP]) -> bool {
    bytes.iter().fold(false, |any, it| any | is_special(*it))
}

/// A bit for each of eight bytes that is special. Only the lowest bit is exact, which is the first such byte.
pub(super) const fn specials(eight: u64) -> u64 {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    // All three differ from a byte in its lower seven bits only, so one test of the highest bit does for all.
    let control = eight.wrapping_sub(LOW * 0x20);
    let quote = (eight ^ (LOW * 0x22)).wrapping_sub(LOW);
    let backslash = (eight ^ (LOW * 0x5C)).wrapping_sub(LOW);
    (control | quote | backslash) & !eight & HIGH
}
