//! HTTP/1.1 as a client speaks it: hyper reads and writes it, and this module counts what was written.

mod client;
mod connection;
mod counted;
mod framing;
mod steps;
mod stream;

use std::{error::Error, fmt::Write as _};

use http_body_util::Full;
use hyper::{
    body::Bytes,
    http::{HeaderMap, HeaderName},
};

#[doc(hidden)]
pub use self::steps::response_in_steps;
pub use self::{
    client::{HttpClient, InvalidUrl},
    connection::HttpResponse,
};

/// A request: its URI is a path, and its headers include `Host`.
pub type HttpRequest = hyper::Request<Full<Bytes>>;

/// How far a request came before it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestPhase {
    /// Looking up the address of the host.
    Dns,
    /// Opening the connection.
    Connect,
    /// Making the connection secure.
    Tls,
    /// Writing the request.
    Write,
    /// Reading the response.
    Read,
}

/// Why a request got no response.
#[derive(Debug)]
pub struct RequestFailure {
    /// What was tried last.
    pub phase: RequestPhase,
    /// What went wrong, for the operator.
    pub detail: String,
    /// Whether the server may have the request: all of it was written.
    pub sent: bool,
    /// What arrived of the response.
    pub received: Received,
}

/// What arrived of a response that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Received {
    /// Nothing.
    Nothing,
    /// Its start.
    Part,
    /// Bytes that are not HTTP.
    Malformed,
}

impl RequestFailure {
    fn unsent(phase: RequestPhase, error: &(dyn Error + 'static)) -> Self {
        Self { phase, detail: chain(error), sent: false, received: Received::Nothing }
    }
}

/// Why the rest of a response's body could not be read; the text is for the operator.
#[derive(Debug, PartialEq, Eq)]
pub enum BodyError {
    /// It ended early.
    Cut(String),
    /// Its chunks cannot be separated.
    Malformed(String),
}

/// A header's value as text; none if the header is absent or its value is not ASCII.
pub fn header_text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

/// An error with all that caused it.
fn chain(error: &(dyn Error + 'static)) -> String {
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
