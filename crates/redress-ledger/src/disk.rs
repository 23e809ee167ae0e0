//! The files that a ledger is made of: those of the system, or those of a simulated disk, for the thread that asks for it.
//!
//! Every module of this crate takes its files, its locks and its random bytes from here. The names are those of `std::fs`.

mod file;

use std::{
    cell::RefCell,
    ffi::OsString,
    fmt, fs, io,
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _},
    path::{Path, PathBuf},
    sync::Arc,
};

pub(crate) use self::file::{File, OpenOptions};

/// A disk, and what else a process has from its system. It has no links but hard ones, and its paths are absolute.
pub trait Disk: fmt::Debug + Send + Sync {
    /// Opens a file or a directory. Gives a number for it, which [`Self::close`] ends, and with it the lock.
    fn open(&self, path: &Path, how: OpenMode) -> io::Result<u64>;
    /// Closes an open file.
    fn close(&self, file: u64);
    /// Reads from a place of an open file.
    fn read_at(&self, file: u64, at: u64, into: &mut [u8]) -> io::Result<usize>;
    /// Writes to a place of an open file, or to its end. Gives how many bytes.
    fn write_at(&self, file: u64, at: Option<u64>, bytes: &[u8]) -> io::Result<usize>;
    /// Cuts an open file, or fills it up with zeros.
    fn set_len(&self, file: u64, len: u64) -> io::Result<()>;
    /// Takes space for an open file, whose length stays.
    fn set_aside(&self, file: u64, at: u64, bytes: u64) -> io::Result<()>;
    /// Makes an open file or directory durable.
    fn sync(&self, file: u64) -> io::Result<()>;
    /// Locks an open file or gives its lock back, as `flock` does; `false` if another one has it.
    fn lock(&self, file: u64, how: Lock) -> io::Result<bool>;
    /// What is known of an open file, also if it has no name any more.
    fn facts_of_open(&self, file: u64) -> io::Result<Facts>;
    /// What is known of a file or directory.
    fn facts(&self, path: &Path) -> io::Result<Facts>;
    /// The names in a directory.
    fn list(&self, dir: &Path) -> io::Result<Vec<OsString>>;
    /// Gives a file or directory another name, in the place of what had it.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Gives a file a second name.
    fn link(&self, file: &Path, name: &Path) -> io::Result<()>;
    /// Takes the name of a file away.
    fn remove_file(&self, path: &Path) -> io::Result<()>;
    /// Removes a directory that is empty.
    fn remove_dir(&self, path: &Path) -> io::Result<()>;
    /// Makes a directory.
    fn create_dir(&self, path: &Path) -> io::Result<()>;
    /// Random bytes.
    fn random(&self, into: &mut [u8]) -> io::Result<()>;
    /// The number of the process.
    fn process_id(&self) -> u32;
}

/// How a file is opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "they are those of `std::fs::OpenOptions`")]
pub struct OpenMode {
    /// To be read.
    pub read: bool,
    /// To be written, from its start on.
    pub write: bool,
    /// To be written at its end.
    pub append: bool,
    /// It is made if it is not there.
    pub create: bool,
    /// It is made, and must not be there.
    pub create_new: bool,
    /// What it held is thrown away.
    pub truncate: bool,
    /// Who may do what with it, if it is made.
    pub mode: u32,
    /// More flags for the system.
    pub flags: i32,
}

/// What is done with a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lock {
    /// It is taken for one alone.
    Exclusive,
    /// It is taken together with others.
    Shared,
    /// It is given back.
    Release,
}

/// What is known of a file or directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// What it is.
    pub kind: FileKind,
    /// Its bytes.
    pub len: u64,
    /// Who may do what with it.
    pub mode: u32,
    /// How many names it has.
    pub links: u64,
    /// The bytes that it takes of the disk.
    pub taken: u64,
}

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A file.
    File,
    /// A directory.
    Dir,
    /// Something else.
    Other,
}

impl Facts {
    fn of(found: &fs::Metadata) -> Self {
        let kind = match found.file_type() {
            it if it.is_file() => FileKind::File,
            it if it.is_dir() => FileKind::Dir,
            _ => FileKind::Other,
        };
        let taken = found.blocks().saturating_mul(512);
        Self { kind, len: found.len(), mode: found.mode(), links: found.nlink(), taken }
    }

    /// Whether it is a file.
    pub fn is_file(&self) -> bool {
        self.kind == FileKind::File
    }
}

thread_local! {
    static SIMULATED: RefCell<Option<Arc<dyn Disk>>> = const { RefCell::new(None) };
}

/// Does some work whose ledgers are on a simulated disk. Threads that it starts have the files of the system.
pub fn with_disk<T>(disk: Arc<dyn Disk>, work: impl FnOnce() -> T) -> T {
    /// Puts back what was there, also if the work panics.
    struct Before(Option<Arc<dyn Disk>>);
    impl Drop for Before {
        fn drop(&mut self) {
            SIMULATED.set(self.0.take());
        }
    }
    let _before = Before(SIMULATED.replace(Some(disk)));
    work()
}

/// The simulated disk of this thread, if it has one.
fn simulated() -> Option<Arc<dyn Disk>> {
    SIMULATED.with_borrow(Clone::clone)
}

pub(crate) fn metadata(path: impl AsRef<Path>) -> io::Result<Facts> {
    match simulated() {
        Some(disk) => disk.facts(path.as_ref()),
        None => fs::metadata(path).map(|it| Facts::of(&it)),
    }
}

pub(crate) fn symlink_metadata(path: impl AsRef<Path>) -> io::Result<Facts> {
    match simulated() {
        Some(disk) => disk.facts(path.as_ref()),
        None => fs::symlink_metadata(path).map(|it| Facts::of(&it)),
    }
}

/// Whether something has this name.
pub(crate) fn exists(path: &Path) -> bool {
    metadata(path).is_ok()
}

pub(crate) fn is_file(path: &Path) -> bool {
    metadata(path).is_ok_and(|it| it.kind == FileKind::File)
}

pub(crate) fn is_dir(path: &Path) -> bool {
    metadata(path).is_ok_and(|it| it.kind == FileKind::Dir)
}

pub(crate) fn canonicalize(path: &Path) -> io::Result<PathBuf> {
    match simulated() {
        Some(disk) => disk.facts(path).map(|_| path.to_owned()),
        None => fs::canonicalize(path),
    }
}

/// The entries of a directory.
pub(crate) enum ReadDir {
    System(fs::ReadDir),
    Simulated(std::vec::IntoIter<PathBuf>),
}

/// A name in a directory.
pub(crate) struct DirEntry(PathBuf);

impl DirEntry {
    pub(crate) fn path(&self) -> PathBuf {
        self.0.clone()
    }

    pub(crate) fn file_name(&self) -> OsString {
        self.0.file_name().unwrap_or_default().to_owned()
    }
}

impl Iterator for ReadDir {
    type Item = io::Result<DirEntry>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::System(entries) => Some(entries.next()?.map(|it| DirEntry(it.path()))),
            Self::Simulated(paths) => paths.next().map(|it| Ok(DirEntry(it))),
        }
    }
}

pub(crate) fn read_dir(dir: &Path) -> io::Result<ReadDir> {
    let Some(disk) = simulated() else { return fs::read_dir(dir).map(ReadDir::System) };
    let names = disk.list(dir)?;
    let paths: Vec<_> = names.iter().map(|it| dir.join(it)).collect();
    Ok(ReadDir::Simulated(paths.into_iter()))
}

pub(crate) fn rename(from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<()> {
    match simulated() {
        Some(disk) => disk.rename(from.as_ref(), to.as_ref()),
        None => fs::rename(from, to),
    }
}

pub(crate) fn hard_link(file: &Path, name: &Path) -> io::Result<()> {
    match simulated() {
        Some(disk) => disk.link(file, name),
        None => fs::hard_link(file, name),
    }
}

pub(crate) fn remove_file(path: impl AsRef<Path>) -> io::Result<()> {
    match simulated() {
        Some(disk) => disk.remove_file(path.as_ref()),
        None => fs::remove_file(path),
    }
}

pub(crate) fn remove_dir(path: &Path) -> io::Result<()> {
    match simulated() {
        Some(disk) => disk.remove_dir(path),
        None => fs::remove_dir(path),
    }
}

pub(crate) fn remove_dir_all(path: &Path) -> io::Result<()> {
    let Some(disk) = simulated() else { return fs::remove_dir_all(path) };
    for name in disk.list(path)? {
        let inside = path.join(name);
        if is_dir(&inside) {
            remove_dir_all(&inside)?;
        } else {
            disk.remove_file(&inside)?;
        }
    }
    disk.remove_dir(path)
}

/// Makes a directory for its owner alone.
pub(crate) fn create_private_dir(path: &Path) -> io::Result<()> {
    match simulated() {
        Some(disk) => disk.create_dir(path),
        None => fs::DirBuilder::new().mode(0o700).create(path),
    }
}

/// The same, with those above it; one that is there is well. The names are durable: what is synced in a directory that a power failure
/// takes away is lost.
pub(crate) fn create_private_dirs(path: &Path) -> io::Result<()> {
    let is_missing = |it: &&Path| !it.as_os_str().is_empty() && !exists(it);
    let missing: Vec<_> = path.ancestors().take_while(is_missing).collect();
    for dir in missing.into_iter().rev() {
        match create_private_dir(dir) {
            // Another process may be doing the same.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => (),
            made => made?,
        }
        let above = dir.parent().filter(|it| !it.as_os_str().is_empty());
        match File::open(above.unwrap_or(Path::new("."))) {
            // Who may not read a directory can not sync it.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => (),
            above => above?.sync_all()?,
        }
    }
    if is_dir(path) { Ok(()) } else { Err(io::ErrorKind::NotADirectory.into()) }
}

pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    if simulated().is_none() {
        return fs::read(path);
    }
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut File::open(path)?, &mut bytes)?;
    Ok(bytes)
}

pub(crate) fn write(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    if simulated().is_none() {
        return fs::write(path, bytes);
    }
    let mut options = OpenOptions::new();
    let mut file = options.write(true).create(true).truncate(true).mode(0o644).open(path)?;
    io::Write::write_all(&mut file, bytes.as_ref())
}

/// Writes a file of ours alone, and makes its bytes durable.
pub(crate) fn write_durably(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(path)?;
    io::Write::write_all(&mut file, bytes)?;
    if file.metadata()?.len != bytes.len() as u64 {
        return Err(io::ErrorKind::WriteZero.into());
    }
    file.sync_data()
}

/// Random bytes from the system.
pub(crate) fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    if let Some(disk) = simulated() {
        disk.random(&mut bytes)?;
        return Ok(bytes);
    }
    let got = rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty())?;
    if got == N { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// The number of this process.
pub(crate) fn process_id() -> u32 {
    simulated().map_or_else(std::process::id, |it| it.process_id())
}
