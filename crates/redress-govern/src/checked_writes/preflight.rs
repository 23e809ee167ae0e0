//! `Preflight`: a command that must succeed after a write, in a process group of its own that never outlives its time.

use std::{
    ffi::OsString,
    fmt,
    io::{self, PipeReader, Read as _},
    os::unix::process::{CommandExt as _, ExitStatusExt as _},
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use globset::GlobSet;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid},
};

/// How often we look whether it is still wanted.
const GLANCE: Duration = Duration::from_millis(20);
/// How long what it wrote last may take to arrive.
const LINGER: Duration = Duration::from_millis(100);
/// How much of what it writes is kept: the end.
const TAIL_BYTES: usize = 8 << 10;

/// A command that must succeed after a write.
#[derive(Clone)]
pub struct Preflight {
    /// What it is called.
    pub name: String,
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// All of its environment.
    pub env: Vec<(OsString, OsString)>,
    /// Which files it is about; without, all.
    pub paths: Option<GlobSet>,
    /// How long it may take.
    pub timeout: Duration,
}

/// Without the variables, which may be secret.
impl fmt::Debug for Preflight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Preflight").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Starts the commands that check writes.
pub trait Launcher: fmt::Debug + Send + Sync {
    /// Starts a command, which may write in a directory.
    ///
    /// # Errors
    /// What the system says where it cannot be started.
    fn launch(&self, command: Command, directory: &Path) -> io::Result<Launched>;
}

/// A process, and what it starts.
pub type Launched = (Child, Box<dyn Descendants>);

/// The processes that a command has started. The value is dropped after the command was reaped.
pub trait Descendants {
    /// Ends all of them.
    fn end(&self);
}

/// How a command ended.
#[derive(Debug)]
pub(super) enum CommandEnd {
    /// It succeeded.
    Well,
    /// It failed: how, and what it wrote last.
    Badly { how: String, said: String },
    /// It took too long; what it wrote last.
    Late { said: String },
    /// It is not wanted any more.
    Unwanted,
    /// It could not be started.
    NotStarted(io::Error),
}

impl Preflight {
    /// Whether it is about a file.
    pub(super) fn is_about(&self, path: &str) -> bool {
        self.paths.as_ref().is_none_or(|it| it.is_match(path))
    }

    /// Runs it in a directory, in which it may write besides, until it ends, its time is over, or it is not wanted any more.
    pub(super) fn run(
        &self,
        (dir, launcher): (&Path, &dyn Launcher),
        until: Instant,
        is_wanted: impl Fn() -> bool,
    ) -> CommandEnd {
        let until = until.min(Instant::now() + self.timeout);
        let started = self.start(dir, launcher);
        let ((mut child, descendants), group, mut output) = match started {
            Ok(started) => started,
            Err(error) => return CommandEnd::NotStarted(error),
        };
        let mut said = Vec::new();
        let ended = loop {
            if has_ended(group) {
                break None;
            }
            if !is_wanted() {
                break Some(CommandEnd::Unwanted);
            }
            if Instant::now() >= until {
                break Some(CommandEnd::Late { said: String::new() });
            }
            listen(&mut output, &mut said, GLANCE);
        };
        // Whatever it has started goes with it; until it is reaped, the number is its own.
        kill_process_group(group, Signal::KILL).unwrap_or_default();
        descendants.end();
        let status = child.wait();
        drop(descendants);
        let last = Instant::now() + LINGER;
        while Instant::now() < last && listen(&mut output, &mut said, LINGER) {}
        let said = String::from_utf8_lossy(&said).into_owned();
        match (ended, status) {
            (Some(CommandEnd::Late { .. }), _) => CommandEnd::Late { said },
            (Some(ended), _) => ended,
            (None, Ok(status)) if status.success() => CommandEnd::Well,
            (None, Ok(status)) => {
                let how = match (status.code(), status.signal()) {
                    (Some(code), _) => format!("exit code {code}"),
                    (None, signal) => format!("signal {}", signal.unwrap_or_default()),
                };
                CommandEnd::Badly { how, said }
            }
            (None, Err(error)) => CommandEnd::NotStarted(error),
        }
    }

    fn start(
        &self,
        dir: &Path,
        launcher: &dyn Launcher,
    ) -> io::Result<(Launched, Pid, PipeReader)> {
        let absent = || io::Error::new(io::ErrorKind::NotFound, "no command was given");
        let (program, arguments) = self.command.split_first().ok_or_else(absent)?;
        let (output, input) = io::pipe()?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env_clear()
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .current_dir(dir)
            .stdin(Stdio::null())
            .stdout(input.try_clone()?)
            .stderr(input)
            .process_group(0);
        // Our ends of its pipe go with the command, so that it is closed when the last process that has it ends.
        let started = launcher.launch(command, dir)?;
        let group = i32::try_from(started.0.id()).ok().and_then(Pid::from_raw);
        Ok((started, group.ok_or_else(absent)?, output))
    }
}

/// Whether a process has ended; it is not reaped.
fn has_ended(process: Pid) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    !matches!(waitid(WaitId::Pid(process), options), Ok(None))
}

/// Takes in what it has written, or waits for it. Gives whether more may come.
fn listen(output: &mut PipeReader, said: &mut Vec<u8>, patience: Duration) -> bool {
    let time = Timespec { tv_sec: 0, tv_nsec: i64::from(patience.subsec_nanos()) };
    let mut fds = [PollFd::new(&*output, PollFlags::IN)];
    if !matches!(poll(&mut fds, Some(&time)), Ok(1..)) {
        return false;
    }
    let mut piece = vec![0; TAIL_BYTES];
    let read = output.read(&mut piece).unwrap_or_default();
    if read == 0 {
        // Closed, but it runs on: nothing wakes us any more.
        std::thread::park_timeout(patience);
        return false;
    }
    said.extend_from_slice(piece.get(..read).unwrap_or_default());
    let excess = said.len().saturating_sub(TAIL_BYTES);
    said.drain(..excess);
    true
}
