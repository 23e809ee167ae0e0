//! `Log`: what the server writes to stderr goes on to ours, unless nobody reads there.

use std::{
    fs::File,
    io::{self, Write as _},
    sync::mpsc::{self, SyncSender, TrySendError},
    thread,
};

/// How many pieces may wait.
const MOST_WAITING: usize = 64;

/// The way to our own stderr.
#[derive(Debug)]
pub(crate) struct Log(SyncSender<Vec<u8>>);

impl Log {
    pub(crate) fn new(mut to: File) -> io::Result<Self> {
        let (sender, pieces) = mpsc::sync_channel::<Vec<u8>>(MOST_WAITING);
        let write = move || {
            for piece in pieces {
                if to.write_all(&piece).is_err() {
                    return;
                }
            }
        };
        thread::Builder::new().name("redress-log".to_owned()).spawn(write)?;
        Ok(Self(sender))
    }

    /// Passes a piece on, or drops it when the reader is slow: a server must never wait for its log.
    pub(crate) fn pass(&self, piece: &[u8]) {
        match self.0.try_send(piece.to_vec()) {
            Ok(()) | Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => (),
        }
    }
}
