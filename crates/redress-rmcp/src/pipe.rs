//! `Contract::serve`: a contract over a pipe or a socket, where rmcp alone is silent about much of what it cannot read.
//!
//! Lines are cut in bounded memory, calls of tools are read in one pass, and what is no message is answered with its
//! fault, under the id of its request, as the gate does. Every request has one answer, also when the client has said all
//! or the server ends.

mod begin;
mod call;
mod early;
mod ended;
mod flight;
mod pen;
mod refused;

use std::{io, sync::Arc, time::Duration};

use redress_wire::frame::lines::Lines;
use rmcp::{
    ServerHandler,
    model::{ClientJsonRpcMessage, JsonRpcMessage, RequestId},
    serve_server,
    service::{RoleServer, RunningService, ServerInitializeError, TxJsonRpcMessage},
    transport::Transport,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, ReadHalf, WriteHalf, split},
    task::JoinSet,
    time::{Instant, timeout, timeout_at},
};

use self::{
    begin::Begin,
    flight::{Flight, RequestKind},
    pen::Pen,
    refused::{LineReader, Refused},
};
use crate::contract::{Books, Contract};

/// What a contract is served over: a reader and a writer, a stream that is both, or a transport of rmcp's.
///
/// The last parameter only tells these apart, so that it need not be named.
#[diagnostic::on_unimplemented(
    message = "a contract is not served over `{Self}`",
    note = "other transports of rmcp are served with `rmcp::serve_server(contract, transport)`"
)]
pub trait Connection<E, Kind>: Send + 'static {
    /// The transport between rmcp and the client of a contract.
    fn transport<H: ServerHandler>(
        self,
        contract: &Contract<H>,
    ) -> impl Transport<RoleServer, Error = E> + 'static;
}

/// A reader and a writer.
#[derive(Debug)]
pub enum Pair {}

impl<R, W> Connection<io::Error, Pair> for (R, W)
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    fn transport<H: ServerHandler>(
        self,
        contract: &Contract<H>,
    ) -> impl Transport<RoleServer, Error = io::Error> + 'static {
        Pipe::new(self.0, self.1, contract)
    }
}

/// A stream that is read and written.
#[derive(Debug)]
pub enum Both {}

impl<S: AsyncRead + AsyncWrite + Send + 'static> Connection<io::Error, Both> for S {
    fn transport<H: ServerHandler>(
        self,
        contract: &Contract<H>,
    ) -> impl Transport<RoleServer, Error = io::Error> + 'static {
        let (reader, writer): (ReadHalf<S>, WriteHalf<S>) = split(self);
        Pipe::new(reader, writer, contract)
    }
}

/// A transport of rmcp's, which reads messages by itself.
#[derive(Debug)]
pub enum Messages {}

impl<T: Transport<RoleServer> + 'static> Connection<T::Error, Messages> for T {
    fn transport<H: ServerHandler>(
        self,
        _: &Contract<H>,
    ) -> impl Transport<RoleServer, Error = T::Error> + 'static {
        self
    }
}

impl<H: ServerHandler> Contract<H> {
    /// Serves one client. It takes the place of rmcp's method of the same name: on a pipe or a socket, also what is no
    /// message is answered, with its fault and under the id of its request.
    pub async fn serve<T, E, Kind>(
        self,
        connection: T,
    ) -> Result<RunningService<RoleServer, Self>, ServerInitializeError>
    where
        T: Connection<E, Kind>,
        E: std::error::Error + Send + Sync + 'static,
    {
        let contract = self.for_client();
        let transport = connection.transport(&contract);
        serve_server(contract, transport).await
    }
}

/// So many refusals may wait to be answered; a client that does not read them is not read any more.
const MOST_TOLD: usize = 64;

/// How long the end of a session waits for a client that does not read.
const GRACE: Duration = Duration::from_secs(5);

/// Messages as lines.
struct Pipe<R, W> {
    reader: R,
    lines: Lines,
    heard: LineReader,
    begin: Begin,
    desk: Arc<Desk<W>>,
    flight: Arc<Flight>,
    /// The message that is passed on next.
    held: Option<ClientJsonRpcMessage>,
    /// Refusals that are being recorded and answered.
    telling: JoinSet<()>,
    is_at_end: bool,
    /// When no more answers are awaited, once the client has closed its side.
    until: Option<Instant>,
}

/// Who writes to the client, and what else it takes to tell a failure.
struct Desk<W> {
    pen: Pen<W>,
    books: Books,
}

impl<R, W> Pipe<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    fn new<H: ServerHandler>(reader: R, writer: W, contract: &Contract<H>) -> Self {
        Self {
            reader,
            lines: Lines::new(refused::MOST),
            heard: LineReader::default(),
            begin: Begin::new(contract.supported_protocol_versions()),
            desk: Arc::new(Desk { pen: Pen::new(writer), books: contract.books() }),
            flight: Arc::default(),
            held: None,
            telling: JoinSet::new(),
            is_at_end: false,
            until: None,
        }
    }

    /// The next message of what was read so far. What is no message is refused, as long as refusals can be answered.
    fn next_message(&mut self) -> Option<ClientJsonRpcMessage> {
        while self.telling.len() < MOST_TOLD {
            let line = match self.lines.next_line() {
                None if self.is_at_end => self.lines.rest()?,
                line => line?,
            };
            match self.heard.read(&line) {
                Ok(Some(message)) if !self.begin.takes(&message) => (),
                Ok(Some(message)) if self.flight.hear(&message) => return Some(message),
                Ok(Some(message)) => self.refuse(Refused::twice(&message)),
                Ok(None) => (),
                Err(refused) => self.refuse(refused),
            }
        }
        None
    }

    /// Tells why something was refused, in its own time: the messages after it do not wait for the disk.
    fn refuse(&mut self, refused: Refused) {
        let desk = Arc::clone(&self.desk);
        self.telling.spawn(async move {
            let line = refused.told(&desk.books).await;
            // A client that has closed its side misses nothing.
            drop(desk.pen.write(line.into_bytes()).await);
        });
    }

    /// Tells that a request is given up.
    fn give_up(&mut self, id: RequestId, asked: RequestKind) {
        let desk = Arc::clone(&self.desk);
        self.telling.spawn(async move {
            let line = ended::told(id, asked, &desk.books).await;
            drop(desk.pen.write(line.into_bytes()).await);
        });
    }

    async fn all_told(&mut self) {
        while self.telling.join_next().await.is_some() {}
    }

    /// The client has said all. It is answered to the last request, as long as a call may take: rmcp alone would hear
    /// nothing more of a handler that has something to say before its answer.
    async fn last_messages(&mut self) -> Option<ClientJsonRpcMessage> {
        self.all_told().await;
        let longest = self.desk.books.0.longest_timeout();
        let now = Instant::now();
        let until = *self.until.get_or_insert_with(|| now.checked_add(longest).unwrap_or(now));
        while !self.desk.pen.is_broken() {
            if let Some(message) = self.flight.last_word() {
                return Some(message);
            }
            if self.flight.is_over() || timeout_at(until, self.flight.moved()).await.is_err() {
                break;
            }
        }
        None
    }
}

impl<R, W> Transport<RoleServer> for Pipe<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        // Before anything else: the client may have the answer before this is over, and use the id again.
        let outgoing = self.flight.say(&message);
        let (desk, has_begun) = (Arc::clone(&self.desk), !self.begin.is_awaited());
        async move {
            let Some(mut outgoing) = outgoing else { return Ok(()) };
            let Desk { pen, books } = &*desk;
            for withdrawal in outgoing.withdrawals() {
                pen.write(serde_json::to_vec(&withdrawal)?).await?;
            }
            // Before it is its turn to write: others may write meanwhile.
            let line = match message {
                JsonRpcMessage::Error(it) if !early::is_dressed(&it.error) => {
                    serde_json::to_vec(&Box::pin(early::dress(it, books, has_begun)).await)
                }
                message => serde_json::to_vec(&message),
            }?;
            pen.write(line).await
        }
    }

    /// Nothing is lost when this is dropped half way: what was read is in `lines` or is held, and refusals that are being answered go on.
    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            self.desk.pen.keep_up().await;
            while self.telling.try_join_next().is_some() {}
            if self.held.is_none() {
                self.held = self.next_message();
            }
            if let Some(message) = &self.held {
                // The session may end with it before it has begun: earlier refusals are answered first.
                if self.begin.is_awaited() {
                    while self.telling.join_next().await.is_some() {}
                    self.begin.heard(message);
                }
                return self.held.take();
            }
            if self.telling.len() == MOST_TOLD {
                self.telling.join_next().await;
                continue;
            }
            if self.is_at_end {
                return self.last_messages().await;
            }
            match self.reader.read(self.lines.room()).await {
                Ok(0) => self.is_at_end = true,
                // Who cannot be heard any more hardly listens.
                Err(_) => (self.is_at_end, self.until) = (true, Some(Instant::now())),
                Ok(bytes) => self.lines.filled(bytes),
            }
        }
    }

    /// What was not answered until now is given up.
    async fn close(&mut self) -> io::Result<()> {
        for (id, asked) in self.flight.end() {
            self.give_up(id, asked);
        }
        let end = async {
            self.all_told().await;
            self.desk.pen.put_down().await;
        };
        drop(timeout(GRACE, end).await);
        Ok(())
    }
}
