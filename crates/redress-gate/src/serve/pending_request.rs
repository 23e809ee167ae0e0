//! `PendingRequest`: a request that waits for its answer. If it is dropped before, the client has gone away.

use std::sync::Arc;

use hyper::HeaderMap;
use redress_govern::TokenId;
use redress_proxy::{
    caller::{Caller, Peer},
    outgoing::{Sender, TraceId},
};
use tokio::sync::oneshot;

use super::content_negotiation;
use crate::{
    connection::{ActingThread, Connection},
    remote::Remote,
    replies::{Framing, Reply, ReplyPreference, ReplyRouter, Stream},
};

/// What it means that a client closes the connection while it waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OnDisconnect {
    /// Nothing: the answer goes where the client can fetch it.
    Keep,
    /// It does not want the answer any more.
    Cancel,
}

/// In which mode a request is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReplyMode {
    /// As a whole, unless something is said before.
    Whole,
    /// In the one that the client likes best. What a server over HTTP chose stays.
    Negotiated,
}

/// How a request is dealt with.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReplyOptions {
    pub(super) on_disconnect: OnDisconnect,
    pub(super) mode: ReplyMode,
    /// The client knows streams to which it can come back.
    pub(super) is_primed: bool,
    /// Whose token it brought.
    pub(super) token: Option<TokenId>,
    /// The account that its limits count for.
    pub(super) caller: Caller,
    /// Where it came from.
    pub(super) peer: Peer,
}

/// A request that waits.
pub(super) struct PendingRequest {
    connection: Arc<Connection>,
    replies: Arc<ReplyRouter>,
    /// The server behind a URL that gets some of the request's headers.
    remote: Option<Arc<Remote>>,
    from: Sender,
    reply: oneshot::Receiver<Reply>,
    on_disconnect: OnDisconnect,
    /// The answer is a stream from the start.
    is_stream: bool,
    is_done: bool,
}

impl std::fmt::Debug for PendingRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PendingRequest").field("from", &self.from).finish_non_exhaustive()
    }
}

impl PendingRequest {
    /// A place for a request of a client; `None` if the connection serves no HTTP clients.
    pub(super) fn new(
        connection: &Arc<Connection>,
        client: u64,
        options: ReplyOptions,
        headers: &HeaderMap,
    ) -> Option<Self> {
        let ReplyOptions { on_disconnect, mode, is_primed, token, caller, peer } = options;
        let replies = Arc::clone(connection.client.replies()?);
        let remote = connection.remote();
        let events = mode == ReplyMode::Negotiated
            && remote.is_none()
            && content_negotiation::prefers_events(headers);
        let (reply_token, reply) =
            replies.wait((client, caller), ReplyPreference { events, is_primed });
        // Without a session the status above the answer says how it went.
        let is_stream = events && on_disconnect == OnDisconnect::Keep;
        if let Some(remote) = &remote {
            remote.attach(reply_token, headers);
        }
        let trace = headers.get("traceparent").and_then(|it| it.to_str().ok());
        let trace = trace.and_then(TraceId::read);
        let (connection, from) =
            (Arc::clone(connection), Sender { client, reply_token, token, caller, peer, trace });
        Some(Self {
            connection,
            replies,
            remote,
            from,
            reply,
            on_disconnect,
            is_stream,
            is_done: false,
        })
    }

    /// Who waits.
    pub(super) const fn from(&self) -> Sender {
        self.from
    }

    /// Opens the stream for a client that prefers one, unless the answer is there.
    pub(super) fn begin(&self) {
        if self.is_stream {
            self.replies.open(self.from.reply_token, false);
        }
    }

    /// Several answers come, whatever the client likes on one stream.
    pub(super) fn expect_several(&self, framing: Framing) {
        self.replies.expect_several(self.from.reply_token, framing);
    }

    /// The client has left the stream, perhaps before it read the last events.
    pub(super) fn unread(&self, stream: &Stream) {
        if self.on_disconnect == OnDisconnect::Keep {
            self.connection.undelivered(&self.replies.unread(self.from.client, stream));
        }
    }

    /// What is said first; `None` if nothing ever will be.
    pub(super) async fn reply(&mut self) -> Option<Reply> {
        (&mut self.reply).await.ok()
    }

    /// The answer has come, or none will.
    pub(super) fn done(mut self) {
        self.is_done = true;
    }

    /// No answer will come.
    pub(super) fn none_expected(self) {
        self.replies.forget(self.from.reply_token);
        self.done();
    }
}

impl Drop for PendingRequest {
    fn drop(&mut self) {
        if let Some(remote) = &self.remote {
            remote.detach(self.from.reply_token);
        }
        if self.is_done {
            return;
        }
        match self.on_disconnect {
            OnDisconnect::Keep => {
                self.replies.leave(self.from.reply_token);
                // It may have come in the meantime.
                if let Ok(Reply::Answer(answer)) = self.reply.try_recv() {
                    let lost = self.replies.send(self.from.client, &answer.message);
                    self.connection.undelivered(&lost);
                }
            }
            OnDisconnect::Cancel => {
                let reply_token = self.from.reply_token;
                self.replies.forget(reply_token);
                self.connection.act(ActingThread::Other, |session, actions| {
                    session.withdraw(reply_token, actions);
                });
            }
        }
    }
}
