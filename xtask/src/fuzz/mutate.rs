//! `Mutator`: small, seeded changes to known inputs.

/// Pieces that break readers.
const PIECES: &[&[u8]] = &[
    b"{",
    b"}",
    b"[",
    b"]",
    b"\"",
    b"\\",
    b"\\ud800",
    b"\\u0000",
    b"\0",
    b"\xff",
    b"\xed\xa0\x80",
    b",",
    b":",
    b"null",
    b"true",
    b"-0",
    b"1e999",
    b"1180591620717411303424",
    b"[[[[[[[[[[[[[[[[",
    b"\n",
    b"\r\n",
    b"=",
    b"'''",
    b"\"\"\"",
    b"_x",
    b"code",
    b"error",
    b"retry",
    b"isError",
    b"{{",
    b"}}",
    b"..",
    b"\xe2\x80\xae",
];

/// The longest input made.
const MAX_LEN: usize = 64 << 10;

/// Makes inputs from a corpus; the same seed makes the same ones.
pub(super) struct Mutator(u64);

impl Mutator {
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed ^ 0x9E37_79B9_7F4A_7C15)
    }

    /// A corpus file with one to eight changes.
    pub(super) fn next(&mut self, corpus: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = self.pick(corpus).cloned().unwrap_or_default();
        for _ in 0..=self.below(8) {
            self.change(&mut bytes, corpus);
        }
        bytes.truncate(MAX_LEN);
        bytes
    }

    fn change(&mut self, bytes: &mut Vec<u8>, corpus: &[Vec<u8>]) {
        let at = self.below(bytes.len() + 1);
        let end = (at + self.below(32)).min(bytes.len());
        match self.below(6) {
            0 => {
                let bit = 1 << self.below(8);
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= bit;
                }
            }
            1 => {
                bytes.drain(at..end);
            }
            2 => {
                let again = bytes.get(at..end).unwrap_or_default().repeat(1 + self.below(64));
                bytes.splice(at..at, again);
            }
            3 => bytes.truncate(at),
            4 => {
                let other = self.pick(corpus).cloned().unwrap_or_default();
                let from = self.below(other.len() + 1);
                bytes.splice(at..end, other.into_iter().skip(from).take(256));
            }
            _ => {
                let piece = self.pick(PIECES).copied().unwrap_or_default();
                bytes.splice(at..at, piece.iter().copied());
            }
        }
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        let at = self.below(from.len());
        from.get(at)
    }

    /// A number below `limit`, 0 if there is none (xorshift64*).
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number =
            usize::try_from(self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16).unwrap_or_default();
        number.checked_rem(limit).unwrap_or_default()
    }
}
