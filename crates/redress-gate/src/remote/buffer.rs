//! `Buffer`: what was read from a connection and is not used yet.

use std::{
    io,
    pin::pin,
    task::{Context, Poll},
};

use hyper::body::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt as _};

/// How much is asked for at once if nobody knows how much will come, and the most if somebody does.
const USUAL: usize = 8 << 10;
const MOST: u64 = 256 << 10;

/// Bytes that wait to be used, from the front on.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    bytes: Vec<u8>,
    /// How much of them is used.
    used: usize,
}

impl Buffer {
    pub(super) fn bytes(&self) -> &[u8] {
        self.bytes.get(self.used..).unwrap_or_default()
    }

    pub(super) fn skip(&mut self, count: usize) {
        self.used = (self.used + count).min(self.bytes.len());
    }

    /// What is there, but no more than asked for; none if nothing is. All that is there is not copied.
    pub(super) fn take(&mut self, most: u64) -> Option<Bytes> {
        let there = self.bytes();
        if there.is_empty() {
            return None;
        }
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        if let Some(some) = there.get(..most).filter(|it| it.len() < there.len()) {
            let some = Bytes::copy_from_slice(some);
            self.skip(most);
            return Some(some);
        }
        let used = std::mem::take(&mut self.used);
        Some(Bytes::from(std::mem::take(&mut self.bytes)).slice(used..))
    }

    /// Reads what has come, of which so much is expected. Gives how much that was: nothing at the end.
    pub(super) fn poll_fill(
        &mut self,
        stream: &mut (impl AsyncRead + Unpin),
        expected: u64,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        if self.used > 0 {
            self.bytes.drain(..self.used);
            self.used = 0;
        }
        let room = usize::try_from(expected.min(MOST)).unwrap_or(USUAL).max(USUAL);
        self.bytes.reserve(room);
        pin!(stream.read_buf(&mut self.bytes)).poll(cx)
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::Buffer;

    #[test]
    fn bytes_are_taken_from_the_front_and_once() {
        let mut buffer = Buffer::default();
        assert_eq!(buffer.take(9), None);
        buffer.push(b"abcdef");
        buffer.skip(1);
        assert_eq!(buffer.take(2).as_deref(), Some(b"bc".as_slice()));
        assert_eq!(buffer.take(3).as_deref(), Some(b"def".as_slice()));
        buffer.push(b"g");
        assert_eq!(buffer.bytes(), b"g");
        assert_eq!(buffer.take(u64::MAX).as_deref(), Some(b"g".as_slice()));
        assert_eq!(buffer.take(1), None);
    }
}
