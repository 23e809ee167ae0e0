//! `Backup`: what is at the paths of a write before it, on disk beside the ledger, so that it can be put back; by another gate, if ours is killed.
//!
//! A directory for each write: `blobs` has the bytes of all files one behind the other and is locked as long as the gate lives, `entries.json` says
//! what they belong to, and `after.json` what the write made of it.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    os::unix::fs::{DirBuilderExt as _, FileExt as _, MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use redress_wire::json::{Doc, Kind, Limits, Members, Value, write_str};
use rustix::fs::{FlockOperation, OFlags, flock};

use super::snapshot::{FileEntry, Snapshot, SnapshotError, name, open_parent};
use crate::{hash::uuid, root::Root};

/// The most bytes of files that are kept for one write.
pub(super) const MOST_BYTES: u64 = 64 << 20;

/// The longest file of entries that is read.
const MOST_ENTRIES_BYTES: u64 = 16 << 20;

const BLOBS: &str = "blobs";
const ENTRIES: &str = "entries.json";
const AFTER: &str = "after.json";

/// What is known of the write.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct About {
    pub(crate) server: String,
    pub(crate) session_id: String,
    pub(crate) tool: String,
    /// Whether the server changes nothing but what calls name.
    pub(crate) is_built_in: bool,
}

/// What was there before a write.
#[derive(Debug)]
pub(super) struct Backup {
    pub(super) about: About,
    pub(super) root: Arc<Root>,
    pub(super) paths: Vec<String>,
    /// Directories on the way to them that were not there.
    pub(super) absent: Vec<String>,
    pub(super) before: Snapshot,
    dir: PathBuf,
    blobs: File,
}

impl Drop for Backup {
    fn drop(&mut self) {
        // By name: a process that is just being started has the file open, too, until it is what it shall be.
        flock(&self.blobs, FlockOperation::Unlock).unwrap_or_default();
    }
}

/// Why nothing was kept, so that the write must not be made.
#[derive(Debug)]
pub(super) enum BackupError {
    /// It is more than is kept.
    TooMuch,
    /// Something at that path.
    At(String, String),
    /// It could not be written.
    Unwritten(io::Error),
}

impl From<io::Error> for BackupError {
    fn from(error: io::Error) -> Self {
        Self::Unwritten(error)
    }
}

impl From<SnapshotError> for BackupError {
    fn from(unseen: SnapshotError) -> Self {
        match unseen {
            SnapshotError::TooMany => Self::TooMuch,
            SnapshotError::At(path, why) => Self::At(path, why),
        }
    }
}

impl Backup {
    /// Keeps what is at some paths, durably.
    pub(super) fn keep(
        journal: &Path,
        about: About,
        root: Arc<Root>,
        paths: Vec<String>,
    ) -> Result<Self, BackupError> {
        let before = Snapshot::of(&root, &paths)?;
        let bytes =
            |it: &FileEntry| if let FileEntry::File { bytes, .. } = it { *bytes } else { 0 };
        if before.0.values().map(bytes).fold(0, u64::saturating_add) > MOST_BYTES {
            return Err(BackupError::TooMuch);
        }
        let absent = absent(&root, &paths);
        let dir = journal.join(uuid());
        DirBuilder::new().recursive(true).mode(0o700).create(&dir)?;
        let blobs = create(&dir.join(BLOBS))?;
        flock(&blobs, FlockOperation::NonBlockingLockExclusive).map_err(io::Error::from)?;
        let mut kept = Self { about, root, paths, absent, before, dir, blobs };
        match kept.fill() {
            Ok(()) => Ok(kept),
            Err(why) => {
                kept.forget();
                Err(why)
            }
        }
    }

    fn fill(&mut self) -> Result<(), BackupError> {
        for (path, thing) in &self.before.0 {
            if let FileEntry::File { bytes, .. } = thing {
                copy(&self.root, path, *bytes, &mut self.blobs)?;
            }
        }
        self.blobs.sync_data()?;
        let mut text = String::new();
        let mut members = Members::open(&mut text);
        members.int("v", 1).str("server", &self.about.server).str("tool", &self.about.tool);
        members.str("session_id", &self.about.session_id);
        members.bool("built_in", self.about.is_built_in);
        members.str("root", &self.root.path().to_string_lossy());
        write_texts(members.key("paths"), &self.paths);
        write_texts(members.key("absent"), &self.absent);
        self.before.write(members.key("before"));
        members.close();
        self.save(ENTRIES, &text)?;
        if let Some(journal) = self.dir.parent() {
            File::open(journal)?.sync_all()?;
        }
        Ok(())
    }

    /// Notes what the write made of it, so that another gate can tell it from another program's change.
    pub(super) fn note(&self, after: &Snapshot) -> io::Result<()> {
        let mut text = String::new();
        after.write(&mut text);
        self.save(AFTER, &text)
    }

    fn save(&self, name: &str, text: &str) -> io::Result<()> {
        let mut file = create(&self.dir.join(name))?;
        file.write_all(text.as_bytes())?;
        file.sync_data()?;
        File::open(&self.dir)?.sync_all()
    }

    /// What is at the paths now.
    pub(super) fn now(&self) -> Result<Snapshot, SnapshotError> {
        Snapshot::of(&self.root, &self.paths)
    }

    /// The bytes that a file had, from their place.
    pub(super) fn blob(
        &self,
        path: &str,
        mut into: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let (mut at, mut left) = (0, 0);
        for (other, thing) in &self.before.0 {
            if let FileEntry::File { bytes, .. } = thing {
                if other == path {
                    left = *bytes;
                    break;
                }
                at += bytes;
            }
        }
        let mut piece = vec![0; 64 << 10];
        while left > 0 {
            let wanted = usize::try_from(left).unwrap_or(usize::MAX).min(piece.len());
            let piece = piece.get_mut(..wanted).unwrap_or_default();
            self.blobs.read_exact_at(piece, at)?;
            into(piece)?;
            (at, left) = (at + wanted as u64, left - wanted as u64);
        }
        Ok(())
    }

    /// It is needed no more.
    pub(super) fn forget(&self) {
        // What cannot be removed is looked at when a gate starts, and then has nothing to say.
        fs::remove_file(self.dir.join(ENTRIES)).unwrap_or_default();
        fs::remove_dir_all(&self.dir).unwrap_or_default();
    }

    /// Those that gates left behind which are no more, each with what its write made of it, if that was noted.
    pub(super) fn left_behind(journal: &Path) -> Vec<(Self, Option<Snapshot>)> {
        let entries = fs::read_dir(journal).into_iter().flatten().flatten();
        entries.filter(|it| it.path().is_dir()).filter_map(|it| Self::open(&it.path())).collect()
    }

    fn open(dir: &Path) -> Option<(Self, Option<Snapshot>)> {
        let blobs = File::open(dir.join(BLOBS)).ok()?;
        flock(&blobs, FlockOperation::NonBlockingLockExclusive).ok()?;
        let opened = Self::read(dir, blobs);
        if opened.is_none() {
            // It never came to the write.
            fs::remove_dir_all(dir).unwrap_or_default();
        }
        opened
    }

    fn read(dir: &Path, blobs: File) -> Option<(Self, Option<Snapshot>)> {
        let text = read(&dir.join(ENTRIES))?;
        let doc = Doc::parse(&text, Limits::DOCUMENT).ok()?;
        let member = |key: &str| doc.root().get(key);
        let text = |key: &str| member(key).and_then(Value::as_str).map(String::from);
        let about = About {
            server: text("server")?,
            session_id: text("session_id")?,
            tool: text("tool")?,
            is_built_in: member("built_in").is_some_and(|it| it.raw() == "true"),
        };
        let kept = Self {
            about,
            root: Arc::new(Root::open(Path::new(&text("root")?)).ok()?),
            paths: texts(member("paths")?)?,
            absent: texts(member("absent")?)?,
            before: Snapshot::read(member("before")?)?,
            dir: dir.to_owned(),
            blobs,
        };
        let after = read(&dir.join(AFTER));
        let after =
            after.and_then(|it| Snapshot::read(Doc::parse(&it, Limits::DOCUMENT).ok()?.root()));
        Some((kept, after))
    }
}

/// The directories on the way to some paths that are not there.
fn absent(root: &Root, paths: &[String]) -> Vec<String> {
    let mut absent = Vec::new();
    for path in paths {
        let mut at = path.as_str();
        while let Some((parent, _)) = at.rsplit_once('/') {
            if root.open_below(parent, OFlags::PATH).is_ok() {
                break;
            }
            absent.push(parent.to_owned());
            at = parent;
        }
    }
    absent.sort_unstable();
    absent.dedup();
    absent
}

/// Appends the bytes of a file.
fn copy(root: &Root, path: &str, bytes: u64, blobs: &mut File) -> Result<(), BackupError> {
    let unkept = |why: &str| BackupError::At(path.to_owned(), why.to_owned());
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let dir = open_parent(root, path).map_err(|it| unkept(&it.to_string()))?;
    let file = rustix::fs::openat(&dir, name(path), flags, rustix::fs::Mode::empty());
    let file = File::from(file.map_err(|it| unkept(&it.to_string()))?);
    if file.metadata()?.nlink() > 1 {
        return Err(unkept("it has several names, of which only one could be put back"));
    }
    blobs.seek(SeekFrom::End(0))?;
    if io::copy(&mut file.take(bytes), blobs)? == bytes {
        return Ok(());
    }
    Err(unkept("it is being changed"))
}

fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(true).mode(0o600).open(path)
}

fn read(path: &Path) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    File::open(path).ok()?.take(MOST_ENTRIES_BYTES).read_to_end(&mut text).ok()?;
    Some(text)
}

fn write_texts(out: &mut String, texts: &[String]) {
    out.push('[');
    for (at, text) in texts.iter().enumerate() {
        out.push_str(if at > 0 { "," } else { "" });
        write_str(out, text);
    }
    out.push(']');
}

fn texts(value: Value<'_>) -> Option<Vec<String>> {
    let all = value.elements().map(|it| it.as_str().map(String::from));
    if value.kind() == Kind::Array { all.collect() } else { None }
}
