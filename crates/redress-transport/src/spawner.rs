//! The one thread that starts the processes of servers. The system ends a process with the thread that started it, so that this thread
//! lasts as long as the gate.

use std::{
    io,
    process::{Child, Command},
    sync::{
        OnceLock,
        mpsc::{self, Receiver, Sender},
    },
    thread,
};

/// A command, and where its process is sent.
type SpawnRequest = (Command, Sender<io::Result<Child>>);

static ORDERS: OnceLock<Sender<SpawnRequest>> = OnceLock::new();

/// Starts a process.
pub(crate) fn spawn(command: Command) -> io::Result<Child> {
    let (reply, started) = mpsc::channel();
    let gone = || io::Error::other("the thread that starts processes has ended");
    orders()?.send((command, reply)).map_err(|_unsent| gone())?;
    started.recv().unwrap_or_else(|_closed| Err(gone()))
}

fn orders() -> io::Result<&'static Sender<SpawnRequest>> {
    if let Some(orders) = ORDERS.get() {
        return Ok(orders);
    }
    let (orders, taken) = mpsc::channel();
    thread::Builder::new().name("redress-start".to_owned()).spawn(move || work(&taken))?;
    // If another thread was faster, the one that was started here ends, and has started nothing.
    Ok(ORDERS.get_or_init(|| orders))
}

fn work(orders: &Receiver<SpawnRequest>) {
    for (mut command, reply) in orders {
        let started = command.spawn();
        // Closes the ends of pipes that the process has, before another thread waits for them to close.
        drop(command);
        // The thread that asked waits for it.
        reply.send(started).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::{BufRead as _, BufReader, Write as _},
        process::{Command, Stdio},
        thread,
    };

    use super::spawn;

    #[test]
    fn a_process_outlives_the_thread_that_asked_for_it() {
        let start = || {
            let mut command = Command::new("setpriv");
            command.args(["--pdeathsig", "KILL", "sh", "-c", "echo on; read -r it; echo $it"]);
            spawn({
                command.stdin(Stdio::piped()).stdout(Stdio::piped());
                command
            })
        };
        let mut child = thread::spawn(start).join().unwrap().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        assert_eq!(lines.next().unwrap(), "on");
        child.stdin.take().unwrap().write_all(b"still here\n").unwrap();
        assert_eq!(lines.next().unwrap(), "still here");
        assert!(child.wait().unwrap().success());
    }
}
