//! The walk along one chain: every line, every link, every signature, up to the first that is wrong.

mod end;

use std::{
    io,
    path::{Path, PathBuf},
};

use redress_wire::json::{Doc, Value};

use self::end::Lengths;
use super::{
    epochs::{Epochs, Fixed, Standing},
    receipts::Receipts,
    report::{ChainReport, ChainState, Problem, RecordProblem},
    state::state,
};
use crate::{
    FORMAT, LINE_LIMITS,
    disk::{self, File},
    hash::Hash,
    layout::{self, ChainDir, Piece},
    lines::{LineEnd, Lines, RawLine},
    lock::LOCK,
    reader,
    record::{BadLine, Head, Kind, RecordLine},
    sign::PublicKey,
    signed::{self, Pruned},
    witness::Witnessed,
};

/// A walked chain, with what the other chains need to know.
pub(super) struct Walked {
    pub report: ChainReport,
    /// What its records say was removed, by any signer.
    pub pruned: Vec<Pruned>,
    /// Its first record, if that is not the genesis.
    pub cut_start: Option<CutStart>,
    /// Who signed its first checkpoint: the same signer pruned what was before that, since no other may.
    pub first_signer: Option<PublicKey>,
    /// Whether it has no segment at all.
    pub is_empty: bool,
    /// The checkpoint that it must still have, unless that was pruned.
    pub witnessed: Option<u64>,
}

pub(super) struct CutStart {
    pub file: PathBuf,
    /// The end of what was before.
    pub after: Head,
}

/// Walks a chain. Behind the first problem only receipts and prunings are looked for. Of the segments before number `from` only
/// the lengths are compared.
pub(super) fn walk(
    chain: &ChainDir,
    from: u32,
    epochs: &Epochs,
    witnessed: Option<&Witnessed>,
    receipts: &mut Receipts<'_>,
) -> Walked {
    let (state, unknown) = match state(chain) {
        Ok(state) => (state, None),
        Err(what) => (ChainState::Unfinished, Some(what)),
    };
    let mut walk = Walk {
        epochs,
        fixed: epochs.of(&chain.name),
        unproven: None,
        witnessed,
        chain,
        from,
        is_whole: true,
        head: None,
        closing: false,
        walked: Walked {
            report: ChainReport::empty(chain, state),
            pruned: Vec::new(),
            cut_start: None,
            first_signer: None,
            is_empty: false,
            witnessed: witnessed.map(|it| it.seq),
        },
    };
    if let Some(what) = unknown {
        walk.note(&chain.path.join(LOCK), 0, what);
    }
    match layout::pieces(&chain.path) {
        Ok(pieces) => walk.through(&pieces, receipts),
        Err(error) => walk.note(&chain.path, 0, RecordProblem::Unreadable(error.to_string())),
    }
    let mut walked = walk.walked;
    if let Some(held) = receipts.newest(&walked.report.name) {
        walked.report.is_witnessed = true;
        walked.report.held_to = walked.report.held_to.max(Some(held));
    }
    walked
}

struct Walk<'a> {
    epochs: &'a Epochs,
    /// What the log of epochs says of this chain.
    fixed: Option<&'a Fixed>,
    /// The last checkpoint and its line, if its key may not sign this chain.
    unproven: Option<(PathBuf, u64, PublicKey)>,
    witnessed: Option<&'a Witnessed>,
    chain: &'a ChainDir,
    /// The number of the first segment that is read.
    from: u32,
    /// Whether no segment was passed over.
    is_whole: bool,
    head: Option<Head>,
    /// Whether the last record closes the chain.
    closing: bool,
    walked: Walked,
}

impl Walk<'_> {
    /// All segments.
    fn through(&mut self, pieces: &[Piece], receipts: &mut Receipts<'_>) {
        let pieces = self.begun(pieces);
        if pieces.is_empty() {
            self.walked.is_empty = true;
            let file = self.chain.path.join(layout::segment_name(1));
            self.note(&file, 1, RecordProblem::SegmentMissing(1));
        }
        let mut before: Option<(&Piece, Lengths)> = None;
        for piece in pieces {
            self.enter(piece, before.map(|it| it.0));
            let mut lengths = Lengths::default();
            match self.read(piece, receipts, &mut lengths) {
                Ok(()) => self.leave(piece, &lengths),
                Err(error) if self.is_pruned(piece, &error) => {
                    self.start_anew();
                    before = None;
                    continue;
                }
                Err(error) => {
                    let what = RecordProblem::Unreadable(error.to_string());
                    self.note(&piece.path, lengths.count + 1, what);
                }
            }
            before = Some((piece, lengths));
        }
        if let Some((last, lengths)) = before {
            self.end(last, lengths.count + 1);
        }
    }

    /// The segments without one that was made a moment ago, of a chain that is not closed: it gets its first line next, or its process ended before.
    fn begun<'p>(&mut self, pieces: &'p [Piece]) -> &'p [Piece] {
        match pieces {
            [before @ .., last]
                if !before.is_empty()
                    && !last.is_begun
                    && self.walked.report.state != ChainState::Closed =>
            {
                let bytes = disk::metadata(&last.path).map_or(0, |it| it.len);
                self.walked.report.unfinished_bytes = bytes;
                before
            }
            all => all,
        }
    }

    /// Whether a segment was pruned since it was listed: then nothing before it is there any more.
    fn is_pruned(&self, piece: &Piece, error: &io::Error) -> bool {
        let is_first = |left: Vec<u32>| left.first().is_some_and(|it| *it > piece.number);
        error.kind() == io::ErrorKind::NotFound
            && layout::segment_numbers(&self.chain.path).is_ok_and(is_first)
    }

    /// Forgets what was read before.
    fn start_anew(&mut self) {
        let report = ChainReport::empty(self.chain, self.walked.report.state);
        self.walked.report = report;
        self.walked.cut_start = None;
        self.walked.first_signer = None;
        self.head = None;
        self.closing = false;
    }

    /// Notes the first problem.
    fn note(&mut self, file: &Path, line: u64, what: RecordProblem) {
        let seq = self.head.map_or(0, |it| it.next);
        let problem = Problem { file: file.to_owned(), line, seq, what };
        self.walked.report.problem.get_or_insert(problem);
    }

    const fn is_sound(&self) -> bool {
        self.walked.report.problem.is_none()
    }

    /// Before the lines of a segment.
    fn enter(&mut self, piece: &Piece, before: Option<&Piece>) {
        let Some(before) = before else { return };
        let continues = before.end.is_some();
        if !continues && piece.number > before.number + 1 {
            self.note(&piece.path, 1, RecordProblem::SegmentMissing(before.number + 1));
        } else if !continues {
            self.note(&piece.path, 1, RecordProblem::BadStart);
        } else if before.number + 1 != piece.number && !before.end.is_some_and(|it| it.failed) {
            self.note(&piece.path, 1, RecordProblem::Surplus);
        }
    }

    /// Every line of a segment, counted.
    fn read(
        &mut self,
        piece: &Piece,
        receipts: &mut Receipts<'_>,
        lengths: &mut Lengths,
    ) -> io::Result<()> {
        let file = File::open(&piece.path)?;
        lengths.file = file.metadata()?.len;
        let most = piece.end.map_or(u64::MAX, |it| it.bytes);
        if piece.number < self.from {
            self.is_whole = false;
            lengths.lines = lengths.file.min(most);
            return Ok(());
        }
        // What a crash left behind is for the next writer to cut; until then it is no damage.
        let is_cut_next = piece.end.is_none() && self.walked.report.state == ChainState::Unfinished;
        let mut torn: Option<(u64, RecordProblem)> = None;
        let mut lines = Lines::new(io::Read::take(file, most));
        while let Some(raw) = lines.next()? {
            let line = match raw.end {
                LineEnd::EndOfFile => Err(BadLine::Unfinished),
                _ => RecordLine::read(raw.bytes),
            };
            if let Err(why) = line
                && (raw.end == LineEnd::EndOfFile || is_cut_next && raw.is_torn())
            {
                torn.get_or_insert((raw.number, RecordProblem::Changed(why)));
                continue;
            }
            lengths.count = raw.number;
            if let Some((number, what)) = torn.take() {
                self.note(&piece.path, number, what);
            }
            match line {
                Ok(line) => {
                    receipts.look(&line, &self.chain.name);
                    self.take(piece, &raw, &line);
                }
                Err(why) => self.note(&piece.path, raw.number, RecordProblem::Changed(why)),
            }
            lengths.lines = lines.position();
        }
        lengths.rest = lines.position() - lengths.lines;
        Ok(())
    }

    /// One line that is a record by itself.
    fn take(&mut self, piece: &Piece, raw: &RawLine<'_>, line: &RecordLine<'_>) {
        let doc = Doc::parse(raw.bytes, LINE_LIMITS).ok();
        let object = doc.as_ref().and_then(|it| it.root().get(line.kind.name()));
        if let (Kind::Prune, Some(object)) = (line.kind, object) {
            self.walked.pruned.extend(signed::pruned(object));
        }
        if !self.is_sound() {
            return;
        }
        let what = match object {
            None => Some(RecordProblem::Changed(BadLine::Form)),
            Some(object) => self.check(piece, raw.number, line, object),
        };
        match what {
            Some(what) => self.note(&piece.path, raw.number, what),
            None => self.accept(line, object, (&piece.path, raw.number)),
        }
    }

    /// What is wrong with a record at its place.
    fn check(
        &mut self,
        piece: &Piece,
        number: u64,
        line: &RecordLine<'_>,
        object: Value<'_>,
    ) -> Option<RecordProblem> {
        let starts = matches!(line.kind, Kind::Genesis | Kind::Rotate);
        if starts && let Some(format) = reader::format(line).filter(|it| it != FORMAT) {
            return Some(RecordProblem::Format(format));
        }
        match self.head {
            Some(head) if line.seq > head.next => {
                return Some(RecordProblem::Dropped { found: line.seq });
            }
            Some(head) if line.seq < head.next => {
                return Some(RecordProblem::OutOfOrder { found: line.seq });
            }
            Some(head) if line.prev != head.hash => return Some(RecordProblem::Unlinked),
            _ => (),
        }
        if self.witnessed.is_some_and(|it| it.seq == line.seq && it.hash != line.hash) {
            return Some(RecordProblem::Rewritten);
        }
        if (number == 1) != starts {
            return Some(RecordProblem::BadStart);
        }
        let wrong = match line.kind {
            Kind::Genesis => {
                let names = object.get("chain").is_some_and(|it| it.is_str(&self.chain.name));
                let first = line.seq == 0 && line.prev == Hash::ZERO && piece.number == 1;
                (!names || !first).then_some(RecordProblem::BadStart)
            }
            Kind::Rotate if self.head.is_none() => {
                let after = Head { next: line.seq, hash: line.prev };
                let start = CutStart { file: piece.path.clone(), after };
                self.walked.cut_start = Some(start).filter(|_| self.is_whole);
                None
            }
            Kind::Rotate => {
                let number = object.get("segment").and_then(Value::as_u64);
                (number != Some(piece.number.into())).then_some(RecordProblem::BadStart)
            }
            Kind::Checkpoint => {
                self.mistrust(signed::signer_of_checkpoint(line, object, &self.chain.name))
            }
            Kind::Prune => self.mistrust(signed::pruned(object).map(|it| it.by)),
            _ => None,
        };
        wrong.or_else(|| self.fixed?.mistrust(line.seq, line.hash))
    }

    /// What is wrong with the signer of a record; `None` is a record without one.
    fn mistrust(&self, signer: Option<PublicKey>) -> Option<RecordProblem> {
        let Some(key) = signer else { return Some(RecordProblem::Signature) };
        let is_stranger = self.epochs.standing(&key, &self.chain.name) == Standing::Stranger;
        is_stranger.then(|| RecordProblem::OtherKey(Box::new(key)))
    }

    fn accept(&mut self, line: &RecordLine<'_>, object: Option<Value<'_>>, place: (&Path, u64)) {
        self.head = Some(line.head());
        let report = &mut self.walked.report;
        report.records += 1;
        report.head = Some(line.hash);
        report.last_seq = Some(line.seq);
        let first = report.times.map_or(line.time, |it| it.0);
        report.times = Some((first, line.time));
        self.closing = false;
        if line.kind == Kind::Checkpoint {
            let key = object.and_then(|it| it.get("key")?.as_str());
            let key = key.and_then(|it| PublicKey::parse(&it));
            report.keys.extend(key.filter(|it| !report.keys.contains(it)));
            // What a crash left between two keys is signed again by the next one.
            self.unproven = key
                .filter(|it| self.epochs.standing(it, &self.chain.name) != Standing::Right)
                .map(|it| (place.0.to_owned(), place.1, it));
            if self.unproven.is_none() {
                report.signed_to = Some(line.seq);
            }
            self.walked.first_signer = self.walked.first_signer.or(key);
            self.closing = signed::is_closing(line);
        }
    }
}
