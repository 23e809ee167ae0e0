//! Starting the server's process, with the threads that read from it, write to it and wait for its end.

use std::{
    fs::File,
    io,
    os::fd::OwnedFd,
    sync::{Arc, atomic::Ordering},
    time::Instant,
};

use rustix::process::Signal;

use super::{output, tap::tap, threads};
use crate::{
    connection::{Connection, Input, Role, Target, Upstream, connect},
    outbox::Outbox,
    process::Started,
    session::{Actions, KillReason},
    tail::Tail,
};

/// A process that was started before there was a connection. If there never is one, it ends.
pub(super) struct Early(Option<io::Result<Started>>);

impl Early {
    /// Starts the server, unless it runs by itself.
    pub(super) fn start(target: &Target) -> Self {
        Self(target.start())
    }
}

impl Drop for Early {
    fn drop(&mut self) {
        if let Some(Ok((process, child, pipes))) = self.0.take() {
            drop(pipes);
            process.signal(Signal::KILL);
            process.nothing_is_read();
            process.wait(child, || ());
        }
    }
}

/// Starts the server; whoever waits for it is told if that fails.
pub(super) fn start(connection: &Arc<Connection>) {
    start_with(connection, Early::start(&connection.runtime.target));
}

/// The same with a process that was started before.
pub(super) fn start_with(connection: &Arc<Connection>, mut early: Early) {
    let begun = match early.0.take() {
        Some(started) => started.and_then(|it| attend(connection, it)),
        None => {
            connect(connection);
            Ok(())
        }
    };
    if let Err(error) = begun {
        connection.not_started(&error);
    }
}

fn attend(connection: &Arc<Connection>, (process, child, pipes): Started) -> io::Result<()> {
    connection.has_started.store(true, Ordering::Release);
    let process = Arc::new(process);
    let outbox = Arc::new(Outbox::new(File::from(OwnedFd::from(pipes.input))));
    let tail = Arc::new(Tail::default());
    let mut turn = Actions::new(connection.now());
    let mut core = connection.lock();
    let input = Input::Outbox(Arc::clone(&outbox));
    let generation = core.connect(Upstream::Child { input, process: Arc::clone(&process) });
    core.session.upstream_ready(Arc::clone(&tail), &mut turn);
    connection.apply(core, &mut turn, Role::Other);

    let (output, output_valve) = tap(pipes.output);
    let (log, log_valve) = tap(pipes.log);
    let (waiting, waited) = (Arc::clone(connection), Arc::clone(&process));
    threads::spawn("redress-wait", move || {
        let exit = waited.wait(child, || {
            output_valve.shut();
            log_valve.shut();
        });
        waiting.upstream_ended(generation, &exit);
    })?;
    let written_to = Arc::clone(&process);
    threads::spawn("redress-courier", move || {
        if outbox.courier(Instant::now).is_err() {
            written_to.end(KillReason::ClosedInput);
        }
    })?;
    threads::server_log(connection, log, tail, Arc::clone(&process))?;
    output::server(connection, output, process, generation)
}
