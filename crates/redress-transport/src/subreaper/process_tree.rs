//! What `/proc` says of processes: their children, whether they have ended, and the mark that each inherited.

use std::{fs, os::fd::OwnedFd};

use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::MARK;

/// All processes below one.
pub(super) fn below(process: Pid) -> Vec<OwnedFd> {
    let (mut below, mut parents) = (Vec::new(), vec![process.as_raw_pid()]);
    while let Some(parent) = parents.pop() {
        for child in children(parent) {
            let handle = Pid::from_raw(child).map(|it| pidfd_open(it, PidfdFlags::empty()));
            // Listed again, so that the handle is not one of another process with the same id.
            if let Some(Ok(handle)) = handle
                && children(parent).contains(&child)
            {
                below.push(handle);
                parents.push(child);
            }
        }
    }
    below
}

/// The children of a process.
pub(super) fn children(process: i32) -> Vec<i32> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    threads.flat_map(|it| children_of(&it.path().to_string_lossy())).collect()
}

/// The children of a thread.
pub(super) fn children_of(thread: &str) -> Vec<i32> {
    let listed = fs::read_to_string(format!("{thread}/children")).unwrap_or_default();
    listed.split_whitespace().filter_map(|it| it.parse().ok()).collect()
}

/// Whether a process has ended and waits to be reaped.
pub(super) fn has_ended(process: i32) -> bool {
    stat(process).is_none_or(|it| it.starts_with(['Z', 'X']))
}

/// Whether a process is about to end. Its pipes are closed before it has ended.
pub(super) fn is_ending(process: i32) -> bool {
    const EXITING: u32 = 4;
    let flags = stat(process).and_then(|it| it.split(' ').nth(6)?.parse::<u32>().ok());
    flags.is_none_or(|it| it & EXITING != 0)
}

/// The line of a process in `/proc`, from its state on.
fn stat(process: i32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    stat.rsplit_once(") ").map(|(_, it)| it.to_owned())
}

/// The mark that a process inherited; none once it has ended.
pub(super) fn mark_of(process: i32) -> Option<String> {
    let variables = fs::read(format!("/proc/{process}/environ")).ok()?;
    let mut variables = variables.split(|it| *it == 0);
    let mark = variables.find_map(|it| it.strip_prefix(MARK.as_bytes())?.strip_prefix(b"="))?;
    String::from_utf8(mark.to_vec()).ok()
}
