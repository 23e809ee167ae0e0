//! The id that a line is answered under which is no message.

use memchr::memmem;

use super::{NotAFrame, peek};
use crate::{
    json::{Doc, JsonError, JsonErrorKind, Kind},
    unseen::without_unseen,
};

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
