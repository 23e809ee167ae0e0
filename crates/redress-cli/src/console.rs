//! `redress console`: pages of what fails, read from ledgers.

pub(crate) mod ledgers;

use std::{
    env, io,
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use redress_console::{BASE, Console, Grant, Right, ServerState};
use redress_gate::{
    Condition, Server,
    pages::{Bytes, PageRight, Pages, Request, Response},
    pages_listener,
};
use redress_ledger::{Checked, Evidence, Ledger, Options as LedgerOptions, Redactor};
use redress_registry::{Registry, shipped};

use crate::{
    Done, Status, clock,
    config::{self, Address},
    contract,
    failure::Failure,
    fleet::{FleetArgs, Mirrored},
    learn,
    output::{Err, is_private},
    place, run,
};

/// Where it listens unless something else is said.
const USUAL: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 7333);

/// Show what fails, how often, of how many calls, and what the model was told, as pages in a browser.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  redress console\n  redress console ~/.local/state/redress/files\n  redress console --listen 127.0.0.1:0 --write\n  redress console --contract errors.toml --trace-link 'https://traces.example/trace/{trace}'\n\nThe start prints a link that works once; the browser that opens it stays signed in. It listens on this machine alone: from\nanother one, use `ssh -L 7333:127.0.0.1:7333`, or /console of `redress serve`. A signal ends it. Exit code 2 if there is no ledger,\n3 if the address is taken."
)]
pub(crate) struct Args {
    /// Ledgers, or directories of ledgers; by default all in the user's state directory.
    #[arg(value_name = "LEDGER")]
    ledgers: Vec<PathBuf>,
    #[command(flatten)]
    fleet: FleetArgs,
    /// Where to listen: an address of this machine and a port. [default: 127.0.0.1:7333]
    #[arg(long, value_name = "ADDR", value_parser = config::address, conflicts_with = "mcp")]
    listen: Option<Address>,
    /// Let the browser mark failures as checked, which the ledger keeps, and add rows to the file of --contract.
    #[arg(long, conflicts_with = "mcp")]
    write: bool,
    /// The contract of a server, whose codes are explained: a file or a built-in name.
    #[arg(long, value_name = "C")]
    contract: Vec<String>,
    /// The address of a trace, with {trace} for its id: each failure with a trace links to it.
    #[arg(long, value_name = "URL", value_parser = trace_link, conflicts_with = "mcp")]
    trace_link: Option<String>,
    /// Speak MCP on standard input and output instead: the same queries as read-only tools.
    #[arg(long)]
    mcp: bool,
}

fn trace_link(written: &str) -> Result<String, String> {
    let is_web = written.starts_with("https://") || written.starts_with("http://");
    if is_web && written.contains("{trace}") {
        Ok(written.to_owned())
    } else {
        Err("it must be an address with http:// or https:// and {trace}".to_owned())
    }
}

pub(crate) fn run(args: &Args) -> Done {
    let ledgers: Box<dyn Fn() -> Vec<PathBuf> + Send + Sync> = match Mirrored::of(&args.fleet)? {
        Some(_) if args.write => {
            return Err(Failure::option(
                "--write marks failures in the ledger of a node, and --fleet reads a copy",
            )
            .fix("Leave --write out, or mark them in the console of the node."));
        }
        Some(fleet) => Box::new(fleet.follow()),
        None => {
            let places = ledgers::Places::of(args.ledgers.clone())?;
            Box::new(move || places.now())
        }
    };
    let mut contracts =
        args.contract.iter().map(|it| contract::find(it)).collect::<Result<Vec<_>, _>>()?;
    contracts.extend(shipped::all().cloned());
    let mut options = options(ledgers, contracts);
    options.trace_link.clone_from(&args.trace_link);
    if args.write {
        options.writer = Some(writer());
        options.teacher = teacher(args.contract.iter().find(|it| contract::is_file(it)));
    }
    let console = Arc::new(Console::new(options).map_err(|it| Failure::stream(&it))?);
    console.read().map_err(|it| Failure::stream(&it))?;
    if args.mcp {
        let (input, output) = (io::stdin().lock(), io::stdout().lock());
        return redress_console::mcp::serve(&console, input, output)
            .map(|()| Status::Fine)
            .map_err(|it| Failure::stream(&it));
    }
    let listen = args.listen.map_or(USUAL, |it| it.0);
    let taken = |it: io::Error| {
        Failure::config("--listen", &format!("Cannot listen on {listen}: {it}.")).of_machine().fix(
            "Choose another port of this machine, such as 127.0.0.1:0, or end what listens there.",
        )
    };
    let listener = pages_listener::bind(listen).map_err(taken)?;
    let at = listener.local_addr().map_err(taken)?;
    let right = if args.write { Right::Write } else { Right::Read };
    say_link(&console, &format!("http://{at}"), right)?;
    let pages: Arc<dyn Pages> = Arc::new(ConsolePages(console));
    pages_listener::serve(listener, &pages).map_err(|it| Failure::stream(&it))?;
    Ok(Status::Fine)
}

/// Prints a link that signs a browser in, where no other user reads it.
pub(crate) fn say_link(console: &Console, at: &str, right: Right) -> Result<(), Failure> {
    if !is_private(&io::stderr()) {
        let problem = "Other users can read it, so that no link to the console is printed there.";
        return Err(Failure::config("standard error", problem)
            .fix("Start it in a terminal, or let standard error go to a file of mode 0600."));
    }
    let link = console.link(right).map_err(|it| Failure::stream(&it))?;
    Err::new().say(&format!("console: open {at}{link} (works once)"));
    Ok(())
}

/// The usual options of a console that only reads.
pub(crate) fn options(
    ledgers: impl Fn() -> Vec<PathBuf> + Send + Sync + 'static,
    contracts: Vec<Arc<Registry>>,
) -> redress_console::Options {
    redress_console::Options {
        ledgers: Arc::new(ledgers),
        clock: Arc::new(clock::millis),
        contracts,
        writer: None,
        teacher: None,
        servers: None,
        trace_link: None,
        evidence: Evidence { key_file: place::key().ok(), ..Evidence::default() },
        person: env::var_os("USER")
            .and_then(|it| it.into_string().ok())
            .unwrap_or_else(|| "operator".to_owned()),
    }
}

/// What a server of this gate does now.
pub(crate) fn state(server: &Server) -> ServerState {
    let condition = server.condition(Instant::now());
    let Condition { breaker, failed_starts, is_parked, in_flight, restarts } = condition;
    let (state, is_fine) = match (failed_starts, breaker) {
        _ if is_parked => (format!("parked after {failed_starts} failed starts"), false),
        (0, "closed") => ("ready".to_owned(), true),
        (0, breaker) => (format!("breaker {breaker}"), false),
        (1, _) => ("its last start failed".to_owned(), false),
        (starts, _) => (format!("{starts} starts failed in a row"), false),
    };
    let name = server.settings.server.clone();
    ServerState { name, state, is_fine, in_flight: Some(in_flight), restarts }
}

/// Writes marks into a chain of our own, which is begun with the first mark in a ledger.
fn writer() -> redress_console::Writer {
    let open: Mutex<Vec<(PathBuf, Ledger)>> = Mutex::default();
    Box::new(move |ledger: &Path, checked: Checked| {
        let mut open = open.lock().unwrap_or_else(PoisonError::into_inner);
        if !open.iter().any(|it| it.0 == ledger) {
            let key = place::key().map_err(|it| it.reason().to_owned())?;
            let options = LedgerOptions::new(ledger, key, run::clock());
            let opened = Ledger::open(options).map_err(|it| it.to_string())?;
            open.push((ledger.to_owned(), opened));
        }
        let ours = open.iter().find(|it| it.0 == ledger);
        let Some((_, ledger)) = ours else { return Err("it was closed".to_owned()) };
        let record = checked.record(&Redactor::default());
        ledger.append_wait(record).map(drop).map_err(|it| it.to_string())
    })
}

/// Writes marks into the chain of a ledger that is open.
pub(crate) fn writer_into(ledger: Arc<Ledger>) -> redress_console::Writer {
    Box::new(move |_, checked: Checked| {
        let record = checked.record(&Redactor::default());
        ledger.append_wait(record).map(drop).map_err(|it| it.to_string())
    })
}

/// Adds rows to a contract file, if there is one.
pub(crate) fn teacher(file: Option<&String>) -> Option<redress_console::Teacher> {
    let file = file?.clone();
    Some(Box::new(move |row| {
        learn::teach(&file, row).map(|()| file.clone()).map_err(|it| it.reason().to_owned())
    }))
}

/// The console as pages of a listener.
#[derive(Debug)]
pub(crate) struct ConsolePages(pub(crate) Arc<Console>);

impl Pages for ConsolePages {
    fn has(&self, path: &str) -> bool {
        path.strip_prefix(BASE).is_some_and(|it| it.is_empty() || it.starts_with('/'))
    }

    fn answer(&self, request: &Request<Bytes>, token: &PageRight) -> Response<Vec<u8>> {
        let grant = match token {
            PageRight::None => Grant::none(),
            PageRight::Read => Grant { right: Right::Read, by: "".into() },
            PageRight::Write(name) => Grant { right: Right::Write, by: name.as_str().into() },
        };
        self.0.answer(request, &grant)
    }
}
