//! `Process`: a server's process in a group of its own, so that nothing of it is left when it ends; or its thread.

use std::{
    ffi::OsString,
    fmt, io,
    os::fd::{AsFd, OwnedFd},
    os::unix::process::{CommandExt as _, ExitStatusExt as _},
    path::PathBuf,
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio},
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        mpsc::{self, Receiver, Sender},
    },
    time::Duration,
};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use crate::{
    confine::Confinement,
    inside::Inside,
    kin::{self, Own},
    launch::Launch,
    resources::Resources,
    session::{Exit, KillReason},
    spawner,
};

/// How long what a process wrote last may take to arrive after it ended, or its end after its output closed.
const LINGER: Duration = Duration::from_millis(250);

/// How long it may take to deal with what is left in the pipes of a process that has ended, on a busy machine.
const DEALING: Duration = Duration::from_secs(30);

/// How much a pipe takes that a large message fits in.
pub(crate) const WIDE: usize = 1 << 20;

/// What is started, and how.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Program {
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// Variables of its environment.
    pub env: Vec<(OsString, OsString)>,
    /// Whether it has no other variables than these; else it has ours, too.
    pub has_own_env: bool,
    /// The folder in which it is started; ours, if none is given.
    pub cwd: Option<PathBuf>,
    /// What the system lets it do; by default whatever this process may.
    pub confinement: Option<Confinement>,
    /// How much of the machine it may take, if it is launched.
    pub resources: Resources,
    /// Whether a second process of this program becomes the server, so that it has its limits from its first moment on and ends with
    /// this process, however that ends. The `main` of this program then hands [`LAUNCH`](crate::LAUNCH) to
    /// [`become_server`](crate::become_server).
    pub is_launched: bool,
}

/// Without the variables, which may be secret.
impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program").field("command", &self.command).finish_non_exhaustive()
    }
}

/// A process in a group of its own, or a thread of ours.
#[derive(Debug)]
pub(crate) struct Process {
    who: Who,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is set once, by another thread")]
struct State {
    /// Its output has ended, and all of it has been dealt with.
    is_output_over: bool,
    /// Its log has ended.
    is_log_over: bool,
    /// It has ended.
    is_over: bool,
    /// Why we have ended it.
    ended_for: Option<KillReason>,
    /// It is gone, and its number may belong to another one.
    is_reaped: bool,
    /// What it had started when we began to end it.
    kin: Vec<OwnedFd>,
}

/// Whom a signal is for.
#[derive(Debug)]
enum Who {
    Group(Pid),
    /// A thread cannot be ended; it is given up instead, and ends when it finds its pipes closed.
    Thread(Sender<()>),
}

/// What is waited for.
#[derive(Debug)]
pub(crate) enum Body {
    /// The end of a process.
    Child(Child, Own),
    /// The end of a thread, or that it is given up.
    Thread(Receiver<()>),
}

/// A server that was started.
pub(crate) type Started = (Process, Body, Pipes);

/// The pipes of a process.
#[derive(Debug)]
pub(crate) struct Pipes {
    pub(crate) input: ChildStdin,
    pub(crate) output: ChildStdout,
    pub(crate) log: ChildStderr,
}

impl Process {
    /// Starts a program.
    pub(crate) fn start(program: &Program) -> io::Result<Started> {
        let absent = || io::Error::new(io::ErrorKind::NotFound, "no command was given");
        let (name, args) = program.command.split_first().ok_or_else(absent)?;
        let (log, its_log) = io::pipe()?;
        let (mut command, launch) = if program.is_launched {
            let (command, launch) = Launch::of(program, its_log)?;
            (command, Some(launch))
        } else {
            let mut command = Command::new(name);
            command.args(args).stderr(its_log);
            (command, None)
        };
        if let Some(cwd) = &program.cwd {
            command.current_dir(cwd);
        }
        if program.has_own_env {
            command.env_clear();
        }
        command
            .envs(program.env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .process_group(0);
        let (mut child, own) = Own::start(command, |mut it| match (launch, &program.confinement) {
            (Some(launch), _) => spawner::spawn(it).and_then(|child| launch.finish(child)),
            (None, Some(confinement)) => confinement.spawn(&mut it),
            (None, None) => it.spawn(),
        })
        .map_err(|error| match &program.cwd {
            // The system says the same of a program that is not there.
            Some(cwd) if !cwd.is_dir() => {
                let why = format!("there is no directory {:?}", cwd.display());
                io::Error::new(io::ErrorKind::NotADirectory, why)
            }
            _ => error,
        })?;
        let pipes = (child.stdin.take(), child.stdout.take());
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let ((Some(input), Some(output)), Some(group)) = (pipes, pid) else {
            return Err(io::Error::other("the process has no pipes"));
        };
        let log = OwnedFd::from(log).into();
        widen(&input);
        widen(&output);
        Ok((Self::of(Who::Group(group)), Body::Child(child, own), Pipes { input, output, log }))
    }

    /// Starts a server of this process.
    pub(crate) fn start_inside(inside: &Inside) -> io::Result<Started> {
        let ((theirs, input), (output, ours)) = (io::pipe()?, io::pipe()?);
        // What it has to say goes to our log already.
        let (log, _) = io::pipe()?;
        widen(&input);
        widen(&output);
        let (given_up, body) = mpsc::channel();
        let ended = given_up.clone();
        // Nobody waits any more only when everything ends.
        inside.start(theirs.into(), ours.into(), move || ended.send(()).unwrap_or_default())?;
        let pipes = Pipes {
            input: OwnedFd::from(input).into(),
            output: OwnedFd::from(output).into(),
            log: OwnedFd::from(log).into(),
        };
        Ok((Self::of(Who::Thread(given_up)), Body::Thread(body), pipes))
    }

    fn of(who: Who) -> Self {
        Self { who, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Waits for its end, ends what is left of it, and says how it ended: the work of a thread of its own. `stop` is called if its
    /// pipes do not end with it: what is left in them is read, and nothing that comes later.
    pub(crate) fn wait(&self, body: Body, stop: impl FnOnce()) -> Exit {
        match (&self.who, body) {
            (Who::Group(group), Body::Child(child, own)) => {
                self.wait_for(*group, child, &own, stop)
            }
            (_, Body::Thread(ended)) => {
                ended.recv().unwrap_or_default();
                self.read_the_rest(stop, || ());
                Exit { ended_for: self.lock().ended_for, ..Exit::default() }
            }
            (Who::Thread(_), Body::Child(..)) => Exit::default(),
        }
    }

    fn wait_for(&self, group: Pid, mut child: Child, own: &Own, stop: impl FnOnce()) -> Exit {
        // The number of a process stays its own until it is reaped, so that nobody else's group is hit below.
        while waitid(WaitId::Pid(group), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)
            .is_err_and(|it| it == rustix::io::Errno::INTR)
        {}
        self.read_the_rest(stop, || {
            self.signal(Signal::KILL);
            kin::kill(&std::mem::take(&mut self.lock().kin));
            own.end_kin();
        });
        let status = child.wait();
        self.set(|it| it.is_reaped = true);
        let ended_for = self.lock().ended_for;
        status.map_or_else(|_| Exit::default(), |it| exit(it, ended_for))
    }

    /// It has ended: what it wrote last arrives, then all that it left behind is ended. If others hold its pipes even then, only what
    /// is left in them is read.
    fn read_the_rest(&self, stop: impl FnOnce(), end: impl FnOnce()) {
        let is_read = |it: &State| it.is_output_over && it.is_log_over;
        self.set(|it| it.is_over = true);
        let has_all = self.until(LINGER, is_read);
        end();
        if !has_all {
            stop();
            self.until(DEALING, is_read);
        }
    }

    /// It is about to be ended: what it has started by now ends with it, wherever it goes.
    pub(crate) fn gather_kin(&self) {
        let mut state = self.lock();
        if let Who::Group(process) = self.who
            && !state.is_over
        {
            state.kin.extend(kin::kin_of(process));
        }
    }

    /// All of its output has been dealt with.
    pub(crate) fn output_is_over(&self) {
        self.set(|it| it.is_output_over = true);
    }

    /// All of its log has been read.
    pub(crate) fn log_is_over(&self) {
        self.set(|it| it.is_log_over = true);
    }

    /// Neither of them is read any more.
    pub(crate) fn nothing_is_read(&self) {
        self.output_is_over();
        self.log_is_over();
    }

    /// Its output has ended: it must end, too, or it is ended.
    pub(crate) fn must_end(&self) {
        if !self.until(LINGER, |it| it.is_over) {
            self.end(KillReason::ClosedOutput);
        }
    }

    /// Ends it at once.
    pub(crate) fn end(&self, why: KillReason) {
        let mut state = self.lock();
        let is_ending = match self.who {
            Who::Group(process) => state.is_over || kin::is_ending(process),
            Who::Thread(_) => state.is_over,
        };
        // What ends by itself is not ended by us, even if we noticed by a pipe that closed.
        if !is_ending {
            state.ended_for.get_or_insert(why);
        }
        drop(state);
        self.signal(Signal::KILL);
    }

    /// Sends a signal to all of its group.
    pub(crate) fn signal(&self, signal: Signal) {
        if signal == Signal::KILL {
            self.gather_kin();
        }
        let state = self.lock();
        match &self.who {
            // A group that is gone already is what we want.
            Who::Group(group) if !state.is_reaped => {
                kill_process_group(*group, signal).unwrap_or_default();
            }
            Who::Thread(given_up) if signal == Signal::KILL => {
                given_up.send(()).unwrap_or_default();
            }
            Who::Group(_) | Who::Thread(_) => (),
        }
        drop(state);
    }

    fn until(&self, time: Duration, holds: impl Fn(&State) -> bool) -> bool {
        let waited = self.changed.wait_timeout_while(self.lock(), time, |it| !holds(it));
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }

    fn set(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes a pipe take a large message whole, so that both ends switch less often. What is no pipe, or may not, stays as it is.
pub(crate) fn widen(pipe: &impl AsFd) {
    if rustix::pipe::fcntl_getpipe_size(pipe).is_ok_and(|it| it < WIDE) {
        rustix::pipe::fcntl_setpipe_size(pipe, WIDE).unwrap_or_default();
    }
}

fn exit(status: ExitStatus, ended_for: Option<KillReason>) -> Exit {
    let name = |number| {
        let name = signal_hook::low_level::signal_name(number).map(str::to_owned);
        name.unwrap_or_else(|| format!("signal {number}"))
    };
    let signal = status.signal().map(name);
    // Whoever was about to be ended may have ended otherwise.
    let ended_for = ended_for.filter(|_| status.signal() == Some(Signal::KILL.as_raw()));
    Exit { code: status.code(), signal, ended_for }
}
