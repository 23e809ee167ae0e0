//! The log of epochs: one file for each first key, beside the signing key, with a copy in every ledger that it tells of.

use std::{
    collections::BTreeSet,
    fmt,
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

use crate::{
    MAX_LINE,
    disk::{self, File, OpenOptions},
    epoch::Epoch,
    error::{Failure, OpenError},
    hash::Hash,
    lines::{LineEnd, Lines, is_torn},
    record::Head,
    sign::PublicKey,
};

/// What the name of a copy in a ledger begins with.
const COPY: &str = "epochs-";

/// The directory with the logs, beside the signing key.
pub(crate) fn beside(key: &Path) -> PathBuf {
    key.with_extension("epochs")
}

/// The copy of a log in a ledger.
pub(crate) fn copy_in(ledger: &Path, first: PublicKey) -> PathBuf {
    ledger.join(format!("{COPY}{}.jsonl", first.short()))
}

/// The copies in a ledger.
pub(crate) fn copies(ledger: &Path) -> Vec<PathBuf> {
    let is_copy = |it: &Path| {
        let name = it.file_name().and_then(|it| it.to_str()).unwrap_or_default();
        name.starts_with(COPY) && it.extension().is_some_and(|it| it == "jsonl")
    };
    files(ledger).into_iter().filter(|it| is_copy(it)).collect()
}

/// The files of a directory, by name.
pub(crate) fn files(dir: &Path) -> Vec<PathBuf> {
    let entries = disk::read_dir(dir).into_iter().flatten().flatten();
    // A pipe could be read for ever.
    let mut found: Vec<_> = entries.map(|it| it.path()).filter(|it| disk::is_file(it)).collect();
    found.sort();
    found
}

/// A log that is being written. Its holder has the lock of the keys.
pub(crate) struct Log {
    path: PathBuf,
    file: File,
}

impl Log {
    /// Opens the log of a first key, or begins it.
    pub(crate) fn open(dir: &Path, first: PublicKey) -> Result<Self, OpenError> {
        let path = dir.join(format!("{}.jsonl", first.short()));
        let failed = |error| Failure::new("open", &path, error);
        disk::create_private_dirs(dir).map_err(failed)?;
        let is_new = !disk::exists(&path);
        let mut options = OpenOptions::new();
        let file = options.read(true).append(true).create(true).mode(0o600).open(&path);
        let file = file.map_err(failed)?;
        if is_new {
            File::open(dir).and_then(|it| it.sync_all()).map_err(failed)?;
        }
        Ok(Self { path, file })
    }

    /// Brings the log to the record that the key file holds: cuts a torn tail, appends that record if a crash kept it out, or takes the
    /// whole log from a copy.
    pub(crate) fn repair(&mut self, last: Option<&str>, copy: &Path) -> Result<(), OpenError> {
        let failed = |error| Failure::new("repair", &self.path, error);
        let end = last_line(&mut self.file).map_err(failed)?;
        let found = end.line.as_deref();
        if end.torn > 0 {
            self.file.set_len(end.bytes).map_err(failed)?;
        }
        let Some(last) = last else {
            return match found {
                None => Ok(()),
                Some(_) => Err(self.refuse("has epochs of which the signing key knows nothing")),
            };
        };
        let last = last.as_bytes();
        if found == Some(last) {
            return Ok(());
        }
        let expected = epoch_of(last).map(|it| it.prev);
        let before = found.map_or(Some(Hash::ZERO), |it| epoch_of(it).map(|it| it.hash));
        if expected.is_some() && before == expected {
            return self.append(last).map_err(|it| Failure::new("repair", &self.path, it).into());
        }
        if found.is_none() && self.restore(last, copy).is_ok_and(|it| it) {
            return Ok(());
        }
        Err(self.refuse("does not end with the epoch before that of the signing key"))
    }

    fn refuse(&self, why: &'static str) -> OpenError {
        OpenError::Key { path: self.path.clone(), why }
    }

    /// Takes an empty log from a copy that ends where the key does.
    fn restore(&mut self, last: &[u8], copy: &Path) -> io::Result<bool> {
        let mut copied = File::open(copy)?;
        if last_line(&mut copied)?.line.as_deref() != Some(last) {
            return Ok(false);
        }
        copied.seek(SeekFrom::Start(0))?;
        let mut text = Vec::new();
        copied.read_to_end(&mut text)?;
        self.put(&text)?;
        Ok(true)
    }

    /// Makes a line durable. A file that failed is not synced again, since what it holds may be lost all the same: another one takes its place.
    pub(crate) fn append(&mut self, line: &[u8]) -> io::Result<()> {
        let len = self.file.metadata()?.len;
        let written = self.file.write_all(line).and_then(|()| {
            let is_whole = self.file.metadata()?.len == len + line.len() as u64;
            if is_whole { self.file.sync_data() } else { Err(io::ErrorKind::WriteZero.into()) }
        });
        written.or_else(|_| self.replace(len, line))
    }

    /// Puts a new file with the start of this one, and a line behind it, into the place of this one.
    fn replace(&mut self, len: u64, line: &[u8]) -> io::Result<()> {
        let mut text = Vec::new();
        self.file.seek(SeekFrom::Start(0))?;
        (&mut self.file).take(len).read_to_end(&mut text)?;
        text.extend_from_slice(line);
        self.put(&text)
    }

    fn put(&mut self, text: &[u8]) -> io::Result<()> {
        put(&self.path, text)?;
        self.file = OpenOptions::new().read(true).append(true).open(&self.path)?;
        Ok(())
    }

    /// Brings a copy up to date. One that is not the start of this log is evidence, and stays as it is.
    pub(crate) fn copy_to(&mut self, copy: &Path) -> io::Result<()> {
        let mut options = OpenOptions::new();
        let mut file = options.read(true).append(true).create(true).mode(0o600).open(copy)?;
        let end = last_line(&mut file)?;
        if let Some(line) = &end.line {
            let mut same = vec![0; line.len()];
            self.file.seek(SeekFrom::Start(end.bytes - line.len() as u64))?;
            if self.file.read_exact(&mut same).is_err() || same != *line {
                return Ok(());
            }
        }
        if end.torn > 0 {
            file.set_len(end.bytes)?;
        }
        self.file.seek(SeekFrom::Start(end.bytes))?;
        let mut more = Vec::new();
        self.file.read_to_end(&mut more)?;
        let is_whole =
            |file: &File| file.metadata().is_ok_and(|it| it.len == end.bytes + more.len() as u64);
        // Of several lines at once a power failure could take one in the middle, and a file whose sync failed is not synced again.
        let is_one = memchr::memchr_iter(b'\n', &more).count() <= 1;
        let is_done =
            is_one && file.write_all(&more).is_ok() && is_whole(&file) && file.sync_data().is_ok();
        if !is_done {
            let mut text = Vec::new();
            file.seek(SeekFrom::Start(0))?;
            (&mut file).take(end.bytes).read_to_end(&mut text)?;
            text.extend_from_slice(&more);
            put(copy, &text)?;
        }
        Ok(())
    }
}

/// Puts a new file with that text into the place of another one.
fn put(path: &Path, text: &[u8]) -> io::Result<()> {
    let draft = path.with_extension("next");
    disk::write_durably(&draft, text)?;
    disk::rename(&draft, path)?;
    File::open(path.parent().unwrap_or(Path::new(".")))?.sync_all()
}

fn epoch_of(line: &[u8]) -> Option<Epoch> {
    Epoch::read(line.strip_suffix(b"\n")?)
}

/// The end of a log.
struct End {
    /// The last line that is not torn, with its newline.
    line: Option<Vec<u8>>,
    /// The bytes of all lines up to it.
    bytes: u64,
    /// The bytes behind them.
    torn: u64,
}

fn last_line(file: &mut File) -> io::Result<End> {
    let len = file.metadata()?.len;
    let from = len.saturating_sub(2 * MAX_LINE as u64);
    file.seek(SeekFrom::Start(from))?;
    let mut tail = Vec::new();
    file.take(len - from).read_to_end(&mut tail)?;
    let mut whole = memchr::memrchr(b'\n', &tail).map_or(0, |it| it + 1);
    let mut line = None;
    // A power failure may also take the start of a line and leave its end.
    while let Some(last) = tail.get(..whole).and_then(|it| it.strip_suffix(b"\n")) {
        let start = memchr::memrchr(b'\n', last).map_or(0, |it| it + 1);
        if !is_torn(last.get(start..).unwrap_or_default()) {
            line = tail.get(start..whole).map(<[u8]>::to_vec);
            break;
        }
        whole = start;
    }
    let torn = (tail.len() - whole) as u64;
    Ok(End { line, bytes: len - torn, torn })
}

/// Public keys, to be looked up.
#[derive(Debug, Clone, Default)]
pub(crate) struct KeySet(BTreeSet<[u8; 32]>);

impl KeySet {
    /// The keys of the sequence with that first key, as the log beside the signing key has them.
    pub(crate) fn of_own(key: &Path, first: PublicKey) -> Self {
        let path = beside(key).join(format!("{}.jsonl", first.short()));
        let mut keys = Self::default();
        keys.insert(first);
        keys.extend(Sequence::read_fast(&path).unwrap_or_default().keys());
        keys
    }

    pub(crate) fn insert(&mut self, key: PublicKey) {
        self.0.insert(key.bytes());
    }

    pub(crate) fn extend(&mut self, keys: impl Iterator<Item = PublicKey>) {
        self.0.extend(keys.map(|it| it.bytes()));
    }

    pub(crate) fn contains(&self, key: &PublicKey) -> bool {
        self.0.contains(&key.bytes())
    }
}

/// What a log says, up to the first record that is not what was written.
#[derive(Debug, Default)]
pub(crate) struct Sequence {
    pub path: PathBuf,
    pub epochs: Vec<Epoch>,
    /// The first record that is wrong.
    pub wrong: Option<(u64, u64, EpochProblem)>,
}

/// What is wrong with a record of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EpochProblem {
    /// It is no `epoch` record, or was changed.
    Changed,
    /// Epochs are missing before it.
    Missing,
    /// An epoch occurs twice, or too late.
    OutOfOrder,
    /// It does not continue the one before, or is not signed by the key that was named for it.
    Unlinked,
    /// Another log has another record of this number: the epoch was used twice.
    Doubled,
}

impl fmt::Display for EpochProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Changed => "the epoch was changed, or is none",
            Self::Missing => "epochs are missing",
            Self::OutOfOrder => "the epoch is duplicated or reordered",
            Self::Unlinked => "the epoch does not continue the one before",
            Self::Doubled => "the epoch was used twice: another copy of the log has another one",
        })
    }
}

impl Sequence {
    /// Reads a log and checks every signature. A last line that does not end is being written.
    pub(crate) fn read(path: &Path) -> io::Result<Self> {
        Self::read_with(path, Epoch::read)
    }

    /// The same without signatures, which take most of the time.
    pub(crate) fn read_fast(path: &Path) -> io::Result<Self> {
        Self::read_with(path, |line| Epoch::parse(line).map(|it| it.0))
    }

    fn read_with(path: &Path, read: impl Fn(&[u8]) -> Option<Epoch>) -> io::Result<Self> {
        let mut sequence = Self { path: path.to_owned(), ..Self::default() };
        let mut lines = Lines::new(File::open(path)?);
        while let Some(raw) = lines.next()? {
            if raw.end == LineEnd::EndOfFile {
                break;
            }
            match sequence.check(read(raw.bytes)) {
                Ok(epoch) => sequence.epochs.push(epoch),
                Err(wrong) => {
                    sequence.wrong = Some((raw.number, sequence.epochs.len() as u64, wrong));
                    break;
                }
            }
        }
        Ok(sequence)
    }

    fn check(&self, epoch: Option<Epoch>) -> Result<Epoch, EpochProblem> {
        let epoch = epoch.ok_or(EpochProblem::Changed)?;
        let last = self.epochs.last();
        let head = last.map_or(Head::START, |it| Head { next: it.number + 1, hash: it.hash });
        match epoch.number {
            number if number > head.next => Err(EpochProblem::Missing),
            number if number < head.next => Err(EpochProblem::OutOfOrder),
            _ if epoch.prev != head.hash => Err(EpochProblem::Unlinked),
            _ if last.is_some_and(|it| it.next != epoch.key) => Err(EpochProblem::Unlinked),
            _ => Ok(epoch),
        }
    }

    /// Adds a record that a crash kept out of the log, if it is the next one.
    pub(crate) fn add(&mut self, epoch: Epoch) {
        if self.wrong.is_none()
            && let Ok(epoch) = self.check(Some(epoch))
        {
            self.epochs.push(epoch);
        }
    }

    /// Every key, with that of the epoch that is still to come.
    pub(crate) fn keys(&self) -> impl Iterator<Item = PublicKey> {
        let next = self.epochs.last().map(|it| it.next);
        self.epochs.iter().map(|it| it.key).chain(next)
    }

    /// The key of epoch 0.
    pub(crate) fn first(&self) -> Option<PublicKey> {
        self.epochs.first().map(|it| it.key)
    }
}
