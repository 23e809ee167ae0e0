//! Whether the key of a ledger vouches for a segment: no record is signed away that is not what was written.

use std::io;

use redress_wire::json::Doc;

use crate::{
    LINE_LIMITS,
    disk::File,
    epochs::KeySet,
    layout::{self, Piece},
    lines::{LineEnd, Lines},
    record::{Head, Kind, RecordLine},
    sign::PublicKey,
    signed::{self, Pruned},
    time::Time,
};

/// What is known of a segment whose records are what was written.
pub(super) struct Vouched {
    /// The end of the chain at its end.
    pub head: Head,
    /// When its newest record was written.
    pub newest: Time,
    /// What it says was removed.
    pub told: Vec<PruneRecord>,
}

/// A record of a pruning.
pub(super) struct PruneRecord {
    pub pruned: Pruned,
    /// Its object, as it was signed.
    pub object: String,
}

impl PruneRecord {
    fn of(line: &RecordLine<'_>) -> Option<Self> {
        let doc = Doc::parse(line.text.as_bytes(), LINE_LIMITS).ok()?;
        let object = doc.root().get(Kind::Prune.name())?;
        Some(Self { pruned: signed::pruned(object)?, object: object.raw().to_owned() })
    }
}

/// Reads a whole segment. `None` if a record in it is not what was written: each has to continue the one before, up to a checkpoint of one
/// of those keys, which is the last record of a closed chain, or is in the next segment.
pub(super) fn vouch(
    chain: &str,
    piece: &Piece,
    next: Option<&Piece>,
    keys: &KeySet,
) -> io::Result<Option<Vouched>> {
    let (newest, told) = (Time::default(), Vec::new());
    let mut walk = Walk { chain, head: None, newest, signer: None, told };
    if !walk.takes(piece, |_| false)? {
        return Ok(None);
    }
    let (Some(head), newest) = (walk.head, walk.newest) else { return Ok(None) };
    let told = std::mem::take(&mut walk.told);
    let is_sound = match next {
        None => true,
        Some(next) => walk.takes(next, |it| it.signer.is_some())?,
    };
    let is_signed = walk.signer.is_some_and(|it| keys.contains(&it));
    Ok((is_sound && is_signed).then_some(Vouched { head, newest, told }))
}

/// Whether the last record of a chain is a checkpoint that closes it, signed by one of those keys.
pub(super) fn is_closed_by(chain: &str, last: &Piece, keys: &KeySet) -> io::Result<bool> {
    let line = layout::last_line(last)?;
    let line = line.as_deref().and_then(|it| RecordLine::read(it).ok());
    Ok(line.is_some_and(|it| {
        signed::is_closing(&it)
            && signed::signer_of_line(&it, chain).is_some_and(|it| keys.contains(&it))
    }))
}

struct Walk<'a> {
    chain: &'a str,
    head: Option<Head>,
    newest: Time,
    /// Who signed, if the last record is a checkpoint.
    signer: Option<PublicKey>,
    told: Vec<PruneRecord>,
}

impl Walk<'_> {
    /// Whether the lines of a segment go on from here, as far as is needed.
    fn takes(&mut self, piece: &Piece, is_enough: impl Fn(&Self) -> bool) -> io::Result<bool> {
        let end = piece.end.map_or(u64::MAX, |it| it.bytes);
        let mut lines = Lines::new(io::Read::take(File::open(&piece.path)?, end));
        while let Some(raw) = lines.next()? {
            let line = RecordLine::read(raw.bytes).ok();
            let line = line.filter(|it| raw.end == LineEnd::Newline && it.follows(self.head));
            let Some(line) = line else { return Ok(false) };
            self.head = Some(line.head());
            self.newest = self.newest.max(line.time);
            self.signer = signed::signer_of_line(&line, self.chain);
            if line.kind == Kind::Prune {
                self.told.extend(PruneRecord::of(&line));
            }
            if is_enough(self) {
                break;
            }
        }
        Ok(true)
    }
}
