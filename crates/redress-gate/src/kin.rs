//! `Kin`: what a server has started, wherever it has gone since. Once we ask for them, the system hands orphans to us; they end with
//! their server, and those that have ended are reaped.
//!
//! Whose an orphan is says a variable of its environment, which all of them inherit. One that has cleared it ends with its server if
//! that is ended by us or is the only one, and else with us.

mod tree;
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
    tree::{below, children, children_of, has_ended, mark_of},
    watch::Watcher,
};

/// The variable that says to which server a process belongs. Behind a gate within a gate, its value begins with the outer one's.
const MARK: &str = "REDRESS_SERVER";

/// How long the system may take to end what is killed.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often we look.
const PAUSE: Duration = Duration::from_millis(10);

/// There is one, because the system hands orphans to a process as a whole.
static KIN: OnceLock<Kin> = OnceLock::new();

#[derive(Debug)]
struct Kin {
    /// What every mark begins with.
    ours: String,
    servers: AtomicU64,
    /// Every orphan is a server's. Where others were here before us, only what has a mark is.
    is_alone: bool,
    /// Whoever reaps orphans holds all of it. Whoever holds a part of it can trust that their numbers stay their own.
    reaping: RwLock<()>,
    /// Processes that somebody waits for.
    own: Mutex<BTreeSet<i32>>,
    /// Marks of servers that have ended, until somebody ends their kin.
    ended: Mutex<Vec<String>>,
    /// Held by the one who does.
    ending: Mutex<()>,
    /// What ends them if this process is killed.
    watcher: OnceLock<Watcher>,
    reaper: Thread,
}

/// While it is there, orphans of servers are handed to this process. When it is dropped, they end.
#[derive(Debug)]
#[must_use]
pub struct Adoption(());

/// Has the system hand us the orphans of servers. For a program that does nothing but gate: orphans of whatever else it starts would
/// be taken for theirs.
///
/// # Errors
/// What the system says where it does not let us.
pub fn adopt_orphans() -> io::Result<Adoption> {
    let me = getpid();
    let inherited = mark_of(me.as_raw_pid()).map(|it| it + ",").unwrap_or_default();
    let thread = thread::Builder::new().name("redress-reaper".to_owned()).spawn(reap)?;
    let mut chance = [0; 4];
    getrandom(&mut chance, GetRandomFlags::empty())?;
    let chance = u32::from_ne_bytes(chance);
    let kin = Kin {
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
    KIN.get_or_init(|| kin);
    set_child_subreaper(Some(me))?;
    Ok(Adoption(()))
}

impl Adoption {
    /// Has a second process of this program end what servers have started if this one is killed; where none can be started, nothing does.
    /// The `main` of this program hands [`WATCH`] to [`watch`].
    pub fn watched(self) -> Self {
        if let Some(kin) = KIN.get() {
            // Until it is known, it looks like an orphan.
            let _held = kin.reaping.read().unwrap_or_else(PoisonError::into_inner);
            if let Ok(watcher) = Watcher::start(&kin.ours) {
                // There is one for the process.
                kin.watcher.get_or_init(|| watcher);
            }
        }
        self
    }
}

impl Drop for Adoption {
    fn drop(&mut self) {
        if let Some(kin) = KIN.get() {
            let is_marked = |it| mark_of(it).is_some_and(|it| it.starts_with(&kin.ours));
            kin.end(|it| if kin.is_alone { !has_ended(it) } else { is_marked(it) });
            if let Some(watcher) = kin.watcher.get() {
                watcher.end();
            }
        }
    }
}

/// A process of ours, until it is reaped by the one who waits for it.
#[derive(Debug)]
pub(crate) struct Own {
    id: Option<i32>,
    mark: Option<String>,
}

impl Own {
    /// Starts a process that is ours, and whose kin can be told from others.
    pub(crate) fn start(
        mut command: Command,
        start: impl FnOnce(Command) -> io::Result<Child>,
    ) -> io::Result<(Child, Self)> {
        let Some(kin) = KIN.get() else {
            return Ok((start(command)?, Self { id: None, mark: None }));
        };
        let mark = format!("{}{}", kin.ours, kin.servers.fetch_add(1, Ordering::Relaxed));
        command.env(MARK, OsStr::new(&mark));
        // Until it is known to be ours, it looks like an orphan.
        let _held = kin.reaping.read().unwrap_or_else(PoisonError::into_inner);
        let child = start(command)?;
        let id = i32::try_from(child.id()).ok();
        lock(&kin.own).extend(id);
        kin.reaper.unpark();
        Ok((child, Self { id, mark: Some(mark) }))
    }

    /// Ends all that the process has left behind.
    pub(crate) fn end_kin(&self) {
        let Some((kin, mark)) = KIN.get().zip(self.mark.clone()) else { return };
        lock(&kin.ended).push(mark);
        let _turn = lock(&kin.ending);
        // If there are none, then whoever had the turn before has ended ours, too.
        let ended = std::mem::take(&mut *lock(&kin.ended));
        if ended.is_empty() {
            return;
        }
        kin.end(|it| match mark_of(it) {
            Some(mark) => ended.iter().any(|of| is_of(&mark, of)),
            None => kin.is_alone && lock(&kin.own).len() <= 1 && !has_ended(it),
        });
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        if let Some((kin, id)) = KIN.get().zip(self.id) {
            lock(&kin.own).remove(&id);
        }
    }
}

impl Kin {
    /// Ends orphans, and what they have started, until there are none.
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

    /// The children of this process that nobody has started here: the system hands them to the first thread.
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

/// Reaps orphans, and nobody else: the work of a thread of its own.
fn reap() {
    let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    loop {
        match (waitid(WaitId::All, ended), KIN.get()) {
            (Err(Errno::CHILD), _) | (_, None) => thread::park(),
            (_, Some(kin)) => {
                let held = kin.reaping.write().unwrap_or_else(PoisonError::into_inner);
                let ended = kin.orphans().into_iter().chain(kin.watcher());
                for orphan in ended.filter_map(Pid::from_raw) {
                    let now = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
                    // One that lives is left.
                    waitid(WaitId::Pid(orphan), now).unwrap_or_default();
                }
                drop(held);
                // One of our own is reaped by the one who waits for it.
                thread::park_timeout(PAUSE);
            }
        }
    }
}

/// All that a process of ours has started and that is still below it; nothing, if orphans are not ours.
pub(crate) fn kin_of(process: Pid) -> Vec<OwnedFd> {
    KIN.get().map(|_| below(process)).unwrap_or_default()
}

/// Whether a process that is not reaped ends, or has ended, by itself.
pub(crate) fn is_ending(process: Pid) -> bool {
    tree::is_ending(process.as_raw_pid())
}

/// Ends processes.
pub(crate) fn kill(processes: &[OwnedFd]) {
    for process in processes {
        // One that is gone already is what we want.
        pidfd_send_signal(process, Signal::KILL).unwrap_or_default();
    }
}

/// Whether a mark is that of a server, or of one behind it.
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
