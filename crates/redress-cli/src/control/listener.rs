//! The gate's side of the control socket.

use std::{
    io::{self, Read as _, Write as _},
    os::unix::net::{UnixListener, UnixStream},
    path::{Path, PathBuf},
    sync::{
        Arc,
        mpsc::{self, SyncSender},
    },
    thread,
    time::{Duration, Instant},
};

use redress::codes;
use rustix::fs::{AtFlags, Mode, chmodat};

use super::{
    Outcome,
    directory::Directory,
    message::{self, Apply},
    peer,
};
use crate::{failure::Failure, output::Err as ToOperator};

/// How long a client may take to say what it wants, and to read the answer.
const SAYING: Duration = Duration::from_secs(5);

/// How long the gate may take to apply a file.
const APPLYING: Duration = Duration::from_secs(60);

/// The most bytes of a request.
const LINE: usize = 1 << 16;

/// How long the gate waits when no connection can be accepted.
const PAUSE: Duration = Duration::from_millis(50);

/// The most clients at a time.
const CLIENTS: usize = 8;

/// The most gates that are one process to others, as in containers that share a directory.
const NAMES: u32 = 100;

/// The control socket of this gate. It is removed when this is dropped.
pub(crate) struct ControlSocket {
    directory: Directory,
    name: String,
}

/// A file is to be applied.
#[derive(Debug)]
pub(crate) struct ApplyRequest {
    /// The process that asks.
    pub(crate) process: u32,
    /// The hash of the file that is meant.
    pub(crate) sha256: [u8; 32],
    /// Where the answer goes.
    pub(crate) answer: SyncSender<Outcome>,
}

impl ControlSocket {
    /// Opens the socket of a gate that serves a file; `take` is given each request.
    pub(crate) fn open(
        file: &Path,
        take: impl Fn(ApplyRequest) + Send + Sync + 'static,
    ) -> Result<Self, Failure> {
        let directory = Directory::make()?;
        let shown = directory.path.to_string_lossy().into_owned();
        let (listener, name) = bind(&directory).map_err(|it| Failure::writing(&shown, &it))?;
        let socket = Self { directory, name };
        let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
        let gate = Arc::new(Gate { file, take });
        let listen = move || {
            for stream in listener.incoming() {
                let Ok(stream) = stream else {
                    // The system has nothing left to accept a connection with.
                    thread::park_timeout(PAUSE);
                    continue;
                };
                // The listener itself has one, too.
                if Arc::strong_count(&gate) > CLIENTS {
                    continue;
                }
                let gate = Arc::clone(&gate);
                let answer = move || gate.answer(stream);
                // Without a thread the client finds the connection closed.
                drop(thread::Builder::new().name("redress-control".to_owned()).spawn(answer));
            }
        };
        let spawned = thread::Builder::new().name("redress-control".to_owned()).spawn(listen);
        spawned.map_err(|it| Failure::writing(&shown, &it))?;
        Ok(socket)
    }
}

impl Drop for ControlSocket {
    fn drop(&mut self) {
        self.directory.remove(&self.name);
    }
}

/// Binds a socket that only this user can open. Gates take turns, so that none takes another one's socket for dead before it listens.
fn bind(directory: &Directory) -> io::Result<(UnixListener, String)> {
    directory.handle.lock()?;
    let bound = bind_in_turn(directory);
    directory.handle.unlock()?;
    bound
}

fn bind_in_turn(directory: &Directory) -> io::Result<(UnixListener, String)> {
    directory.remove_dead()?;
    for number in 0..NAMES {
        let name = Directory::name(number);
        match UnixListener::bind(directory.address(&name)) {
            Ok(listener) => {
                let mode = Mode::from_raw_mode(0o600);
                chmodat(&directory.handle, &name, mode, AtFlags::empty())?;
                return Ok((listener, name));
            }
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AddrInUse.into())
}

/// What a client can ask of this gate.
struct Gate<T> {
    file: PathBuf,
    take: T,
}

impl<T: Fn(ApplyRequest)> Gate<T> {
    fn answer(&self, mut stream: UnixStream) {
        let process = peer::own_and_apart(&stream);
        if let Err(failure) = &process {
            let refused = format!("refused on the control socket: {}", failure.reason());
            ToOperator::new().say(&refused);
        }
        // What is not read would cost a client the answer. Who does not end the line in time gets none.
        let Ok(line) = heard(&mut stream) else { return };
        if line.is_empty() && process.is_ok() {
            // Another gate looks whether this one is alive.
            return;
        }
        let outcome = process.and_then(|it| Ok(self.apply(it, &Apply::read(&line)?)));
        let line = outcome.unwrap_or_else(Outcome::Refused).to_line();
        // Who has left need not hear it.
        let said = stream.set_write_timeout(Some(SAYING));
        drop(said.and_then(|()| stream.write_all(line.as_bytes())));
    }

    fn apply(&self, process: u32, asked: &Apply) -> Outcome {
        let own = message::shown(&self.file.canonicalize().unwrap_or_else(|_| self.file.clone()));
        if own != asked.file {
            return Outcome::OtherFile(own);
        }
        let (answer, outcome) = mpsc::sync_channel(1);
        (self.take)(ApplyRequest { process, sha256: asked.sha256, answer });
        outcome.recv_timeout(APPLYING).unwrap_or_else(|_| {
            let fault = codes::TIMEOUT.raise([] as [(&str, &str); 0]);
            let fix = "Look at what the gate says, and apply it again.";
            Outcome::Refused(Failure::environment(fault).fix(fix))
        })
    }
}

/// One line of a client, within bounds of time and size. What is behind it is not read.
fn heard(stream: &mut UnixStream) -> io::Result<Vec<u8>> {
    let until = Instant::now() + SAYING;
    let mut line = Vec::new();
    let mut bytes = [0; 4096];
    while line.len() < LINE {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        let read = match stream.read(&mut bytes) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let read = bytes.get(..read).unwrap_or_default();
        match read.iter().position(|it| *it == b'\n') {
            Some(end) => {
                line.extend_from_slice(read.get(..end).unwrap_or_default());
                break;
            }
            None => line.extend_from_slice(read),
        }
    }
    Ok(line)
}
