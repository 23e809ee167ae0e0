//! `Counted`: a stream that counts what is written of each request, so that it is known whether a server can have all of it.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The line break and the empty line at the end of a request's head.
const END_OF_HEAD: &[u8] = b"\r\n\r\n";

/// What passed on a connection since its present request began.
#[derive(Debug, Default)]
pub(super) struct Traffic {
    /// How many bytes of the end of the head were just written.
    matched: usize,
    body_written: usize,
    body_length: usize,
    is_flushed: bool,
    /// How many bytes were read.
    pub(super) read: usize,
    /// The stream failed while it was read.
    pub(super) is_cut: bool,
    /// Why nothing more can be written. The server may have answered all the same, so that reading goes on.
    pub(super) broken: Option<io::Error>,
    /// The server does not want the rest.
    pub(super) is_refused: bool,
}

impl Traffic {
    /// Starts to count for a request with a body of this length.
    pub(super) fn begin(&mut self, body_length: usize) {
        *self = Self { body_length, ..Self::default() };
    }

    /// Whether all of the request was written. A server that has not all of it cannot have acted on it.
    pub(super) const fn is_sent(&self) -> bool {
        self.matched == END_OF_HEAD.len() && self.body_written >= self.body_length
    }

    /// Whether nothing of the request is left in a buffer.
    pub(super) const fn is_flushed(&self) -> bool {
        self.is_sent() && self.is_flushed
    }

    const fn is_stopped(&self) -> bool {
        self.broken.is_some() || self.is_refused
    }

    fn wrote(&mut self, mut bytes: &[u8]) {
        self.is_flushed = false;
        while self.matched < END_OF_HEAD.len() {
            if self.matched == 0 {
                let start = memchr::memchr(b'\r', bytes).unwrap_or(bytes.len());
                bytes = bytes.get(start..).unwrap_or_default();
            }
            let Some((byte, rest)) = bytes.split_first() else { return };
            self.matched = match END_OF_HEAD.get(self.matched) {
                Some(expected) if expected == byte => self.matched + 1,
                _ => usize::from(*byte == b'\r'),
            };
            bytes = rest;
        }
        self.body_written += bytes.len();
    }
}

/// A stream that counts. Errors of writing are kept in its traffic: after one, writing never gets ready again.
#[derive(Debug)]
pub(super) struct Counted<S> {
    stream: S,
    traffic: Arc<Mutex<Traffic>>,
}

impl<S> Counted<S> {
    pub(super) fn new(stream: S) -> (Self, Arc<Mutex<Traffic>>) {
        let traffic = Arc::default();
        (Self { stream, traffic: Arc::clone(&traffic) }, traffic)
    }

    /// Counts what was written of these buffers.
    fn count(
        &self,
        result: Poll<io::Result<usize>>,
        buffers: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let has_any = buffers.iter().any(|it| !it.is_empty());
        let mut traffic = lock(&self.traffic);
        match result {
            Poll::Ready(Ok(0)) if has_any => {
                traffic.broken = Some(io::ErrorKind::WriteZero.into());
                Poll::Pending
            }
            Poll::Ready(Ok(written)) => {
                let mut left = written;
                for buffer in buffers {
                    let part = buffer.get(..left.min(buffer.len())).unwrap_or_default();
                    traffic.wrote(part);
                    left -= part.len();
                }
                Poll::Ready(Ok(written))
            }
            Poll::Ready(Err(error)) => {
                traffic.broken = Some(error);
                Poll::Pending
            }
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Counted<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let result = Pin::new(&mut self.stream).poll_read(cx, buf);
        let mut traffic = lock(&self.traffic);
        traffic.read += buf.filled().len().saturating_sub(before);
        traffic.is_cut |= matches!(result, Poll::Ready(Err(_)));
        result
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Counted<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        if lock(&self.traffic).is_stopped() {
            return Poll::Pending;
        }
        let result = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.count(result, &[IoSlice::new(buf)])
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if lock(&self.traffic).is_stopped() {
            return Poll::Pending;
        }
        let result = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.count(result, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if lock(&self.traffic).is_stopped() {
            return Poll::Pending;
        }
        let result = Pin::new(&mut self.stream).poll_flush(cx);
        let mut traffic = lock(&self.traffic);
        match result {
            Poll::Ready(Ok(())) => {
                traffic.is_flushed = true;
                Poll::Ready(Ok(()))
            }
            Poll::Ready(Err(error)) => {
                traffic.broken = Some(error);
                Poll::Pending
            }
            Poll::Pending => Poll::Pending,
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

pub(super) fn lock(traffic: &Mutex<Traffic>) -> MutexGuard<'_, Traffic> {
    traffic.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::Traffic;

    #[test]
    fn a_request_is_sent_once_its_last_byte_is_written() {
        let request = b"POST / HTTP/1.1\r\nhost: a\r\r\nx: y\r\n\r\n{\r\n\r\n}";
        for step in 1..=request.len() {
            let mut traffic = Traffic::default();
            traffic.begin(b"{\r\n\r\n}".len());
            let mut written = 0;
            for piece in request.chunks(step) {
                assert!(!traffic.is_sent(), "{written} in steps of {step}");
                traffic.wrote(piece);
                written += piece.len();
            }
            assert!(traffic.is_sent() && !traffic.is_flushed(), "in steps of {step}");
        }
        let mut traffic = Traffic::default();
        traffic.begin(0);
        traffic.wrote(b"GET / HTTP/1.1\r\n\r");
        assert!(!traffic.is_sent());
        traffic.wrote(b"\n");
        assert!(traffic.is_sent());
    }
}
