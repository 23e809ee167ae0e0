//! `redress serve`: gates MCP servers over HTTP.

mod reload;
mod snippets;
mod token;

use std::{
    fs::File,
    io,
    os::fd::AsFd as _,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, Sender},
    },
    time::Duration,
};

use redress_console::{Console, Right};
use redress_gate::{
    OnLedgerFailure, Server, Target,
    metrics_listener::MetricsPage,
    pages::Pages,
    serve::{Serve, Served},
};
use redress_ledger::Ledger;
use redress_registry::shipped;
use tempfile::TempDir;

use self::reload::{Event, Reload, StartedServer};
use crate::{
    Done, Status,
    audit::Subject,
    config::{self, Address, Config, GateOptions, General, Watch},
    console::{self, ConsolePages, say_link},
    control::ControlSocket,
    environment,
    failure::Failure,
    fleet::Member,
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
    after_help = "Examples:\n  redress serve --root ~/project\n  redress serve -- npx -y @modelcontextprotocol/server-filesystem /srv\n  redress serve --listen 127.0.0.1:0 --name files -- ./server\n  redress serve --config redress.toml\n\nClients need a token. It is made at the first start, kept in the user's state directory, and printed with what belongs into a client's\nconfiguration; with tokens in [auth] of a file, those count instead.\n\nA command is at /mcp, each server of a file at /NAME/mcp. Where it listens is said on standard error. A signal ends\nit; whoever waits is answered first. A file that changed is read again, at once with SIGHUP: what lets less in is\nserved at once, what lets more in after `redress config apply FILE` or a restart. Without a file, SIGHUP changes nothing."
)]
pub(crate) struct Args {
    #[arg(long, value_name = "ADDR", value_parser = config::address, help = config::meaning::<config::Listen>("address"))]
    listen: Option<Address>,
    /// Serve every user and program of this machine: clients need no token, unless the file has some.
    #[arg(long)]
    no_token: bool,
    #[command(flatten)]
    options: GateOptions,
}

pub(crate) fn run(args: &Args) -> Done {
    outlive_file_limits()?;
    let (sender, events) = mpsc::channel();
    // Before anything else: a SIGHUP that arrives while we start must not end us.
    reload::take_hang_ups(args.options.config.is_some(), &sender)
        .map_err(|it| Failure::stream(&it))?;
    let (config, watch) = read(args)?;
    let _control = args.options.config.as_deref().and_then(|it| control(it, &sender));
    let _adoption = adopt_orphans();
    let member = Member::of(&config.general)?;
    member.check()?;
    let stage = Stage::open(args, &config, &member)?;
    let servers = config.servers.iter().map(|it| stage.served(it, &config.general, None));
    let servers = servers.collect::<Result<Vec<_>, _>>()?;
    say_unserved(&config, &servers);
    stage.show(&config, servers.iter().map(|it| Arc::clone(&it.server)).collect());
    let metrics = stage.clone();
    observe::listen(&config.general, move || metrics.shown())?;
    let live = config.servers.iter().zip(&servers);
    let live = live.map(|(row, it)| StartedServer::new(row, &config.general, &it.server)).collect();
    let listen = config.general.listen.address.0;
    let console = stage.console(&config, args.options.contract_file())?;
    let scheme = config.general.listen.scheme();
    let serve = Serve {
        listen,
        servers,
        access: config.general.access(listen),
        tls: config.general.listen.tls.certificate(),
        most_connections: size(config.general.listen.max_connections),
        most_bytes: size(config.most_bytes()),
        clock: clock(),
        log: log().map_err(|it| Failure::stream(&it))?,
        pages: console.clone().map(|it| Arc::new(ConsolePages(it)) as Arc<dyn Pages>),
    };
    let ready = |at, handle| {
        if let Some(console) = &console {
            // Without a link a token opens the console.
            drop(say_link(console, &format!("{scheme}://{at}"), Right::Read));
        }
        snippets::say(at, &config, stage.has_file, args.no_token);
        if let Some(watch) = watch {
            let reload = Reload { stage: stage.clone(), config, handle, live };
            // Without it everything works but the reading of a changed file.
            reload::follow(reload, watch, events)
                .unwrap_or_else(|it| Err::new().say(&format!("cannot watch the file: {it}")));
        }
    };
    redress_gate::serve::serve(serve, ready).map_err(|it| {
        Failure::config("--listen", &format!("Cannot listen on {listen}: {it}."))
            .of_machine()
            .fix("Choose another address, or end what listens there.")
    })?;
    stage.remove_temporary();
    if let Some(ledger) = &stage.ledger {
        // Each failure that could not be recorded was answered as such.
        drop(ledger.close());
    }
    member.leave();
    for server in stage.shown().servers {
        let name = args.options.ledger_name(&server.settings.server);
        observe::save_stats(&server, &name)?;
    }
    Ok(Status::Fine)
}

/// What is to be served, and what notices that its file changes, if it has one.
fn read(args: &Args) -> Result<(Config, Option<Watch<impl FnMut() -> Read + use<>>>), Failure> {
    let Some(file) = &args.options.config else {
        return Ok((args.config()?, None));
    };
    let again = args.clone();
    let now = i64::try_from(clock()().millis() / 1000).unwrap_or_default();
    let mut watch = Watch::new(file, now, move || again.config());
    Ok((reload::first(&mut watch)?, Some(watch)))
}

type Read = Result<Config, Failure>;

/// Lets `redress config apply` reach this gate. Without it everything else works.
fn control(file: &Path, sender: &Sender<Event>) -> Option<ControlSocket> {
    let sender = sender.clone();
    // A request that no thread takes is answered by its time limit.
    let take = move |it| drop(sender.send(Event::Apply(it)));
    let said = |it: Failure| {
        let said = format!("`redress config apply` cannot reach this gate: {}", it.reason());
        Err::new().say(&said);
    };
    ControlSocket::open(file, take).map_err(said).ok()
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
        if let Some(section) = config.general.readable().next() {
            return Err(Failure::readable(&format!("--{section}")));
        }
        if config.general.auth.is_open() && !self.no_token {
            forwards_none(&config)?;
            config.general.auth.made = Some(token::of_user()?);
        }
        Ok(config)
    }
}

/// Refuses servers that get the client's `Authorization`, since that is the token of the gate.
fn forwards_none(config: &Config) -> Result<(), Failure> {
    let Some(server) = config.servers.iter().find(|it| it.forward_authorization) else {
        return Ok(());
    };
    let place = format!("server.{}.forward_authorization", server.name);
    let problem =
        "It passes on what clients bring as `Authorization`, where the token for this gate stands.";
    Err(Failure::config(&place, problem)
        .fix("Give that server a token of its own in `headers`, or start with --no-token."))
}

/// What stays, whatever the file says later.
#[derive(Clone)]
struct Stage {
    has_file: bool,
    ledger: Option<Arc<Ledger>>,
    /// Whether there should be one, and none could be opened.
    has_lost_ledger: bool,
    ledger_dir: Option<PathBuf>,
    /// The page of metrics.
    shown: Arc<Mutex<MetricsPage>>,
    /// The temporary directories of servers, removed at the end.
    temporary: Arc<Mutex<Vec<TempDir>>>,
}

impl Stage {
    fn open(args: &Args, config: &Config, member: &Member) -> Result<Self, Failure> {
        let name = args.options.ledger_name("serve");
        let ledger_dir = ledger_dir(&config.general.ledger, &name)?;
        let opened = open_ledger(&config.general.ledger, &name, member);
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
        let (shown, temporary) = (Arc::default(), Arc::default());
        Ok(Self { has_file, ledger, has_lost_ledger, ledger_dir, shown, temporary })
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
        match startable::obstacle(server, general) {
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
        if let Target::Program(program) = &mut target {
            environment::hand_over(program, server);
        }
        let ledger = self.ledger_dir.as_deref();
        let temporary = govern::confine::confine(&mut target, (server, &*gated), general, ledger);
        self.temporary.lock().unwrap_or_else(PoisonError::into_inner).extend(temporary);
        Ok(Served {
            name: self.has_file.then(|| server.name.clone()),
            server: gated,
            ledger: self.ledger.clone(),
            on_ledger_failure: general.ledger.on_failure,
            target,
            sharing: server.sharing,
            most_sessions: size(server.max_sessions),
            idle: Duration::from_millis(server.limits.session_idle_ms),
            first_call: Duration::from_millis(server.limits.session_first_call_ms),
        })
    }

    /// The console of the ledger, if there is one. Contracts that the servers name explain their codes.
    fn console(
        &self,
        config: &Config,
        contract: Option<&String>,
    ) -> Result<Option<Arc<Console>>, Failure> {
        let Some(ledger) = self.ledger_dir.clone().filter(|_| self.ledger.is_some()) else {
            return Ok(None);
        };
        let named = config.servers.iter().map(|it| Arc::clone(&it.contract.registry));
        let contracts = named.chain(shipped::all().cloned()).collect();
        let mut options = console::options(move || vec![ledger.clone()], contracts);
        options.writer = self.ledger.clone().map(console::writer_into);
        options.teacher = console::teacher(contract);
        let stage = self.clone();
        options.servers = Some(Box::new(move || {
            stage.shown().servers.iter().map(|it| console::state(it)).collect()
        }));
        Console::new(options).map(|it| Some(Arc::new(it))).map_err(|it| Failure::stream(&it))
    }

    /// From now on the metrics are those of these servers.
    fn show(&self, config: &Config, servers: Vec<Arc<Server>>) {
        let shown = config.general.page_of_metrics(servers);
        *self.shown.lock().unwrap_or_else(PoisonError::into_inner) = shown;
    }

    /// Removes the temporary directories of servers, whose processes have ended.
    fn remove_temporary(&self) {
        self.temporary.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn shown(&self) -> MetricsPage {
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

/// A number of things that fits into memory.
fn size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Our own standard error, without a buffer before it.
fn log() -> io::Result<File> {
    io::stderr().as_fd().try_clone_to_owned().map(File::from)
}
