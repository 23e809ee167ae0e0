//! `Pen`: whole lines to a client, one after the other, until it is put down.

use std::{
    io,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
};

use tokio::{
    io::{AsyncWrite, AsyncWriteExt as _},
    sync::{Mutex, Notify},
};

/// So many bytes may wait for a client that reads slowly before it is not read itself any more.
const MOST_WAITING: usize = 4 << 20;

/// What a line takes beside its bytes: the task that writes it.
const LINE_BYTES: usize = 4 << 10;

/// Writes lines; each is written whole before the next.
pub(super) struct Pen<W> {
    writer: Mutex<Option<W>>,
    waiting: AtomicUsize,
    moved: Notify,
    is_broken: AtomicBool,
}

impl<W: AsyncWrite + Unpin> Pen<W> {
    pub(super) fn new(writer: W) -> Self {
        Self {
            writer: Mutex::new(Some(writer)),
            waiting: AtomicUsize::new(0),
            moved: Notify::new(),
            is_broken: AtomicBool::new(false),
        }
    }

    /// Writes a line, and ends it.
    pub(super) async fn write(&self, mut line: Vec<u8>) -> io::Result<()> {
        line.push(b'\n');
        let _turn = WaitingLine::new(line.len() + LINE_BYTES, &self.waiting, &self.moved);
        let mut writer = self.writer.lock().await;
        let writer = writer.as_mut().ok_or(io::ErrorKind::NotConnected)?;
        let written = async {
            writer.write_all(&line).await?;
            writer.flush().await
        };
        let written = written.await;
        if written.is_err() {
            self.is_broken.store(true, Ordering::Relaxed);
        }
        written
    }

    /// Waits until the client has read enough of what was written to it.
    pub(super) async fn keep_up(&self) {
        while self.waiting.load(Ordering::Relaxed) >= MOST_WAITING {
            self.moved.notified().await;
        }
    }

    /// Whether the reader is gone.
    pub(super) fn is_broken(&self) -> bool {
        self.is_broken.load(Ordering::Relaxed)
    }

    /// Writes nothing any more.
    pub(super) async fn put_down(&self) {
        drop(self.writer.lock().await.take());
    }
}

/// A line that waits to be written, until it is or is not wanted any more.
struct WaitingLine<'p> {
    bytes: usize,
    waiting: &'p AtomicUsize,
    moved: &'p Notify,
}

impl<'p> WaitingLine<'p> {
    fn new(bytes: usize, waiting: &'p AtomicUsize, moved: &'p Notify) -> Self {
        waiting.fetch_add(bytes, Ordering::Relaxed);
        Self { bytes, waiting, moved }
    }
}

impl Drop for WaitingLine<'_> {
    fn drop(&mut self) {
        let before = self.waiting.fetch_sub(self.bytes, Ordering::Relaxed);
        if before >= MOST_WAITING && before - self.bytes < MOST_WAITING {
            self.moved.notify_one();
        }
    }
}
