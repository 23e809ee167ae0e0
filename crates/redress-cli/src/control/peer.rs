//! Who is at the other end of a control socket, as the system tells it.

use std::{fs, os::unix::net::UnixStream, process};

use redress::codes;
use rustix::{net::sockopt::socket_peercred, process::geteuid};

use crate::failure::Failure;

/// The most generations that are looked at.
const GENERATIONS: usize = 1_000;

/// The process that connected, if it is this user's; else why it is refused.
pub(super) fn own(stream: &UnixStream) -> Result<u32, Failure> {
    let who = socket_peercred(stream).map_err(|it| {
        refused("The system does not tell who connects.").note(std::io::Error::from(it))
    })?;
    if who.uid != geteuid() {
        let user = who.uid.as_raw();
        return Err(refused(&format!("User {user} is not the user of the gate.")));
    }
    Ok(u32::try_from(who.pid.as_raw_pid()).unwrap_or_default())
}

/// The same for a process that asks a gate for something: its own servers may not.
pub(super) fn own_and_apart(stream: &UnixStream) -> Result<u32, Failure> {
    let process = own(stream)?;
    if descends(process, process::id()) {
        let problem = format!("Process {process} was started by a server of this gate.");
        return Err(refused(&problem));
    }
    Ok(process)
}

fn refused(problem: &str) -> Failure {
    let mut fault = codes::UNAUTHORIZED_ACTION.raise([] as [(&str, &str); 0]);
    problem.clone_into(&mut fault.message);
    Failure::environment(fault)
        .fix("Run `redress config apply` as the user of the gate, and not from one of its servers.")
}

/// Whether a process is another one, or was started by it or by what it started. Orphans of servers become children of the gate, so
/// that they do not get away.
fn descends(process: u32, ancestor: u32) -> bool {
    let parents = std::iter::successors(Some(process), |it| parent(*it));
    parents.take(GENERATIONS).any(|it| it == ancestor)
}

fn parent(process: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name may hold anything, brackets too.
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_ascii_whitespace().nth(1)?.parse().ok().filter(|it| *it > 0)
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio, id};

    use super::descends;

    #[test]
    fn a_process_descends_from_those_that_started_it() {
        let me = id();
        assert!(descends(me, me));
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        assert!(descends(child.id(), me) && !descends(me, child.id()));
        drop(child.stdin.take());
        child.wait().unwrap();
        assert!(!descends(child.id(), me), "it is gone");
    }
}
