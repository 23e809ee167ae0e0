//! `Malformed`: why a line of a client is refused, as a code with its parameters, and the id that it is answered under.

use memchr::memmem;

use super::{NotAFrame, Unreadable, peek};
use crate::{
    codes::{self, CoreCode},
    fault::ParamValue,
    json::{Doc, JsonError, JsonErrorKind, Kind},
    text::without_unseen,
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

/// The id that a line is answered under which is no JSON, if there is no doubt about it. Of one that was cut, as of one
/// that is too long, the start must do. NULs and invisible characters around the message hide nothing; in the id they do.
pub fn id_beside(error: JsonError, line: &[u8]) -> Option<Box<str>> {
    let seen = without_unseen(line);
    let is_cut = error.kind == JsonErrorKind::Unfinished;
    let cut = || if is_cut { peek::id_in_head(&seen) } else { None };
    let id = peek::id_in_whole(&seen).or_else(cut)?;
    memmem::find(line, id.as_bytes()).map(|_| id)
}

impl NotAFrame {
    /// The member that is wrong, if it is a single one.
    pub const fn pointer(self) -> Option<&'static str> {
        match self {
            Self::BadId => Some("/id"),
            Self::BadMethod => Some("/method"),
            Self::BadVersion => Some("/jsonrpc"),
            Self::BadParams => Some("/params"),
            _ => None,
        }
    }

    /// The id that something is answered under which is no message, if there is no doubt about it.
    pub fn id(self, doc: &Doc<'_>) -> Option<Box<str>> {
        if self == Self::BadId {
            return None;
        }
        let mut ids = doc.root().members().filter(|(key, _)| key.is_str("id"));
        let (id, second) = (ids.next()?.1, ids.next());
        let is_id = matches!(id.kind(), Kind::String | Kind::Number) && second.is_none();
        is_id.then(|| id.raw().into())
    }
}
