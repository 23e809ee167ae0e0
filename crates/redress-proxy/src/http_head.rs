//! `HttpHead`: the head of an HTTP response of an upstream, and what its status says of the request.

use crate::{
    answer::ErrorObject,
    frame::{Frame, Shape},
};

/// The head of an HTTP response of an upstream, as far as a judgement needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HttpHead {
    pub(crate) status: u16,
    /// What it says of waiting.
    pub(crate) wait_seconds: Option<u64>,
}

impl HttpHead {
    /// A status that says nothing of waiting.
    pub(crate) const fn of(status: u16) -> Self {
        Self { status, wait_seconds: None }
    }

    /// Whether it says more of a failure than the words below it do. That something broke inside is also said of whatever a tool
    /// throws.
    pub(crate) const fn is_telling(self) -> bool {
        self.status >= 400 && self.status != 500
    }

    /// Whether it can stand above anything that went wrong, so that it does not prove that nothing was done: some servers put a
    /// status that fits above whatever a tool throws, or above a result. What the protocol has a number for was not begun.
    pub(crate) fn is_for_whatever_failed(self, frame: &Frame<'_>) -> bool {
        let error = frame.payload.filter(|_| frame.shape == Shape::Error).map(ErrorObject::of);
        match error {
            Some(ErrorObject::Valid { code: -32_700 | -32_602..=-32_600 }) => false,
            Some(_) => !is_of_transport(self.status),
            None => true,
        }
    }
}

/// Whether a status proves that the request was not dealt with.
pub(crate) const fn is_unprocessed(status: u16) -> bool {
    matches!(status, 400 | 401 | 403..=406 | 410 | 411 | 413..=415 | 417 | 421 | 426 | 428 | 429 | 431)
}

/// Whether a status is for how the request came, so that no server sends it with what a tool throws.
pub(crate) const fn is_of_transport(status: u16) -> bool {
    is_unprocessed(status) && !matches!(status, 400 | 404 | 410)
}
