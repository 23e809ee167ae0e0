//! A gate as a member of a fleet: its ledger is shipped for as long as it runs.

use std::{
    fs,
    future::Future,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use redress::codes;
use redress_fleet::{Credentials, Engine, Fleet, FleetError, Names, Settings, Source, Starting};
use redress_ledger::{Clock, Ledger, Options, Time};

use super::EngineArgs;
use crate::{
    clock,
    config::{self, FleetName, General},
    failure::Failure,
    stderr::Err as ToOperator,
};

/// How long a gate that ends goes on shipping. What is left, the next one ships.
const LAST: Duration = Duration::from_secs(2);

/// A gate that may be a member of a fleet.
#[derive(Debug)]
pub(crate) struct Member {
    fleet: Option<Membership>,
}

#[derive(Debug)]
struct Membership {
    settings: Settings,
    node: String,
    keep_bytes: u64,
    state: Mutex<State>,
}

#[derive(Debug)]
enum State {
    Alone,
    Starting(Starting),
    Joined(Fleet),
}

impl Member {
    /// What the configuration wants.
    pub(crate) fn of(general: &General) -> Result<Self, Failure> {
        let fleet = &general.fleet;
        if fleet.url.is_none() || !general.ledger.enabled {
            return Ok(Self { fleet: None });
        }
        Ok(Self {
            fleet: Some(Membership {
                settings: settings_of(fleet)?,
                node: node(fleet.node.as_ref())?,
                keep_bytes: fleet.keep_bytes,
                state: Mutex::new(State::Alone),
            }),
        })
    }

    /// Refuses an engine that answers and cannot be used. One that does not answer is no reason not to start.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let Some(it) = &self.fleet else { return Ok(()) };
        let checked = block_on(async {
            let connection =
                it.settings.engine.connect("redress check", &it.settings.names).await?;
            connection.sound_stream(it.settings.accept_weak).await.map(drop)
        })?;
        match checked {
            Err(error) if error.is_lasting() => Err(failure(&error)),
            // Who ships says it.
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Has a ledger that is to be opened tell how far it is.
    pub(crate) fn prepare(&self, options: &mut Options) {
        if let Some(it) = &self.fleet {
            let starting = Starting::default();
            options.on_commit = Some(starting.on_commit());
            options.hold = Some(starting.progress().hold(it.keep_bytes));
            *it.state() = State::Starting(starting);
        }
    }

    /// Begins to ship the ledger.
    pub(crate) fn join(&self, ledger: &Ledger, dir: &Path) -> Result<(), Failure> {
        let Some(it) = &self.fleet else { return Ok(()) };
        let mut state = it.state();
        if let State::Starting(starting) = std::mem::replace(&mut *state, State::Alone) {
            let source = Source {
                node: it.node.clone(),
                ledger: dir.to_owned(),
                own: Some(ledger.chain().into()),
                clock: now(),
            };
            let say = Arc::new(|text: &str| ToOperator::new().say(text));
            let joined = starting.start(it.settings.clone(), source, say);
            *state = State::Joined(joined.map_err(|it| Failure::stream(&it))?);
        }
        Ok(())
    }

    /// Ships what is left of a ledger that was closed, but not for long.
    pub(crate) fn leave(&self) {
        let Some(it) = &self.fleet else { return };
        let left = std::mem::replace(&mut *it.state(), State::Alone);
        if let State::Joined(fleet) = left {
            fleet.finish(LAST);
        }
    }
}

impl Membership {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells the time.
pub(super) fn now() -> Clock {
    Arc::new(|| Time::from_millis(clock::millis()))
}

/// How the engine of a section is reached.
fn settings_of(fleet: &config::Fleet) -> Result<Settings, Failure> {
    let credentials = match fleet.credentials.as_ref().and_then(|it| it.lines.first()) {
        Some(line) => Credentials::parse(line.reveal()).map_err(|it| failure(&it))?,
        None => Credentials::None,
    };
    let path = |it: &config::PemFile| it.path.clone();
    let certificate = fleet.cert.as_ref().zip(fleet.key.as_ref());
    let engine = Engine {
        url: fleet.url.as_ref().map_or_else(String::new, |it| it.0.clone()),
        credentials,
        ca: fleet.ca.as_ref().map(path),
        certificate: certificate.map(|(cert, key)| (path(cert), path(key))),
    };
    let names = Names::new(&fleet.stream.0).map_err(|it| failure(&it))?;
    Ok(Settings { engine, names, accept_weak: fleet.accept_weak })
}

/// How the engine of a command is reached.
pub(super) fn settings(args: &EngineArgs) -> Result<Settings, Failure> {
    let mut settings = match &args.config {
        Some(file) => settings_of(&config::load(file)?.general.fleet)?,
        None => settings_of(&config::Fleet::default())?,
    };
    if let Some(url) = &args.url {
        settings.engine.url.clone_from(&url.0);
    }
    if settings.engine.url.is_empty() {
        return Err(Failure::config("[fleet] url", "The file names no engine.")
            .fix("Write it there, or give --url."));
    }
    if let Some(stream) = &args.stream {
        settings.names = Names::new(&stream.0).map_err(|it| failure(&it))?;
    }
    if let Some(path) = &args.credentials {
        let shown = path.to_string_lossy();
        let text = fs::read_to_string(path).map_err(|it| Failure::reading(&shown, &it))?;
        settings.engine.credentials = Credentials::parse(&text).map_err(|it| failure(&it))?;
    }
    settings.accept_weak |= args.accept_weak;
    Ok(settings)
}

/// The name of this node: as it is given, else as the file says.
pub(super) fn node_of(args: &EngineArgs, given: Option<&FleetName>) -> Result<String, Failure> {
    match (&args.config, given) {
        (Some(file), None) => node(config::load(file)?.general.fleet.node.as_ref()),
        (_, given) => node(given),
    }
}

/// The name of this node; by default that of the machine.
pub(super) fn node(given: Option<&FleetName>) -> Result<String, Failure> {
    if let Some(name) = given {
        return Ok(name.0.clone());
    }
    let system = rustix::system::uname();
    let name = system.nodename().to_string_lossy();
    let first = name.split('.').next().unwrap_or_default();
    FleetName::parse(first).map(|it| it.0).map_err(|problem| {
        Failure::config(
            "[fleet] node",
            &format!("The machine's name {first:?} is none: it {problem}."),
        )
        .fix("Give the node a name with `node`.")
    })
}

/// Does work that waits for the engine.
pub(super) fn block_on<T>(work: impl Future<Output = T>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    Ok(runtime.map_err(|it| Failure::stream(&it))?.block_on(work))
}

/// What the fleet refuses, as a fault of ours.
pub(super) fn failure(error: &FleetError) -> Failure {
    let none = [] as [(&str, &str); 0];
    let (mut fault, is_input) = match error {
        FleetError::Input { .. } => (codes::CONFIG_INVALID.raise(none), true),
        FleetError::Foreign { .. } | FleetError::Weak { .. } => {
            (codes::CONFIG_INVALID.raise(none), true)
        }
        FleetError::Absent { .. } => (codes::NOT_FOUND.raise(none), true),
        FleetError::Unauthorized { .. } => (codes::AUTH_REQUIRED.raise(none), false),
        FleetError::Denied { .. } => (codes::INSUFFICIENT_PERMISSIONS.raise(none), false),
        FleetError::NotAnEngine { .. } => (codes::UPSTREAM_PROTOCOL_ERROR.raise(none), true),
        FleetError::OldServer { .. }
        | FleetError::NoJetStream { .. }
        | FleetError::Format { .. } => (codes::UNSUPPORTED.raise(none), false),
        FleetError::Diverged { .. } => (codes::CONFLICT.raise(none), false),
        FleetError::Ledger(_) => (codes::AUDIT_LOG_FAILED.raise(none), false),
        FleetError::File { .. } => (codes::FILE_WRITE_FAILED.raise(none), false),
        _ => (codes::UPSTREAM_UNAVAILABLE.raise(none), false),
    };
    let said = error.to_string();
    let mut letters = said.chars();
    fault.message = letters.next().map_or_else(String::new, |first| {
        format!("{}{}.", first.to_uppercase(), letters.as_str().trim_end_matches('.'))
    });
    let failure = if is_input { Failure::input(fault) } else { Failure::environment(fault) };
    failure.fix(&error.fix())
}
