//! `Connection`: one HTTP/1.1 connection, driven by whoever uses it, and the answer that comes on it.

use std::{
    error::Error,
    fmt::Write as _,
    future::poll_fn,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll},
};

use http_body_util::Full;
use hyper::{
    body::{Body as _, Bytes, Incoming},
    client::conn::{TrySendError, http1},
    http::{Request, Response, response::Parts},
};
use hyper_util::rt::TokioIo;

use super::wire::{Stream, Traffic, Wire};
use crate::session::Phase;

/// One connection. No task of its own drives it, which saves two changes of task for each request.
#[derive(Debug)]
pub(super) struct Connection {
    sender: http1::SendRequest<Full<Bytes>>,
    /// Gone once it has nothing more to do: what it had not begun to send comes back then.
    driver: Option<Driver>,
    traffic: Arc<Traffic>,
}

/// Why there is no answer to a request.
#[derive(Debug)]
pub(super) struct Failure {
    /// What was tried last.
    pub(super) phase: Phase,
    /// What went wrong, for the operator.
    pub(super) detail: String,
    /// Whether the server may have the request.
    pub(super) sent: bool,
    /// Whether the answer had begun.
    pub(super) is_cut: bool,
}

impl Failure {
    pub(super) fn unsent(phase: Phase, error: &dyn Error) -> Self {
        Self { phase, detail: chain(error), sent: false, is_cut: false }
    }
}

/// Why a connection did not give an answer.
#[derive(Debug)]
pub(super) enum NotSent {
    /// It was closed before; nothing of the request has left.
    Stale(Box<Request<Full<Bytes>>>),
    /// It failed.
    Failed(Failure),
}

impl Connection {
    pub(super) async fn open(stream: Stream) -> Result<Self, Failure> {
        let (wire, traffic) = Wire::new(stream);
        let opened = http1::handshake(TokioIo::new(wire)).await;
        let (sender, driver) = opened.map_err(|it| Failure::unsent(Phase::Connect, &it))?;
        Ok(Self { sender, driver: Some(Box::pin(driver)), traffic })
    }

    /// Whether it takes another request, as far as one can see. A connection that the server has closed is noticed when the
    /// request is sent, and gives it back.
    pub(super) async fn is_usable(&mut self) -> bool {
        if self.sender.is_ready() {
            return self.driver.is_some();
        }
        poll_fn(|cx| {
            self.drive(cx);
            let is_ready = matches!(self.sender.poll_ready(cx), Poll::Ready(Ok(())));
            Poll::Ready(self.driver.is_some() && is_ready)
        })
        .await
    }

    /// Sends a request and waits for the head of its answer.
    pub(super) async fn send(mut self, request: Request<Full<Bytes>>) -> Result<Reply, NotSent> {
        let size = request.body().size_hint().exact().unwrap_or_default();
        let (written, read) = (self.traffic.written(), self.traffic.read());
        let answered = {
            let mut answer = pin!(self.sender.try_send_request(request));
            let driver = &mut self.driver;
            poll_fn(|cx| {
                if let Poll::Ready(it) = answer.as_mut().poll(cx) {
                    return Poll::Ready(it);
                }
                drive(driver, cx);
                answer.as_mut().poll(cx)
            })
            .await
        };
        match answered {
            Ok(response) => Ok(Reply::new(response, self)),
            Err(error) => Err(self.failed(error, size, written, read)),
        }
    }

    fn failed(
        &self,
        mut error: TrySendError<Request<Full<Bytes>>>,
        size: u64,
        written: u64,
        read: u64,
    ) -> NotSent {
        if let Some(request) = error.take_message() {
            return NotSent::Stale(Box::new(request));
        }
        // Without all of its body a request is no message: nobody can have acted on it.
        let written = self.traffic.written() - written;
        let sent = written > 0 && written >= size;
        NotSent::Failed(Failure {
            phase: if sent { Phase::Read } else { Phase::Write },
            detail: chain(&error.into_error()),
            sent,
            is_cut: self.traffic.read() > read,
        })
    }

    fn drive(&mut self, cx: &mut Context<'_>) {
        drive(&mut self.driver, cx);
    }
}

type Driver = Pin<Box<http1::Connection<TokioIo<Wire>, Full<Bytes>>>>;

fn drive(driver: &mut Option<Driver>, cx: &mut Context<'_>) {
    // Whoever waits for an answer hears of an error there.
    if driver.as_mut().is_some_and(|it| it.as_mut().poll(cx).is_ready()) {
        *driver = None;
    }
}

/// The answer to a request: its head, and its body as it comes.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) head: Parts,
    body: Incoming,
    connection: Connection,
    is_read: bool,
}

impl Reply {
    fn new(response: Response<Incoming>, connection: Connection) -> Self {
        let (head, body) = response.into_parts();
        let is_read = body.is_end_stream();
        Self { head, body, connection, is_read }
    }

    /// How long the body is, if its head says so.
    pub(super) fn size(&self) -> Option<u64> {
        self.body.size_hint().exact()
    }

    /// The next bytes of the body; none at its end. What went wrong is for the operator.
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>, String> {
        while !self.is_read {
            let frame = poll_fn(|cx| {
                if let Poll::Ready(it) = Pin::new(&mut self.body).poll_frame(cx) {
                    return Poll::Ready(it);
                }
                self.connection.drive(cx);
                Pin::new(&mut self.body).poll_frame(cx)
            })
            .await;
            match frame {
                // Trailers say nothing that we use.
                Some(Ok(frame)) => {
                    if let Ok(bytes) = frame.into_data() {
                        return Ok(Some(bytes));
                    }
                }
                Some(Err(error)) => return Err(chain(&error)),
                None => self.is_read = true,
            }
        }
        Ok(None)
    }

    /// The connection, if it can be used again.
    pub(super) fn into_connection(self) -> Option<Connection> {
        (self.is_read && self.connection.driver.is_some()).then_some(self.connection)
    }
}

/// An error with all that caused it.
pub(super) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let said = error.to_string();
        if !text.ends_with(&said) {
            // Writing to a string cannot fail.
            write!(text, ": {said}").unwrap_or_default();
        }
        cause = error.source();
    }
    text
}
