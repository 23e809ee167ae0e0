//! `Pen`: whole lines to a client, one after the other, until it is put down.

use std::io;

use tokio::{
    io::{AsyncWrite, AsyncWriteExt as _},
    sync::Mutex,
};

/// Writes lines; each is written whole before the next.
pub(super) struct Pen<W>(Mutex<Option<W>>);

impl<W: AsyncWrite + Unpin> Pen<W> {
    pub(super) fn new(writer: W) -> Self {
        Self(Mutex::new(Some(writer)))
    }

    /// Writes a line, and ends it.
    pub(super) async fn write(&self, mut line: Vec<u8>) -> io::Result<()> {
        line.push(b'\n');
        let mut writer = self.0.lock().await;
        let writer = writer.as_mut().ok_or(io::ErrorKind::NotConnected)?;
        writer.write_all(&line).await?;
        writer.flush().await
    }

    /// Writes nothing any more.
    pub(super) async fn put_down(&self) {
        drop(self.0.lock().await.take());
    }
}
