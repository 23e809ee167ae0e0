//! `redress run`: gates one MCP server on stdio, so that a client's configuration changes by two words.

pub(crate) mod observe;
pub(crate) mod startable;

use std::{
    fs::{self, File},
    io,
    os::{fd::AsFd, unix::fs::PermissionsExt as _},
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use redress_gate::{
    OnLedgerFailure,
    run::{Run, RunEnd, RunError, Streams},
};
use redress_ledger::{
    Clock, Ledger, LedgerError, OpenError, Options as LedgerOptions, Recovery, Redactor, Time,
};
use redress_transport::subreaper::Adoption;
use signal_hook::{consts::SIGXFSZ, flag};

use crate::{
    Done, Status,
    audit::Subject,
    config::{self, Config, GateOptions, General, Secret},
    failure::Failure,
    fleet::Member,
    govern,
    output::Err,
    place,
};

/// Gate one MCP server on stdio: put it before the server's command in your client's configuration. Without a command, the files
/// of a directory are served.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  redress run -- npx -y @modelcontextprotocol/server-filesystem /srv\n  redress run --mode observe --name files -- ./server\n  redress run --deadline 10000 --no-ledger -- python -m my_server\n  redress run --config redress.toml --name files\n  redress run --root ~/project\n\nThe client ends it by closing its side. Standard output carries nothing but the protocol. Exit code 3: the server's\ncommand could never be started; the client was told so, too."
)]
pub(crate) struct Args {
    #[command(flatten)]
    options: GateOptions,
}

pub(crate) fn run(args: &Args) -> Done {
    outlive_file_limits()?;
    let config = args.options.config()?;
    let server = config.single()?;
    let _adoption = adopt_orphans();
    let name = args.options.ledger_name(&server.name);
    let member = Arc::new(Member::of(&config.general)?);
    let ledger = config.general.ledger.clone();
    let mut opening = Opening::start(ledger, name.clone(), Arc::clone(&member));
    let ended = gate(&config, server, &name, &mut opening);
    if ended.is_err() {
        // What was opened for nothing is closed as it should be.
        drop(opening.within(Duration::from_secs(1)));
    }
    member.leave();
    match ended? {
        RunEnd::Fine => Ok(Status::Fine),
        RunEnd::NeverStarted => {
            Err(startable::obstacle(server, &config.general).unwrap_or_else(|| {
                let redactor = redactor(server, &config.general);
                Failure::not_started(&redactor.known(&server.program_name()))
            }))
        }
    }
}

fn gate(
    config: &Config,
    server: &config::Server,
    name: &str,
    opening: &mut Opening,
) -> Result<RunEnd, Failure> {
    let general = &config.general;
    let ledger = ledger_dir(&general.ledger, name)?;
    let gated = observe::server(server, general, ledger.clone(), None)?;
    if let Some(dir) = ledger.as_deref().filter(|_| general.governance.enabled) {
        let opened = opening.wait().as_ref().map(Option::as_ref);
        Subject { config, ledger: dir, opened, is_stdio: true, is_running: false }.audit()?;
    }
    let mut target = server.target(ledger.clone())?;
    let _temporary =
        govern::confine::confine(&mut target, (server, &*gated), general, ledger.as_deref());
    govern::unserved::say(config, [(server, &*gated, &target)].into_iter());
    let run = Run {
        target,
        server: Arc::clone(&gated),
        on_ledger_failure: general.ledger.on_failure,
        clock: clock(),
    };
    let streams = streams().map_err(|it| Failure::stream(&it))?;
    let page = general.page_of_metrics(vec![Arc::clone(&gated)]);
    observe::listen(general, move || page.clone())?;
    let opened = |time| {
        let opened = opening.within(time)?;
        let opened = opened.and_then(|it| {
            govern::recall(gated.governor().as_deref(), it.as_ref())?;
            Ok(it)
        });
        match &opened {
            Ok(_) => observe::say_ready(&gated),
            // A gate that goes on says why at once, not at its end; a governed gate does not go on.
            Err(failure) if !gated.is_governed() => {
                Err::new().say(&format!("the ledger cannot be used: {}", failure.reason()));
                say_unrecorded(general.ledger.on_failure);
            }
            Err(_) => (),
        }
        Some(opened)
    };
    let ended = redress_gate::run::run(run, streams, opened).map_err(|it| match it {
        RunError::Unrecorded(failure) => failure,
        RunError::System(error) => Failure::stream(&error),
    })?;
    observe::save_stats(&gated, name)?;
    Ok(ended)
}

/// Says what becomes of calls whose failures cannot be recorded since the start.
pub(crate) fn say_unrecorded(on_failure: OnLedgerFailure) {
    let what = match on_failure {
        OnLedgerFailure::Open => "calls go on, and no failure is recorded until a restart",
        OnLedgerFailure::Closed => "every request is refused with AUDIT_LOG_FAILED",
    };
    Err::new().say(what);
}

/// A ledger that is being opened: that waits for the disk, and neither the server's start nor our end need to.
struct Opening {
    opened: mpsc::Receiver<Opened>,
    /// A ledger that was waited for already.
    here: Option<Result<Option<Ledger>, Failure>>,
}

/// What came of it, or the panic that did.
type Opened = thread::Result<Result<Option<Ledger>, Failure>>;

impl Opening {
    fn start(ledger: config::Ledger, name: String, member: Arc<Member>) -> Self {
        let (sender, opened) = mpsc::channel();
        thread::spawn(move || {
            let open = AssertUnwindSafe(|| open_ledger(&ledger, &name, &member));
            drop(sender.send(catch_unwind(open)));
        });
        Self { opened, here: None }
    }

    /// The ledger, if it is open within a time.
    fn within(&mut self, time: Duration) -> Option<Result<Option<Ledger>, Failure>> {
        if self.here.is_some() {
            return self.here.take();
        }
        let opened = self.opened.recv_timeout(time).ok()?;
        Some(opened.unwrap_or_else(|panic| resume_unwind(panic)))
    }

    /// Waits for it, however long that takes.
    fn wait(&mut self) -> &Result<Option<Ledger>, Failure> {
        let opened = self.here.take().or_else(|| self.within(Duration::MAX));
        self.here.insert(opened.unwrap_or(Ok(None)))
    }
}

/// Lets a write fail that would make a file longer than we may, where it would end us. Servers do not inherit this.
pub(crate) fn outlive_file_limits() -> Result<(), Failure> {
    flag::register(SIGXFSZ, Arc::default()).map_err(|it| Failure::stream(&it))?;
    Ok(())
}

/// Has what servers leave behind handed to us, and ends it in the end, also if we are killed. Where the system does not do that, it is
/// left, as ever.
pub(crate) fn adopt_orphans() -> Option<Adoption> {
    redress_transport::subreaper::adopt_orphans().ok().map(Adoption::watched)
}

/// Our own standard streams, without the buffers that others put before them.
fn streams() -> io::Result<Streams> {
    let file = |it: &dyn AsFd| it.as_fd().try_clone_to_owned().map(File::from);
    let (input, output, log) = (file(&io::stdin())?, file(&io::stdout())?, file(&io::stderr())?);
    Ok(Streams { input, output, log })
}

/// Where the ledger is that a configuration asks for; `name` is its directory unless it says another.
pub(crate) fn ledger_dir(ledger: &config::Ledger, name: &str) -> Result<Option<PathBuf>, Failure> {
    Ok(match &ledger.dir {
        _ if !ledger.enabled => None,
        Some(dir) => Some(dir.0.clone()),
        None => Some(place::state()?.join(name)),
    })
}

/// The ledger that a configuration asks for; `name` is its directory unless it says another.
pub(crate) fn open_ledger(
    ledger: &config::Ledger,
    name: &str,
    member: &Member,
) -> Result<Option<Ledger>, Failure> {
    let Some(dir) = ledger_dir(ledger, name)? else { return Ok(None) };
    // Where the system does not know that, the key is as safe as the memory of this process.
    drop(redress_ledger::protect_memory());
    let mut options = LedgerOptions::new(dir.clone(), place::key()?, clock());
    options.segment_bytes = ledger.max_segment_bytes;
    options.keep_bytes = ledger.keep_bytes;
    options.keep_millis = ledger.keep_days.map(|it| it.saturating_mul(DAY_MILLIS));
    options.witness = ledger.witness.as_ref().map(|it| it.0.clone());
    options.arguments = ledger.arguments;
    options.on_change = Some(Arc::new(say_change));
    member.prepare(&mut options);
    let opened = Ledger::open(options).map_err(|it| {
        let fix = opening_fix(&it);
        Failure::ledger(&dir, it).fix(&fix)
    })?;
    say_recovered(&opened);
    member.join(&opened, &dir)?;
    Ok(Some(opened))
}

/// Tells the operator that nothing can be recorded any more, or that it can again. The committer does not wait for the output.
fn say_change(change: Result<(), LedgerError>) {
    let text = match change {
        Ok(()) => "it can be written again".to_owned(),
        Err(error) => error.to_string(),
    };
    thread::spawn(move || Err::new().say(&format!("ledger: {text}")));
}

/// Tells the operator what was done about chains that were not closed, unless nothing was lost.
pub(crate) fn say_recovered(ledger: &Ledger) {
    let is_worth_it = |it: &&Recovery| !matches!(it, Recovery::Repaired { cut_bytes: 0, .. });
    for recovery in ledger.recovered().iter().filter(is_worth_it) {
        Err::new().say(&format!("ledger: {recovery}"));
    }
}

/// What helps against a ledger that cannot be opened.
fn opening_fix(error: &OpenError) -> String {
    let mode = |key: &Path| fs::metadata(key).map_or(0, |it| it.permissions().mode());
    match error {
        OpenError::Key { path, .. } if mode(path) & 0o077 != 0 => {
            format!("chmod 600 {}", path.display())
        }
        OpenError::Key { path, .. } => format!(
            "Put {} right, or move it away, so that a new one is made; or go without a ledger (--no-ledger).",
            path.display()
        ),
        _ => "Name a directory that this user may write to (--ledger DIR), or go without a ledger (--no-ledger)."
            .to_owned(),
    }
}

const DAY_MILLIS: u64 = 24 * 3_600_000;

/// Takes out what is secret: of the environment, of the server's configuration, and the tokens of our clients.
pub(crate) fn redactor(server: &config::Server, general: &General) -> Arc<Redactor> {
    let known = known_secrets();
    let known = known.iter().map(String::as_str).chain(server.secrets());
    Arc::new(Redactor::new(known.chain(general.auth.all().map(Secret::reveal))))
}

/// What is secret of the environment.
fn known_secrets() -> Vec<String> {
    let variables = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        // A shell's working directory is no password, and many a message names it.
        .filter(|(name, _)| !matches!(name.as_str(), "PWD" | "OLDPWD"));
    let owned = |it: &str| it.to_owned();
    variables
        .flat_map(|(name, value)| {
            Redactor::secrets_of(&name, &value).into_iter().map(owned).collect::<Vec<_>>()
        })
        .collect()
}

/// Tells the time.
pub(crate) fn clock() -> Clock {
    #[expect(clippy::disallowed_methods, reason = "this is the boundary where time comes in")]
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Arc::new(move || Time::from_millis(u64::try_from(now().as_millis()).unwrap_or(u64::MAX)))
}
