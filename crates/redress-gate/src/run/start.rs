//! Starting the server's process, with the threads that read from it, write to it and wait for its end.

use std::{
    fs::File,
    io,
    os::fd::OwnedFd,
    sync::{Arc, atomic::Ordering},
    time::Instant,
};

use rustix::process::Signal;

use super::{
    gate::{Core, Event, Gate, Role, Upstream},
    threads,
};
use crate::{
    outbox::Outbox,
    process::Process,
    session::{Exit, Turn},
    tail::Tail,
};

impl Gate {
    /// Starts the server; whoever waits for it is told if that fails.
    pub(super) fn start(self: &Arc<Self>) {
        let mut turn = Turn::new(self.now());
        if let Err(error) = self.try_to_start(&mut turn) {
            let message = format!("redress: cannot start the server: {error}\n");
            self.log.pass(message.as_bytes());
            let mut core = self.lock();
            core.session.upstream_failed(&error, &mut turn);
            self.settle(core, &mut turn, Role::Other);
        }
    }

    fn try_to_start(self: &Arc<Self>, turn: &mut Turn) -> io::Result<()> {
        let (process, child, pipes) = Process::start(&self.command)?;
        self.has_started.store(true, Ordering::Release);
        let process = Arc::new(process);
        let outbox = Arc::new(Outbox::new(File::from(OwnedFd::from(pipes.input))));
        let tail = Arc::new(Tail::default());
        turn.now = self.now();
        let mut core = self.lock();
        core.generation += 1;
        let generation = core.generation;
        core.upstream =
            Some(Upstream { outbox: Arc::clone(&outbox), process: Arc::clone(&process) });
        core.session.upstream_ready(Arc::clone(&tail), turn);
        self.settle(core, turn, Role::Other);

        let (gate, waited) = (Arc::clone(self), Arc::clone(&process));
        threads::spawn("redress-wait", move || {
            let exit = waited.wait(child);
            gate.upstream_ended(generation, &exit);
        })?;
        let written_to = Arc::clone(&process);
        threads::spawn("redress-courier", move || {
            if outbox.courier(Instant::now).is_err() {
                written_to.signal(Signal::KILL);
            }
        })?;
        threads::server_log(self, pipes.log, tail, Arc::clone(&process))?;
        threads::server(self, pipes.output, process, generation)
    }

    /// The process ended, and all that it wrote has been read.
    fn upstream_ended(self: &Arc<Self>, generation: u64, exit: &Exit) {
        let mut turn = Turn::new(self.now());
        let mut core = self.lock();
        if core.generation == generation {
            if let Some(upstream) = core.upstream.take() {
                upstream.outbox.close();
            }
            core.session.upstream_gone(exit, &mut turn);
            self.settle(core, &mut turn, Role::Other);
        }
        self.tell(Event::Ended);
    }
}

impl Core {
    /// Whether lines of that process still count.
    pub(super) const fn is_current(&self, generation: u64) -> bool {
        self.generation == generation && self.upstream.is_some()
    }
}
