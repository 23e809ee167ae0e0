//! `redress serve`: gates MCP servers over HTTP.

mod reload;

use std::{
    fs::File,
    io,
    net::SocketAddr,
    os::fd::AsFd as _,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use redress_gate::{Access, OnLedgerFailure, Serve, Served, Server};
use redress_ledger::Ledger;
use serde_json::json;

use self::reload::{Live, Reload};
use crate::{
    Done, Status,
    audit::Subject,
    config::{self, Address, Config, General, Options, Watch},
    failure::Failure,
    govern,
    output::Err,
    run::{
        adopt_orphans, clock, ledger_dir, observe, open_ledger, outlive_file_limits,
        say_unrecorded, startable,
    },
};

/// Gate MCP servers over HTTP: clients reach them at a URL. Without a command or a file, the files of a directory are served.
#[derive(Debug, Clone, clap::Args)]
#[command(
    after_help = "Examples:\n  redress serve --root ~/project\n  redress serve -- npx -y @modelcontextprotocol/server-filesystem /srv\n  redress serve --listen 127.0.0.1:0 --name files -- ./server\n  redress serve --config redress.toml\n\nA command is at /mcp, each server of a file at /NAME/mcp. Where it listens is said on standard error. A signal ends\nit; whoever waits is answered first. A file that changed is read again, at once with SIGHUP: open sessions go on. Without a file,\nSIGHUP changes nothing."
)]
pub(crate) struct Args {
    #[arg(long, value_name = "ADDR", value_parser = config::address, help = config::meaning::<config::Listen>("address"))]
    listen: Option<Address>,
    #[command(flatten)]
    options: Options,
}

pub(crate) fn run(args: &Args) -> Done {
    outlive_file_limits()?;
    let config = args.config()?;
    if args.options.config.is_none() {
        reload::outlive_hang_up().map_err(|it| Failure::stream(&it))?;
    }
    let watch = args.options.config.as_ref().map(|file| {
        let again = args.clone();
        Watch::new(file, &config, move || again.config())
    });
    let _adoption = adopt_orphans();
    let stage = Stage::open(args, &config)?;
    let servers = config.servers.iter().map(|it| stage.served(it, &config.general, None));
    let servers = servers.collect::<Result<Vec<_>, _>>()?;
    say_unserved(&config, &servers);
    stage.show(&config, servers.iter().map(|it| Arc::clone(&it.server)).collect());
    let metrics = stage.clone();
    observe::listen(&config.general, move || metrics.shown())?;
    let live = config.servers.iter().zip(&servers);
    let live = live.map(|(row, it)| Live::new(row, &config.general, &it.server)).collect();
    let listen = config.general.listen.address.0;
    let serve = Serve {
        listen,
        servers,
        access: config.general.access(listen),
        most_connections: size(config.general.listen.max_connections),
        clock: clock(),
        log: log().map_err(|it| Failure::stream(&it))?,
    };
    let ready = |at, handle| {
        say_where(at, args, &config);
        if let Some(watch) = watch {
            let reload = Reload { stage: stage.clone(), config, handle, live };
            // Without it everything works but the reading of a changed file.
            reload
                .follow(watch)
                .unwrap_or_else(|it| Err::new().line("", &format!("cannot watch the file: {it}")));
        }
    };
    redress_gate::serve(serve, ready).map_err(|it| {
        Failure::config("--listen", &format!("Cannot listen on {listen}: {it}."))
            .of_machine()
            .fix("Choose another address, or end what listens there.")
    })?;
    for server in stage.shown().1 {
        let name = args.options.ledger_name(&server.settings.server);
        observe::save_stats(&server, &name)?;
    }
    Ok(Status::Fine)
}

impl Args {
    /// What is to be served.
    fn config(&self) -> Result<Config, Failure> {
        let mut config = self.options.config()?;
        let general = &mut config.general;
        general.listen.address = self.listen.unwrap_or(general.listen.address);
        if self.options.role().is_some() {
            let problem = "It is for a client on stdio; over HTTP, each token has its role.";
            return Err(Failure::config("--role", problem)
                .fix("Leave it out, and write `role` below [auth.caller.NAME] in a file."));
        }
        if let Some(section) = general.unguarded().next() {
            let problem = "Other machines reach this address, so that clients need a token.";
            return Err(Failure::config(&format!("--{section}"), problem)
                .fix("Listen on 127.0.0.1, or give a file with tokens in [auth]."));
        }
        govern::needs_tokens(&config, self.options.config.is_some())?;
        Ok(config)
    }
}

/// What stays, whatever the file says later.
#[derive(Clone)]
struct Stage {
    has_file: bool,
    ledger: Option<Arc<Ledger>>,
    /// Whether there should be one, and none could be opened.
    has_lost_ledger: bool,
    ledger_dir: Option<PathBuf>,
    /// Who may read the metrics, and of which servers.
    shown: Arc<Mutex<(Access, Vec<Arc<Server>>)>>,
}

impl Stage {
    fn open(args: &Args, config: &Config) -> Result<Self, Failure> {
        let name = args.options.ledger_name("serve");
        let ledger_dir = ledger_dir(&config.general.ledger, &name)?;
        let opened = open_ledger(&config.general.ledger, &name);
        let found = opened.as_ref().map(Option::as_ref);
        audit(config, ledger_dir.as_deref(), found, false)?;
        let has_file = args.options.config.is_some();
        let (ledger, has_lost_ledger) = match opened {
            Ok(ledger) => (ledger.map(Arc::new), false),
            Err(failure) if config.general.ledger.on_failure == OnLedgerFailure::Open => {
                failure.report();
                say_unrecorded(OnLedgerFailure::Open);
                (None, true)
            }
            Err(failure) => return Err(failure),
        };
        Ok(Self { has_file, ledger, has_lost_ledger, ledger_dir, shown: Arc::default() })
    }

    /// Looks at what must hold before a governed gate serves something else.
    fn audit(&self, config: &Config) -> Result<(), Failure> {
        audit(config, self.ledger_dir.as_deref(), Ok(self.ledger.as_deref()), true)
    }

    /// One server, for the gate. If it is governed, it knows what `before` does, or else what the ledger knows.
    fn served(
        &self,
        server: &config::Server,
        general: &General,
        before: Option<&Server>,
    ) -> Result<Served, Failure> {
        match startable::obstacle(server) {
            // What else is in the file is served.
            Some(failure) if self.has_file => drop(failure.report()),
            Some(failure) => return Err(failure),
            None => (),
        }
        let gated = observe::server(server, general, self.ledger_dir.clone(), before)?;
        if self.has_lost_ledger {
            gated.lose_ledger();
        }
        if before.and_then(Server::governor).is_none() {
            govern::recall(gated.governor().as_deref(), self.ledger.as_deref())?;
        }
        observe::say_ready(&gated);
        let mut target = server.target(self.ledger_dir.clone())?;
        let ledger = self.ledger_dir.as_deref();
        govern::confine::confine(&mut target, (server, &*gated), general, ledger);
        Ok(Served {
            name: self.has_file.then(|| server.name.clone()),
            server: gated,
            ledger: self.ledger.clone(),
            on_ledger_failure: general.ledger.on_failure,
            target,
            sharing: server.sharing,
            most_sessions: size(server.max_sessions),
            idle: Duration::from_millis(server.limits.session_idle_ms),
        })
    }

    /// From now on the metrics are those of these servers.
    fn show(&self, config: &Config, servers: Vec<Arc<Server>>) {
        let shown = (config.general.access_to_metrics(), servers);
        *self.shown.lock().unwrap_or_else(PoisonError::into_inner) = shown;
    }

    fn shown(&self) -> (Access, Vec<Arc<Server>>) {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn audit(
    config: &Config,
    ledger: Option<&Path>,
    opened: Result<Option<&Ledger>, &Failure>,
    is_running: bool,
) -> Result<(), Failure> {
    let Some(ledger) = ledger else { return Ok(()) };
    Subject { config, ledger, opened, is_stdio: false, is_running }.audit()
}

/// Says which tools of governed servers are not served; they are in the order of the configuration.
fn say_unserved(config: &Config, servers: &[Served]) {
    let both = config.servers.iter().zip(servers);
    govern::unserved::say(config, both.map(|(server, it)| (server, &*it.server, &it.target)));
}

fn say_where(at: SocketAddr, args: &Args, config: &Config) {
    for server in &config.servers {
        let name = args.options.config.as_ref().map(|_| format!("/{}", server.name));
        let path = name.unwrap_or_default();
        let url = format!("http://{at}{path}/mcp");
        if let Some(root) = &server.workspace {
            say_workspace(&server.name, &url, &root.0, config.general.auth.is_open());
        }
        Err::new().line("", &format!("listening on {url}"));
    }
}

/// Says which files are served, and what a client's configuration needs for it.
fn say_workspace(name: &str, url: &str, root: &Path, is_open: bool) {
    let mut server = json!({ "type": "http", "url": url });
    if !is_open && let Some(server) = server.as_object_mut() {
        server.insert("headers".to_owned(), json!({ "Authorization": "Bearer TOKEN" }));
    }
    let client = json!({ "mcpServers": { name: server } });
    Err::new().line("", &format!("the files below {}", govern::confine::absolute(root)));
    Err::new().line("", &format!("for your client: {client}"));
}

/// A number of things that fits into memory.
fn size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Our own standard error, without a buffer before it.
fn log() -> io::Result<File> {
    io::stderr().as_fd().try_clone_to_owned().map(File::from)
}
