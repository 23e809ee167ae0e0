//! The processes that a row is made of: a server that costs next to nothing, and the limits of a proxy.

mod bridge;
mod forward;
mod lines;
mod pipe;
mod upstream;

use std::{ffi::OsString, net::SocketAddr, path::PathBuf};

use clap::Subcommand;
use rustix::process::{Signal, set_parent_process_death_signal};

use crate::{agents, fallible::Fallible};

/// One process.
#[derive(Debug, Subcommand)]
pub(crate) enum Part {
    /// The server, on stdio or at an address.
    Upstream {
        /// Where it listens; on stdio without.
        listen: Option<SocketAddr>,
    },
    /// The server of `agents`, whose tools fail.
    Lab { world: PathBuf, patience_ms: u64 },
    /// Copies bytes to and from a command: no proxy on stdio does less.
    Pipe {
        /// Look at each line.
        #[arg(long)]
        lines: bool,
        #[arg(last = true, required = true)]
        command: Vec<OsString>,
    },
    /// Copies bytes between connections: no proxy on TCP does less.
    Forward { listen: SocketAddr, target: SocketAddr },
    /// Reads HTTP, looks at each message, passes it on: no gate that routes does less.
    Bridge {
        listen: SocketAddr,
        /// The server's address.
        #[arg(long, conflicts_with = "command", required_unless_present = "command")]
        target: Option<SocketAddr>,
        /// The server's command.
        #[arg(last = true)]
        command: Vec<OsString>,
    },
}

/// Runs until the other side ends, or the process that started it.
pub(crate) fn play(part: Part) -> Fallible<()> {
    set_parent_process_death_signal(Some(Signal::TERM))?;
    match part {
        Part::Upstream { listen: None } => upstream::on_stdio(),
        Part::Upstream { listen: Some(address) } => upstream::at(address),
        Part::Lab { world, patience_ms } => agents::serve_lab(&world, patience_ms),
        Part::Pipe { lines, command } => pipe::run(&command, lines),
        Part::Forward { listen, target } => forward::run(listen, target),
        Part::Bridge { listen, target: Some(target), .. } => bridge::to_http(listen, target),
        Part::Bridge { listen, command, .. } => bridge::to_stdio(listen, &command),
    }
}
