//! The lines of a commit before they are written.

use redress::fault::Receipt;
use redress_wire::json::Members;

use crate::{
    FORMAT,
    record::{Head, Kind, Record},
    segment::Segment,
    time::Time,
};

/// Lines that are not written yet.
pub(super) struct UnwrittenLines {
    time: String,
    pub(super) bytes: Vec<u8>,
    pub(super) head: Head,
    /// Where the last checkpoint is, and the head after it.
    pub(super) checkpoint: Option<(usize, usize, Head)>,
}

impl UnwrittenLines {
    pub(super) fn new(head: Head, now: Time) -> Self {
        Self { time: now.to_string(), bytes: Vec::new(), head, checkpoint: None }
    }

    pub(super) fn push(&mut self, record: &Record) -> Receipt {
        let seq = self.head.next;
        self.head.write(record, &self.time, &mut self.bytes);
        Receipt { seq, hash: self.head.hash.short() }
    }
}

/// The first record of a segment. Bytes behind the end of one that failed are void.
pub(super) fn rotate(number: u32, before: &Segment, failed: bool) -> Record {
    let mut after = String::new();
    let mut members = Members::open(&mut after);
    members.int("segment", before.number).int("bytes", before.len).bool("failed", failed);
    members.close();
    Record::new(Kind::Rotate, |it| {
        it.str("format", FORMAT).int("segment", number).raw("after", &after);
    })
}
