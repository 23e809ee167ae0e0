//! `Tail`: the end of what a process wrote to stderr, to explain its failure.

use std::{
    collections::VecDeque,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

/// How much is kept.
const KEPT: usize = 8 << 10;

/// The last bytes of a stream. Written by one thread, read by others.
#[derive(Debug, Default)]
pub struct Tail {
    last: Mutex<VecDeque<u8>>,
    /// How many bytes there have been.
    total: AtomicU64,
}

impl Tail {
    /// Adds what was written.
    pub fn add(&self, bytes: &[u8]) {
        let mut last = self.lock();
        let new = bytes.get(bytes.len().saturating_sub(KEPT)..).unwrap_or_default();
        let over = (last.len() + new.len()).saturating_sub(KEPT);
        last.drain(..over);
        last.extend(new);
        let size = u64::try_from(bytes.len()).unwrap_or_default();
        self.total.fetch_add(size, Ordering::Release);
    }

    /// How many bytes there have been.
    pub(crate) fn position(&self) -> u64 {
        self.total.load(Ordering::Acquire)
    }

    /// What was written after a position, as text, starting with a whole line if there is one, or else with a whole word: what is left
    /// of a secret would not be known for one.
    pub(crate) fn since(&self, position: u64) -> String {
        let last = self.lock();
        let total = self.total.load(Ordering::Acquire);
        let wanted = usize::try_from(total.saturating_sub(position)).unwrap_or(usize::MAX);
        let skip = last.len().saturating_sub(wanted);
        let bytes: Vec<u8> = last.iter().skip(skip).copied().collect();
        let is_cut = wanted > last.len();
        let behind = |at: Option<usize>| at.map(|it| it + 1).filter(|it| *it < bytes.len());
        let line = || behind(memchr::memchr(b'\n', &bytes));
        let word = || behind(bytes.iter().position(u8::is_ascii_whitespace));
        let start = if is_cut { line().or_else(word).unwrap_or(bytes.len()) } else { 0 };
        String::from_utf8_lossy(bytes.get(start..).unwrap_or_default()).into_owned()
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<u8>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::{KEPT, Tail};

    #[test]
    fn only_the_end_is_kept_and_it_starts_with_a_line() {
        let tail = Tail::default();
        tail.add(b"early\n");
        let position = tail.position();
        tail.add(b"late\n");
        assert_eq!(tail.since(position), "late\n");
        assert_eq!(tail.since(0), "early\nlate\n");
        for line in 0..10_000 {
            tail.add(format!("line {line}\n").as_bytes());
        }
        let kept = tail.since(0);
        assert!(kept.len() <= KEPT && kept.starts_with("line ") && kept.ends_with("line 9999\n"));
    }

    #[test]
    fn of_a_line_that_is_cut_no_half_of_a_word_is_kept() {
        let tail = Tail::default();
        tail.add(format!("hunter2hunter2 {}", "x".repeat(KEPT - 8)).as_bytes());
        assert_eq!(tail.since(0), "x".repeat(KEPT - 8));
        tail.add("y".repeat(KEPT).as_bytes());
        assert_eq!(tail.since(0), "");
    }
}
