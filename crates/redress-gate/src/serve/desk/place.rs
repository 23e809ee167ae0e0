//! `Place`: where the answer to a request goes, as far as whoever asked is still there.

use std::sync::Arc;

use tokio::sync::oneshot;

use super::Reply;
use crate::serve::stream::Stream;

/// Where an answer goes.
#[derive(Debug)]
pub(super) enum Place {
    /// Nothing was said yet.
    Post(oneshot::Sender<Reply>),
    /// The answer comes at the end of a stream.
    Stream(Arc<Stream>),
    /// Whoever asked has closed the connection, but wants to know: on that stream, if there was one and he comes back to it.
    Left(Option<u64>),
}

impl Place {
    /// The stream that answers, and the one that whoever has left may come back to.
    pub(super) fn stream(&self) -> (Option<Arc<Stream>>, Option<u64>) {
        match self {
            Self::Post(_) => (None, None),
            Self::Stream(stream) => (Some(Arc::clone(stream)), Some(stream.number)),
            Self::Left(on) => (None, *on),
        }
    }

    /// Nothing more is said there.
    pub(super) fn end(self) {
        match self {
            Self::Post(sender) => {
                let stream = Arc::new(Stream::default());
                stream.end();
                // Whoever waits no more has left.
                drop(sender.send(Reply::Stream(stream)));
            }
            Self::Stream(stream) => stream.end(),
            Self::Left(_) => (),
        }
    }

    /// Whoever asked has closed the connection.
    pub(super) fn leave(&mut self) {
        let on = match self {
            Self::Post(_) => None,
            Self::Stream(stream) => Some(stream.number),
            Self::Left(on) => *on,
        };
        *self = Self::Left(on);
    }
}
