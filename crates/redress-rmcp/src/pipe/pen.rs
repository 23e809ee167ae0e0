//! `Pen`: whole lines to a client, one after the other, until it is put down.

use std::{
    io,
    sync::atomic::{AtomicUsize, Ordering},
};

use tokio::{
    io::{AsyncWrite, AsyncWriteExt as _},
    sync::{Mutex, Notify},
};

/// So many lines may wait for a client that reads slowly before it is not read itself any more.
const MOST_WAITING: usize = 1_024;

/// Writes lines; each is written whole before the next.
pub(super) struct Pen<W> {
    writer: Mutex<Option<W>>,
    waiting: AtomicUsize,
    moved: Notify,
}

impl<W: AsyncWrite + Unpin> Pen<W> {
    pub(super) fn new(writer: W) -> Self {
        Self {
            writer: Mutex::new(Some(writer)),
            waiting: AtomicUsize::new(0),
            moved: Notify::new(),
        }
    }

    /// Writes a line, and ends it.
    pub(super) async fn write(&self, mut line: Vec<u8>) -> io::Result<()> {
        line.push(b'\n');
        let _turn = Turn::new(&self.waiting, &self.moved);
        let mut writer = self.writer.lock().await;
        let writer = writer.as_mut().ok_or(io::ErrorKind::NotConnected)?;
        writer.write_all(&line).await?;
        writer.flush().await
    }

    /// Waits until the client has read enough of what was written to it.
    pub(super) async fn keep_up(&self) {
        while self.waiting.load(Ordering::Relaxed) >= MOST_WAITING {
            self.moved.notified().await;
        }
    }

    /// Writes nothing any more.
    pub(super) async fn put_down(&self) {
        drop(self.writer.lock().await.take());
    }
}

/// A line that waits to be written, until it is or nobody wants it any more.
struct Turn<'p> {
    waiting: &'p AtomicUsize,
    moved: &'p Notify,
}

impl<'p> Turn<'p> {
    fn new(waiting: &'p AtomicUsize, moved: &'p Notify) -> Self {
        waiting.fetch_add(1, Ordering::Relaxed);
        Self { waiting, moved }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if self.waiting.fetch_sub(1, Ordering::Relaxed) == MOST_WAITING {
            self.moved.notify_one();
        }
    }
}
