//! How long a process took, without the time in which it had work and the machine gave it no processor.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crate::gate::client::pause;

/// Measures a process and those that it started.
pub(crate) struct Stopwatch {
    began: Instant,
    /// How long they waited for a processor, in nanoseconds. A thread looks, as a process that has ended tells nothing.
    waited: Arc<AtomicU64>,
    is_over: Arc<AtomicBool>,
    looking: Option<JoinHandle<()>>,
}

impl Stopwatch {
    /// Measures from now on.
    pub(crate) fn start(pid: u32) -> Self {
        let (waited, is_over) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let (shown, ends) = (Arc::clone(&waited), Arc::clone(&is_over));
        let before = waits(pid);
        let looking = thread::spawn(move || {
            let mut seen = before.clone();
            while !ends.load(Ordering::Relaxed) {
                seen.extend(waits(pid));
                let passed = seen.iter().map(|(id, it)| it - before.get(id).unwrap_or(&0)).sum();
                shown.store(passed, Ordering::Relaxed);
                pause();
            }
        });
        Self { began: Instant::now(), waited, is_over, looking: Some(looking) }
    }

    /// The time since the start, less what was waited for a processor.
    pub(crate) fn elapsed(&self) -> Duration {
        let waited = Duration::from_nanos(self.waited.load(Ordering::Relaxed));
        self.began.elapsed().saturating_sub(waited)
    }
}

impl Drop for Stopwatch {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(looking) = self.looking.take() {
            looking.join().unwrap();
        }
    }
}

/// How long each thread of a process and of those that it started has waited for a processor, in nanoseconds.
fn waits(pid: u32) -> BTreeMap<String, u64> {
    let mut waits = BTreeMap::new();
    for pid in family(pid) {
        for task in fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten() {
            let text = fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
            let waited = text.split(' ').nth(1).and_then(|it| it.parse().ok());
            waits.extend(waited.map(|it: u64| (task.path().display().to_string(), it)));
        }
    }
    waits
}

/// A process and all that it started.
fn family(pid: u32) -> BTreeSet<u32> {
    let parent = |pid: u32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit(") ").next()?.split(' ').nth(1)?.parse().ok()
    };
    let all = fs::read_dir("/proc").unwrap().flatten();
    let all = all.filter_map(|it| it.file_name().to_str()?.parse().ok());
    let parents: Vec<(u32, u32)> = all.filter_map(|it| Some((it, parent(it)?))).collect();
    let mut family = BTreeSet::from([pid]);
    loop {
        let more: Vec<u32> =
            parents.iter().filter(|it| family.contains(&it.1)).map(|it| it.0).collect();
        let before = family.len();
        family.extend(more);
        if family.len() == before {
            return family;
        }
    }
}
