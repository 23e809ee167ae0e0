//! `redress serve`: gates MCP servers over HTTP.

use std::{
    fs::File,
    io,
    net::SocketAddr,
    os::fd::AsFd as _,
    sync::Arc,
    time::{Duration, Instant},
};

use redress_gate::{Access, Program, Serve, Served, Server, Target};

use crate::{Done, Status, failure::Failure, output::Err, run};

/// The most connections at a time.
const MOST_CONNECTIONS: usize = 10_000;
/// The most sessions of one server at a time, each of which is a process.
const MOST_SESSIONS: usize = 64;
/// How long a session lives that nobody uses.
const IDLE: Duration = Duration::from_secs(30 * 60);

/// Gate an MCP server over HTTP: clients reach it at a URL.
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(
    after_help = "Examples:\n  redress serve -- npx -y @modelcontextprotocol/server-filesystem /srv\n  redress serve --listen 127.0.0.1:0 --name files -- ./server\n\nWhere it listens is said on standard error. A signal ends it; whoever waits is answered first."
)]
pub(crate) struct Args {
    /// Where to listen; port 0 is any that is free.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:7332")]
    listen: SocketAddr,
    #[command(flatten)]
    gate: run::Args,
}

pub(crate) fn run(args: Args) -> Done {
    let served = Served {
        name: None,
        server: Arc::new(Server::new(args.gate.settings()?, Instant::now())),
        ledger: args.gate.open_ledger()?.map(Arc::new),
        on_ledger_failure: args.gate.on_ledger_failure(),
        target: Target::Program(Program { command: args.gate.command, ..Program::default() }),
        most_sessions: MOST_SESSIONS,
        idle: IDLE,
    };
    let serve = Serve {
        listen: args.listen,
        servers: vec![served],
        access: Access::default(),
        most_connections: MOST_CONNECTIONS,
        clock: run::clock(),
        log: log().map_err(|it| Failure::stream(&it))?,
    };
    redress_gate::serve(serve, |at| Err::new().line("", &format!("listening on http://{at}/mcp")))
        .map_err(|it| {
            Failure::config("--listen", &format!("Cannot listen on {}: {it}.", args.listen))
                .fix("Choose another address, or end what listens there.")
        })?;
    Ok(Status::Fine)
}

/// Our own standard error, without a buffer before it.
fn log() -> io::Result<File> {
    io::stderr().as_fd().try_clone_to_owned().map(File::from)
}
