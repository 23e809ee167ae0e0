//! `Resources`: limits of what the process of a server may take. The system enforces them.

use std::{fs, io};

use rustix::process::{Resource, Rlimit, getrlimit, getuid, setrlimit};

/// Limits of what the process of a server may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Resources {
    /// The most private memory of each of its processes, in bytes.
    pub memory: Option<u64>,
    /// The most processes and threads of the server. The system counts all of the user, so that those which other programs of this user
    /// start later count, too. It does not limit root.
    pub processes: Option<u64>,
    /// The most files that each of its processes has open.
    pub open_files: Option<u64>,
}

impl Resources {
    /// Limits this process for good, and with it the program that it becomes and all that it starts.
    pub(crate) fn hold(self) -> io::Result<()> {
        if let Some(bytes) = self.memory {
            limit(Resource::Data, bytes)?;
        }
        if let Some(most) = self.processes {
            // This process is counted already, and is the first of the server.
            limit(Resource::Nproc, running().saturating_sub(1).saturating_add(most))?;
        }
        if let Some(most) = self.open_files {
            limit(Resource::Nofile, most)?;
        }
        Ok(())
    }
}

/// Sets a limit that this process and those below it cannot raise. A lower limit stays.
fn limit(resource: Resource, most: u64) -> io::Result<()> {
    let most = getrlimit(resource).maximum.map_or(most, |it| it.min(most));
    Ok(setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?)
}

/// How many processes and threads this user has.
fn running() -> u64 {
    let user = getuid().as_raw();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let is_process =
        |it: &fs::DirEntry| it.file_name().as_encoded_bytes().iter().all(u8::is_ascii_digit);
    let statuses = processes
        .filter(is_process)
        .filter_map(|it| fs::read_to_string(it.path().join("status")).ok());
    statuses.map(|it| threads_of(&it, user)).sum()
}

/// How many threads a process has, by its status; none if it is another user's.
fn threads_of(status: &str, user: u32) -> u64 {
    let number = |name: &str| -> Option<u64> {
        let line = status.lines().find_map(|it| it.strip_prefix(name))?;
        line.split_whitespace().next()?.parse().ok()
    };
    let is_ours = number("Uid:") == Some(u64::from(user));
    number("Threads:").filter(|_| is_ours).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{running, threads_of};

    #[test]
    fn threads_of_this_user_count() {
        let status = "Name:\tsh\nUid:\t1000\t0\t0\t0\nThreads:\t3\n";
        assert_eq!((threads_of(status, 1000), threads_of(status, 0)), (3, 0));
        assert!(running() > 0);
    }
}
