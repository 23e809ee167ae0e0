//! `MessageQueue`: a queue of messages, each with its destination.

pub(crate) use redress_govern::TokenId;

pub use crate::trace_id::TraceId;
use crate::{
    caller::{Caller, Peer},
    upstream_id::UpstreamId,
};

/// Who sent a message: one of the clients of a session, and the place where an answer to it goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Sender {
    /// Which client. Ids of different clients have nothing to do with each other. Clients without a session are told
    /// apart by who they are, since what they asked for is theirs beyond one request.
    pub client: u64,
    /// Where the answer goes.
    pub reply_token: ReplyToken,
    /// Whose token it brought.
    pub token: Option<TokenId>,
    /// The caller that it counts for.
    pub caller: Caller,
    /// Where it came from.
    pub peer: Peer,
    /// The trace that a header of its HTTP request names.
    pub trace: Option<TraceId>,
}

impl Sender {
    /// What marks the number of a client that has no session.
    pub const OF_NO_SESSION: u64 = 1 << 63;

    /// Whether it has a session.
    pub(crate) const fn has_session(self) -> bool {
        self.client & Self::OF_NO_SESSION == 0
    }
}

/// Where the answer to one request goes: a number of the driver.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct ReplyToken(pub u64);

/// The destination of a message to clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToClient {
    /// The one answer to a request, with its HTTP status.
    Answer(ReplyToken, u16),
    /// A message that belongs to a request in progress.
    During(ReplyToken),
    /// A request of the upstream, by the gate's number: it belongs to a request in progress, or else goes to every client.
    Question(u64, Option<ReplyToken>),
    /// For one client; it belongs to no request.
    One(u64),
    /// For every client; it belongs to no request.
    Any,
}

/// Counts messages that reach no client.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Undelivered {
    /// How many they are.
    pub count: u64,
    /// Those of them that are questions of the upstream, by our numbers.
    pub questions: Vec<u64>,
}

impl Undelivered {
    /// One more, which may be a question.
    pub fn add(&mut self, question: Option<u64>) {
        self.count += 1;
        self.questions.extend(question);
    }

    /// All of these, too.
    pub fn append(&mut self, more: Self) {
        self.count += more.count;
        self.questions.extend(more.questions);
    }
}

/// What a message to the upstream is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToUpstream {
    /// A request of a client.
    Request(UpstreamId, ReplyToken),
    /// A request of the gate itself, and the client's request that caused it, if one did.
    Own(UpstreamId, Option<ReplyToken>),
    /// A notification that a request is withdrawn. Where ending its HTTP stream says so, nothing is sent.
    Cancel(UpstreamId),
    /// A notification of a client, or its answer to the upstream.
    Of(ReplyToken),
    /// Any other message of the gate.
    Other,
}

/// Messages one behind the other, each ended by a line break, with their addresses.
#[derive(Debug)]
pub struct MessageQueue<A> {
    bytes: Vec<u8>,
    /// Where each message ends.
    ends: Vec<(usize, A)>,
}

impl<A> Default for MessageQueue<A> {
    fn default() -> Self {
        Self { bytes: Vec::new(), ends: Vec::new() }
    }
}

impl<A: Copy> MessageQueue<A> {
    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Every message, with its line break.
    pub fn messages(&self) -> impl Iterator<Item = (A, &[u8])> {
        let mut start = 0;
        self.ends.iter().map(move |(end, to)| {
            let letter = self.bytes.get(start..*end).unwrap_or_default();
            start = *end;
            (*to, letter)
        })
    }

    /// All messages as one stream, where there is but one reader. The reader leaves the vector empty.
    pub fn as_stream(&mut self) -> &mut Vec<u8> {
        self.ends.clear();
        &mut self.bytes
    }

    /// Takes all out: the bytes, and where each message ends.
    pub fn take(&mut self) -> (Vec<u8>, impl Iterator<Item = (usize, A)>) {
        (std::mem::take(&mut self.bytes), self.ends.drain(..))
    }

    /// Throws all away.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// Adds a message; `write` ends it with a line break, or writes nothing.
    pub fn add(&mut self, to: A, write: impl FnOnce(&mut Vec<u8>)) {
        let start = self.bytes.len();
        write(&mut self.bytes);
        if self.bytes.len() > start {
            self.ends.push((self.bytes.len(), to));
        }
    }

    /// Adds a message in parts; the last part ends with a line break.
    pub fn add_parts(&mut self, to: A, parts: &[&[u8]]) {
        self.add(to, |out| parts.iter().for_each(|it| out.extend_from_slice(it)));
    }
}

#[cfg(test)]
mod tests {
    use super::{MessageQueue, ReplyToken, ToClient};

    #[test]
    fn every_letter_has_its_address() {
        let mut mail = MessageQueue::default();
        mail.add_parts(ToClient::Any, &[b"a", b"b\n"]);
        mail.add(ToClient::Answer(ReplyToken(3), 200), |_| ());
        mail.add_parts(ToClient::During(ReplyToken(2)), &[b"c\n"]);
        let letters: Vec<_> = mail.messages().collect();
        assert_eq!(
            letters,
            [(ToClient::Any, b"ab\n".as_slice()), (ToClient::During(ReplyToken(2)), b"c\n")]
        );
        assert_eq!(mail.as_stream(), b"ab\nc\n");
        mail.as_stream().clear();
        assert!(mail.is_empty() && mail.messages().next().is_none());
    }
}
