//! A layer around rmcp's HTTP service: an error that it answers in plain text before any handler gets a body that
//! programs can read.
//!
//! Status and headers stay, since they mean something to clients; so do streams, results and errors that are JSON.

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
    fault::Origin,
    outcome::{Asked, HttpAnswer, HttpAsked, Outcome, What},
    wire,
};
use redress_registry::shipped;
use rmcp::ServerHandler;
use tower_layer::Layer;
use tower_service::Service;

use crate::{
    contract::{Contract, State},
    settings::Settings,
    tell,
};

/// A longer explanation is none.
const MOST: usize = 64 << 10;

/// The layer alone: nothing is recorded. [`Contract::http_layer`] is the one that records.
pub fn layer() -> ErrorBodies {
    ErrorBodies { books: None }
}

impl<H: ServerHandler> Contract<H> {
    /// The layer for the HTTP service of this server: what it gives a body is counted and recorded, too.
    pub fn http_layer(&self) -> ErrorBodies {
        ErrorBodies { books: Some((Arc::clone(&self.settings), Arc::clone(&self.state))) }
    }
}

/// Gives errors in plain text a body that programs can read.
#[derive(Clone)]
pub struct ErrorBodies {
    books: Option<(Arc<Settings>, Arc<State>)>,
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
            if !is_bare(answer.status(), answer.headers()) {
                return Ok(answer.map(Either::Left));
            }
            let (mut head, body) = answer.into_parts();
            let body = text(body).await;
            let fault = judged(head.status, &head.headers, &body, asked);
            let written = Bytes::from(wire::rpc_error(&layer.told(fault).await, None));
            head.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            head.headers.insert(CONTENT_LENGTH, HeaderValue::from(written.len()));
            Ok(Response::from_parts(head, Either::Right(Full::new(written))))
        })
    }
}

impl ErrorBodies {
    async fn told(&self, mut fault: Fault) -> Fault {
        match &self.books {
            Some((settings, state)) => *tell::tell(fault, settings, state).await.fault,
            None => {
                fault.bound(redress::tokens::DEFAULT_DETAILS_BYTES);
                fault
            }
        }
    }
}

/// Whether an answer is an error that no program can read.
fn is_bare(status: StatusCode, headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok()).unwrap_or_default();
    let is_readable =
        ["application/json", "text/event-stream"].iter().any(|it| kind.starts_with(it));
    (status.is_client_error() || status.is_server_error()) && !is_readable
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
    let code = match status {
        // It has one status for a type that is not JSON and for JSON that is none.
        StatusCode::UNSUPPORTED_MEDIA_TYPE if body.starts_with(b"fail to deserialize") => {
            codes::PARSE_FAILED
        }
        StatusCode::BAD_REQUEST
        | StatusCode::NOT_ACCEPTABLE
        | StatusCode::UNSUPPORTED_MEDIA_TYPE => codes::INVALID_REQUEST,
        _ => return None,
    };
    Some(code.raise([("reason", &*String::from_utf8_lossy(body))]))
}

fn classified(answer: HttpAnswer<'_>, http: HttpAsked) -> Fault {
    let asked = Asked { http: Some(http), ..Asked::default() };
    match classify(&asked, &Outcome::of(What::Http(answer)), shipped::core()) {
        Verdict::Failure(failure) => failure.fault,
        Verdict::Success => Fault::of(codes::INTERNAL_ERROR.entry()),
    }
}
