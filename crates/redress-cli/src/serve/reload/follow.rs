//! Waits for changes of the file, for SIGHUP, and for `redress config apply`, and has them taken one after the other.

use std::{
    fs, io,
    sync::mpsc::{Receiver, RecvTimeoutError, Sender},
    thread,
    time::{Duration, Instant},
};

use redress::codes;
use signal_hook::{consts::SIGHUP, iterator::Signals};

use super::Reload;
use crate::{
    config::{Config, EACH, Look, Loosening, REST, Watch},
    control::{ApplyRequest, Outcome},
    failure::Failure,
    output::Err as ToOperator,
};

/// How long a file that is to be applied may be in motion.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why the file is looked at now.
pub(in crate::serve) enum Event {
    /// SIGHUP came.
    HungUp,
    /// An operator wants it applied.
    Apply(ApplyRequest),
}

/// Takes every SIGHUP from now on: as an event if there is a file to read again, else with a line that says there is none. Without a
/// file, a signal that was ignored when we started stays ignored, so that the servers that we start ignore it, too.
pub(in crate::serve) fn take_hang_ups(has_file: bool, events: &Sender<Event>) -> io::Result<()> {
    if has_file {
        let events = events.clone();
        return at_hang_up(move || events.send(Event::HungUp).is_ok());
    }
    if is_ignored(SIGHUP) {
        return Ok(());
    }
    at_hang_up(|| {
        ToOperator::new().say("there is no file to read again, and everything goes on");
        true
    })
}

/// Does something at each SIGHUP, in a thread, until it is no longer wanted.
fn at_hang_up(mut work: impl FnMut() -> bool + Send + 'static) -> io::Result<()> {
    let mut signals = Signals::new([SIGHUP])?;
    let wait = move || {
        for _ in signals.forever() {
            if !work() {
                return;
            }
        }
    };
    thread::Builder::new().name("redress-hang-up".to_owned()).spawn(wait).map(drop)
}

/// Whether a signal is ignored since we were started.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|it| it.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|it| u64::from_str_radix(it.trim(), 16).ok()).unwrap_or_default();
    mask >> (signal - 1) & 1 == 1
}

/// Reads a file for the first time, when it is whole and at rest.
pub(in crate::serve) fn first<L>(watch: &mut Watch<L>) -> Result<Config, Failure>
where
    L: FnMut() -> Result<Config, Failure>,
{
    let until = Instant::now() + PATIENCE;
    loop {
        match watch.look() {
            Look::Read(read) => return read,
            Look::Written(file, process) => say_written(&file.to_string_lossy(), process),
            Look::Same | Look::Moving => {}
        }
        if Instant::now() > until {
            return Err(unsettled());
        }
        thread::park_timeout(REST);
    }
}

/// Takes every change, in a thread of its own and until the process ends.
pub(in crate::serve) fn follow<L>(
    reload: Reload,
    watch: Watch<L>,
    events: Receiver<Event>,
) -> io::Result<()>
where
    L: FnMut() -> Result<Config, Failure> + Send + 'static,
{
    let mut follower = Follower { reload, watch, asked: Vec::new() };
    let follow = move || while follower.wait(&events) {};
    thread::Builder::new().name("redress-config".to_owned()).spawn(follow).map(drop)
}

struct Follower<L> {
    reload: Reload,
    watch: Watch<L>,
    /// Requests that wait until the file is at rest, each with the end of its patience.
    asked: Vec<(ApplyRequest, Instant)>,
}

impl<L: FnMut() -> Result<Config, Failure>> Follower<L> {
    /// Waits for the next event, or until it is time to look, and looks. Gives whether there is more to wait for.
    fn wait(&mut self, events: &Receiver<Event>) -> bool {
        let wait = if self.watch.is_moving() { REST } else { EACH };
        match events.recv_timeout(wait) {
            Ok(Event::HungUp) => self.watch.ask(),
            Ok(Event::Apply(request)) => {
                self.watch.ask();
                self.asked.push((request, Instant::now() + PATIENCE));
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return false,
        }
        match self.watch.look() {
            Look::Read(read) => self.take(read),
            Look::Written(file, process) => say_written(&file.to_string_lossy(), process),
            Look::Same | Look::Moving => {}
        }
        let now = Instant::now();
        for (request, _) in self.asked.extract_if(.., |it| it.1 < now) {
            answer(&request, Outcome::Refused(unsettled()));
        }
        true
    }

    /// Serves what was read. What lets more in is served, too, if the operator asked for just that file to be applied.
    fn take(&mut self, read: Result<Config, Failure>) {
        let sha256 = self.watch.sha256();
        let asked = self.asked.drain(..).map(|it| it.0);
        let (confirmed, late): (Vec<_>, Vec<_>) = asked.partition(|it| Some(it.sha256) == sha256);
        for request in late {
            answer(&request, Outcome::Refused(changed()));
        }
        let loosening = if confirmed.is_empty() { Loosening::Held } else { Loosening::Confirmed };
        for request in &confirmed {
            let said = format!("process {} has the file applied", request.process);
            ToOperator::new().say(&said);
        }
        let taken = read.and_then(|it| self.reload.take(&it, loosening));
        for request in &confirmed {
            answer(
                request,
                match &taken {
                    Ok(changes) => Outcome::Applied(changes.clone()),
                    Err(failure) => Outcome::Refused(failure.clone()),
                },
            );
        }
        if let Err(failure) = taken {
            failure.report();
            ToOperator::new().say("what was valid before is still served");
        }
    }
}

/// Who asked may have left.
fn answer(request: &ApplyRequest, outcome: Outcome) {
    drop(request.answer.try_send(outcome));
}

fn say_written(file: &str, process: u32) {
    let said =
        format!("{file} is open for writing in process {process}; it is read when that is done");
    ToOperator::new().say(&said);
}

/// A file that is not whole yet.
fn unsettled() -> Failure {
    conflict("The file is still being written.")
}

/// A file that was changed after it was to be applied.
fn changed() -> Failure {
    conflict("The file changed while it was being applied, so that nothing was confirmed.")
}

fn conflict(problem: &str) -> Failure {
    let mut fault = codes::CONFLICT.raise([] as [(&str, &str); 0]);
    problem.clone_into(&mut fault.message);
    Failure::environment(fault).fix("Wait until it is written as a whole, then try again.")
}
