//! `SimulatedDisk`: files in memory, which a power cut tears, reorders and loses as far as they were not synced.

mod directory;
mod faults;
mod file;
mod space;

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    fmt, io,
    path::{Component, Path},
    sync::{Mutex, MutexGuard, PoisonError},
};

use redress_ledger::{Disk, Facts, FileKind, Lock, OpenMode};

pub(crate) use self::faults::{Cut, DiskBug, DiskFault};
use self::{
    directory::{DirData, apply},
    file::FileData,
    space::Space,
};
use crate::chance::Chance;

/// The inode of the root.
const ROOT: u64 = 0;

/// Files in memory.
pub(crate) struct SimulatedDisk(Mutex<State>);

impl fmt::Debug for SimulatedDisk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SimulatedDisk").finish_non_exhaustive()
    }
}

#[derive(Debug, Clone)]
struct State {
    chance: Chance,
    inodes: BTreeMap<u64, Inode>,
    open: BTreeMap<u64, Open>,
    /// The next number of an inode or an open file.
    next: u64,
    /// The process that works now.
    process: u32,
    /// Processes that are gone.
    gone: BTreeSet<u32>,
    is_off: bool,
    /// How many operations there were that change something.
    changes: u64,
    cut: Option<(u64, Cut)>,
    /// Faults to come: after how many operations that they could hit, and how often.
    faults: Vec<(DiskFault, u64, u64)>,
    space: Space,
    bug: Option<DiskBug>,
    /// How many syncs failed.
    failed_syncs: u64,
}

#[derive(Debug, Clone)]
struct Inode {
    mode: u32,
    node: Node,
}

#[derive(Debug, Clone)]
enum Node {
    File(FileData),
    Dir(DirData),
}

#[derive(Debug, Clone, Copy)]
struct Open {
    inode: u64,
    process: u32,
    lock: Option<Lock>,
}

fn not_found() -> io::Error {
    io::ErrorKind::NotFound.into()
}

fn off() -> io::Error {
    io::Error::other("the process is gone")
}

impl SimulatedDisk {
    pub(crate) fn new(seed: u64) -> Self {
        let root = Inode { mode: 0o700, node: Node::Dir(DirData::default()) };
        Self(Mutex::new(State {
            chance: Chance::new(seed),
            inodes: BTreeMap::from([(ROOT, root)]),
            open: BTreeMap::new(),
            next: 1,
            process: 1,
            gone: BTreeSet::new(),
            is_off: false,
            changes: 0,
            cut: None,
            faults: Vec::new(),
            space: Space::default(),
            bug: None,
            failed_syncs: 0,
        }))
    }

    fn lock_state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on that process works.
    pub(crate) fn enter(&self, process: u32) {
        self.lock_state().process = process;
    }

    /// Something ends after so many changes.
    pub(crate) fn cut_after(&self, changes: u64, what: Cut) {
        let mut state = self.lock_state();
        state.cut = Some((state.changes + changes, what));
    }

    /// Whether the power is off.
    pub(crate) fn is_off(&self) -> bool {
        self.lock_state().is_off
    }

    /// Whether a process is gone.
    pub(crate) fn is_gone(&self, process: u32) -> bool {
        let state = self.lock_state();
        state.is_off || state.gone.contains(&process)
    }

    /// Something goes wrong after so many operations that it could hit, so often.
    pub(crate) fn fail(&self, what: DiskFault, after: u64, times: u64) {
        self.lock_state().faults.push((what, after, times));
    }

    /// Nothing goes wrong any more, and there is space without end.
    pub(crate) fn heal(&self) {
        let mut state = self.lock_state();
        state.faults.clear();
        state.space = Space::default();
    }

    /// Nothing ends any more.
    pub(crate) fn spare(&self) {
        self.lock_state().cut = None;
    }

    /// From now on there are so many bytes left.
    pub(crate) fn limit(&self, left: u64) {
        let mut state = self.lock_state();
        let used = state.used();
        state.space = Space::of(used + left);
    }

    pub(crate) fn plant(&self, bug: DiskBug) {
        self.lock_state().bug = Some(bug);
    }

    /// How many operations changed something, and how many syncs failed.
    pub(crate) fn counts(&self) -> (u64, u64) {
        let state = self.lock_state();
        (state.changes, state.failed_syncs)
    }

    /// The disk as a power cut leaves it: one of many ways, by chance.
    pub(crate) fn after_power_cut(&self, seed: u64) -> Self {
        let mut state = self.lock_state().clone();
        let mut chance = Chance::new(seed);
        let style = chance.below(5);
        for inode in state.inodes.values_mut() {
            match &mut inode.node {
                Node::File(file) => file.survive(style, &mut chance),
                Node::Dir(dir) => {
                    let kept = match style {
                        0 => 0,
                        1 => dir.pending.len(),
                        _ => chance.index(dir.pending.len() + 1),
                    };
                    let mut names = std::mem::take(&mut dir.durable);
                    dir.pending.iter().take(kept).for_each(|it| apply(&mut names, it));
                    *dir = DirData { durable: names.clone(), names, pending: Vec::new() };
                }
            }
        }
        state.open.clear();
        state.gone.clear();
        state.faults.clear();
        (state.is_off, state.cut, state.space) = (false, None, Space::default());
        state.chance = chance;
        Self(Mutex::new(state))
    }

    /// From now on it is as that one is. Files that are open are so no more.
    pub(crate) fn become_that(&self, other: Self) {
        let mut other = other.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut state = self.lock_state();
        other.changes = other.changes.max(state.changes);
        *state = other;
    }

    /// Whether some text is in the durable bytes of a file.
    pub(crate) fn has_durable(&self, text: &str) -> bool {
        let state = self.lock_state();
        // New files have high numbers.
        state.inodes.values().rev().any(|it| match &it.node {
            Node::File(file) => file.has_durable(text.as_bytes()),
            Node::Dir(_) => false,
        })
    }
}

impl State {
    fn end(&mut self, process: u32) {
        self.gone.insert(process);
        self.open.retain(|_, it| it.process != process);
    }

    fn used(&self) -> u64 {
        let files = self.inodes.values().filter_map(|it| match &it.node {
            Node::File(file) => Some(file.taken()),
            Node::Dir(_) => None,
        });
        files.sum()
    }

    /// The process works, or nothing it does has an effect.
    fn works(&self) -> io::Result<()> {
        if self.is_off || self.gone.contains(&self.process) { Err(off()) } else { Ok(()) }
    }

    /// An operation that changes something begins. Gives whether it is the last one: then it may have an effect, and says that it failed.
    fn changes(&mut self) -> io::Result<bool> {
        self.works()?;
        self.changes += 1;
        let Some((_, what)) = self.cut.filter(|it| it.0 <= self.changes) else {
            return Ok(false);
        };
        self.cut = None;
        let has_effect = self.chance.once_in(2);
        match what {
            Cut::Power => self.is_off = true,
            Cut::Process => self.end(self.process),
        }
        if has_effect { Ok(true) } else { Err(off()) }
    }

    /// Whether something goes wrong now.
    fn is_hit(&mut self, what: DiskFault) -> bool {
        let mut is_hit = false;
        for (_, after, times) in self.faults.iter_mut().filter(|it| it.0 == what) {
            match after.checked_sub(1) {
                Some(less) => *after = less,
                None => {
                    is_hit = true;
                    *times = times.saturating_sub(1);
                }
            }
        }
        self.faults.retain(|it| it.2 > 0);
        is_hit
    }

    fn find(&self, path: &Path) -> Option<u64> {
        let mut inode = ROOT;
        for part in path.components() {
            let Component::Normal(name) = part else { continue };
            inode = *self.dir(inode)?.names.get(name)?;
        }
        Some(inode)
    }

    /// Whether that is a segment of a chain.
    fn is_segment(&self, inode: u64) -> bool {
        let mut dirs = self.inodes.values().filter_map(|it| match &it.node {
            Node::Dir(dir) => Some(dir),
            Node::File(_) => None,
        });
        // `00000001.jsonl` and so on: no other file has a name of that length.
        dirs.any(|it| it.names.iter().any(|(name, it)| *it == inode && name.len() == 14))
    }

    fn dir(&self, inode: u64) -> Option<&DirData> {
        match &self.inodes.get(&inode)?.node {
            Node::Dir(dir) => Some(dir),
            Node::File(_) => None,
        }
    }

    fn dir_mut(&mut self, inode: u64) -> io::Result<&mut DirData> {
        match self.inodes.get_mut(&inode).map(|it| &mut it.node) {
            Some(Node::Dir(dir)) => Ok(dir),
            Some(Node::File(_)) => Err(io::ErrorKind::NotADirectory.into()),
            None => Err(not_found()),
        }
    }

    fn file_mut(&mut self, inode: u64) -> io::Result<&mut FileData> {
        match self.inodes.get_mut(&inode).map(|it| &mut it.node) {
            Some(Node::File(file)) => Ok(file),
            Some(Node::Dir(_)) => Err(io::ErrorKind::IsADirectory.into()),
            None => Err(not_found()),
        }
    }

    /// The directory that a path is in, and its name there.
    fn place(&self, path: &Path) -> io::Result<(u64, OsString)> {
        let dir = path.parent().and_then(|it| self.find(it)).ok_or_else(not_found)?;
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        self.dir(dir).ok_or(io::ErrorKind::NotADirectory)?;
        Ok((dir, name.to_owned()))
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    fn make(&mut self, path: &Path, mode: u32, node: Node) -> io::Result<u64> {
        let (dir, name) = self.place(path)?;
        let number = self.number();
        self.inodes.insert(number, Inode { mode, node });
        self.dir_mut(dir)?.change(vec![(name, Some(number))]);
        Ok(number)
    }

    fn open_file(&self, file: u64) -> io::Result<Open> {
        let open = self.open.get(&file).copied().ok_or_else(off)?;
        if self.is_off || self.gone.contains(&open.process) { Err(off()) } else { Ok(open) }
    }

    fn facts_of(&self, inode: u64) -> io::Result<Facts> {
        let found = self.inodes.get(&inode).ok_or_else(not_found)?;
        let dirs = self.inodes.values().filter_map(|it| match &it.node {
            Node::Dir(dir) => Some(dir),
            Node::File(_) => None,
        });
        let links = dirs.flat_map(|it| it.names.values()).filter(|it| **it == inode).count() as u64;
        let (kind, len, taken) = match &found.node {
            Node::File(file) => (FileKind::File, file.bytes().len() as u64, file.taken()),
            Node::Dir(_) => (FileKind::Dir, 0, 0),
        };
        Ok(Facts { kind, len, mode: found.mode, links, taken })
    }

    /// What the planted bug does when a file is made.
    fn made(&mut self, path: &Path) {
        let number = path.file_stem().and_then(|it| it.to_str()).and_then(|it| it.parse().ok());
        let number: u64 = number.unwrap_or_default();
        if self.bug != Some(DiskBug::LosesAtRotation) || number < 2 {
            return;
        }
        let before = path.with_file_name(format!("{:08}.jsonl", number - 1));
        if let Some(before) = self.find(&before)
            && let Ok(file) = self.file_mut(before)
        {
            file.lose_last_line();
        }
    }
}

/// What comes of an operation that may be the last one.
fn unless_last<T>(is_last: bool, done: T) -> io::Result<T> {
    if is_last { Err(off()) } else { Ok(done) }
}

impl Disk for SimulatedDisk {
    fn open(&self, path: &Path, how: OpenMode) -> io::Result<u64> {
        let mut state = self.lock_state();
        state.works()?;
        let mut is_last = false;
        let inode = match state.find(path) {
            Some(_) if how.create_new => return Err(io::ErrorKind::AlreadyExists.into()),
            Some(inode) => inode,
            None if how.create || how.create_new => {
                is_last = state.changes()?;
                if state.is_hit(DiskFault::Name) {
                    return Err(io::Error::other("no name can be given"));
                }
                if !state.space.has_room(0, state.used()) {
                    return Err(io::ErrorKind::StorageFull.into());
                }
                let made = state.make(path, how.mode, Node::File(FileData::default()))?;
                state.made(path);
                made
            }
            None => return Err(not_found()),
        };
        if how.truncate && state.facts_of(inode)?.len > 0 {
            is_last |= state.changes()?;
            state.file_mut(inode)?.set_len(0);
        }
        let number = state.number();
        let process = state.process;
        unless_last(is_last, ())?;
        state.open.insert(number, Open { inode, process, lock: None });
        Ok(number)
    }

    fn close(&self, file: u64) {
        self.lock_state().open.remove(&file);
    }

    fn read_at(&self, file: u64, at: u64, into: &mut [u8]) -> io::Result<usize> {
        let mut state = self.lock_state();
        let open = state.open_file(file)?;
        Ok(state.file_mut(open.inode)?.read_at(at, into))
    }

    fn write_at(&self, file: u64, at: Option<u64>, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.lock_state();
        let open = state.open_file(file)?;
        let is_last = state.changes()?;
        let used = state.used();
        let (room, lies) = (state.space, state.is_hit(DiskFault::Lie));
        let fails = state.is_hit(DiskFault::Write);
        let part = state.chance.index(bytes.len());
        let data = state.file_mut(open.inode)?;
        let at = at.unwrap_or(data.bytes().len() as u64);
        let more = data.growth(at, bytes.len() as u64);
        if !room.has_room(more, used) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let some = bytes.get(..part).unwrap_or_default();
        data.write_at(at, if lies || fails { some } else { bytes });
        if fails {
            return Err(io::Error::other("the disk does not take it"));
        }
        unless_last(is_last, bytes.len())
    }

    fn set_len(&self, file: u64, len: u64) -> io::Result<()> {
        let mut state = self.lock_state();
        let open = state.open_file(file)?;
        let is_last = state.changes()?;
        state.file_mut(open.inode)?.set_len(len);
        unless_last(is_last, ())
    }

    fn set_aside(&self, file: u64, at: u64, bytes: u64) -> io::Result<()> {
        let mut state = self.lock_state();
        let open = state.open_file(file)?;
        let is_last = state.changes()?;
        let (used, room) = (state.used(), state.space);
        let is_hit = state.is_hit(DiskFault::SetAside);
        let data = state.file_mut(open.inode)?;
        let more = (at + bytes).saturating_sub(data.taken());
        if is_hit || !room.has_room(more, used) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        data.set_aside(at + bytes);
        unless_last(is_last, ())
    }

    fn sync(&self, file: u64) -> io::Result<()> {
        let mut state = self.lock_state();
        let open = state.open_file(file)?;
        let is_last = state.changes()?;
        let is_hit = state.is_hit(DiskFault::Sync)
            || state.is_segment(open.inode) && state.is_hit(DiskFault::SegmentSync);
        state.failed_syncs += u64::from(is_hit);
        let is_hidden = state.bug == Some(DiskBug::HidesFailedSync);
        match state.inodes.get_mut(&open.inode).map(|it| &mut it.node) {
            Some(Node::File(data)) if is_hit => data.give_up(),
            Some(Node::File(data)) => data.sync(),
            Some(Node::Dir(_)) if is_hit => (),
            Some(Node::Dir(dir)) => {
                dir.durable.clone_from(&dir.names);
                dir.pending.clear();
            }
            None => return Err(not_found()),
        }
        if is_hit && !is_hidden {
            return Err(io::Error::other("what was written may be lost"));
        }
        unless_last(is_last, ())
    }

    fn lock(&self, file: u64, how: Lock) -> io::Result<bool> {
        let mut state = self.lock_state();
        let mine = state.open_file(file)?;
        let others = state.open.iter().filter(|it| *it.0 != file && it.1.inode == mine.inode);
        let mut locks = others.filter_map(|it| it.1.lock);
        let is_free = match how {
            Lock::Exclusive => locks.next().is_none(),
            Lock::Shared => !locks.any(|it| it == Lock::Exclusive),
            Lock::Release => true,
        };
        if let Some(open) = state.open.get_mut(&file).filter(|_| is_free) {
            open.lock = Some(how).filter(|it| *it != Lock::Release);
        }
        Ok(is_free)
    }

    fn facts_of_open(&self, file: u64) -> io::Result<Facts> {
        let state = self.lock_state();
        state.facts_of(state.open_file(file)?.inode)
    }

    fn facts(&self, path: &Path) -> io::Result<Facts> {
        let state = self.lock_state();
        state.works()?;
        state.facts_of(state.find(path).ok_or_else(not_found)?)
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<OsString>> {
        let state = self.lock_state();
        state.works()?;
        let inode = state.find(dir).ok_or_else(not_found)?;
        let found = state.dir(inode).ok_or(io::ErrorKind::NotADirectory)?;
        Ok(found.names.keys().cloned().collect())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.lock_state();
        let is_last = state.changes()?;
        if state.is_hit(DiskFault::Name) {
            return Err(io::Error::other("no name can be changed"));
        }
        let inode = state.find(from).ok_or_else(not_found)?;
        let ((dir, old), (new_dir, new)) = (state.place(from)?, state.place(to)?);
        let there = state.find(to).and_then(|it| state.dir(it));
        if there.is_some_and(|it| !it.names.is_empty()) {
            return Err(io::ErrorKind::DirectoryNotEmpty.into());
        }
        if dir == new_dir {
            state.dir_mut(dir)?.change(vec![(old, None), (new, Some(inode))]);
        } else {
            state.dir_mut(new_dir)?.change(vec![(new, Some(inode))]);
            state.dir_mut(dir)?.change(vec![(old, None)]);
        }
        unless_last(is_last, ())
    }

    fn link(&self, file: &Path, name: &Path) -> io::Result<()> {
        let mut state = self.lock_state();
        let is_last = state.changes()?;
        let inode = state.find(file).ok_or_else(not_found)?;
        if state.find(name).is_some() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let (dir, name) = state.place(name)?;
        state.dir_mut(dir)?.change(vec![(name, Some(inode))]);
        unless_last(is_last, ())
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        let mut state = self.lock_state();
        state.works()?;
        let inode = state.find(path).ok_or_else(not_found)?;
        let is_last = state.changes()?;
        state.file_mut(inode)?;
        let (dir, name) = state.place(path)?;
        state.dir_mut(dir)?.change(vec![(name, None)]);
        unless_last(is_last, ())
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        let mut state = self.lock_state();
        let inode = state.find(path).ok_or_else(not_found)?;
        if state.dir(inode).ok_or(io::ErrorKind::NotADirectory)?.names.is_empty() {
            let is_last = state.changes()?;
            let (dir, name) = state.place(path)?;
            state.dir_mut(dir)?.change(vec![(name, None)]);
            return unless_last(is_last, ());
        }
        Err(io::ErrorKind::DirectoryNotEmpty.into())
    }

    fn create_dir(&self, path: &Path) -> io::Result<()> {
        let mut state = self.lock_state();
        let is_last = state.changes()?;
        if state.find(path).is_some() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        state.make(path, 0o700, Node::Dir(DirData::default()))?;
        unless_last(is_last, ())
    }

    fn random(&self, into: &mut [u8]) -> io::Result<()> {
        let mut state = self.lock_state();
        for chunk in into.chunks_mut(8) {
            let drawn = state.chance.next().to_le_bytes();
            chunk.iter_mut().zip(drawn).for_each(|(byte, it)| *byte = it);
        }
        Ok(())
    }

    fn process_id(&self) -> u32 {
        self.lock_state().process
    }
}
