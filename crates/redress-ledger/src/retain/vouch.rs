//! Whether the key of a ledger vouches for a segment: no record is signed away that is not what was written.

use std::{fs::File, io};

use crate::{
    layout::{self, Piece},
    lines::{LineEnd, Lines},
    record::{Head, Line},
    sign::PublicKey,
    signed,
    time::Time,
};

/// What is known of a segment whose records are what was written.
pub(super) struct Vouched {
    /// The end of the chain at its end.
    pub head: Head,
    /// When its newest record was written.
    pub newest: Time,
}

/// Reads a whole segment. `None` if a record in it is not what was written: each has to continue the one before, up to a checkpoint of that key,
/// which is the last record of a closed chain, or stands in the next segment.
pub(super) fn vouch(
    chain: &str,
    piece: &Piece,
    next: Option<&Piece>,
    key: &PublicKey,
) -> io::Result<Option<Vouched>> {
    let mut walk = Walk { chain, head: None, newest: Time::default(), signer: None };
    if !walk.takes(piece, |_| false)? {
        return Ok(None);
    }
    let Walk { head: Some(head), newest, .. } = walk else { return Ok(None) };
    let is_sound = match next {
        None => true,
        Some(next) => walk.takes(next, |it| it.signer.is_some())?,
    };
    let is_signed = walk.signer == Some(*key);
    Ok((is_sound && is_signed).then_some(Vouched { head, newest }))
}

/// Whether the last record of a chain is a checkpoint that closes it, signed by that key.
pub(super) fn is_closed_by(chain: &str, last: &Piece, key: &PublicKey) -> io::Result<bool> {
    let line = layout::last_line(last)?;
    let line = line.as_deref().and_then(|it| Line::read(it).ok());
    Ok(line.is_some_and(|it| {
        signed::is_closing(&it) && signed::signer_of_line(&it, chain) == Some(*key)
    }))
}

struct Walk<'a> {
    chain: &'a str,
    head: Option<Head>,
    newest: Time,
    /// Who signed, if the last record is a checkpoint.
    signer: Option<PublicKey>,
}

impl Walk<'_> {
    /// Whether the lines of a segment go on from here, as far as is needed.
    fn takes(&mut self, piece: &Piece, is_enough: impl Fn(&Self) -> bool) -> io::Result<bool> {
        let end = piece.end.map_or(u64::MAX, |it| it.bytes);
        let mut lines = Lines::new(io::Read::take(File::open(&piece.path)?, end));
        while let Some(raw) = lines.next()? {
            let line = Line::read(raw.bytes).ok();
            let line = line.filter(|it| raw.end == LineEnd::Newline && it.follows(self.head));
            let Some(line) = line else { return Ok(false) };
            self.head = Some(line.head());
            self.newest = self.newest.max(line.time);
            self.signer = signed::signer_of_line(&line, self.chain);
            if is_enough(self) {
                break;
            }
        }
        Ok(true)
    }
}
