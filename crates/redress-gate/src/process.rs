//! The process of a server, in the words of the session.

use redress_transport::process::{self, ProcessExit};
pub(crate) use redress_transport::process::{Pipes, RunningServer};

use redress::outcome::KillReason;
use redress_proxy::session::Exit;

/// The process of a server, or its thread.
pub(crate) type Process = process::Process<KillReason>;

/// A server that was started.
pub(crate) type Started = process::Started<KillReason>;

/// How a process ended, for the session.
pub(crate) fn exit(exit: ProcessExit<KillReason>) -> Exit {
    let name = |number| {
        let name = signal_hook::low_level::signal_name(number).map(str::to_owned);
        name.unwrap_or_else(|| format!("signal {number}"))
    };
    Exit { code: exit.code, signal: exit.signal.map(name), ended_for: exit.ended_for }
}
