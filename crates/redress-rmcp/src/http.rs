//! A layer around rmcp's HTTP service: an error that it answers in plain text before any handler gets a body that
//! programs can read, and one that it answers as JSON gets its envelope.
//!
//! Status and headers stay, since they mean something to clients; so do streams and results.

use std::{
    fmt,
    future::poll_fn,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{
    HeaderMap, Method, Request, Response, StatusCode,
    header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderValue, RETRY_AFTER},
};
use http_body::Body;
use http_body_util::{Either, Full};
use redress::{
    Fault,
    classify::{Verdict, classify},
    codes,
    dialect::wire,
    emit::emit,
    fault::{Origin, StackPolicy},
    outcome::{Asked, HttpAnswer, HttpAsked, Outcome, What},
};
use redress_ledger::Redactor;
use redress_registry::shipped;
use rmcp::{ErrorData, ServerHandler};
use serde_json::Value;
use tower_layer::Layer;
use tower_service::Service;

use crate::{
    answer,
    contract::{Books, Contract},
    judge::START,
    tell,
};

/// A longer explanation is none.
const MOST: usize = 64 << 10;

/// How rmcp begins what it says about a body that it could not read, and about JSON that is no message.
const UNREAD: &[u8] = b"fail to deserialize request body ";
const NO_MESSAGE: &[u8] = b"fail to deserialize request body unrecognized JSON-RPC message";

/// What it says about a request outside of any session.
const NO_SESSION: &[u8] = b"Bad Request: Session ID is required";

/// The layer alone: nothing is recorded. [`Contract::http_layer`] is the one that records.
pub fn layer() -> ErrorBodies {
    ErrorBodies { books: None }
}

impl<H: ServerHandler> Contract<H> {
    /// The layer for the HTTP service of this server: what it gives a body is counted and recorded, too.
    pub fn http_layer(&self) -> ErrorBodies {
        ErrorBodies { books: Some(self.books()) }
    }
}

/// Gives errors in plain text a body that programs can read.
#[derive(Clone)]
pub struct ErrorBodies {
    books: Option<Books>,
}

impl fmt::Debug for ErrorBodies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ErrorBodies").field("records", &self.books.is_some()).finish()
    }
}

impl<S> Layer<S> for ErrorBodies {
    type Service = WithErrorBodies<S>;

    fn layer(&self, inner: S) -> Self::Service {
        WithErrorBodies { inner, layer: self.clone() }
    }
}

/// A service whose errors have a body.
#[derive(Debug, Clone)]
pub struct WithErrorBodies<S> {
    inner: S,
    layer: ErrorBodies,
}

type Answered<B, E> =
    Pin<Box<dyn Future<Output = Result<Response<Either<B, Full<Bytes>>>, E>> + Send>>;

impl<S, Q, B> Service<Request<Q>> for WithErrorBodies<S>
where
    S: Service<Request<Q>, Response = Response<B>>,
    S::Future: Send + 'static,
    B: Body<Data = Bytes> + Send + 'static,
{
    type Response = Response<Either<B, Full<Bytes>>>;
    type Error = S::Error;
    type Future = Answered<B, S::Error>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<Q>) -> Self::Future {
        let asked = HttpAsked {
            post: request.method() == Method::POST,
            session: request.headers().contains_key("mcp-session-id"),
        };
        let (answer, layer) = (self.inner.call(request), self.layer.clone());
        Box::pin(async move {
            let answer = answer.await?;
            if !is_failure(&answer) {
                return Ok(answer.map(Either::Left));
            }
            let (mut head, body) = answer.into_parts();
            let body = text(body).await;
            let error = body_error(&body);
            if error.as_ref().is_some_and(is_dressed) {
                return Ok(Response::from_parts(head, Either::Right(Full::from(body))));
            }
            let fault = judged(head.status, &head.headers, &body, asked);
            let fault = layer.told(fault).await;
            let redactor = layer.redactor();
            let written = error.and_then(|it| with_envelope(&body, it, &fault, &redactor));
            let written = Bytes::from(written.unwrap_or_else(|| wire::rpc_error(&fault, None)));
            head.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            head.headers.insert(CONTENT_LENGTH, HeaderValue::from(written.len()));
            Ok(Response::from_parts(head, Either::Right(Full::new(written))))
        })
    }
}

impl ErrorBodies {
    fn redactor(&self) -> Arc<Redactor> {
        self.books.as_ref().map(|it| Arc::clone(&it.0.redactor)).unwrap_or_default()
    }

    async fn told(&self, fault: Fault) -> Fault {
        match &self.books {
            Some((settings, state, _)) => *tell::tell(fault, settings, state).await.fault,
            None => {
                emit(fault, &tell::emission(&Redactor::default(), StackPolicy::Hidden)).into_fault()
            }
        }
    }
}

/// Whether an answer is a failure of a request as a whole. One that is long was not written by rmcp itself.
fn is_failure<B: Body>(answer: &Response<B>) -> bool {
    let kind = answer.headers().get(CONTENT_TYPE).and_then(|it| it.to_str().ok());
    let is = |name: &str| kind.is_some_and(|it| it.starts_with(name));
    let is_short = answer.body().size_hint().upper().is_some_and(|it| it <= MOST as u64);
    let status = answer.status();
    (status.is_client_error() || status.is_server_error())
        && !is("text/event-stream")
        && (!is("application/json") || is_short)
}

/// The JSON-RPC error that a body is.
fn body_error(body: &[u8]) -> Option<ErrorData> {
    let message: Value = serde_json::from_slice(body).ok()?;
    message.get("jsonrpc")?;
    serde_json::from_value(message.get("error")?.clone()).ok()
}

fn is_dressed(error: &ErrorData) -> bool {
    error.data.as_ref().is_some_and(|it| it.get(wire::FAULT_KEY).is_some())
}

/// The body with the envelope in its error.
fn with_envelope(
    body: &[u8],
    error: ErrorData,
    fault: &Fault,
    redactor: &Redactor,
) -> Option<String> {
    let mut message: Value = serde_json::from_slice(body).ok()?;
    *message.get_mut("error")? =
        serde_json::to_value(answer::dressed(error, fault, redactor)).ok()?;
    Some(message.to_string())
}

/// What the body says, as far as it is worth reading.
async fn text<B: Body<Data = Bytes>>(body: B) -> Vec<u8> {
    let mut body = pin!(body);
    let mut text = Vec::new();
    while let Some(Ok(frame)) = poll_fn(|cx| body.as_mut().poll_frame(cx)).await {
        if let Ok(data) = frame.into_data() {
            text.extend_from_slice(&data);
        }
        if text.len() > MOST {
            text.truncate(MOST);
            break;
        }
    }
    text
}

fn judged(status: StatusCode, headers: &HeaderMap, body: &[u8], http: HttpAsked) -> Fault {
    let mut fault = malformed(status, body).unwrap_or_else(|| {
        let retry_after = headers.get(RETRY_AFTER).and_then(|it| it.to_str().ok());
        classified(
            HttpAnswer {
                status: status.as_u16(),
                retry_after: retry_after.map(Into::into),
                body: body.into(),
            },
            http,
        )
    });
    if status.is_client_error() {
        fault.origin = Origin::Client;
    }
    fault.http = status.as_u16();
    fault
}

/// The failure of a message that was not even read, by what rmcp means by its status.
fn malformed(status: StatusCode, body: &[u8]) -> Option<Fault> {
    if body_error(body).is_some() {
        return None;
    }
    let code = match status {
        // It has one status for a type that is not JSON, for JSON that is none and for JSON that is no message.
        StatusCode::UNSUPPORTED_MEDIA_TYPE if body.starts_with(NO_MESSAGE) => {
            codes::INVALID_REQUEST
        }
        StatusCode::UNSUPPORTED_MEDIA_TYPE if body.starts_with(UNREAD) => codes::PARSE_FAILED,
        StatusCode::BAD_REQUEST
        | StatusCode::NOT_ACCEPTABLE
        | StatusCode::UNSUPPORTED_MEDIA_TYPE => codes::INVALID_REQUEST,
        _ => return None,
    };
    let mut fault = code.raise([("reason", &*String::from_utf8_lossy(body))]);
    let wanted = match status {
        _ if body.starts_with(UNREAD) => "",
        StatusCode::NOT_ACCEPTABLE => {
            " The client must accept application/json and text/event-stream."
        }
        StatusCode::UNSUPPORTED_MEDIA_TYPE => " Its Content-Type must be application/json.",
        _ => "",
    };
    fault.message.push_str(wanted);
    if body == NO_SESSION {
        START.clone_into(&mut fault.hint);
    }
    Some(fault)
}

fn classified(answer: HttpAnswer<'_>, http: HttpAsked) -> Fault {
    let asked = Asked { http: Some(http), ..Asked::default() };
    match classify(&asked, &Outcome::of(What::Http(answer)), shipped::core()) {
        Verdict::Failure(failure) => failure.fault,
        Verdict::Success => Fault::of(codes::INTERNAL_ERROR.entry()),
    }
}
