//! The options of a live probe, and the report that comes of it.

use std::{
    ffi::OsString,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use clap::value_parser;
use redress_probe::{
    ProbeOptions, ProbeProgress, Report, ServerAddress, probe,
    report::{FORMAT, ProbeSettings, ProbeTarget},
};
use signal_hook::{
    consts::{SIGINT, SIGTERM},
    flag,
};

use super::{gate, unprobed};
use crate::{clock, contract, failure::Failure, output::ProgressLine};

/// What is probed, and how.
#[derive(Debug, clap::Args)]
pub(super) struct Live {
    /// A server behind a URL, over streamable HTTP.
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// A header of each request to the URL, such as `Authorization: Bearer …`.
    #[arg(long, value_name = "NAME: VALUE", requires = "url")]
    header: Vec<String>,
    /// A registry file, or the name of a built-in one, that codes on the wire are compared with.
    #[arg(long, value_name = "C", conflicts_with = "report")]
    contract: Option<String>,
    /// The seed of the random numbers: the same seed gives the same calls.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The most calls that are made.
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = value_parser!(u32).range(1..))]
    budget: u32,
    /// The longest that it may take, in seconds.
    #[arg(long, value_name = "S", default_value_t = 120, value_parser = value_parser!(u64).range(1..=86_400))]
    time: u64,
    /// How long an answer may take, in milliseconds.
    #[arg(long, value_name = "MS", default_value_t = 5_000, value_parser = value_parser!(u64).range(10..=600_000))]
    deadline: u64,
    /// Make calls that may change something, too.
    #[arg(long, conflicts_with = "report")]
    allow_effects: bool,
    /// Play only this case, or those whose names start with it, such as `read_file` or `read_file/missing/path`; can be given again.
    #[arg(long, value_name = "CASE", conflicts_with = "report")]
    only: Vec<String>,
    /// Make the same calls again with Redress before the server, and show both.
    #[arg(long, conflicts_with = "report")]
    through_gate: bool,
    /// The server's command.
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// Probes the server, and once more behind the gate if that is asked for.
pub(super) fn report(live: &Live) -> Result<Report, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        flag::register(signal, Arc::clone(&stop)).map_err(|it| Failure::stream(&it))?;
    }
    let options = live.options()?;
    let started = clock::now();
    let shown = ProgressLine::new();
    let direct = probe(&options, &mut |it| say(&shown, "", it), &stop);
    let direct = direct.map_err(|it| unprobed::failure(&it, &options.place))?;
    let gated = if live.through_gate {
        let gate = gate::Gate::before(&options, live.contract.as_deref())?;
        let gated = probe(&gate.options, &mut |it| say(&shown, "behind the gate: ", it), &stop);
        Some(gated.map_err(|it| unprobed::failure(&it, &gate.options.place))?.run)
    } else {
        None
    };
    drop(shown);
    Ok(Report {
        format: FORMAT.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started,
        target: live.target(),
        settings: live.settings(),
        server: direct.server,
        direct: direct.run,
        gated,
    })
}

/// `[======>     ]  52/231 read_file/missing/path`
pub(crate) fn say(shown: &ProgressLine, before: &str, step: ProbeProgress<'_>) {
    const WIDE: usize = 24;
    let full = (step.done * WIDE).checked_div(step.total).unwrap_or_default();
    let (bar, rest) = ("=".repeat(full), " ".repeat(WIDE.saturating_sub(full)));
    let case = redress::text::cut(&redress::text::strip(step.case), 40).into_owned();
    shown.say(&format!("{before}[{bar}>{rest}] {}/{} {case}", step.done, step.total));
}

impl Live {
    fn options(&self) -> Result<ProbeOptions, Failure> {
        let contract = self.contract.as_deref().map(contract::find).transpose()?;
        let mut repeat = Vec::new();
        if let Some(name) = &self.contract {
            repeat.extend(["--contract".to_owned(), name.clone()]);
        }
        if self.through_gate {
            repeat.push("--through-gate".to_owned());
        }
        Ok(ProbeOptions {
            place: self.place()?,
            target: self.shown_place()?,
            seed: self.seed,
            budget: usize::try_from(self.budget).unwrap_or(usize::MAX),
            time: Duration::from_secs(self.time),
            deadline: Duration::from_millis(self.deadline),
            allow_effects: self.allow_effects,
            with_valid: false,
            is_quick: false,
            only: self.only.clone(),
            contract,
            repeat,
        })
    }

    fn place(&self) -> Result<ServerAddress, Failure> {
        place(self.url.as_deref(), &self.header, &self.command)
    }

    /// The same without credentials, for reports that others read.
    fn shown_place(&self) -> Result<ServerAddress, Failure> {
        Ok(match self.place()? {
            ServerAddress::Command(_) | ServerAddress::Program(_) => {
                ServerAddress::Command(self.shown_command().into_iter().map(Into::into).collect())
            }
            ServerAddress::Url { url, headers } => {
                ServerAddress::Url { url: without_secrets(&url), headers }
            }
        })
    }

    /// The command, with something in the place of credentials.
    fn shown_command(&self) -> Vec<String> {
        let mut shown: Vec<String> = Vec::new();
        for word in self.command.iter().map(|it| it.to_string_lossy()) {
            let telling = shown.last().filter(|it| it.starts_with('-'));
            let telling = telling
                .is_some_and(|it| redress::redact::strength(it.trim_start_matches('-')).is_some());
            shown.push(if telling { HIDDEN.to_owned() } else { without_secrets(&word) });
        }
        shown
    }

    fn target(&self) -> ProbeTarget {
        match &self.url {
            Some(url) => ProbeTarget::Url(without_secrets(url)),
            None => ProbeTarget::Command(self.shown_command()),
        }
    }

    fn settings(&self) -> ProbeSettings {
        ProbeSettings {
            seed: self.seed,
            budget: usize::try_from(self.budget).unwrap_or(usize::MAX),
            time_ms: self.time.saturating_mul(1_000),
            deadline_ms: self.deadline,
            allow_effects: self.allow_effects,
            only: self.only.clone(),
            contract: self.contract.clone(),
        }
    }
}

/// Where a server is, as the command line says it.
pub(crate) fn place(
    url: Option<&str>,
    headers: &[String],
    command: &[OsString],
) -> Result<ServerAddress, Failure> {
    let Some(url) = url else { return Ok(ServerAddress::Command(command.to_vec())) };
    let headers = headers.iter().map(|it| {
        let (name, value) = it.split_once(':')?;
        Some((name.trim().to_owned(), value.trim().to_owned()))
    });
    let headers: Option<Vec<_>> = headers.collect();
    let headers = headers.ok_or_else(|| {
        Failure::option("A header is given as `NAME: VALUE`").fix("Put a colon after the name.")
    })?;
    Ok(ServerAddress::Url { url: url.to_owned(), headers })
}

/// What replaces a credential.
const HIDDEN: &str = "…";

fn without_secrets(text: &str) -> String {
    redress::redact::without(text.into(), redress::redact::find(text), HIDDEN).into_owned()
}
