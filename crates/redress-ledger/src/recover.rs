//! Finishes the chains of processes that ended without closing them: cuts a torn tail, puts a corrupt chain aside.

use std::{
    collections::BTreeSet,
    fmt,
    io::{self, Read as _, Seek as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use redress_wire::json::{Members, write_list};

use crate::{
    disk::{self, File},
    epoch::{EpochEntry, Event},
    error::Failure,
    hash::Hash,
    keys::LONGEST_WAIT,
    layout::{self, ChainDir, Piece},
    lines::{LineEnd, Lines},
    lock::{self, Held},
    notes,
    record::{BadLine, Head, Kind, Record, RecordLine},
    segment::Segment,
    time::Time,
    writer::{Tools, Writer},
};

/// How much of a torn tail is shown in the record that tells of it.
const SHOWN: usize = 400;

/// A chain that is being created for longer than this was left behind.
const STALE_MILLIS: u64 = 60_000;

/// What was done with a chain whose process was gone.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Recovery {
    /// It was finished; this many bytes of its end were torn and are cut.
    Repaired {
        /// The chain's name.
        chain: String,
        /// The bytes that were cut.
        cut_bytes: u64,
    },
    /// It is corrupt and was put aside.
    Quarantined {
        /// The chain's name.
        chain: String,
        /// Where it lies now.
        moved_to: PathBuf,
        /// The file that is wrong.
        file: String,
        /// The line that is wrong; 0 if it is not a line.
        line: u64,
        /// What is wrong.
        why: String,
    },
    /// It could not be repaired; the next one may try again.
    Left {
        /// The chain's name.
        chain: String,
        /// What went wrong.
        why: String,
    },
}

impl fmt::Display for Recovery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Repaired { chain, cut_bytes: 1 } => {
                write!(f, "chain {chain} was not closed; 1 torn byte was cut")
            }
            Self::Repaired { chain, cut_bytes } => {
                write!(f, "chain {chain} was not closed; {cut_bytes} torn bytes were cut")
            }
            Self::Quarantined { chain, moved_to, file, line, why } => {
                let moved_to = moved_to.display();
                write!(
                    f,
                    "chain {chain} is corrupt ({file}:{line}: {why}) and was moved to {moved_to}"
                )
            }
            Self::Left { chain, why } => write!(f, "chain {chain} could not be repaired: {why}"),
        }
    }
}

impl Recovery {
    /// The record for the chain of the process that put another one aside.
    pub(crate) fn record(&self) -> Option<Record> {
        let Self::Quarantined { chain, moved_to, file, line, why } = self else { return None };
        let moved_to = moved_to.file_name().unwrap_or_default().to_string_lossy();
        Some(Record::new(Kind::Recovered, |it| {
            it.str("chain", chain).str("quarantined", &moved_to);
            it.str("file", file).int("line", *line).str("why", why);
        }))
    }
}

/// Recovers every chain that no process writes any more.
pub(crate) fn recover_all(ledger: &Path, tools: &Tools, now: Time) -> io::Result<Vec<Recovery>> {
    name_drafts(ledger, tools)?;
    remove_stale_drafts(ledger, now)?;
    let mut done = Vec::new();
    for chain in layout::chains(ledger)?.into_iter().filter(|it| !it.corrupt && !it.is_closed()) {
        match recover(&chain, tools, now) {
            Ok(found) => done.extend(found),
            Err(why) => done.push(Recovery::Left { chain: chain.name, why }),
        }
    }
    Ok(done)
}

/// Finishes one chain; `None` if its process lives.
fn recover(chain: &ChainDir, tools: &Tools, now: Time) -> Result<Option<Recovery>, String> {
    let said = |error: io::Error| error.to_string();
    let Held::Here(lock) = lock::take(&chain.path).map_err(said)? else { return Ok(None) };
    let name = chain.name.clone();
    match examine(chain, tools).map_err(said)? {
        Err(Corruption { file, line, why }) => {
            let moved_to = chain.quarantine().map_err(said)?;
            Ok(Some(Recovery::Quarantined { chain: name, moved_to, file, line, why }))
        }
        Ok(end) => {
            if end.cuts.is_empty() && end.is_told {
                // A crash came before the lock was removed.
                disk::remove_file(chain.path.join(lock::LOCK)).map_err(said)?;
                return Ok(None);
            }
            let cut_bytes = end.cuts.iter().map(|it| it.bytes).sum();
            finish(chain, lock, &end, tools, now)?;
            Ok(Some(Recovery::Repaired { chain: name, cut_bytes }))
        }
    }
}

/// Where a chain is wrong so that it must not be written to.
struct Corruption {
    file: String,
    line: u64,
    why: String,
}

/// The end of what is sound in a chain.
struct End {
    piece: Piece,
    head: Head,
    len: u64,
    cuts: Vec<Cut>,
    /// Segments with no sound line, to be removed.
    void: Vec<PathBuf>,
    /// Whether the log of epochs tells of this end.
    is_told: bool,
}

/// Bytes that are no records.
struct Cut {
    segment: u32,
    offset: u64,
    bytes: u64,
    hash: Hash,
    shown: String,
}

/// Finds the end of the sound records, from the last segment backwards. Changes nothing.
fn examine(chain: &ChainDir, tools: &Tools) -> io::Result<Result<End, Corruption>> {
    let mut cuts = Vec::new();
    let mut void = Vec::new();
    let mut pieces = layout::pieces(&chain.path)?;
    while let Some(piece) = pieces.pop() {
        let file = layout::segment_name(piece.number);
        let tail = scan(&piece.path)?;
        if let Some((line, why)) = tail.corrupt {
            return Ok(Err(Corruption { file, line, why }));
        }
        cuts.extend(cut(&piece, tail.len)?);
        let Some(head) = tail.head else {
            void.push(piece.path);
            continue;
        };
        let witnessed = match tools.witness.of(&chain.name) {
            // It is written anew when the chain is closed.
            Err(error) if notes::is_damage(&error) => None,
            other => other?.filter(|it| it.seq >= head.next),
        };
        let told = tools.keys.told_of(&chain.name);
        let fixed = told.iter().filter_map(|it| it.position);
        let is_told = |it: &EpochEntry| {
            it.event.ends_chain() && it.position.is_some_and(|it| it.hash == head.hash)
        };
        let is_told = told.iter().any(is_told);
        let gone = fixed.map(|it| it.seq).chain(witnessed.map(|it| it.seq)).max();
        return Ok(match gone.filter(|it| *it >= head.next) {
            Some(seq) => {
                let why = format!("record {seq}, a checkpoint that was witnessed, is gone");
                Err(Corruption { file, line: tail.lines + 1, why })
            }
            None => Ok(End { piece, head, len: tail.len, cuts, void, is_told }),
        });
    }
    let why = "there is no sound record".to_owned();
    Ok(Err(Corruption { file: layout::segment_name(1), line: 0, why }))
}

/// What a look through a segment found.
struct Tail {
    /// After the last sound record.
    head: Option<Head>,
    len: u64,
    lines: u64,
    /// A line that is wrong although it is no torn one, or a sound one follows.
    corrupt: Option<(u64, String)>,
}

fn scan(path: &Path) -> io::Result<Tail> {
    let mut lines = Lines::new(File::open(path)?);
    let mut tail = Tail { head: None, len: 0, lines: 0, corrupt: None };
    let mut first_bad: Option<(u64, String)> = None;
    while let Some(raw) = lines.next()? {
        let line = match raw.end {
            LineEnd::Newline => RecordLine::read(raw.bytes),
            _ => Err(BadLine::Unfinished),
        };
        match line {
            Ok(line) if first_bad.is_none() && line.follows(tail.head) => {
                tail.head = Some(line.head());
                tail.len = raw.offset + raw.bytes.len() as u64 + 1;
                tail.lines = raw.number;
            }
            Ok(_) => {
                let unlinked =
                    || (raw.number, "the record does not follow the one before".to_owned());
                tail.corrupt = Some(first_bad.unwrap_or_else(unlinked));
                return Ok(tail);
            }
            Err(why) => {
                let first = first_bad.get_or_insert_with(|| (raw.number, why.to_string()));
                if !raw.is_torn() {
                    tail.corrupt = Some(first.clone());
                    return Ok(tail);
                }
            }
        }
    }
    Ok(tail)
}

/// The bytes of a segment from an offset on, if there are any.
fn cut(piece: &Piece, offset: u64) -> io::Result<Option<Cut>> {
    let mut file = File::open(&piece.path)?;
    let bytes = file.metadata()?.len.saturating_sub(offset);
    if bytes == 0 {
        return Ok(None);
    }
    file.seek(io::SeekFrom::Start(offset))?;
    let mut torn = Vec::new();
    file.take(crate::MAX_LINE as u64).read_to_end(&mut torn)?;
    let text = String::from_utf8_lossy(&torn);
    let shown = redress::text::cut(&text, SHOWN).into_owned();
    Ok(Some(Cut { segment: piece.number, offset, bytes, hash: Hash::of(&torn), shown }))
}

/// Cuts, says so in the chain itself, signs and closes it.
fn finish(chain: &ChainDir, lock: File, end: &End, tools: &Tools, now: Time) -> Result<(), String> {
    for path in &end.void {
        disk::remove_file(path).map_err(|it| Failure::new("remove", path, it).to_string())?;
    }
    let turn = tools.keys.turn((&tools.ledger, now), LONGEST_WAIT, |signer| {
        let segment = Segment::reopen(&end.piece.path, end.piece.number, end.len)?;
        let tools = (tools.clone(), Arc::clone(signer));
        let mut writer = Writer::resume(&chain.name, lock, tools, now, (segment, end.head));
        writer.seal(now, &[recovered(&end.cuts)], "recovered")?;
        let entry = writer.entry(Event::Recovered);
        Ok((writer, entry))
    });
    let writer = turn.map_err(|it| it.to_string())?.done;
    writer.release().map_err(|it| it.to_string())
}

fn recovered(cuts: &[Cut]) -> Record {
    Record::new(Kind::Recovered, |it| {
        it.int("cut_bytes", cuts.iter().map(|it| it.bytes).sum::<u64>());
        write_list(it.key("cuts"), cuts, |cut, out| {
            let mut members = Members::open(out);
            members.int("segment", cut.segment).int("offset", cut.offset).int("bytes", cut.bytes);
            members.str("sha256", &cut.hash.to_string()).str("text", &cut.shown);
            members.close();
        });
    })
}

/// Gives durable chains that are in the log of epochs their final names: their processes ended before they could.
fn name_drafts(ledger: &Path, tools: &Tools) -> io::Result<()> {
    let mut begun: Option<BTreeSet<String>> = None;
    for entry in disk::read_dir(ledger)? {
        let entry = entry?;
        let file_name = entry.file_name();
        let Some(name) = file_name.to_str().and_then(layout::name_of_draft) else { continue };
        // Its process lives, or it has no lock yet.
        let Ok(Held::Here(_lock)) = lock::take(&entry.path()) else { continue };
        let begun = begun.get_or_insert_with(|| tools.keys.chains_begun());
        let path = ledger.join(name);
        if begun.contains(name) && !disk::exists(&path) {
            disk::rename(entry.path(), &path)?;
            File::open(ledger)?.sync_all()?;
        }
    }
    Ok(())
}

/// Removes what a process left behind that ended while it made its chain.
fn remove_stale_drafts(ledger: &Path, now: Time) -> io::Result<()> {
    for entry in disk::read_dir(ledger)? {
        let entry = entry?;
        let name = entry.file_name();
        let start = name
            .to_str()
            .and_then(layout::name_of_draft)
            .and_then(|it| it.split('-').next())
            .and_then(Time::parse_compact);
        if start.is_some_and(|it| now.since(it) > STALE_MILLIS) {
            // Another process may be doing the same.
            drop(disk::remove_dir_all(&entry.path()));
        }
    }
    Ok(())
}
