//! `Pages`: pages for people, such as the console, on a listener of their own or beside the servers of `serve`.

use std::{sync::Arc, time::Duration};

use http_body_util::{BodyExt as _, Limited};
pub use hyper::{Request, Response, body::Bytes};
use hyper::{
    StatusCode,
    body::Incoming,
    header::{CONTENT_TYPE, HeaderValue},
};
use tokio::time::timeout;

/// The longest body of a request: a form with a note.
const LONGEST_BODY: usize = 16 << 10;

/// How long a head, a body, or a write that makes no progress may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// What the token of a request gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageRight {
    /// There is no token.
    None,
    /// The token lets its bearer read, or none is needed.
    Read,
    /// It lets the caller of that name change something.
    Write(String),
}

/// Answers requests for pages.
pub trait Pages: Send + Sync {
    /// Whether a path is one of a page.
    fn has(&self, path: &str) -> bool;

    /// Answers a request whose host was checked. May block.
    fn answer(&self, request: &Request<Bytes>, token: &PageRight) -> Response<Vec<u8>>;
}

/// The page that a request asks for, made where it may block.
pub(crate) async fn page(
    request: Request<Incoming>,
    pages: Arc<dyn Pages>,
    token: PageRight,
) -> Response<Bytes> {
    let (parts, body) = request.into_parts();
    let collected = timeout(PATIENCE, Limited::new(body, LONGEST_BODY).collect()).await;
    let body = match collected {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(_)) => return plain(StatusCode::PAYLOAD_TOO_LARGE),
        Err(_) => return plain(StatusCode::REQUEST_TIMEOUT),
    };
    let request = Request::from_parts(parts, body);
    let made = tokio::task::spawn_blocking(move || pages.answer(&request, &token)).await;
    made.map_or_else(|_| plain(StatusCode::INTERNAL_SERVER_ERROR), |it| it.map(Bytes::from))
}

/// A refusal in plain text.
pub(crate) fn plain(status: StatusCode) -> Response<Bytes> {
    let mut response = Response::new(Bytes::from(format!("{status}\n")));
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}
