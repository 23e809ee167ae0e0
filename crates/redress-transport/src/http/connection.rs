//! `HttpConnection`: one HTTP/1.1 connection, driven by the task that uses it, and the response that comes on it.

use std::{
    error::Error,
    future::poll_fn,
    io,
    pin::{Pin, pin},
    sync::{Arc, Mutex, MutexGuard},
    task::{Context, Poll},
};

use http_body_util::Full;
use hyper::{
    Response,
    body::{Body as _, Bytes, Incoming},
    client::conn::{TrySendError, http1},
    http::{HeaderMap, StatusCode},
};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};

use super::{
    BodyError, HttpRequest, Received, RequestFailure, RequestPhase, chain,
    counted::{Counted, Traffic, lock},
    framing,
    stream::Stream,
};

/// The most that the head of a response may take, with those of interim responses before it.
const MOST_HEAD_BYTES: usize = 64 << 10;

/// The most that is read ahead of what is used.
const MOST_BUFFERED: usize = 256 << 10;

/// One connection. No task of its own drives it, which saves two changes of task for each request.
#[derive(Debug)]
pub(super) struct HttpConnection<S: AsyncRead + AsyncWrite + Unpin> {
    sender: http1::SendRequest<Full<Bytes>>,
    /// What reads and writes; none once the connection has ended.
    driver: Option<http1::Connection<TokioIo<Counted<S>>, Full<Bytes>>>,
    traffic: Arc<Mutex<Traffic>>,
}

/// Why a connection gave no response.
#[derive(Debug)]
pub(super) enum SendError {
    /// The server had closed it, or had written something unasked, before anything of the request was written.
    Stale(Box<HttpRequest>),
    /// The request failed.
    Failed(RequestFailure),
}

/// How waiting for the head of a response ended.
#[expect(clippy::large_enum_variant, reason = "made once a request, and taken apart at once")]
enum Waited {
    Answered(Result<Response<Incoming>, TrySendError<HttpRequest>>),
    HeadTooLong,
    Broken(io::Error),
}

impl<S: AsyncRead + AsyncWrite + Unpin> HttpConnection<S> {
    /// A connection on an open stream. Nothing is written yet.
    pub(super) async fn new(stream: S) -> hyper::Result<Self> {
        let (counted, traffic) = Counted::new(stream);
        let mut builder = http1::Builder::new();
        let opened = builder.max_buf_size(MOST_BUFFERED).handshake(TokioIo::new(counted));
        let (sender, driver) = opened.await?;
        Ok(Self { sender, driver: Some(driver), traffic })
    }

    /// Sends a request and waits for the head of its response.
    pub(super) async fn send(mut self, request: HttpRequest) -> Result<HttpResponse<S>, SendError> {
        let length = request.body().size_hint().exact().unwrap_or_default();
        self.traffic().begin(usize::try_from(length).unwrap_or(usize::MAX));
        let mut answer = pin!(self.sender.try_send_request(request));
        let waited = poll_fn(|cx| self.poll_head(answer.as_mut(), cx)).await;
        let (detail, received) = match waited {
            Waited::Answered(Ok(response)) => {
                let (head, body) = response.into_parts();
                match framing::check(&head) {
                    Ok(()) => {
                        // The response is lost where more arrives after the server has closed the connection.
                        self.traffic().is_refused =
                            !head.status.is_success() && framing::closes(&head);
                        return Ok(HttpResponse::new(head.status, head.headers, body, self));
                    }
                    Err(what) => (what.to_owned(), Received::Malformed),
                }
            }
            Waited::Answered(Err(mut failed)) => match failed.take_message() {
                Some(request) => return Err(SendError::Stale(Box::new(request))),
                None => (why(failed.error()), self.received(Some(failed.error()))),
            },
            Waited::HeadTooLong => ("the head is too long".to_owned(), Received::Malformed),
            Waited::Broken(error) => (chain(&error), self.received(None)),
        };
        let sent = self.traffic().is_sent();
        let phase = if sent { RequestPhase::Read } else { RequestPhase::Write };
        Err(SendError::Failed(RequestFailure { phase, detail, sent, received }))
    }

    fn poll_head(
        &mut self,
        mut answer: Pin<
            &mut impl Future<Output = Result<Response<Incoming>, TrySendError<HttpRequest>>>,
        >,
        cx: &mut Context<'_>,
    ) -> Poll<Waited> {
        let mut was_broken = false;
        loop {
            self.drive(cx);
            if let Poll::Ready(answer) = answer.as_mut().poll(cx) {
                return Poll::Ready(Waited::Answered(answer));
            }
            let mut traffic = self.traffic();
            if traffic.read > MOST_HEAD_BYTES {
                return Poll::Ready(Waited::HeadTooLong);
            }
            // A server may answer, and close the connection before it has read all: what it wrote is read first.
            match traffic.broken.take_if(|_| was_broken) {
                Some(error) => return Poll::Ready(Waited::Broken(error)),
                None if traffic.broken.is_some() => was_broken = true,
                None => return Poll::Pending,
            }
        }
    }

    /// Reads and writes as much as is possible now.
    fn drive(&mut self, cx: &mut Context<'_>) {
        if let Some(driver) = &mut self.driver
            && Pin::new(driver).poll(cx).is_ready()
        {
            // Why it ended is reported with the response or its body.
            self.driver = None;
        }
    }

    fn received(&self, error: Option<&hyper::Error>) -> Received {
        if error.is_some_and(hyper::Error::is_parse) {
            Received::Malformed
        } else if self.traffic().read > 0 {
            Received::Part
        } else {
            Received::Nothing
        }
    }

    /// Why the rest of a body could not be read.
    fn body_error(&self, error: &hyper::Error) -> BodyError {
        let end = "the connection was closed before the end of the answer";
        match io_error(error) {
            Some(it) if self.traffic().is_cut => BodyError::Cut(chain(it)),
            Some(it) if it.kind() != io::ErrorKind::UnexpectedEof => {
                BodyError::Malformed(chain(it))
            }
            None if !error.is_incomplete_message() => BodyError::Cut(chain(error)),
            _ => BodyError::Cut(end.to_owned()),
        }
    }

    fn traffic(&self) -> MutexGuard<'_, Traffic> {
        lock(&self.traffic)
    }
}

/// The response to a request: its head, and its body as it comes.
#[derive(Debug)]
pub struct HttpResponse<S: AsyncRead + AsyncWrite + Unpin = Stream> {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// How long the body is, if the head says so.
    pub length: Option<u64>,
    body: Incoming,
    is_over: bool,
    connection: HttpConnection<S>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> HttpResponse<S> {
    fn new(
        status: StatusCode,
        headers: HeaderMap,
        body: Incoming,
        connection: HttpConnection<S>,
    ) -> Self {
        let (length, is_over) = (body.size_hint().exact(), body.is_end_stream());
        Self { status, headers, length, body, is_over, connection }
    }

    /// The next bytes of the body; none at its end.
    pub async fn next(&mut self) -> Result<Option<Bytes>, BodyError> {
        while !self.is_over {
            let frame = poll_fn(|cx| {
                // The connection reads on only while a part of the body is asked for.
                if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(cx) {
                    return Poll::Ready(frame);
                }
                self.connection.drive(cx);
                Pin::new(&mut self.body).poll_frame(cx)
            });
            let frame = frame.await.transpose();
            let frame = frame.map_err(|it| self.connection.body_error(&it))?;
            self.is_over = frame.is_none() || self.body.is_end_stream();
            // What follows the last chunk is not used.
            if let Some(Ok(bytes)) = frame.map(hyper::body::Frame::into_data) {
                return Ok(Some(bytes));
            }
        }
        Ok(None)
    }

    /// The connection, if another request may follow on it: what was read behind the end of a response is no answer to one.
    pub(super) fn into_connection(self) -> Option<HttpConnection<S>> {
        let Self { is_over, connection, .. } = self;
        let is_open = connection.driver.is_some() && connection.sender.is_ready();
        // A server that does not want the rest of a request takes it for the next one.
        let is_flushed = connection.traffic().is_flushed();
        (is_over && is_open && is_flushed).then_some(connection)
    }
}

/// What went wrong before the head of a response was there.
fn why(error: &hyper::Error) -> String {
    if error.is_incomplete_message() {
        return "the connection was closed before an answer".to_owned();
    }
    io_error(error).map_or_else(|| chain(error), |it| chain(it))
}

/// The system's error behind one of hyper's.
fn io_error(error: &hyper::Error) -> Option<&io::Error> {
    let mut cause = error.source();
    while let Some(error) = cause {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        cause = error.source();
    }
    None
}
