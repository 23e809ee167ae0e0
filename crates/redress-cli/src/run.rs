//! `redress run`: gates one MCP server on stdio, so that a client's configuration changes by two words.

pub(crate) mod name;
pub(crate) mod place;

use std::{
    ffi::OsString,
    fs::File,
    io,
    os::fd::AsFd,
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use clap::ValueEnum;
use redress::{Dialect, codes, secret::secrecy};
use redress_gate::{
    BreakerRule, Ended, LimitRule, Mode, OnLedgerFailure, Program, RetryRule, Run, Server,
    ServerText, Settings, Streams,
};
use redress_ledger::{Clock, Ledger, Options, Redactor, Time};

use crate::{Done, Status, choice::one_of, contract, failure::Failure};

/// Gate one MCP server on stdio: put it before the server's command in your client's configuration.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  redress run -- npx -y @modelcontextprotocol/server-filesystem /srv\n  redress run --mode observe --name files -- ./server\n  redress run --deadline 10000 --no-ledger -- python -m my_server\n\nThe client ends it by closing its side. Standard output carries nothing but the protocol. Exit code 3: the server's\ncommand could never be started; the client was told so, too."
)]
pub(crate) struct Args {
    /// The server's name in faults and in the ledger; by default from its command.
    #[arg(long, value_name = "N")]
    name: Option<String>,
    /// How far to go.
    #[arg(long, value_enum, value_name = "M", default_value_t = ModeArg::Enforce)]
    mode: ModeArg,
    /// The shape of envelope that the client gets.
    #[arg(long, value_name = "D", default_value = "native", value_parser = one_of(Dialect::ALL.map(Dialect::name), Dialect::parse))]
    dialect: Dialect,
    /// A registry file, or the name of a built-in one: the codes that the server itself may use.
    #[arg(long, value_name = "C", default_value = "core")]
    contract: String,
    /// Where failures are recorded; by default below the user's state directory.
    #[arg(long, value_name = "DIR", conflicts_with = "no_ledger")]
    ledger: Option<PathBuf>,
    /// Record nothing.
    #[arg(long)]
    no_ledger: bool,
    /// How long a request may take, in milliseconds.
    #[arg(long, value_name = "MS", default_value_t = 60_000, value_parser = clap::value_parser!(u64).range(1..=86_400_000))]
    deadline: u64,
    /// The longest message, in bytes.
    #[arg(long, value_name = "BYTES", default_value_t = 16 << 20, value_parser = clap::value_parser!(u32).range(1024..=1 << 30))]
    max_message: u32,
    /// Whether a card quotes what the server wrote.
    #[arg(long, value_enum, default_value_t = ServerTextArg::Quote)]
    server_text: ServerTextArg,
    /// What happens when a failure cannot be recorded: say only that, or tell it all the same.
    #[arg(long, value_enum, default_value_t = OnFailureArg::Closed)]
    on_ledger_failure: OnFailureArg,
    /// The server's command.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ModeArg {
    /// Answers pass as they are; failures are recorded.
    Observe,
    /// Answers get an envelope beside what they say.
    Annotate,
    /// Failures are answered by the contract.
    Enforce,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ServerTextArg {
    /// In quotes, cut and stripped.
    Quote,
    /// Not at all.
    Hide,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum OnFailureArg {
    /// The client hears that it could not be recorded, and nothing else.
    Closed,
    /// The client hears of the failure all the same.
    Open,
}

pub(crate) fn run(args: Args) -> Done {
    let settings = args.settings()?;
    let name = settings.program.clone();
    let run = Run {
        server: Arc::new(Server::new(settings, Instant::now())),
        ledger: args.open_ledger()?,
        on_ledger_failure: args.on_ledger_failure(),
        program: Program { command: args.command, ..Program::default() },
        clock: clock(),
    };
    let streams = streams().map_err(|it| Failure::stream(&it))?;
    match redress_gate::run(run, streams).map_err(|it| Failure::stream(&it))? {
        Ended::Fine => Ok(Status::Fine),
        Ended::NeverStarted => {
            Err(Failure::environment(codes::NOT_INSTALLED.raise([("dependency", name)])))
        }
    }
}

impl Args {
    /// How the server is gated.
    pub(crate) fn settings(&self) -> Result<Settings, Failure> {
        let program = self.command.first().map(|it| it.to_string_lossy().into_owned());
        Ok(Settings {
            server: self.name.clone().unwrap_or_else(|| name::short(&self.command)),
            program: program.unwrap_or_default(),
            mode: match self.mode {
                ModeArg::Observe => Mode::Observe,
                ModeArg::Annotate => Mode::Annotate,
                ModeArg::Enforce => Mode::Enforce,
            },
            dialect: self.dialect,
            contract: contract::find(&self.contract)?,
            deadline: Duration::from_millis(self.deadline),
            max_message: usize::try_from(self.max_message).unwrap_or(usize::MAX),
            server_text: match self.server_text {
                ServerTextArg::Quote => ServerText::Quote,
                ServerTextArg::Hide => ServerText::Hide,
            },
            trust_annotations: true,
            redactor: Arc::new(Redactor::new(known_secrets())),
            retry: RetryRule::default(),
            breaker: BreakerRule::default(),
            limits: LimitRule::default(),
            error_stats: None,
        })
    }

    /// What happens when a failure cannot be recorded.
    pub(crate) const fn on_ledger_failure(&self) -> OnLedgerFailure {
        match self.on_ledger_failure {
            OnFailureArg::Closed => OnLedgerFailure::Closed,
            OnFailureArg::Open => OnLedgerFailure::Open,
        }
    }

    /// Where failures are recorded.
    pub(crate) fn open_ledger(&self) -> Result<Option<Ledger>, Failure> {
        if self.no_ledger {
            return Ok(None);
        }
        let dir = match &self.ledger {
            Some(dir) => dir.clone(),
            None => place::state()?.join(name::unique(self.name.as_deref(), &self.command)),
        };
        let shown = dir.to_string_lossy().into_owned();
        let options = Options::new(dir, place::key()?, clock());
        Ledger::open(options).map(Some).map_err(|it| {
            Failure::environment(codes::AUDIT_LOG_FAILED.raise([] as [(&str, &str); 0]))
                .note(format!("{shown}: {it}"))
                .note("Without a ledger: --no-ledger")
        })
    }
}

/// Our own standard streams, without the buffers that others put before them.
fn streams() -> io::Result<Streams> {
    let file = |it: &dyn AsFd| it.as_fd().try_clone_to_owned().map(File::from);
    let (input, output, log) = (file(&io::stdin())?, file(&io::stdout())?, file(&io::stderr())?);
    Ok(Streams { input, output, log })
}

/// The values of environment variables whose names say that they are secret.
fn known_secrets() -> Vec<String> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, _)| secrecy(name).is_some())
        .map(|(_, value)| value)
        .collect()
}

pub(crate) fn clock() -> Clock {
    #[expect(clippy::disallowed_methods, reason = "this is the boundary where time comes in")]
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Arc::new(move || Time::from_millis(u64::try_from(now().as_millis()).unwrap_or(u64::MAX)))
}
