//! A row that runs: its process, its callers, and what it has used.

use std::{
    net::{SocketAddr, TcpListener, TcpStream},
    os::unix::process::CommandExt as _,
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::{
    fallible::Fallible,
    load::{Callers, HttpCallers, StdioCallers, Tally, Target, Until, Work},
    place::Place,
    procfs::{self, Tree},
    row::{Fill, Row},
};

/// How long a process may take to start.
const START: Duration = Duration::from_secs(30);
/// How long it may take to end when it is asked to.
const END: Duration = Duration::from_secs(2);
/// How long anything else may take before its process is ended.
const STALL: Duration = Duration::from_mins(15);

/// A process that ends when it is dropped, and all that it has started.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    _watch: mpsc::Sender<()>,
}

impl Process {
    pub(crate) fn start(command: &[String], fill: &Fill<'_>, is_http: bool) -> Fallible<Self> {
        let (program, arguments) = command.split_first().ok_or("no command")?;
        let stream = || if is_http { Stdio::null() } else { Stdio::piped() };
        let child = Command::new(program)
            .args(arguments)
            .env("XDG_STATE_HOME", fill.dir)
            // The key of the ledger is made once in the life of a machine, not at each start.
            .env("XDG_CONFIG_HOME", fill.place.dir())
            .env("RUST_LOG", "error")
            .stdin(stream())
            .stdout(stream())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .map_err(|it| format!("{program}: {it}"))?;
        let (watch, is_over) = mpsc::channel();
        let pid = child.id();
        thread::spawn(move || {
            if is_over.recv_timeout(STALL) == Err(mpsc::RecvTimeoutError::Timeout) {
                signal(pid, Signal::KILL);
            }
        });
        Ok(Self { child, _watch: watch })
    }

    pub(crate) fn usage(&self) -> Tree {
        procfs::tree(self.child.id())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        signal(self.child.id(), Signal::TERM);
        let until = Instant::now() + END;
        while Instant::now() < until && matches!(self.child.try_wait(), Ok(None)) {
            thread::sleep(Duration::from_millis(2));
        }
        signal(self.child.id(), Signal::KILL);
        self.child.wait().map(|_| ()).unwrap_or_default();
    }
}

/// A process that is gone already needs no signal.
fn signal(group: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(group).ok().and_then(Pid::from_raw) {
        kill_process_group(pid, signal).unwrap_or_default();
    }
}

/// The server at an address, for the rows that do not start their own.
#[derive(Debug)]
pub(crate) struct Server {
    process: Process,
    pub(crate) address: SocketAddr,
}

impl Server {
    pub(crate) fn start(place: &Place) -> Fallible<Self> {
        let address = free_address()?;
        let dir = place.fresh()?;
        let fill = Fill { place, dir: &dir, port: address.port(), server: address };
        let command = fill.command("{server} {address}");
        let process = Process::start(&command, &fill, true)?;
        wait_for(address)?;
        Ok(Self { process, address })
    }

    pub(crate) fn usage(&self) -> Tree {
        self.process.usage()
    }
}

/// A free address of this machine.
pub(crate) fn free_address() -> Fallible<SocketAddr> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}

fn wait_for(address: SocketAddr) -> Fallible<()> {
    let until = Instant::now() + START;
    while TcpStream::connect_timeout(&address, START).is_err() {
        if Instant::now() > until {
            return Err(format!("nobody listens at {address}").into());
        }
        thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

/// A row whose callers have introduced themselves.
pub(crate) struct Running {
    process: Option<Process>,
    callers: Box<dyn Callers>,
    /// Where it listens; of a row on stdio, where the server does.
    pub(crate) address: SocketAddr,
    /// From the start of the process to its first answer.
    pub(crate) first_answer: Duration,
}

impl Running {
    /// Starts a row with one session.
    pub(crate) fn start(place: &Place, row: &Row, server: &Server) -> Fallible<Self> {
        Self::start_at(place, row, server, &[row.path.to_owned()])
    }

    /// Starts a row with a session at each of the paths.
    pub(crate) fn start_at(
        place: &Place,
        row: &Row,
        server: &Server,
        paths: &[String],
    ) -> Fallible<Self> {
        if let Some(missing) = row.missing(place) {
            return Err(format!("not installed: {}", missing.display()).into());
        }
        let dir = place.fresh()?;
        let address = if row.has_process() { free_address()? } else { server.address };
        let fill = Fill { place, dir: &dir, port: address.port(), server: server.address };
        let command = row.command(&fill)?;
        let workspace = row.is_governed.then(|| place.workspace()).transpose()?;
        let start = Instant::now();
        let is_http = row.crossing.is_http();
        let process =
            row.has_process().then(|| Process::start(&command, &fill, is_http)).transpose()?;
        match process {
            Some(process) if !is_http => {
                Self::on_stdio(process, start, (workspace.as_deref(), address))
            }
            process => {
                let first = first_session(address, paths.first().map_or(row.path, |it| it))?;
                let first_answer = start.elapsed();
                first.list_tools(address)?;
                let mut targets = vec![first];
                for path in paths.iter().skip(1) {
                    targets.push(Target::open(address, path)?);
                }
                let callers = Box::new(HttpCallers::new(address, row.prefix, targets)?);
                Ok(Self { process, callers, address, first_answer })
            }
        }
    }

    fn on_stdio(
        mut process: Process,
        start: Instant,
        (workspace, address): (Option<&Path>, SocketAddr),
    ) -> Fallible<Self> {
        let input = process.child.stdin.take().ok_or("no input")?;
        let output = process.child.stdout.take().ok_or("no output")?;
        let mut callers = StdioCallers::new(input, output);
        callers.first_answer()?;
        let first_answer = start.elapsed();
        callers.list_tools()?;
        workspace.map_or(Ok(()), |it| callers.begin(it))?;
        Ok(Self { process: Some(process), callers: Box::new(callers), address, first_answer })
    }

    pub(crate) fn call(&mut self, work: Work, until: Until) -> Fallible<Tally> {
        self.callers.call(work, until)
    }

    /// What its process has used, the servers that it started apart.
    pub(crate) fn usage(&self) -> Tree {
        self.process.as_ref().map_or_else(Tree::default, Process::usage)
    }
}

/// Opens a session with a process that may not listen yet.
fn first_session(address: SocketAddr, path: &str) -> Fallible<Target> {
    let until = Instant::now() + START;
    loop {
        match Target::open(address, path) {
            Err(error) if Instant::now() > until => return Err(error),
            Err(_) => thread::sleep(Duration::from_millis(1)),
            Ok(target) => return Ok(target),
        }
    }
}
