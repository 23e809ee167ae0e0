//! `Job`: one write on its way, between the request that waits for it and the thread that checks it. Requests are known by a number of their own.

use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use redress::Fault;

use super::{backup::About, restore::NotRestored};
use crate::root::Root;

/// What comes of a write, for the session that waits for it.
#[derive(Debug)]
pub enum WriteReport {
    /// It has its turn: the server is to be asked.
    Ready,
    /// It is not made.
    Refused(Box<Fault>),
    /// It was made and is fine.
    Fine,
    /// It was made, must not stay, and was put back as far as the fault says.
    Broken(Box<Fault>),
    /// The server said that it failed, and what it did was put back: what is to be recorded of it, if it did something.
    Failed(PutBack, Option<String>),
    /// It was put back because its answer was not read: what is to be recorded, and what went wrong, if anything did.
    Undone(String, Option<Box<Fault>>),
}

/// What became of the files of a write that must not stay.
#[derive(Debug)]
pub struct PutBack {
    /// Whether the write had changed one that its call names.
    pub(super) was_changed: bool,
    /// What is not as it was.
    pub(super) left: Vec<NotRestored>,
    /// Whether the server changes nothing but what calls name.
    pub(super) is_built_in: bool,
}

/// Hears what comes of a write, with the id of the request that waits for it.
pub type OnReport = Box<dyn Fn(Option<u64>, WriteReport) + Send>;

/// A write of a request. Dropped before it is checked, what it changed is put back.
#[derive(Debug)]
pub struct CheckedWrite {
    /// The thread's side of it.
    pub job: Arc<Job>,
    /// What became of its files after the server had said that it failed.
    pub put_back: Option<PutBack>,
}

impl Drop for CheckedWrite {
    fn drop(&mut self) {
        self.job.abandon();
    }
}

/// One write, between the request that waits for it and the thread that checks it.
#[derive(Debug)]
pub struct Job {
    pub(super) about: About,
    pub(super) root: Arc<Root>,
    pub(super) paths: Vec<String>,
    stage: Mutex<Stage>,
    changed: Condvar,
}

/// How far a write is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// It waits for its turn, or the server is at it.
    Open { id: Option<u64>, until: Option<Instant> },
    /// The server says that it is done.
    Answered { id: u64, until: Option<Instant> },
    /// The server says that it failed.
    Failed { id: u64 },
    /// No client will hear that it was done.
    Abandoned,
    /// It is checked.
    Done,
}

impl Job {
    pub(super) const fn new(about: About, root: Arc<Root>, paths: Vec<String>) -> Self {
        let stage = Mutex::new(Stage::Open { id: None, until: None });
        Self { about, root, paths, stage, changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// It is to be made, for a request under that id.
    pub fn open(&self, id: u64, until: Option<Instant>) {
        let mut stage = self.lock();
        if matches!(*stage, Stage::Open { .. }) {
            *stage = Stage::Open { id: Some(id), until };
        }
    }

    /// The server says that it is done; the answer waits under that id.
    pub fn answered(&self, id: u64) {
        let mut stage = self.lock();
        if let Stage::Open { until, .. } = *stage {
            *stage = Stage::Answered { id, until };
            self.changed.notify_all();
        }
    }

    /// The server says that it failed; the answer waits under that id until it is put back.
    pub fn failed(&self, id: u64) {
        let mut stage = self.lock();
        if matches!(*stage, Stage::Open { .. }) {
            *stage = Stage::Failed { id };
            self.changed.notify_all();
        }
    }

    /// No client waits for it any more.
    fn abandon(&self) {
        let mut stage = self.lock();
        if *stage != Stage::Done {
            *stage = Stage::Abandoned;
            self.changed.notify_all();
        }
    }

    pub(super) fn is_wanted(&self) -> bool {
        *self.lock() != Stage::Abandoned
    }

    pub(super) fn id(&self) -> Option<u64> {
        match *self.lock() {
            Stage::Open { id, .. } => id,
            Stage::Answered { id, .. } | Stage::Failed { id } => Some(id),
            Stage::Abandoned | Stage::Done => None,
        }
    }

    /// Waits until the server has answered. Gives when its checks must be over, or `None` if it is not to stay.
    pub(super) fn wait(&self) -> Option<Instant> {
        let is_open = |it: &mut Stage| matches!(it, Stage::Open { .. });
        let stage = self.changed.wait_while(self.lock(), is_open);
        match *stage.unwrap_or_else(PoisonError::into_inner) {
            Stage::Answered { until, .. } => Some(latest(until)),
            _ => None,
        }
    }

    /// Ends one that was made, unless no client waits for it any more. Gives under which id.
    pub(super) fn end(&self) -> Option<u64> {
        let mut stage = self.lock();
        let Stage::Answered { id, .. } = *stage else { return None };
        *stage = Stage::Done;
        Some(id)
    }

    /// The same of one that failed.
    pub(super) fn end_failed(&self) -> Option<u64> {
        let mut stage = self.lock();
        let Stage::Failed { id } = *stage else { return None };
        *stage = Stage::Done;
        Some(id)
    }
}

/// When checks must be over.
fn latest(until: Option<Instant>) -> Instant {
    /// What is left of a call's time when its checks must be over, so that it is put back and answered in time.
    const LAST_MOMENTS: Duration = Duration::from_millis(250);
    const LONGEST: Duration = Duration::from_secs(24 * 3_600);
    until.and_then(|it| it.checked_sub(LAST_MOMENTS)).unwrap_or_else(|| Instant::now() + LONGEST)
}
