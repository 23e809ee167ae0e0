//! What a live server answers to calls that must fail.

use std::{
    ffi::OsString,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use clap::value_parser;
use redress::{
    classify::cluster::{Sample, Sighting},
    classify::{Failure as Judged, Tier, Verdict, classify, said},
    codes,
    outcome::{Asked, Outcome, ToolTraits, What},
};
use redress_probe::{ProbeOptions, Trial, probe_with};
use redress_registry::{Class, Effect, Registry};
use redress_wire::json::{Doc, Limits, Value};
use serde_json::Value as Json;
use signal_hook::{
    consts::{SIGINT, SIGTERM},
    flag,
};

use super::Observations;
use crate::{clock, failure::Failure, output::ProgressLine, probe};

/// The most successes that rows are held against.
const MOST_SUCCESSES: usize = 2_000;

/// Longer texts are content, also where a call had to fail.
const LONGEST: usize = 2_000;

/// The server that is called, and how.
#[derive(Debug, clap::Args)]
pub(super) struct Live {
    /// A server behind a URL, over streamable HTTP.
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// A header of each request to the URL, such as `Authorization: Bearer …`.
    #[arg(long, value_name = "NAME: VALUE", requires = "url")]
    header: Vec<String>,
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
    #[arg(long)]
    allow_effects: bool,
    /// The server's command.
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "url")]
    command: Vec<OsString>,
}

impl Live {
    pub(super) const fn is_given(&self) -> bool {
        self.url.is_some() || !self.command.is_empty()
    }

    fn options(&self) -> Result<ProbeOptions, Failure> {
        let place = probe::place(self.url.as_deref(), &self.header, &self.command)?;
        Ok(ProbeOptions {
            target: place.clone(),
            place,
            seed: self.seed,
            budget: usize::try_from(self.budget).unwrap_or(usize::MAX),
            time: Duration::from_secs(self.time),
            deadline: Duration::from_millis(self.deadline),
            allow_effects: self.allow_effects,
            with_valid: true,
            is_quick: false,
            only: Vec::new(),
            contract: None,
            repeat: Vec::new(),
        })
    }
}

/// Calls the server and groups its failures.
pub(super) fn look(
    live: &Live,
    registry: &Registry,
    seen: &mut Observations,
) -> Result<(), Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        flag::register(signal, Arc::clone(&stop)).map_err(|it| Failure::stream(&it))?;
    }
    let options = live.options()?;
    let now = clock::now();
    let shown = ProgressLine::new();
    let mut keep = |trial: Trial<'_>| look_at(&trial, &now, registry, seen);
    let probed = probe_with(&options, &mut |it| probe::say(&shown, "", it), &mut keep, &stop);
    drop(shown);
    probed.map(drop).map_err(|it| probe::failure(&it, &options.place))
}

/// Adds one answer: a failure that needs a row, or a success that no row may take.
fn look_at(trial: &Trial<'_>, time: &str, registry: &Registry, seen: &mut Observations) {
    seen.looked_at += 1;
    let Ok(answer) = Doc::parse(trial.answer, Limits::DOCUMENT) else { return };
    let sent = Doc::parse(trial.request, Limits::DOCUMENT).ok();
    let asked = Asked {
        request: sent.as_ref().map(Doc::root),
        method: Some("tools/call".into()),
        tool: Some(trial.tool.into()),
        traits: ToolTraits { read_only: trial.read_only, idempotent: false, trusted: true },
        ..Asked::default()
    };
    let judge =
        |answer: Value<'_>| match classify(&asked, &Outcome::of(What::Answer(answer)), registry) {
            Verdict::Success => None,
            Verdict::Failure(failure) => Some(failure),
        };
    let text = said(answer.root());
    let is_flagged = answer.root().get("error").is_some()
        || answer.root().path(&["result", "isError"]).and_then(Value::as_bool) == Some(true);
    let judged = judge(answer.root());
    if let Some(failure) = judged.as_deref().filter(|it| it.tier <= Tier::Taught) {
        // A row or the server itself says what it is.
        seen.named += u64::from(failure.certain);
        return;
    }
    let failure = if is_flagged {
        judged
    } else {
        let is_certain = judged.as_ref().is_some_and(|it| it.certain);
        let is_seen = is_certain || trial.must_fail && (judged.is_some() || trial.is_silent);
        match as_flagged(trial.answer).filter(|_| text.chars().count() <= LONGEST) {
            Some(flagged) => {
                let flagged = Doc::parse(flagged.as_bytes(), Limits::DOCUMENT).ok();
                let failure = flagged.and_then(|it| judge(it.root()));
                // An answer that complains of the arguments has failed, if these were wrong.
                failure.filter(|it| is_seen || trial.must_fail && complains(it))
            }
            None => None,
        }
    };
    let Some(failure) = failure else {
        let is_possible = !is_flagged && judge(answer.root()).is_some();
        seen.accepted += u64::from(trial.must_fail);
        seen.succeeded += u64::from(!is_possible);
        if !is_possible && seen.successes.len() < MOST_SUCCESSES {
            let success = Sample { tool: trial.tool.to_owned(), text: text.into_owned() };
            seen.successes.push(success);
        }
        return;
    };
    let arguments = sent.as_ref().and_then(|it| it.root().path(&["params", "arguments"]));
    let mut given = arguments.map(|it| given_in(it.raw())).unwrap_or_default();
    given.extend(trial.wrong.iter().cloned());
    let given: Vec<&str> = given.iter().map(String::as_str).collect();
    // Where words say nothing, the call does: its arguments did not fit.
    let is_unknown = failure.tier == Tier::Unknown && trial.must_fail;
    let code = if is_unknown { codes::INVALID_INPUT_VALUE.name() } else { failure.fault.code() };
    seen.clusters.add(&Sighting {
        tool: trial.tool,
        text: &text,
        rpc_code: answer.root().path(&["error", "code"]).and_then(Value::as_i64),
        given: &given,
        code,
        tier: failure.tier,
        is_silent: !is_flagged,
        is_harmless: failure.fault.effect == Effect::None,
        time,
    });
}

/// Whether a failure is one of the arguments.
fn complains(failure: &Judged) -> bool {
    failure.tier != Tier::Unknown && failure.fault.class == Class::InvalidArgument
}

/// The same answer as the server would have flagged it.
fn as_flagged(answer: &[u8]) -> Option<String> {
    let mut answer: Json = serde_json::from_slice(answer).ok()?;
    answer.get_mut("result")?.as_object_mut()?.insert("isError".to_owned(), true.into());
    Some(answer.to_string())
}

/// A call as it was sent.
pub(super) fn request_of(tool: &str, arguments: &str) -> String {
    let name = Json::from(tool);
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":{name},"arguments":{arguments}}}}}"#
    )
}

/// The names and texts in arguments, which an answer may repeat.
pub(super) fn given_in(arguments: &str) -> Vec<String> {
    const MOST: usize = 64;
    let mut open: Vec<Json> = serde_json::from_str(arguments).into_iter().collect();
    let mut found = Vec::new();
    while let Some(value) = open.pop().filter(|_| found.len() < MOST) {
        match value {
            Json::String(text) => found.push(text),
            Json::Array(items) => open.extend(items),
            Json::Object(members) => {
                for (name, value) in members {
                    found.push(name);
                    open.push(value);
                }
            }
            _ => (),
        }
    }
    found
}
