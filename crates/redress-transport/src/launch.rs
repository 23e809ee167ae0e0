//! Starts a server through a second process of this program, which sets limits and confinement for itself and then becomes the server.
//!
//! Between `fork` and `exec` only `unsafe` code can run; a program in between needs none. Its orders are its arguments. Its standard
//! error is a socket at first: the real standard error comes in by it, and the reason goes out if the server cannot be started. It
//! closes when the process becomes the server.

use std::{
    convert::Infallible,
    ffi::OsString,
    io::{self, IoSlice, IoSliceMut, PipeWriter, Read as _, Write as _},
    mem::MaybeUninit,
    os::{
        fd::{AsFd as _, OwnedFd},
        unix::{net::UnixStream, process::CommandExt as _},
    },
    process::{Child, Command, ExitCode},
};

use rustix::{
    cmsg_space,
    io::fcntl_dupfd_cloexec,
    net::{
        RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
        SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
    },
    process::{Signal, getpid, getppid, set_parent_process_death_signal},
    stdio::dup2_stderr,
};

use crate::{confinement::Confinement, program::Program, resources::Resources};

/// The first argument of this program that makes it become a server.
pub const LAUNCH: &str = "__launch";

/// This program, also after another one has taken its place on the disk.
const THIS_PROGRAM: &str = "/proc/self/exe";

/// The argument before the server's own command.
const COMMAND: &str = "--";

/// The exit code of a process that did not become a server.
const NOT_STARTED: u8 = 127;

/// The longest reason that is heard.
const LONGEST_REASON: u64 = 4 << 10;

/// The gate's side of a start.
#[derive(Debug)]
pub(crate) struct Launch {
    socket: UnixStream,
    /// The standard error of the server.
    log: PipeWriter,
}

impl Launch {
    /// A command that starts this program with its orders. The caller adds the rest.
    pub(crate) fn of(program: &Program, log: PipeWriter) -> io::Result<(Command, Self)> {
        let (socket, theirs) = UnixStream::pair()?;
        let orders = Orders {
            gate: getpid().as_raw_pid(),
            resources: program.resources,
            // The process resolves them in the directory in which the server starts.
            confinement: program.confinement.as_ref().map(Confinement::absolute),
            command: program.command.clone(),
        };
        let mut command = Command::new(THIS_PROGRAM);
        command.arg0("redress").arg(LAUNCH).args(orders.written());
        command.stderr(OwnedFd::from(theirs));
        Ok((command, Self { socket, log }))
    }

    /// Waits until a process has become the server, or could not.
    pub(crate) fn finish(self, mut child: Child) -> io::Result<Child> {
        let Self { socket, log } = self;
        let sent = send(&socket, &log);
        // The server alone holds it now.
        drop(log);
        let mut said = Vec::new();
        // After an error here the process has ended or is about to end, and how it ends is reported.
        io::Read::take(&socket, LONGEST_REASON).read_to_end(&mut said).unwrap_or_default();
        match (reason(&said), sent) {
            (None, Ok(())) => Ok(child),
            (reason, sent) => {
                child.kill().unwrap_or_default();
                child.wait()?;
                Err(reason.or(sent.err()).unwrap_or_else(|| io::Error::other("it did not start")))
            }
        }
    }
}

/// Sends the standard error of a server.
fn send(socket: &UnixStream, log: &PipeWriter) -> io::Result<()> {
    let fds = [log.as_fd()];
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    control.push(SendAncillaryMessage::ScmRights(&fds));
    sendmsg(socket, &[IoSlice::new(b"1")], &mut control, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Why a process did not become a server: the system's error number, or words if there is none.
fn reason(said: &[u8]) -> Option<io::Error> {
    let (number, words) = said.split_first_chunk()?;
    Some(match i32::from_le_bytes(*number) {
        0 => io::Error::other(String::from_utf8_lossy(words).into_owned()),
        number => io::Error::from_raw_os_error(number),
    })
}

/// Becomes the server that the orders name. It returns only if that fails, and the gate knows why then.
pub fn become_server(orders: impl Iterator<Item = OsString>) -> ExitCode {
    // A user who gives this argument by hand has no gate to report to.
    if let Ok(mut gate) = take_log() {
        let Err(error) = Orders::read(orders).and_then(Orders::follow);
        let number = error.raw_os_error().unwrap_or_default();
        let words = if number == 0 { error.to_string() } else { String::new() };
        let said = [&number.to_le_bytes(), words.as_bytes()].concat();
        gate.write_all(&said).unwrap_or_default();
    }
    ExitCode::from(NOT_STARTED)
}

/// Replaces standard error by the one that the gate sends, and keeps the socket until this process becomes the server.
fn take_log() -> io::Result<UnixStream> {
    let stderr = io::stderr();
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    recvmsg(&stderr, &mut [IoSliceMut::new(&mut byte)], &mut control, RecvFlags::CMSG_CLOEXEC)?;
    let log = control.drain().find_map(|it| match it {
        RecvAncillaryMessage::ScmRights(mut fds) => fds.next(),
        _ => None,
    });
    let log = log.ok_or(io::ErrorKind::InvalidInput)?;
    let gate = fcntl_dupfd_cloexec(&stderr, 3)?;
    dup2_stderr(&log)?;
    Ok(UnixStream::from(gate))
}

/// The limits and confinement of a process, and the command that it becomes.
#[derive(Debug, PartialEq, Eq)]
struct Orders {
    /// The process with which it ends.
    gate: i32,
    resources: Resources,
    confinement: Option<Confinement>,
    command: Vec<OsString>,
}

impl Orders {
    /// The orders as arguments: pairs of a word and its value, and then the command.
    fn written(self) -> Vec<OsString> {
        let mut pairs: Vec<(&str, OsString)> = vec![("gate", self.gate.to_string().into())];
        let Resources { memory, processes, open_files } = self.resources;
        for (word, most) in
            [("memory", memory), ("processes", processes), ("open-files", open_files)]
        {
            pairs.extend(most.map(|it| (word, it.to_string().into())));
        }
        if let Some(Confinement { writable, readable, secret, kept }) = self.confinement {
            pairs.push(("confined", if readable.is_some() { "reads" } else { "writes" }.into()));
            pairs.extend(writable.into_iter().map(|it| ("write", it.into())));
            pairs.extend(readable.into_iter().flatten().map(|it| ("read", it.into())));
            pairs.extend(secret.map(|it| ("secret", it.into())));
            pairs.extend(kept.into_iter().map(|it| ("keep", it.into())));
        }
        let pairs = pairs.into_iter().flat_map(|(word, value)| [word.into(), value]);
        pairs.chain([COMMAND.into()]).chain(self.command).collect()
    }

    fn read(mut arguments: impl Iterator<Item = OsString>) -> io::Result<Self> {
        let mut orders = Self {
            gate: 0,
            resources: Resources::default(),
            confinement: None,
            command: Vec::new(),
        };
        while let Some(word) = arguments.next().filter(|it| *it != COMMAND) {
            let value = arguments.next().unwrap_or_default();
            let number = value.to_str().and_then(|it| it.parse().ok());
            let confinement = &mut orders.confinement;
            let (resources, paths) = (&mut orders.resources, confinement.as_mut());
            match (word.to_str(), paths) {
                (Some("gate"), _) => {
                    orders.gate = number.and_then(|it: u64| it.try_into().ok()).unwrap_or_default();
                }
                (Some("memory"), _) => resources.memory = number,
                (Some("processes"), _) => resources.processes = number,
                (Some("open-files"), _) => resources.open_files = number,
                (Some("confined"), _) => {
                    let readable = (value == "reads").then(Vec::new);
                    *confinement = Some(Confinement { readable, ..Confinement::default() });
                }
                (Some("write"), Some(it)) => it.writable.push(value.into()),
                (Some("read"), Some(it)) => it.readable.get_or_insert_default().push(value.into()),
                (Some("secret"), Some(it)) => it.secret = Some(value.into()),
                (Some("keep"), Some(it)) => it.kept.push(value.into()),
                _ => return Err(io::ErrorKind::InvalidInput.into()),
            }
        }
        orders.command = arguments.collect();
        Ok(orders)
    }

    /// Sets limits and confinement, and becomes the server.
    fn follow(self) -> io::Result<Infallible> {
        let (program, arguments) = self.command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // The gate may have ended before.
        if getppid().is_none_or(|it| it.as_raw_pid() != self.gate) {
            return Err(io::Error::other("the gate has ended"));
        }
        if let Some(confinement) = &self.confinement {
            confinement.restrict()?;
        }
        self.resources.hold()?;
        Err(Command::new(program).args(arguments).exec())
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::{Orders, reason};
    use crate::{confinement::Confinement, resources::Resources};

    #[test]
    fn orders_are_read_as_they_were_written() {
        let path = |it: &str| PathBuf::from(it);
        let full = Orders {
            gate: 7,
            resources: Resources { memory: Some(1), processes: None, open_files: Some(3) },
            confinement: Some(Confinement {
                writable: vec![path("--"), path("b c")],
                readable: Some(vec![path("/usr")]),
                secret: Some(path("s")),
                kept: vec![path("k")],
            }),
            command: ["sh", "-c", "--", "memory"].map(Into::into).to_vec(),
        };
        let bare = Orders {
            gate: 7,
            resources: Resources::default(),
            confinement: Some(Confinement { readable: Some(Vec::new()), ..Confinement::default() }),
            command: vec!["a".into()],
        };
        for orders in [full, bare] {
            let shown = format!("{orders:?}");
            let read = Orders::read(orders.written().into_iter()).unwrap();
            assert_eq!(format!("{read:?}"), shown);
        }
        assert!(Orders::read(["write".into(), "x".into()].into_iter()).is_err());
    }

    #[test]
    fn a_reason_is_a_number_of_the_system_or_words() {
        assert!(reason(b"").is_none());
        assert_eq!(reason(&2_i32.to_le_bytes()).unwrap().kind(), std::io::ErrorKind::NotFound);
        assert_eq!(reason(b"\0\0\0\0no").unwrap().to_string(), "no");
    }
}
