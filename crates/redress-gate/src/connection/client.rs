//! `ClientEnd`: the client's end of a connection, a pipe or the requests and streams of HTTP clients.

use std::{fs::File, io, os::fd::AsFd as _, sync::Arc, time::Instant};

use redress_proxy::{
    memory::SharedReservation,
    outgoing::{MessageQueue, ReplyToken, ToClient, Undelivered},
    pending_fault::PendingFault,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::{ActingThread, writer::PipeWriter};
use crate::replies::{FailureReply, ReplyRouter};

/// How much may wait for a client on a pipe. Then neither it nor the server is read from until it reads.
const MOST_WAITING: usize = 4 << 20;

/// The client's end.
pub(crate) enum ClientEnd {
    /// One client, on a pipe.
    Pipe(ClientPipe),
    /// Clients that wait for answers over HTTP.
    Http(Arc<ReplyRouter>),
}

/// A client on a pipe.
pub(crate) struct ClientPipe {
    pub(crate) output: PipeWriter,
    /// The client's streams, to see whether it is still there.
    input_stream: File,
    output_stream: File,
}

impl ClientEnd {
    /// Takes messages over, in the order of these calls. Never blocks. Gives the messages that no client will receive: a pipe is waited
    /// for, but a client over HTTP that does not read must not delay the others.
    pub(super) fn take(
        &self,
        mail: &mut MessageQueue<ToClient>,
        held: &SharedReservation,
    ) -> Undelivered {
        match self {
            Self::Pipe(pipe) => {
                pipe.output.push(mail.as_stream(), &mut Vec::new());
                Undelivered::default()
            }
            Self::Http(replies) => replies.deliver(mail, held),
        }
    }

    /// Takes a failure over that is not recorded, behind what is still in the mail.
    pub(super) fn take_told(
        &self,
        pending: PendingFault,
        mail: &mut MessageQueue<ToClient>,
        held: &SharedReservation,
    ) -> Undelivered {
        match self {
            Self::Pipe(_) => {
                mail.add(ToClient::Any, |out| pending.render(None, out));
                Undelivered::default()
            }
            Self::Http(replies) => {
                let mut lost = replies.deliver(mail, held);
                lost.append(replies.deliver_one(FailureReply::of(pending, None)));
                lost
            }
        }
    }

    /// Takes one message over, as [`Self::take`] does.
    pub(super) fn take_one(&self, mut reply: FailureReply) -> Undelivered {
        match self {
            Self::Pipe(pipe) => {
                pipe.output.push(&mut reply.line, &mut Vec::new());
                Undelivered::default()
            }
            Self::Http(replies) => replies.deliver_one(reply),
        }
    }

    /// No client waits there any more.
    pub(super) fn dismiss(&self, withdrawn: impl Iterator<Item = ReplyToken>) {
        if let Self::Http(replies) = self {
            withdrawn.for_each(|it| replies.dismiss(it));
        }
    }

    /// Has what was taken over written. Gives whether the client is there.
    pub(super) fn flush(&self, thread: ActingThread, now: Instant) -> bool {
        match self {
            Self::Pipe(pipe) => pipe.output.flush(thread == ActingThread::Server, now).is_ok(),
            Self::Http(_) => true,
        }
    }

    /// The client's pipe, if that is what it is.
    pub(crate) const fn pipe(&self) -> Option<&ClientPipe> {
        match self {
            Self::Pipe(pipe) => Some(pipe),
            Self::Http(_) => None,
        }
    }

    /// Where clients wait for answers over HTTP, if they do.
    pub(crate) const fn replies(&self) -> Option<&Arc<ReplyRouter>> {
        match self {
            Self::Pipe(_) => None,
            Self::Http(replies) => Some(replies),
        }
    }
}

impl ClientPipe {
    pub(crate) fn new(input: File, output: File) -> io::Result<Self> {
        let writer = PipeWriter::blocking(output.try_clone()?);
        Ok(Self { output: writer, input_stream: input, output_stream: output })
    }

    /// Whether so much waits for the client that it must not become more.
    pub(crate) fn is_full(&self) -> bool {
        self.output.waiting() > MOST_WAITING
    }

    /// Whether the client has closed its reading end.
    pub(crate) fn is_gone(&self) -> bool {
        is_any(&self.output_stream, PollFlags::ERR | PollFlags::HUP)
    }

    /// Whether the client writes nothing more, though there may be something left to read.
    pub(crate) fn has_said_all(&self) -> bool {
        is_any(&self.input_stream, PollFlags::HUP | PollFlags::RDHUP)
    }
}

/// Whether any of that is so of a stream now.
fn is_any(stream: &File, wanted: PollFlags) -> bool {
    let mut fds = [PollFd::from_borrowed_fd(stream.as_fd(), wanted)];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    let polled = poll(&mut fds, Some(&at_once));
    let [fd] = fds;
    polled.is_ok() && fd.revents().intersects(wanted)
}
