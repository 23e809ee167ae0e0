//! `Contract::serve`: a contract over a pipe or a socket, where rmcp alone is silent about much of what it cannot read.
//!
//! Lines are cut in bounded memory, calls of tools are read in one pass, and what is no message is answered with its
//! fault, under the id of its request, as the gate does.

mod call;
mod early;
mod pen;
mod refused;

use std::{io, sync::Arc};

use redress::frame::lines::Lines;
use rmcp::{
    ServerHandler,
    model::{ClientJsonRpcMessage, JsonRpcMessage},
    serve_server,
    service::{RoleServer, RunningService, ServerInitializeError, TxJsonRpcMessage},
    transport::Transport,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, ReadHalf, WriteHalf, split},
    task::JoinSet,
};

use self::{
    pen::Pen,
    refused::{Reader, Refused},
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
        Pipe::new(self.0, self.1, contract.books())
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
        Pipe::new(reader, writer, contract.books())
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
        let transport = connection.transport(&self);
        serve_server(self, transport).await
    }
}

/// So many refusals may wait to be told; a client that does not read them is not read any more.
const MOST_TOLD: usize = 64;

/// Messages as lines.
struct Pipe<R, W> {
    reader: R,
    lines: Lines,
    heard: Reader,
    /// Who writes to the client, and what else it takes to tell a failure.
    desk: Arc<(Pen<W>, Books)>,
    /// Refusals that are being recorded and told.
    telling: JoinSet<()>,
    is_at_end: bool,
}

impl<R, W> Pipe<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    fn new(reader: R, writer: W, books: Books) -> Self {
        Self {
            reader,
            lines: Lines::new(refused::MOST),
            heard: Reader::default(),
            desk: Arc::new((Pen::new(writer), books)),
            telling: JoinSet::new(),
            is_at_end: false,
        }
    }

    /// The next message of what was read so far. Whatever is none is refused, as long as that can be told.
    fn next_message(&mut self) -> Option<ClientJsonRpcMessage> {
        while self.telling.len() < MOST_TOLD {
            let line = match self.lines.next_line() {
                None if self.is_at_end => self.lines.rest()?,
                line => line?,
            };
            match self.heard.read(&line) {
                Ok(Some(message)) => return Some(message),
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
            let (pen, books) = &*desk;
            let line = refused.told(books).await;
            // Whoever does not listen any more misses nothing.
            drop(pen.write(line.into_bytes()).await);
        });
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
        let desk = Arc::clone(&self.desk);
        async move {
            let (pen, books) = &*desk;
            // Before it is its turn to write: others may write meanwhile.
            let line = match message {
                JsonRpcMessage::Error(it) if !early::is_dressed(&it.error) => {
                    serde_json::to_vec(&Box::pin(early::dress(it, books)).await)
                }
                message => serde_json::to_vec(&message),
            }?;
            pen.write(line).await
        }
    }

    /// Nothing is lost when this is dropped half way: what was read stands in `lines`, what is being told goes on.
    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            self.desk.0.keep_up().await;
            while self.telling.try_join_next().is_some() {}
            if let Some(message) = self.next_message() {
                return Some(message);
            }
            if self.telling.len() == MOST_TOLD {
                self.telling.join_next().await;
                continue;
            }
            if self.is_at_end {
                while self.telling.join_next().await.is_some() {}
                return None;
            }
            match self.reader.read(self.lines.room()).await {
                Ok(0) | Err(_) => self.is_at_end = true,
                Ok(bytes) => self.lines.filled(bytes),
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.desk.0.put_down().await;
        Ok(())
    }
}
