//! `Process`: the process of a server, in a group of its own that ends with it, or a thread of this program.

use std::{
    io,
    os::fd::OwnedFd,
    os::unix::process::{CommandExt as _, ExitStatusExt as _},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio},
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        mpsc::{self, Receiver, Sender},
    },
    time::Duration,
};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use crate::{
    in_process::InProcessServer,
    launch::Launch,
    pipe::widen,
    program::Program,
    spawner,
    subreaper::{self, OwnProcess},
};

/// How long the last output of a process may take to arrive after its end, or its end after its output closed.
const LINGER: Duration = Duration::from_millis(250);

/// How long handling what is left in the pipes of an ended process may take on a busy machine.
const DEALING: Duration = Duration::from_secs(30);

/// A process in a group of its own, or a thread of this program. `R` is the reason for which its owner ends it.
#[derive(Debug)]
pub struct Process<R> {
    target: SignalTarget,
    state: Mutex<State<R>>,
    changed: Condvar,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessExit<R> {
    /// Its exit code.
    pub code: Option<i32>,
    /// The number of the signal that ended it.
    pub signal: Option<i32>,
    /// Why its owner ended it; none if it ended by itself.
    pub ended_for: Option<R>,
}

#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is set once, by another thread")]
struct State<R> {
    /// Its output has ended, and all of it was handled.
    is_output_over: bool,
    /// Its log has ended.
    is_log_over: bool,
    /// It has ended.
    is_over: bool,
    /// Why its owner ended it.
    ended_for: Option<R>,
    /// It was reaped, and its id may belong to another process.
    is_reaped: bool,
    /// The processes below it when its owner began to end it.
    descendants: Vec<OwnedFd>,
}

impl<R> Default for State<R> {
    fn default() -> Self {
        Self {
            is_output_over: false,
            is_log_over: false,
            is_over: false,
            ended_for: None,
            is_reaped: false,
            descendants: Vec::new(),
        }
    }
}

/// What a signal is sent to.
#[derive(Debug)]
enum SignalTarget {
    Group(Pid),
    /// A thread cannot be ended. It is given up instead, and ends when it finds its pipes closed.
    Thread(Sender<()>),
}

/// What its owner waits for.
#[derive(Debug)]
pub enum RunningServer {
    /// The end of a process.
    Child(Child, OwnProcess),
    /// The end of a thread, or that it is given up.
    Thread(Receiver<()>),
}

/// A server that was started.
pub type Started<R> = (Process<R>, RunningServer, Pipes);

/// The pipes of a process.
#[derive(Debug)]
pub struct Pipes {
    /// Its standard input.
    pub input: ChildStdin,
    /// Its standard output.
    pub output: ChildStdout,
    /// Its standard error.
    pub log: ChildStderr,
}

impl<R: Copy> Process<R> {
    /// Starts a program.
    pub fn start(program: &Program) -> io::Result<Started<R>> {
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
        let (mut child, own) =
            OwnProcess::start(command, |mut it| match (launch, &program.confinement) {
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
        Ok((
            Self::of(SignalTarget::Group(group)),
            RunningServer::Child(child, own),
            Pipes { input, output, log },
        ))
    }

    /// Starts a server on a thread of this program.
    pub fn start_in_process(server: &InProcessServer) -> io::Result<Started<R>> {
        let ((theirs, input), (output, ours)) = (io::pipe()?, io::pipe()?);
        // It writes to the log of this program already.
        let (log, _) = io::pipe()?;
        widen(&input);
        widen(&output);
        let (given_up, body) = mpsc::channel();
        let ended = given_up.clone();
        // The receiver is gone only when the whole program ends.
        server.start(theirs.into(), ours.into(), move || ended.send(()).unwrap_or_default())?;
        let pipes = Pipes {
            input: OwnedFd::from(input).into(),
            output: OwnedFd::from(output).into(),
            log: OwnedFd::from(log).into(),
        };
        Ok((Self::of(SignalTarget::Thread(given_up)), RunningServer::Thread(body), pipes))
    }

    fn of(target: SignalTarget) -> Self {
        Self { target, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Waits for its end, ends what is left of it, and says how it ended. Blocks, so that a thread of its own should call it. `stop` is
    /// called if its pipes do not end with it: then only what is left in them is to be read.
    pub fn wait(&self, body: RunningServer, stop: impl FnOnce()) -> ProcessExit<R> {
        match (&self.target, body) {
            (SignalTarget::Group(group), RunningServer::Child(child, own)) => {
                self.wait_for(*group, child, &own, stop)
            }
            (_, RunningServer::Thread(ended)) => {
                ended.recv().unwrap_or_default();
                self.read_the_rest(stop, || ());
                ProcessExit { ended_for: self.lock().ended_for, ..ProcessExit::UNKNOWN }
            }
            (SignalTarget::Thread(_), RunningServer::Child(..)) => ProcessExit::UNKNOWN,
        }
    }

    fn wait_for(
        &self,
        group: Pid,
        mut child: Child,
        own: &OwnProcess,
        stop: impl FnOnce(),
    ) -> ProcessExit<R> {
        // The id of a process stays its own until it is reaped, so that no signal below reaches another group.
        while waitid(WaitId::Pid(group), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)
            .is_err_and(|it| it == rustix::io::Errno::INTR)
        {}
        self.read_the_rest(stop, || {
            self.signal(Signal::KILL);
            subreaper::kill(&std::mem::take(&mut self.lock().descendants));
            own.end_descendants();
        });
        let status = child.wait();
        self.set(|it| it.is_reaped = true);
        let ended_for = self.lock().ended_for;
        status.map_or(ProcessExit::UNKNOWN, |it| exit(it, ended_for))
    }

    /// Lets the last output of an ended process arrive, then ends all that it left behind. If other processes hold its pipes even then,
    /// only what is left in them is read.
    fn read_the_rest(&self, stop: impl FnOnce(), end: impl FnOnce()) {
        let is_read = |it: &State<R>| it.is_output_over && it.is_log_over;
        self.set(|it| it.is_over = true);
        let has_all = self.until(LINGER, is_read);
        end();
        if !has_all {
            stop();
            self.until(DEALING, is_read);
        }
    }

    /// Notes the processes below it, which end with it even if they leave its group. To be called before it is ended.
    pub fn collect_descendants(&self) {
        let mut state = self.lock();
        if let SignalTarget::Group(process) = self.target
            && !state.is_over
        {
            state.descendants.extend(subreaper::descendants_of(process));
        }
    }

    /// To be called once all of its output was handled.
    pub fn output_is_over(&self) {
        self.set(|it| it.is_output_over = true);
    }

    /// To be called once all of its log was read.
    pub fn log_is_over(&self) {
        self.set(|it| it.is_log_over = true);
    }

    /// To be called once neither output nor log is read any more.
    pub fn nothing_is_read(&self) {
        self.output_is_over();
        self.log_is_over();
    }

    /// To be called once its output has ended: ends it unless it ends soon by itself.
    pub fn must_end(&self, why: R) {
        if !self.until(LINGER, |it| it.is_over) {
            self.end(why);
        }
    }

    /// Ends it at once.
    pub fn end(&self, why: R) {
        let mut state = self.lock();
        let is_ending = match self.target {
            SignalTarget::Group(process) => state.is_over || subreaper::is_ending(process),
            SignalTarget::Thread(_) => state.is_over,
        };
        // A closed pipe may be the first sign of an end that it came to by itself.
        if !is_ending {
            state.ended_for.get_or_insert(why);
        }
        drop(state);
        self.signal(Signal::KILL);
    }

    /// Whether it is reaped within this time.
    pub fn is_gone_within(&self, time: Duration) -> bool {
        self.until(time, |it| it.is_reaped)
    }

    /// Sends a signal to all of its group.
    pub fn signal(&self, signal: Signal) {
        if signal == Signal::KILL {
            self.collect_descendants();
        }
        let state = self.lock();
        match &self.target {
            // An error means that the group is gone already.
            SignalTarget::Group(group) if !state.is_reaped => {
                kill_process_group(*group, signal).unwrap_or_default();
            }
            SignalTarget::Thread(given_up) if signal == Signal::KILL => {
                given_up.send(()).unwrap_or_default();
            }
            SignalTarget::Group(_) | SignalTarget::Thread(_) => (),
        }
        drop(state);
    }

    fn until(&self, time: Duration, holds: impl Fn(&State<R>) -> bool) -> bool {
        let waited = self.changed.wait_timeout_while(self.lock(), time, |it| !holds(it));
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }

    fn set(&self, change: impl FnOnce(&mut State<R>)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State<R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<R> ProcessExit<R> {
    /// How it ended is unknown.
    const UNKNOWN: Self = Self { code: None, signal: None, ended_for: None };
}

fn exit<R>(status: ExitStatus, ended_for: Option<R>) -> ProcessExit<R> {
    let signal = status.signal();
    // It may have ended by itself before the signal.
    let ended_for = ended_for.filter(|_| signal == Some(Signal::KILL.as_raw()));
    ProcessExit { code: status.code(), signal, ended_for }
}

#[cfg(test)]
mod tests {
    use std::{
        fs::File,
        io::{Read as _, Write as _},
    };

    use rustix::process::Signal;

    use super::Process;
    use crate::in_process::InProcessServer;

    fn echo() -> InProcessServer {
        InProcessServer::new(|input, output| {
            std::io::copy(&mut File::from(input), &mut File::from(output)).unwrap();
        })
    }

    #[test]
    fn it_ends_when_its_input_does() {
        let (process, body, mut pipes) = Process::<()>::start_in_process(&echo()).unwrap();
        pipes.input.write_all(b"one\n").unwrap();
        drop(pipes.input);
        let mut said = String::new();
        pipes.output.read_to_string(&mut said).unwrap();
        process.nothing_is_read();
        process.wait(body, || ());
        assert_eq!(said, "one\n");
    }

    #[test]
    fn it_is_over_when_it_is_killed_or_panics() {
        let (process, body, pipes) = Process::<()>::start_in_process(&echo()).unwrap();
        process.signal(Signal::KILL);
        process.wait(body, || process.nothing_is_read());
        drop(pipes);
        let panics = InProcessServer::new(|_, _| panic!("as was asked for"));
        let (process, body, mut pipes) = Process::<()>::start_in_process(&panics).unwrap();
        assert_eq!(pipes.output.read(&mut [0]).unwrap(), 0);
        process.wait(body, || process.nothing_is_read());
    }
}
