//! Writes one chain: builds its lines, signs them from time to time, and leaves a file behind that failed.

mod draft;
mod epoch;

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use redress::fault::Receipt;

use self::draft::{UnwrittenLines, rotate};
use crate::{
    FORMAT,
    disk::{self, File, random},
    epoch::Event,
    error::{Failure, LedgerError, OpenError},
    hash::hex,
    keys::{Keys, LONGEST_WAIT},
    layout::{self, segment_name},
    lines::Lines,
    lock::{self, LOCK},
    record::{Head, Kind, Record, RecordLine},
    segment::{Room, Segment},
    sign::{Signer, Statement},
    time::Time,
    witness::{Witness, WitnessFile},
};

/// Records after which everything is signed again.
pub(crate) const CHECKPOINT_RECORDS: usize = 1000;

/// Milliseconds after which everything is signed again, if something was written.
const CHECKPOINT_MILLIS: u64 = 10_000;

/// How long a process that ends waits for its turn to tell of it.
const CLOSE_WAIT: Duration = Duration::from_secs(2);

/// What a writer needs beside its files.
#[derive(Debug, Clone)]
pub(crate) struct Tools {
    pub keys: Keys,
    /// The canonical path of the ledger.
    pub ledger: PathBuf,
    pub witness: Witness,
    /// A file that gets the checkpoints, too.
    pub witness_file: Option<WitnessFile>,
    /// A longer segment is followed by a new one.
    pub segment_bytes: u64,
    /// An older one, too.
    pub segment_millis: u64,
    /// Space kept set aside.
    pub reserve_bytes: u64,
}

/// The one writer of a chain. The lock is held as long as it lives.
#[derive(Debug)]
pub(crate) struct Writer {
    pub name: String,
    path: PathBuf,
    _lock: File,
    pub tools: Tools,
    /// The key of the present epoch.
    pub signer: Arc<Signer>,
    segment: Segment,
    begun: Time,
    head: Head,
    signed: Signed,
    /// A write to the present segment failed, so that it must not be written again.
    suspect: bool,
    pub room: Room,
}

/// The end of what was signed last.
#[derive(Debug, Clone, Copy)]
struct Signed {
    head: Head,
    /// Where that is in the present segment.
    offset: u64,
    time: Time,
}

impl Writer {
    /// Begins a chain, with an epoch of its own. It gets its name when its first records are durable and the log of epochs names it, so
    /// that no half chain is ever seen.
    pub(crate) fn begin(tools: Tools, now: Time, first: &[Record]) -> Result<Self, OpenError> {
        let (keys, ledger) = (tools.keys.clone(), tools.ledger.clone());
        let in_ledger = |error| Failure::new("create a chain in", &ledger, error);
        let turn = keys.turn((&ledger, now), LONGEST_WAIT, |signer| {
            let (writer, lines) = Self::draft(tools, Arc::clone(signer), now, first)?;
            // Its draft must survive a power failure that comes after the turn.
            File::open(&ledger).and_then(|it| it.sync_all()).map_err(in_ledger)?;
            let entry = writer.entry(Event::Begin);
            Ok(((writer, lines), entry))
        })?;
        let (mut writer, lines) = turn.done;
        let path = ledger.join(&writer.name);
        disk::rename(&writer.path, &path)
            .and_then(|()| File::open(&ledger)?.sync_all())
            .map_err(in_ledger)?;
        writer.segment.path = path.join(segment_name(1));
        writer.path = path;
        // Not before it has its name: a process that ends in between would leave the witness of a chain that never was.
        writer.witness(&lines);
        Ok(writer)
    }

    /// A chain with its first records, under a name that no reader looks at.
    fn draft(
        tools: Tools,
        signer: Arc<Signer>,
        now: Time,
        first: &[Record],
    ) -> Result<(Self, UnwrittenLines), Failure> {
        let in_ledger = |error| Failure::new("create a chain in", &tools.ledger, error);
        let random = hex(&random::<6>().map_err(in_ledger)?);
        let name = format!("{}-{}-{random}", now.compact(), disk::process_id());
        let draft = tools.ledger.join(layout::draft_name(&name));
        disk::create_private_dir(&draft).map_err(in_ledger)?;
        let lock = lock::create(&draft).map_err(in_ledger)?;
        let segment = Segment::create(&draft, 1, tools.reserve_bytes)?;
        let head = Head::START;
        let mut writer = Self {
            path: draft,
            _lock: lock,
            segment,
            begun: now,
            head,
            signed: Signed { head, offset: 0, time: now },
            suspect: false,
            room: Room::Plenty,
            name,
            signer,
            tools,
        };
        let lines = writer.write_first(now, first)?;
        Ok((writer, lines))
    }

    /// Goes on with a chain whose process is gone.
    pub(crate) fn resume(
        name: &str,
        lock: File,
        (tools, signer): (Tools, Arc<Signer>),
        now: Time,
        (segment, head): (Segment, Head),
    ) -> Self {
        let path = segment.path.parent().unwrap_or(Path::new(".")).to_owned();
        let signed = Signed { head, offset: segment.len, time: now };
        Self {
            name: name.to_owned(),
            path,
            _lock: lock,
            tools,
            signer,
            segment,
            begun: now,
            head,
            signed,
            suspect: false,
            room: Room::Plenty,
        }
    }

    fn write_first(&mut self, now: Time, first: &[Record]) -> Result<UnwrittenLines, Failure> {
        let key = self.signer.public().to_string();
        let genesis = Record::new(Kind::Genesis, |it| {
            it.str("format", FORMAT).str("chain", &self.name).str("key", &key);
        });
        let mut lines = UnwrittenLines::new(self.head, now);
        lines.push(&genesis);
        for record in first {
            lines.push(record);
        }
        self.push_checkpoint(&mut lines, "open");
        self.segment.append(&lines.bytes)?;
        self.accept(&lines, now);
        Ok(lines)
    }

    /// Makes the records durable: in this segment, else in a new one. An error means that none of them counts.
    pub(crate) fn commit(
        &mut self,
        now: Time,
        records: &[Record],
    ) -> Result<Vec<Receipt>, LedgerError> {
        self.go_back_to(now);
        let why = self.is_checkpoint_due(now, records.len()).then_some("due");
        self.write(now, records, why)
    }

    /// Signs everything and releases the chain: it is closed.
    pub(crate) fn close(mut self, now: Time, last: &[Record]) -> Result<(), LedgerError> {
        self.seal(now, last, "stop")?;
        let (keys, ledger) = (self.tools.keys.clone(), self.tools.ledger.clone());
        let entry = self.entry(Event::Close);
        self.release()?;
        // Last, so that a recovery after a crash adds nothing behind the end that is entered here. If it cannot be entered, the signature
        // of the chain's own key replaces it.
        drop(keys.turn((&ledger, now), CLOSE_WAIT, |_| Ok(((), entry))));
        Ok(())
    }

    /// Writes the last records of the chain and signs it.
    pub(crate) fn seal(
        &mut self,
        now: Time,
        last: &[Record],
        why: &'static str,
    ) -> Result<(), LedgerError> {
        self.write(now, last, None)?;
        self.write(now, &[], Some(why))?;
        self.segment.trim();
        Ok(())
    }

    /// Removes the lock, which says that the chain is being written.
    pub(crate) fn release(self) -> Result<(), LedgerError> {
        let lock = self.path.join(LOCK);
        disk::remove_file(&lock).map_err(|error| Failure::new("remove", &lock, error).into())
    }

    fn write(
        &mut self,
        now: Time,
        records: &[Record],
        sign: Option<&'static str>,
    ) -> Result<Vec<Receipt>, LedgerError> {
        let bytes: usize = records.iter().map(Record::line_bytes).sum();
        self.reserve(bytes as u64);
        let fresh = self.next_segment(now)?;
        let sign = sign.or_else(|| fresh.is_some().then_some("rotate"));
        if sign.is_some() {
            self.read_back()?;
        }
        if let Ok(receipts) = self.attempt(fresh, now, records, sign) {
            return Ok(receipts);
        }
        self.read_back()?;
        let fresh = self.create_next()?;
        Ok(self.attempt(Some(fresh), now, records, sign.or(Some("rotate")))?)
    }

    /// The number of the next record; those before it are durable.
    pub(crate) const fn next_seq(&self) -> u64 {
        self.head.next
    }

    /// The number of the present segment.
    pub(crate) const fn segment_number(&self) -> u32 {
        self.segment.number
    }

    /// Whether there is space again, or a new segment has to show it.
    pub(crate) fn look_for_room(&mut self) -> Room {
        self.reserve(0);
        self.room
    }

    /// Sets space aside. A segment that failed gets none: it would be missing where the next one takes its own.
    fn reserve(&mut self, more: u64) {
        self.room = if self.suspect {
            Room::Plenty
        } else {
            self.segment.reserve(more, self.tools.reserve_bytes)
        };
    }

    /// A new segment, if it is time for one. If there can be none, the present one is used on.
    fn next_segment(&mut self, now: Time) -> Result<Option<Segment>, Failure> {
        if self.suspect {
            return self.create_next().map(Some);
        }
        let is_long = self.segment.len >= self.tools.segment_bytes;
        let is_old = now.since(self.begun) >= self.tools.segment_millis;
        if !is_long && !is_old || self.room == Room::Low {
            return Ok(None);
        }
        let created = self.create_next();
        if created.as_ref().is_err_and(Failure::is_full) {
            self.room = Room::Low;
        }
        Ok(created.ok())
    }

    /// A segment with the next free number.
    fn create_next(&self) -> Result<Segment, Failure> {
        let mut number = self.segment.number;
        loop {
            number += 1;
            match Segment::create(&self.path, number, self.tools.reserve_bytes) {
                Err(taken) if taken.error.kind() == io::ErrorKind::AlreadyExists => (),
                other => return other,
            }
        }
    }

    /// If the clock was set back, time is counted from there: else nothing would be due for as long as it went back.
    fn go_back_to(&mut self, now: Time) {
        self.signed.time = self.signed.time.min(now);
        self.begun = self.begun.min(now);
    }

    fn is_checkpoint_due(&self, now: Time, more: usize) -> bool {
        let records = self.head.next - self.signed.head.next;
        records > 0
            && (records + more as u64 > CHECKPOINT_RECORDS as u64
                || now.since(self.signed.time) >= CHECKPOINT_MILLIS)
    }

    /// Reads what is to be signed from the file, since a signature must not cover what is not there.
    fn read_back(&self) -> Result<(), Failure> {
        let failed = |error| Failure::new("read back", &self.segment.path, error);
        let mut head = self.signed.head;
        let mut lines = Lines::new(self.segment.read_from(self.signed.offset));
        while let Some(raw) = lines.next().map_err(failed)? {
            match RecordLine::read(raw.bytes) {
                Ok(line) if line.prev == head.hash && line.seq == head.next => head = line.head(),
                _ => break,
            }
        }
        if head == self.head {
            return Ok(());
        }
        let what = format!("record {} is not what was written", head.next);
        Err(failed(io::Error::new(io::ErrorKind::InvalidData, what)))
    }

    /// Writes the records to the fresh segment, or to the present one. A file that failed is not used again.
    fn attempt(
        &mut self,
        fresh: Option<Segment>,
        now: Time,
        records: &[Record],
        sign: Option<&'static str>,
    ) -> Result<Vec<Receipt>, Failure> {
        let mut lines = UnwrittenLines::new(self.head, now);
        if let Some(fresh) = &fresh {
            let failed = self.suspect || fresh.number > self.segment.number + 1;
            lines.push(&rotate(fresh.number, &self.segment, failed));
        }
        if let Some(why) = sign {
            self.push_checkpoint(&mut lines, why);
        }
        let mut receipts = Vec::with_capacity(records.len());
        for record in records {
            receipts.push(lines.push(record));
        }
        match fresh {
            None => {
                self.suspect = true;
                self.segment.append(&lines.bytes).inspect_err(|_| self.segment.trim())?;
                self.suspect = false;
            }
            Some(mut fresh) => {
                fresh.append(&lines.bytes).inspect_err(|_| fresh.remove())?;
                self.segment.trim();
                self.segment = fresh;
                self.begun = now;
                self.suspect = false;
                self.room = Room::Plenty;
            }
        }
        self.accept(&lines, now);
        self.witness(&lines);
        Ok(receipts)
    }

    fn push_checkpoint(&self, lines: &mut UnwrittenLines, why: &'static str) {
        let Head { next: count, hash: head } = lines.head;
        let statement = Statement::Checkpoint { chain: &self.name, count, head };
        let signature = self.signer.sign(&statement);
        let key = self.signer.public().to_string();
        let from = lines.bytes.len();
        let record = Record::new(Kind::Checkpoint, |it| {
            it.int("count", count).str("head", &head.to_string()).str("why", why);
            it.str("key", &key).str("sig", &signature);
        });
        lines.push(&record);
        lines.checkpoint = Some((from, lines.bytes.len(), lines.head));
    }

    /// The lines are durable: the chain goes on behind them.
    fn accept(&mut self, lines: &UnwrittenLines, now: Time) {
        self.head = lines.head;
        let Some((_, to, head)) = lines.checkpoint else { return };
        let start = self.segment.len.saturating_sub(lines.bytes.len() as u64);
        self.signed = Signed { head, offset: start + to as u64, time: now };
    }

    /// Keeps the checkpoint of durable lines beside the key.
    fn witness(&self, lines: &UnwrittenLines) {
        let Some((from, to, _)) = lines.checkpoint else { return };
        let line = lines.bytes.get(from..to).unwrap_or_default();
        drop(self.tools.witness.keep(&self.name, line));
        if let Some(file) = &self.tools.witness_file {
            file.tell(&self.tools.ledger, &self.name, self.position());
        }
    }
}
