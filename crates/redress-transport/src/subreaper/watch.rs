//! A second process of this program that ends the processes of all servers once the gate has ended. The end of its input tells it.

use std::{
    ffi::OsString,
    fs, io,
    os::{
        fd::{AsFd as _, OwnedFd},
        unix::process::CommandExt as _,
    },
    process::{ChildStdin, Command, ExitCode, Stdio},
    thread,
};

use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, pidfd_open, pidfd_send_signal, waitid,
};

use super::{PATIENCE, PAUSE, process_tree::mark_of};

/// The first argument of this program that makes it watch a gate.
pub const WATCH: &str = "__watch";

/// How often in a row no process must be found before the search ends: one that is about to start has no mark yet.
const QUIET: u32 = 3;

/// The process that watches this one.
#[derive(Debug)]
pub(super) struct Watcher {
    pub(super) id: i32,
    process: OwnedFd,
    /// The system closes it when this process ends.
    _input: ChildStdin,
}

impl Watcher {
    /// Starts it for the processes whose mark begins with this text.
    pub(super) fn start(mark: &str) -> io::Result<Self> {
        let mut child = Command::new("/proc/self/exe")
            .arg0("redress")
            .args([WATCH, mark])
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // A signal to the group of the gate does not reach it.
            .process_group(0)
            .spawn()?;
        let id = i32::try_from(child.id()).map_err(io::Error::other)?;
        let gone = || io::Error::from(io::ErrorKind::NotFound);
        let process = pidfd_open(Pid::from_raw(id).ok_or_else(gone)?, PidfdFlags::empty())?;
        let input = child.stdin.take().ok_or_else(gone)?;
        Ok(Self { id, process, _input: input })
    }

    /// Ends it.
    pub(super) fn end(&self) {
        // An error means that it is gone already.
        pidfd_send_signal(&self.process, Signal::KILL).unwrap_or_default();
        waitid(WaitId::PidFd(self.process.as_fd()), WaitIdOptions::EXITED).unwrap_or_default();
    }
}

/// Waits until the gate has ended, and ends all processes whose mark begins with the given text.
pub fn watch(mut marks: impl Iterator<Item = OsString>) -> ExitCode {
    let mark = marks.next().and_then(|it| it.into_string().ok()).filter(|it| !it.is_empty());
    let Some(mark) = mark else { return ExitCode::from(2) };
    // The gate writes nothing there.
    io::copy(&mut io::stdin(), &mut io::sink()).unwrap_or_default();
    let mut quiet = 0;
    for _ in 0..PATIENCE.as_millis() / PAUSE.as_millis() {
        quiet = if end_all(&mark) { 0 } else { quiet + 1 };
        if quiet == QUIET {
            break;
        }
        thread::park_timeout(PAUSE);
    }
    ExitCode::SUCCESS
}

/// Ends all processes with a mark, and gives whether there were any.
fn end_all(mark: &str) -> bool {
    let is_marked = |process: i32| mark_of(process).is_some_and(|it| it.starts_with(mark));
    let names = fs::read_dir("/proc").into_iter().flatten().flatten().map(|it| it.file_name());
    let processes = names.filter_map(|it| it.to_str()?.parse().ok()).filter(|it| is_marked(*it));
    let mut has_ended_any = false;
    for process in processes {
        let handle = Pid::from_raw(process).map(|it| pidfd_open(it, PidfdFlags::empty()));
        // Read again, so that the handle is not one of another process with the same id.
        if let Some(Ok(handle)) = handle
            && is_marked(process)
        {
            pidfd_send_signal(&handle, Signal::KILL).unwrap_or_default();
            has_ended_any = true;
        }
    }
    has_ended_any
}
