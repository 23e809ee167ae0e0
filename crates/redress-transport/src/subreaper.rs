//! `Subreaper`: ends and reaps the processes that servers started and left behind. The system makes this process their parent.
//!
//! A variable of its environment, which all processes of a server inherit, marks the server that an orphan belongs to. An orphan that
//! cleared the variable ends with its server if this process ends the server or runs no other one, and else with this process.

mod process_tree;
mod watch;

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    io,
    os::fd::OwnedFd,
    process::{Child, Command},
    sync::{
        Mutex, MutexGuard, OnceLock, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
    thread::{self, Thread},
    time::{Duration, Instant},
};

use rustix::{
    io::Errno,
    process::{
        Pid, Signal, WaitId, WaitIdOptions, getpid, kill_process, pidfd_send_signal,
        set_child_subreaper, waitid,
    },
    rand::{GetRandomFlags, getrandom},
};

pub use self::watch::{WATCH, watch};
use self::{
    process_tree::{below, children, children_of, has_ended, mark_of},
    watch::Watcher,
};

/// The variable that marks the processes of one server. In a gate that runs inside another gate, its value begins with the outer one's.
const MARK: &str = "REDRESS_SERVER";

/// How long the system may take to end what is killed.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often the children of this process are listed meanwhile.
const PAUSE: Duration = Duration::from_millis(10);

/// The only one: the system makes a process, and not a part of it, the parent of orphans.
static SUBREAPER: OnceLock<Subreaper> = OnceLock::new();

#[derive(Debug)]
struct Subreaper {
    /// What every mark begins with.
    ours: String,
    servers: AtomicU64,
    /// True if every orphan belongs to a server. If this process had children before, only a marked orphan does.
    is_alone: bool,
    /// The thread that reaps holds the write lock. While a read lock is held, the system reuses the id of no orphan.
    reaping: RwLock<()>,
    /// The ids of processes that a thread of this program waits for.
    own: Mutex<BTreeSet<i32>>,
    /// Marks of servers that have ended and whose orphans have not been ended yet.
    ended: Mutex<Vec<String>>,
    /// Held by the thread that ends them.
    ending: Mutex<()>,
    /// What ends them if this process is killed.
    watcher: OnceLock<Watcher>,
    reaper: Thread,
}

/// Makes this process the parent of orphans until it is dropped; then they are ended.
#[derive(Debug)]
#[must_use]
pub struct Adoption(());

/// Makes this process the parent of all orphans below it. Only for a program that starts nothing but servers: it ends all orphans.
///
/// # Errors
/// The system's error if it does not allow that.
pub fn adopt_orphans() -> io::Result<Adoption> {
    let me = getpid();
    let inherited = mark_of(me.as_raw_pid()).map(|it| it + ",").unwrap_or_default();
    let thread = thread::Builder::new().name("redress-reaper".to_owned()).spawn(reap)?;
    let mut chance = [0; 4];
    getrandom(&mut chance, GetRandomFlags::empty())?;
    let chance = u32::from_ne_bytes(chance);
    let subreaper = Subreaper {
        // Elsewhere on this machine another gate may have the same number.
        ours: format!("{inherited}{}-{chance:08x}.", me.as_raw_pid()),
        servers: AtomicU64::new(0),
        is_alone: me != Pid::INIT && children(me.as_raw_pid()).is_empty(),
        reaping: RwLock::default(),
        own: Mutex::default(),
        ended: Mutex::default(),
        ending: Mutex::default(),
        watcher: OnceLock::new(),
        reaper: thread.thread().clone(),
    };
    SUBREAPER.get_or_init(|| subreaper);
    set_child_subreaper(Some(me))?;
    Ok(Adoption(()))
}

impl Adoption {
    /// Starts a second process of this program that ends the processes of servers if this process is killed. If it cannot be started,
    /// they are left running then. The `main` of this program must pass [`WATCH`] on to [`watch`].
    pub fn watched(self) -> Self {
        if let Some(subreaper) = SUBREAPER.get() {
            // Before its id is stored, it looks like an orphan.
            let _held = subreaper.reaping.read().unwrap_or_else(PoisonError::into_inner);
            if let Ok(watcher) = Watcher::start(&subreaper.ours) {
                // There is one for the process.
                subreaper.watcher.get_or_init(|| watcher);
            }
        }
        self
    }
}

impl Drop for Adoption {
    fn drop(&mut self) {
        if let Some(subreaper) = SUBREAPER.get() {
            let is_marked = |it| mark_of(it).is_some_and(|it| it.starts_with(&subreaper.ours));
            subreaper.end(|it| if subreaper.is_alone { !has_ended(it) } else { is_marked(it) });
            if let Some(watcher) = subreaper.watcher.get() {
                watcher.end();
            }
        }
    }
}

/// A process that this program started and reaps itself.
#[derive(Debug)]
pub struct OwnProcess {
    id: Option<i32>,
    mark: Option<String>,
}

impl OwnProcess {
    /// Starts a process with a mark of its own, so that its orphans can be distinguished from those of others.
    pub fn start(
        mut command: Command,
        start: impl FnOnce(Command) -> io::Result<Child>,
    ) -> io::Result<(Child, Self)> {
        let Some(subreaper) = SUBREAPER.get() else {
            return Ok((start(command)?, Self { id: None, mark: None }));
        };
        let mark =
            format!("{}{}", subreaper.ours, subreaper.servers.fetch_add(1, Ordering::Relaxed));
        command.env(MARK, OsStr::new(&mark));
        // Before its id is stored, it looks like an orphan.
        let _held = subreaper.reaping.read().unwrap_or_else(PoisonError::into_inner);
        let child = start(command)?;
        let id = i32::try_from(child.id()).ok();
        lock(&subreaper.own).extend(id);
        subreaper.reaper.unpark();
        Ok((child, Self { id, mark: Some(mark) }))
    }

    /// Ends the orphans that the process left behind.
    pub fn end_descendants(&self) {
        let Some((subreaper, mark)) = SUBREAPER.get().zip(self.mark.clone()) else { return };
        lock(&subreaper.ended).push(mark);
        let _turn = lock(&subreaper.ending);
        // If there are none, another thread has ended them together with its own.
        let ended = std::mem::take(&mut *lock(&subreaper.ended));
        if ended.is_empty() {
            return;
        }
        subreaper.end(|it| match mark_of(it) {
            Some(mark) => ended.iter().any(|of| is_of(&mark, of)),
            None => subreaper.is_alone && lock(&subreaper.own).len() <= 1 && !has_ended(it),
        });
    }
}

impl Drop for OwnProcess {
    fn drop(&mut self) {
        if let Some((subreaper, id)) = SUBREAPER.get().zip(self.id) {
            lock(&subreaper.own).remove(&id);
        }
    }
}

impl Subreaper {
    /// Ends orphans and all processes below them until none is left, or [`PATIENCE`] is over.
    fn end(&self, is_meant: impl Fn(i32) -> bool) {
        let until = Instant::now() + PATIENCE;
        loop {
            let held = self.reaping.read().unwrap_or_else(PoisonError::into_inner);
            let mut meant = self.orphans();
            meant.retain(|it| is_meant(*it));
            for orphan in meant.iter().filter_map(|it| Pid::from_raw(*it)) {
                kill(&below(orphan));
                kill_process(orphan, Signal::KILL).unwrap_or_default();
            }
            drop(held);
            if meant.is_empty() || Instant::now() > until {
                return;
            }
            thread::park_timeout(PAUSE);
        }
    }

    /// The children of this process that no thread of it started. The system makes them children of its first thread.
    fn orphans(&self) -> Vec<i32> {
        let me = getpid().as_raw_pid();
        let mut children = children_of(&format!("/proc/{me}/task/{me}"));
        let own = lock(&self.own);
        children.retain(|it| !own.contains(it) && Some(*it) != self.watcher());
        children
    }

    fn watcher(&self) -> Option<i32> {
        self.watcher.get().map(|it| it.id)
    }
}

/// Reaps orphans and no other process, on a thread of its own.
fn reap() {
    let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    loop {
        match (waitid(WaitId::All, ended), SUBREAPER.get()) {
            (Err(Errno::CHILD), _) | (_, None) => thread::park(),
            (_, Some(subreaper)) => {
                let held = subreaper.reaping.write().unwrap_or_else(PoisonError::into_inner);
                let ended = subreaper.orphans().into_iter().chain(subreaper.watcher());
                for orphan in ended.filter_map(Pid::from_raw) {
                    let now = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
                    // One that still runs is left alone.
                    waitid(WaitId::Pid(orphan), now).unwrap_or_default();
                }
                drop(held);
                // A process that this program started is reaped by the thread that waits for it.
                thread::park_timeout(PAUSE);
            }
        }
    }
}

/// All processes below one that this program started; none if orphans are not adopted.
pub fn descendants_of(process: Pid) -> Vec<OwnedFd> {
    SUBREAPER.get().map(|_| below(process)).unwrap_or_default()
}

/// Whether a process that is not reaped yet has ended or is about to end.
pub fn is_ending(process: Pid) -> bool {
    process_tree::is_ending(process.as_raw_pid())
}

/// Ends processes.
pub fn kill(processes: &[OwnedFd]) {
    for process in processes {
        // An error means that it is gone already.
        pidfd_send_signal(process, Signal::KILL).unwrap_or_default();
    }
}

/// Whether a mark is that of a server, or of a server behind that one.
fn is_of(mark: &str, server: &str) -> bool {
    mark.strip_prefix(server).is_some_and(|it| it.is_empty() || it.starts_with(','))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::is_of;

    #[test]
    fn a_mark_is_that_of_one_server_and_of_those_behind_it() {
        assert!(is_of("7.1", "7.1") && is_of("7.1,9.0", "7.1"));
        assert!(!is_of("7.12", "7.1") && !is_of("7.2,7.1", "7.1") && !is_of("7", "7.1"));
    }
}
