//! `redress serve`: gates MCP servers over HTTP.

use std::{
    ffi::OsString, fs::File, io, net::SocketAddr, os::fd::AsFd as _, sync::Arc, time::Duration,
};

use redress_gate::{Serve, Served};
use redress_ledger::Ledger;

use crate::{
    Done, Status,
    config::{self, Address, Config, Options},
    failure::Failure,
    output::Err,
    run::{clock, observe, open_ledger},
};

/// The most connections at a time.
const MOST_CONNECTIONS: usize = 10_000;
/// How long a session lives that nobody uses.
const IDLE: Duration = Duration::from_secs(30 * 60);

/// Gate MCP servers over HTTP: clients reach them at a URL.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  redress serve -- npx -y @modelcontextprotocol/server-filesystem /srv\n  redress serve --listen 127.0.0.1:0 --name files -- ./server\n  redress serve --config redress.toml\n\nA command is at /mcp, each server of a file at /NAME/mcp. Where it listens is said on standard error. A signal ends\nit; whoever waits is answered first."
)]
pub(crate) struct Args {
    #[arg(long, value_name = "ADDR", help = config::meaning::<config::Listen>("address"))]
    listen: Option<SocketAddr>,
    #[command(flatten)]
    options: Options,
    /// The server's command.
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

pub(crate) fn run(args: &Args) -> Done {
    let mut config = args.options.config(&args.command)?;
    let general = &mut config.general;
    general.listen.address = args.listen.map_or(general.listen.address, Address);
    if general.unguarded().next().is_some() {
        return Err(Failure::config(
            "--listen",
            "Other machines reach this address, so that clients need a token.",
        )
        .fix("Listen on 127.0.0.1, or give a file with tokens in [auth]."));
    }
    let name = args.options.ledger_name("serve", &args.command);
    let ledger = open_ledger(&config.general.ledger, &name)?.map(Arc::new);
    let servers: Result<Vec<_>, _> =
        config.servers.iter().map(|it| served(it, args, &config, ledger.as_ref())).collect();
    let servers = servers?;
    let gated: Vec<_> = servers.iter().map(|it| Arc::clone(&it.server)).collect();
    observe::listen(&config.general, &gated)?;
    for server in &gated {
        observe::say_ready(server);
    }
    let listen = config.general.listen.address.0;
    let serve = Serve {
        listen,
        servers,
        access: config.general.access(listen),
        most_connections: MOST_CONNECTIONS,
        clock: clock(),
        log: log().map_err(|it| Failure::stream(&it))?,
    };
    redress_gate::serve(serve, |at| say_where(at, args, &config)).map_err(|it| {
        Failure::config("--listen", &format!("Cannot listen on {listen}: {it}."))
            .fix("Choose another address, or end what listens there.")
    })?;
    for server in &gated {
        let name = args.options.ledger_name(&server.settings.server, &args.command);
        observe::save_stats(server, &name)?;
    }
    Ok(Status::Fine)
}

fn served(
    server: &config::Server,
    args: &Args,
    config: &Config,
    ledger: Option<&Arc<Ledger>>,
) -> Result<Served, Failure> {
    Ok(Served {
        name: args.options.config.as_ref().map(|_| server.name.clone()),
        server: observe::server(server)?,
        ledger: ledger.cloned(),
        on_ledger_failure: config.general.ledger.on_failure,
        target: server.target()?,
        sharing: server.sharing,
        most_sessions: usize::try_from(server.max_sessions).unwrap_or(usize::MAX),
        idle: IDLE,
    })
}

fn say_where(at: SocketAddr, args: &Args, config: &Config) {
    for server in &config.servers {
        let name = args.options.config.as_ref().map(|_| format!("/{}", server.name));
        let path = name.unwrap_or_default();
        Err::new().line("", &format!("listening on http://{at}{path}/mcp"));
    }
}

/// Our own standard error, without a buffer before it.
fn log() -> io::Result<File> {
    io::stderr().as_fd().try_clone_to_owned().map(File::from)
}
