//! `ReplyTarget`: where the answer to a request goes.

use std::sync::Arc;

use tokio::sync::oneshot;

use super::{Reply, stream::Stream};

/// Where an answer goes.
#[derive(Debug)]
pub(crate) enum ReplyTarget {
    /// The response of the request, which has not begun.
    Post(oneshot::Sender<Reply>),
    /// The end of a stream.
    Stream(Arc<Stream>),
    /// The client has closed the connection: the answer goes to the stream with that number if the client resumes it, else to any other.
    Left(Option<u64>),
}

impl ReplyTarget {
    /// The open stream of the request, and the number of the one that its client may resume.
    pub(crate) fn stream(&self) -> (Option<Arc<Stream>>, Option<u64>) {
        match self {
            Self::Post(_) => (None, None),
            Self::Stream(stream) => (Some(Arc::clone(stream)), Some(stream.number)),
            Self::Left(on) => (None, *on),
        }
    }

    /// Ends the response.
    pub(crate) fn end(self) {
        match self {
            Self::Post(sender) => {
                let stream = Arc::new(Stream::default());
                stream.end();
                // A send that fails means that the client has left.
                drop(sender.send(Reply::Stream(stream)));
            }
            Self::Stream(stream) => stream.end(),
            Self::Left(_) => (),
        }
    }

    /// The client has closed the connection.
    pub(crate) fn leave(&mut self) {
        let on = match self {
            Self::Post(_) => None,
            Self::Stream(stream) => Some(stream.number),
            Self::Left(on) => *on,
        };
        *self = Self::Left(on);
    }
}
