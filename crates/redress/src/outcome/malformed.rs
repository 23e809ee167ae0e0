//! `Malformed`: why a line of a client is refused, as a code with its parameters.

use redress_wire::frame::Unreadable;

use crate::{
    codes::{self, CoreCode},
    fault::ParamValue,
};

/// Why a line of a client is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Malformed {
    /// It is no message.
    Unreadable(Unreadable),
    /// It is longer than fits.
    TooLong {
        /// How long it is, if its end was seen.
        bytes: Option<u64>,
        /// How long it may be.
        most: usize,
    },
    /// Its id is that of a request in flight.
    IdInUse,
    /// It opens a session, and is in an array with others.
    OpensInBatch,
}

impl Malformed {
    /// The code that tells it, and the code's parameters.
    pub fn told(&self) -> (CoreCode, Vec<(&'static str, ParamValue)>) {
        match self {
            Self::Unreadable(Unreadable::Json(error)) => {
                let offset = ("offset", error.offset.into());
                (codes::PARSE_FAILED, vec![offset, ("reason", error.to_string().into())])
            }
            Self::Unreadable(Unreadable::Frame(error)) => {
                let pointer = error.pointer().map(|it| ("pointer", it.into()));
                let reason = ("reason", error.to_string().into());
                (codes::INVALID_REQUEST, pointer.into_iter().chain([reason]).collect())
            }
            Self::IdInUse => {
                let reason = "a request with this id is in progress";
                let params = vec![("pointer", "/id".into()), ("reason", reason.into())];
                (codes::INVALID_REQUEST, params)
            }
            Self::OpensInBatch => {
                let reason = "what opens a session stands alone";
                let params = vec![("pointer", "/method".into()), ("reason", reason.into())];
                (codes::INVALID_REQUEST, params)
            }
            Self::TooLong { bytes, most } => {
                let size = bytes.map(|it| ("size_bytes", it.into()));
                let limit = ("limit_bytes", (*most).into());
                (codes::INPUT_TOO_LARGE, size.into_iter().chain([limit]).collect())
            }
        }
    }
}
