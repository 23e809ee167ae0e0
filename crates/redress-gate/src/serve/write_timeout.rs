//! `WriteTimeout`: a stream that fails when its peer reads nothing for too long.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Sleep, sleep},
};

/// A stream that fails when its peer reads nothing for too long.
#[derive(Debug)]
pub(crate) struct WriteTimeout<S> {
    stream: S,
    patience: Duration,
    /// Ends the wait, while a write is pending.
    waits: Option<Pin<Box<Sleep>>>,
}

impl<S> WriteTimeout<S> {
    pub(crate) const fn new(stream: S, patience: Duration) -> Self {
        Self { stream, patience, waits: None }
    }

    /// The result of a write, or an error if no write has progressed for too long.
    fn judged<T>(
        &mut self,
        sent: Poll<io::Result<T>>,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        if sent.is_ready() {
            self.waits = None;
            return sent;
        }
        let waits = self.waits.get_or_insert_with(|| Box::pin(sleep(self.patience)));
        waits.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteTimeout<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, into)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteTimeout<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let sent = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.judged(sent, cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let sent = Pin::new(&mut self.stream).poll_write_vectored(cx, parts);
        self.judged(sent, cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use std::{io::ErrorKind, time::Duration};

    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _, duplex},
        runtime::Builder,
        time::sleep,
    };

    use super::WriteTimeout;

    const PATIENCE: Duration = Duration::from_millis(200);

    #[test]
    fn a_peer_that_reads_nothing_for_too_long_fails_the_write() {
        Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
            let (ours, _theirs) = duplex(16);
            let mut ours = WriteTimeout::new(ours, PATIENCE);
            let sent = ours.write_all(&[b'a'; 100]).await;
            assert_eq!(sent.unwrap_err().kind(), ErrorKind::TimedOut);
        });
    }

    #[test]
    fn a_slow_peer_and_an_idle_stream_fail_nothing() {
        Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
            let (ours, mut theirs) = duplex(16);
            let mut ours = WriteTimeout::new(ours, PATIENCE);
            let reads = async {
                let mut piece = [0; 10];
                for _ in 0..10 {
                    sleep(PATIENCE / 4).await;
                    theirs.read_exact(&mut piece).await.unwrap();
                }
            };
            let (sent, ()) = tokio::join!(ours.write_all(&[b'a'; 100]), reads);
            sent.unwrap();
            sleep(PATIENCE * 2).await;
            ours.write_all(b"more").await.unwrap();
        });
    }
}
