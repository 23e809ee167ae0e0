//! `Follower`: builds the index in the background, newest segments first, and follows the ledgers while they grow.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{
        Arc, Condvar, Mutex, PoisonError, RwLock, RwLockReadGuard,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use redress_ledger::{Segment, Segments};

use super::{Index, MOST_ROWS, Mark, Progress, record::read_segment};

/// How often the ledgers are looked at.
const GLANCE: Duration = Duration::from_millis(500);

/// How many threads build the index.
const BUILDERS: usize = 2;

/// The index, shared by those who build it and those who ask it.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    index: RwLock<Index>,
    stopped: AtomicBool,
    /// Whether everything was read once.
    is_complete: (Mutex<bool>, Condvar),
}

impl Shared {
    /// The index as it is now.
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, Index> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until everything was read that is there, or so long.
    pub(crate) fn wait(&self, most: Duration) {
        let (complete, changed) = &self.is_complete;
        let waited = changed.wait_timeout_while(lock(complete), most, |it| !*it);
        drop(waited);
    }

    fn complete(&self) {
        self.change(|it| {
            it.progress.is_complete = true;
            it.generation += 1;
        });
        *lock(&self.is_complete.0) = true;
        self.is_complete.1.notify_all();
    }

    /// Notes a mark at once; the record of it is read later.
    pub(crate) fn mark(&self, of: (Arc<str>, u64), mark: Mark) {
        self.change(|it| {
            it.checked.insert(of, mark);
            it.generation += 1;
        });
    }

    fn change(&self, change: impl FnOnce(&mut Index)) {
        change(&mut self.index.write().unwrap_or_else(PoisonError::into_inner));
    }
}

/// Gives the ledgers that are there now.
pub(crate) type Places = Box<dyn Fn() -> Vec<PathBuf> + Send>;

/// How far each file was read, by ledger, chain and number: a chain that is put aside keeps its name.
type Offsets = BTreeMap<(PathBuf, Arc<str>, u32), u64>;

/// A thread that builds the index and follows the ledgers. It ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Follower {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Follower {
    /// Starts to build the index of ledgers.
    pub(crate) fn start(shared: Arc<Shared>, places: Places) -> std::io::Result<Self> {
        let ours = Arc::clone(&shared);
        let run = move || follow(&ours, &places);
        let thread = thread::Builder::new().name("redress-index".to_owned()).spawn(run)?;
        Ok(Self { shared, thread: Some(thread) })
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // A panic there has been reported by then.
            drop(thread.join());
        }
    }
}

/// Reads everything, then what comes, until it is stopped.
fn follow(shared: &Shared, places: &Places) {
    let mut segments = Segments::default();
    let offsets = Mutex::new(Offsets::new());
    while !shared.stopped.load(Ordering::Relaxed) {
        let (found, errors) = segments.look(&places());
        if !errors.is_empty() {
            shared.change(|it| errors.iter().for_each(|error| it.note(error.to_string())));
        }
        read_all(shared, found, &offsets);
        thread::park_timeout(GLANCE);
    }
}

/// Reads the whole of some ledgers once, in this thread and one more.
pub(super) fn build(ledgers: &[PathBuf]) -> Index {
    let shared = Shared::default();
    let (found, errors) = Segments::default().look(ledgers);
    shared.change(|it| errors.iter().for_each(|error| it.note(error.to_string())));
    read_all(&shared, found, &Mutex::default());
    shared.index.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Reads segments from where they were read to, the newest first.
fn read_all(shared: &Shared, mut found: Vec<Segment>, offsets: &Mutex<Offsets>) {
    found.retain(|it| {
        let offset = lock(offsets).get(&key(it)).copied().unwrap_or_default();
        // What cannot be read is tried once, so that the page says why.
        it.bytes().map_or(offset < u64::MAX, |bytes| bytes > offset)
    });
    if found.is_empty() {
        if !shared.read().progress.is_complete {
            shared.complete();
        }
        return;
    }
    // The newest are taken from the end.
    found.sort_by_key(|it| (it.first, it.number));
    let is_first = !shared.read().progress.is_complete;
    if is_first {
        let all = found.iter().filter_map(|it| it.bytes().ok()).sum();
        shared.change(|it| it.progress = Progress { read: 0, all, is_complete: false });
    }
    let builders = if found.len() > 1 { BUILDERS } else { 1 };
    let queue = Mutex::new(found);
    thread::scope(|scope| {
        let work = || {
            while !shared.stopped.load(Ordering::Relaxed) {
                let Some(segment) = lock(&queue).pop() else { break };
                read_one(shared, &segment, offsets);
            }
        };
        for _ in 1..builders {
            scope.spawn(work);
        }
        work();
    });
    if is_first {
        shared.complete();
    }
}

fn read_one(shared: &Shared, segment: &Segment, offsets: &Mutex<Offsets>) {
    let from = lock(offsets).get(&key(segment)).copied().unwrap_or_default();
    let rows_from = {
        let index = shared.read();
        // What is older than as many failures as are kept is only counted.
        if index.rows.len() >= MOST_ROWS {
            index.rows.iter().map(|it| it.time).min()
        } else {
            index.rows_from
        }
    };
    let mut part = Index::default();
    match read_segment(&mut part, segment, from, rows_from) {
        Ok(end) => {
            lock(offsets).insert(key(segment), end);
        }
        Err(error) => {
            // It is not read again, and the page says why.
            lock(offsets).insert(key(segment), u64::MAX);
            part.note(error.to_string());
        }
    }
    shared.change(|it| it.absorb(part));
}

fn key(segment: &Segment) -> (PathBuf, Arc<str>, u32) {
    (segment.ledger.clone(), Arc::clone(&segment.chain), segment.number)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
