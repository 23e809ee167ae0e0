//! Starting the server's process, with the threads that read from it, write to it and wait for its end.

use std::{
    fs::File,
    io,
    os::fd::OwnedFd,
    sync::{Arc, atomic::Ordering},
    time::Instant,
};

use rustix::process::Signal;

use super::threads;
use crate::{
    link::{Input, Link, Role, Target, Upstream, connect},
    outbox::Outbox,
    process::Process,
    session::Turn,
    tail::Tail,
};

/// Starts the server; whoever waits for it is told if that fails.
pub(super) fn start(link: &Arc<Link>) {
    if let Err(error) = try_to_start(link) {
        link.not_started(&error);
    }
}

fn try_to_start(link: &Arc<Link>) -> io::Result<()> {
    let program = match &link.plan.target {
        Target::Program(program) => program,
        Target::Url(_) => {
            connect(link);
            return Ok(());
        }
    };
    let (process, child, pipes) = Process::start(program)?;
    link.has_started.store(true, Ordering::Release);
    let process = Arc::new(process);
    let outbox = Arc::new(Outbox::new(File::from(OwnedFd::from(pipes.input))));
    let tail = Arc::new(Tail::default());
    let mut turn = Turn::new(link.now());
    let mut core = link.lock();
    let input = Input::Outbox(Arc::clone(&outbox));
    let generation = core.connect(Upstream::Child { input, process: Arc::clone(&process) });
    core.session.upstream_ready(Arc::clone(&tail), &mut turn);
    link.settle(core, &mut turn, Role::Other);

    let (waiting, waited) = (Arc::clone(link), Arc::clone(&process));
    threads::spawn("redress-wait", move || {
        let exit = waited.wait(child);
        waiting.upstream_ended(generation, &exit);
    })?;
    let written_to = Arc::clone(&process);
    threads::spawn("redress-courier", move || {
        if outbox.courier(Instant::now).is_err() {
            written_to.signal(Signal::KILL);
        }
    })?;
    threads::server_log(link, pipes.log, tail, Arc::clone(&process))?;
    threads::server(link, pipes.output, process, generation)
}
