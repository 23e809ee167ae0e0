//! The end of a segment and of a chain: what must be there, and who signed last.

use super::Walk;
use crate::{
    layout::Piece,
    record::BadLine,
    verify::report::{ChainState, RecordProblem},
};

#[derive(Default, Clone, Copy)]
pub(super) struct Lengths {
    /// The bytes of whole lines.
    pub(super) lines: u64,
    /// The bytes behind them.
    pub(super) rest: u64,
    /// The bytes of the file.
    pub(super) file: u64,
    /// The number of whole lines.
    pub(super) count: u64,
}

impl Walk<'_> {
    /// After the lines of a segment.
    pub(super) fn leave(&mut self, piece: &Piece, lengths: &Lengths) {
        match piece.end {
            Some(end) => {
                if lengths.lines < end.bytes {
                    self.note(
                        &piece.path,
                        lengths.count + 1,
                        RecordProblem::Changed(BadLine::Unfinished),
                    );
                } else if lengths.file > end.bytes && !end.failed {
                    self.note(&piece.path, lengths.count + 1, RecordProblem::Surplus);
                }
            }
            None if lengths.rest > 0 => match self.walked.report.state {
                ChainState::Live | ChainState::Unfinished => {
                    self.walked.report.unfinished_bytes = lengths.rest;
                }
                _ => self.note(
                    &piece.path,
                    lengths.count + 1,
                    RecordProblem::Changed(BadLine::Unfinished),
                ),
            },
            None => (),
        }
    }

    /// After the last segment.
    pub(super) fn end(&mut self, last: &Piece, line: u64) {
        if self.head.is_none() && self.is_whole {
            // It had a record before it had a name.
            self.note(&last.path, 1, RecordProblem::Changed(BadLine::Unfinished));
        }
        let next = self.head.map_or(0, |it| it.next);
        if let Some(it) = self.witnessed {
            self.walked.report.is_witnessed = true;
            self.walked.report.held_to = Some(it.seq);
            self.need(it.seq, next, last, line);
        }
        let report = &mut self.walked.report;
        report.is_own =
            !report.keys.is_empty() && report.keys.iter().all(|it| self.epochs.is_own(it));
        let is_bound = report.state != ChainState::Closed && report.signed_to.is_some();
        if let Some((file, line, key)) = self.unproven.take().filter(|_| !is_bound) {
            self.note(&file, line, RecordProblem::KeyOfAnother(Box::new(key)));
        }
        if self.walked.report.state == ChainState::Closed && !self.closing {
            self.note(&last.path, line, RecordProblem::NotClosed);
        }
        if let Some(fixed) = self.fixed {
            let held = &mut self.walked.report.held_to;
            *held = (*held).max(fixed.held());
            self.need(fixed.newest().unwrap_or_default(), next, last, line);
        }
    }

    /// A record must be there, since something outside of the chain tells of it.
    fn need(&mut self, seq: u64, next: u64, last: &Piece, line: u64) {
        if seq >= next {
            self.note(&last.path, line, RecordProblem::Cut { witnessed: seq });
        }
    }
}
