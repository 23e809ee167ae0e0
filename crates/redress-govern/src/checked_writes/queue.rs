//! `Writes`: the queue of checked writes. They are made one at a time in each workspace, by a thread that keeps what was before, waits for the
//! server, checks, and puts back what must not stay.

use std::{
    collections::{BTreeMap, VecDeque},
    fmt,
    fs::{DirBuilder, File, OpenOptions},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock},
    thread,
    time::Duration,
};

use redress::{Fault, codes};
use rustix::fs::{FlockOperation, flock};

use super::{
    About, Checks,
    backup::Backup,
    faults,
    job::{CheckedWrite, Job, OnReport, PutBack, WriteReport},
    preflight::Launcher,
    restore::{self, NotRestored},
    snapshot::{Snapshot, SnapshotError},
};
use crate::{access::FileAccess, hash::root_hash, root::Root};

/// How often we look whether another gate is done with the workspace.
const GLANCE: Duration = Duration::from_millis(20);

/// The writes that wait in a workspace.
type Queue = VecDeque<(Arc<Job>, OnReport)>;

/// The writes of a governed server.
pub struct Writes {
    checks: Checks,
    /// Starts the commands that check them.
    launcher: RwLock<Arc<dyn Launcher>>,
    /// The directory of the backups.
    journal: PathBuf,
    /// A workspace that is not in it has none, and no thread.
    queues: Mutex<BTreeMap<PathBuf, Queue>>,
    changed: Condvar,
}

impl fmt::Debug for Writes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writes").field("checks", &self.checks).finish_non_exhaustive()
    }
}

impl Writes {
    /// The writes of a server whose ledger is in that directory.
    pub(crate) fn new(checks: Checks, launcher: Arc<dyn Launcher>, ledger: &Path) -> Self {
        let (journal, launcher) = (ledger.join("writes"), RwLock::new(launcher));
        Self { checks, launcher, journal, queues: Mutex::default(), changed: Condvar::new() }
    }

    /// Whether commands must succeed after writes.
    pub(crate) fn has_preflights(&self) -> bool {
        !self.checks.preflights.is_empty()
    }

    /// From now on this launcher starts the commands.
    pub(crate) fn launch_with(&self, launcher: Arc<dyn Launcher>) {
        *self.launcher.write().unwrap_or_else(PoisonError::into_inner) = launcher;
    }

    /// Whether a write may go on, by what is known of it; and how it is checked when it was made, if it is.
    pub(crate) fn before(
        &self,
        access: &FileAccess<'_>,
        intent: Option<&str>,
        root: &Arc<Root>,
        about: impl FnOnce() -> About,
    ) -> Result<Option<Box<CheckedWrite>>, Box<Fault>> {
        self.checks.before(access, intent, root, about)
    }

    /// Has a write wait for its turn. The result comes from another thread.
    pub fn begin(self: &Arc<Self>, job: Arc<Job>, then: OnReport) {
        let root = job.root.path().to_owned();
        let mut queues = self.lock();
        if let Some(queue) = queues.get_mut(&root) {
            return queue.push_back((job, then));
        }
        queues.insert(root.clone(), Queue::from([(job, then)]));
        drop(queues);
        let (ours, of) = (Arc::clone(self), root.clone());
        let work = move || ours.work(&of);
        if thread::Builder::new().name("redress-writes".to_owned()).spawn(work).is_err() {
            let waiting = self.lock().remove(&root);
            for (job, then) in waiting.into_iter().flatten() {
                let fault = codes::OVERLOADED.raise([] as [(&str, &str); 0]);
                then(job.id(), WriteReport::Refused(Box::new(fault)));
            }
        }
    }

    /// Waits until no write is on its way, but not longer than that.
    pub fn rest(&self, patience: Duration) {
        let is_busy = |it: &mut BTreeMap<_, _>| !it.is_empty();
        drop(self.changed.wait_timeout_while(self.lock(), patience, is_busy));
    }

    fn work(&self, root: &Path) {
        while let Some((job, then)) = self.next(root) {
            // A client that waits for one that dies is answered at its deadline, and the others go on.
            drop(catch_unwind(AssertUnwindSafe(|| self.make(&job, &then))));
        }
    }

    fn next(&self, root: &Path) -> Option<(Arc<Job>, OnReport)> {
        let mut queues = self.lock();
        let next = queues.get_mut(root).and_then(VecDeque::pop_front);
        if next.is_none() {
            queues.remove(root);
            self.changed.notify_all();
        }
        next
    }

    fn make(&self, job: &Job, then: &OnReport) {
        let turn = match self.turn(job) {
            Ok(Some(turn)) => turn,
            Ok(None) => return,
            Err(error) => return then(job.id(), WriteReport::Refused(faults::unwritten(&error))),
        };
        let kept = Backup::keep(
            &self.journal,
            job.about.clone(),
            Arc::clone(&job.root),
            job.paths.clone(),
        );
        let kept = match kept {
            Ok(kept) => kept,
            Err(why) => return then(job.id(), WriteReport::Refused(faults::not_kept(why))),
        };
        if job.is_wanted() {
            then(job.id(), WriteReport::Ready);
        }
        let (checked, after) = match job.wait() {
            Some(until) => {
                let launcher = self.launcher.read().unwrap_or_else(PoisonError::into_inner);
                let launcher = Arc::clone(&launcher);
                self.checks.after(job, &kept, until, &*launcher)
            }
            None => (Ok(()), kept.now()),
        };
        let is_fine = checked.is_ok();
        let waiting = if is_fine { job.end() } else { None };
        if let Some(id) = waiting {
            kept.forget();
            drop(turn);
            return then(Some(id), WriteReport::Fine);
        }
        let put_back = put_back(&kept, &after);
        drop(turn);
        tell_put_back(job, checked.err(), put_back, then);
    }

    /// Waits for the workspace, which another gate may have; `None` if no client waits for the write any more.
    fn turn(&self, job: &Job) -> std::io::Result<Option<File>> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.journal)?;
        let name = format!("{}.lock", root_hash(&job.root.path().to_string_lossy()));
        let mut options = OpenOptions::new();
        let file = options.write(true).create(true).truncate(false).mode(0o600);
        let file = file.open(self.journal.join(name))?;
        while job.is_wanted() {
            if flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
                return Ok(Some(file));
            }
            thread::park_timeout(GLANCE);
        }
        Ok(None)
    }

    /// What gates before this one left behind: put back if it is as their writes left it. Each is a failure to be recorded.
    pub fn recover(&self) -> Vec<Fault> {
        let left = Backup::left_behind(&self.journal).into_iter();
        left.filter_map(|(kept, after)| recovered(&kept, after)).collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Queue>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells what became of a write that must not stay.
fn tell_put_back(job: &Job, fault: Option<Box<Fault>>, put_back: PutBack, then: &OnReport) {
    let record = put_back.was_changed.then(|| faults::undone(&job.about));
    if let Some(id) = job.end_failed() {
        return then(Some(id), WriteReport::Failed(put_back, record));
    }
    match (fault, job.end(), record) {
        (Some(fault), Some(id), _) => then(Some(id), WriteReport::Broken(put_back.tell(fault))),
        (fault, _, Some(record)) => {
            let told = (!put_back.left.is_empty())
                .then(|| put_back.tell(fault.unwrap_or_else(faults::unheard)));
            then(None, WriteReport::Undone(record, told));
        }
        _ => (),
    }
}

/// Puts back what a write has changed.
fn put_back(kept: &Backup, after: &Result<Snapshot, SnapshotError>) -> PutBack {
    let is_built_in = kept.about.is_built_in;
    let left = match after {
        Ok(after) if kept.before == *after => {
            kept.forget();
            return PutBack { was_changed: false, left: Vec::new(), is_built_in };
        }
        Ok(after) => restore::restore(kept, after),
        Err(why) => vec![NotRestored::unseen(why)],
    };
    // What could not be put back for now is tried again when a gate starts.
    if left.iter().all(|it| it.is_changed_since) {
        kept.forget();
    }
    PutBack { was_changed: true, left, is_built_in }
}

/// A write of a gate that was killed before it was checked.
fn recovered(kept: &Backup, after: Option<Snapshot>) -> Option<Fault> {
    // A server that is a process may still be at what it was asked for.
    let is_over = after.is_some() || kept.about.is_built_in;
    if is_over && kept.now().is_ok_and(|it| it == kept.before) {
        kept.forget();
        return None;
    }
    let mut fault = faults::unchecked(&kept.about, kept.root.path());
    match after {
        Some(after) => {
            let left = restore::restore(kept, &after);
            if left.iter().all(|it| it.is_changed_since) {
                kept.forget();
            }
            let is_built_in = kept.about.is_built_in;
            fault = *PutBack { was_changed: true, left, is_built_in }.tell(Box::new(fault));
        }
        // The write's change and a later change of another program cannot be separated any more.
        None => {
            kept.forget();
            fault = faults::unknown(fault, &kept.paths);
        }
    }
    Some(fault)
}
