//! Starts a server as its client does, and sees how it fails.

use std::{
    ffi::OsString,
    fmt,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use redress_probe::{Finding, ProbeOptions, Probed, ServerAddress, Unprobed, probe};
use redress_registry::Level;
use redress_transport::program::Program;
use serde_json::{Value, json};
use signal_hook::{
    SigId,
    consts::{SIGINT, SIGTERM},
    flag, low_level,
};

use crate::{
    clients::{
        document::{Command, Shape},
        placeholder::filled,
    },
    failure::Failure,
    probe::failure,
};

/// How long an answer may take.
const DEADLINE: Duration = Duration::from_secs(10);

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Way(ServerAddress);

impl Way {
    /// The way that an entry names; else why it cannot be tried here.
    pub(super) fn of(shape: &Shape, project: &Path) -> Result<Self, String> {
        let fill = |text: &str| {
            filled(text, project).map_err(|it| format!("only its client can fill in {it}"))
        };
        let pairs = |given: &[(String, String)]| -> Result<Vec<(String, String)>, String> {
            given.iter().map(|(name, it)| Ok((name.clone(), fill(it)?))).collect()
        };
        match shape {
            Shape::Other(why) => Err((*why).to_owned()),
            Shape::Remote(remote) => {
                let headers = pairs(&remote.headers)?;
                Ok(Self(ServerAddress::Url { url: fill(&remote.url)?, headers }))
            }
            Shape::Command(command) => {
                let words: Vec<String> = unrecorded(command)
                    .into_iter()
                    .map(|it| fill(&it))
                    .collect::<Result<_, _>>()?;
                let env = pairs(&command.env)?;
                let program = Program {
                    command: words.into_iter().map(OsString::from).collect(),
                    env: env.into_iter().map(|(name, it)| (name.into(), it.into())).collect(),
                    cwd: match &command.cwd {
                        Some(it) => Some(PathBuf::from(fill(it)?)),
                        None => Some(project.to_owned()),
                    },
                    ..Program::default()
                };
                Ok(Self(ServerAddress::Program(Box::new(program))))
            }
        }
    }
}

/// The command of an entry; if a gate is before it, one that records nothing. A governed gate does not go without a ledger: of that the server
/// itself is taken.
fn unrecorded(command: &Command) -> Vec<String> {
    let words = || command.words().into_iter().map(ToOwned::to_owned);
    if !command.is_wrapped() {
        return words().collect();
    }
    let inner = command.inner().unwrap_or_default();
    let all: Vec<String> = words().collect();
    let options = all.get(..all.len() - inner.len()).unwrap_or_default();
    let is_governed = |it: &String| it == "--governed" || it.starts_with("--preset");
    if options.iter().any(is_governed) && !inner.is_empty() {
        return inner.into_iter().map(ToOwned::to_owned).collect();
    }
    let mut quiet: Vec<String> = Vec::with_capacity(all.len() + 1);
    let mut is_value = false;
    for (at, word) in options.iter().enumerate() {
        if std::mem::take(&mut is_value) {
            continue;
        }
        let recorded = ["--ledger", "--witness"];
        is_value = recorded.contains(&word.as_str());
        let is_one = word.split_once('=').is_some_and(|it| recorded.contains(&it.0));
        if !is_value && !is_one && word != "--no-ledger" {
            quiet.push(word.clone());
        }
        if at == 1 {
            quiet.push("--no-ledger".to_owned());
        }
    }
    quiet.extend(inner.into_iter().map(ToOwned::to_owned));
    quiet
}

/// Ends what takes too long, and what the user stops.
pub(super) struct Patience {
    within: Duration,
    is_over: Arc<AtomicBool>,
    timer: Option<JoinHandle<()>>,
    signals: Vec<SigId>,
}

impl Patience {
    pub(super) fn start(within: Duration) -> Result<Self, Failure> {
        let is_over = Arc::new(AtomicBool::new(false));
        let signals = [SIGINT, SIGTERM].map(|it| flag::register(it, Arc::clone(&is_over)));
        let signals = signals.into_iter().collect::<Result<_, _>>();
        let signals = signals.map_err(|it| Failure::stream(&it))?;
        let ends = Arc::clone(&is_over);
        let timer = Some(thread::spawn(move || {
            thread::park_timeout(within);
            ends.store(true, Ordering::Relaxed);
        }));
        Ok(Self { within, is_over, timer, signals })
    }
}

impl Drop for Patience {
    fn drop(&mut self) {
        for signal in self.signals.drain(..) {
            low_level::unregister(signal);
        }
        if let Some(timer) = self.timer.take() {
            timer.thread().unpark();
            drop(timer.join());
        }
    }
}

/// How a server does.
#[derive(Debug, Clone)]
pub(super) struct Examined {
    pub(super) state: State,
}

#[derive(Debug, Clone)]
pub(super) enum State {
    Starts(Health),
    Fails(Failure),
    /// It cannot be started here, and why.
    NotTried(String),
}

/// A server that starts.
#[derive(Debug, Clone)]
pub(super) struct Health {
    started: Duration,
    server: String,
    revision: String,
    tools: usize,
    read_only: usize,
    /// The calls that had to fail and were answered, and those of them that are flagged as failures.
    answered: usize,
    flagged: usize,
    /// The calls that had to fail and were not answered.
    unanswered: usize,
    is_cut_short: bool,
    /// The worst thing about the answers, and what to do about it.
    pub(super) worst: Option<String>,
}

impl Examined {
    pub(super) const fn new(state: State) -> Self {
        Self { state }
    }

    /// Whether somebody should look at it.
    pub(super) const fn is_trouble(&self) -> bool {
        match &self.state {
            State::Starts(health) => {
                health.worst.is_some() || health.unanswered > 0 || health.is_cut_short
            }
            State::Fails(_) => true,
            State::NotTried(_) => false,
        }
    }
}

/// Starts a server, lists its tools and makes the calls that show how it fails.
pub(super) fn examine(way: &Way, patience: &Patience, say: &mut dyn FnMut(&str)) -> Examined {
    let options = ProbeOptions {
        place: way.0.clone(),
        target: way.0.clone(),
        seed: 1,
        budget: 200,
        time: patience.within,
        deadline: DEADLINE,
        allow_effects: false,
        with_valid: false,
        is_quick: true,
        only: Vec::new(),
        contract: None,
        repeat: Vec::new(),
    };
    say("starting");
    let probed = probe(&options, &mut |it| say(it.case), &patience.is_over);
    Examined::new(match probed {
        Ok(probed) => State::Starts(Health::of(&probed)),
        Err(Unprobed::Interrupted) => State::Fails(silent(patience.within)),
        Err(unprobed) => State::Fails(failure(&unprobed, &way.0)),
    })
}

fn silent(within: Duration) -> Failure {
    let none: [(&str, &str); 0] = [];
    Failure::environment(redress::codes::TIMEOUT.raise(none))
        .note(format!("it did not start within {} s", within.as_secs()))
        .fix("Start the command by hand and see what it waits for; --time gives it longer.")
}

impl Health {
    fn of(probed: &Probed) -> Self {
        let run = &probed.run;
        let played = run.cases.played + run.tools.iter().map(|it| it.cases.played).sum::<usize>();
        let answered = probed.refusals.answered;
        let is_bad = |it: &&Finding| it.level == Level::Violation;
        Self {
            started: probed.greeted,
            server: format!("{} {}", probed.server.name, probed.server.version),
            revision: probed.server.revision.clone(),
            tools: run.tools.len(),
            read_only: run.tools.iter().filter(|it| it.read_only).count(),
            answered,
            flagged: probed.refusals.flagged,
            unanswered: played.saturating_sub(answered),
            is_cut_short: run.stopped.is_some(),
            worst: run.findings.iter().find(is_bad).map(|it| format!("{}. {}", it.title, it.fix)),
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Starts(health) => health.fmt(f),
            Self::Fails(failure) => write!(f, "does not start: {}", failure.reason()),
            Self::NotTried(why) => write!(f, "not started: {why}"),
        }
    }
}

impl fmt::Display for Health {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tools = if self.tools == 1 { "tool" } else { "tools" };
        write!(f, "starts in {:.1} s, {} {tools}", self.started.as_secs_f64(), self.tools)?;
        write!(f, ", flags {} of {} failures", self.flagged, self.answered)?;
        if self.unanswered > 0 {
            write!(f, ", leaves {} calls without an answer", self.unanswered)?;
        }
        if self.is_cut_short { f.write_str(", was not done in time") } else { Ok(()) }
    }
}

impl State {
    pub(super) fn to_json(&self) -> Value {
        match self {
            Self::Starts(it) => json!({
                "starts": true,
                "started_ms": u64::try_from(it.started.as_millis()).unwrap_or(u64::MAX),
                "server": it.server,
                "revision": it.revision,
                "tools": it.tools,
                "read_only_tools": it.read_only,
                "failures": {"answered": it.answered, "flagged": it.flagged, "unanswered": it.unanswered},
                "complete": !it.is_cut_short,
            }),
            Self::Fails(failure) => json!({ "starts": false, "error": failure.to_json() }),
            Self::NotTried(why) => json!({ "starts": null, "reason": why }),
        }
    }
}
