//! The gate's settings: its own types, from those of the file.

use std::{collections::BTreeMap, net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use redress_gate::{
    RemoteAddress, Server as GatedServer, Target,
    metrics_listener::MetricsPage,
    serve::{Access, Tokens},
    settings::{BreakerRule, LimitRule, LoopRule, Rate, RetryRule, Settings},
};
use redress_ledger::Redactor;
use redress_transport::{program::Program, resources::Resources};

use redress_registry::{Registry, plugin::Plugins};

use super::{
    Breaker, Contract, General, Ledger, Limits, Listen, Loop, Retry, Secret, Server, Url, taught,
};
use crate::{failure::Failure, workspace};

impl Server {
    /// How it is gated. The redactor should know [`Server::secrets`].
    pub fn settings(&self, redactor: Arc<Redactor>) -> Settings {
        Settings {
            program: self.program_name(),
            mode: self.mode,
            dialect: self.dialect,
            deadline: Duration::from_millis(self.deadline_ms),
            tool_deadlines: self.tool_deadlines(),
            max_message: size(self.max_message_bytes),
            server_text: self.emit.server_text,
            details_bytes: size(self.emit.details_bytes),
            describe: self.emit.describe,
            meter: self.emit.meter,
            // The built-in server's words are ours.
            trust: self.trusts_words(),
            is_ours: self.workspace.is_some(),
            trust_annotations: self.trusts_annotations(),
            retry: self.retry.rule(),
            breaker: self.breaker.rule(),
            loop_guard: self.r#loop.rule(),
            limits: self.limits.rule(),
            // The section of the ledger says it, which holds for all servers.
            fault_bytes_per_hour: Ledger::default().fault_bytes_per_hour,
            // The environment says the rest, not the file.
            ..Settings::new(self.name.clone(), self.codes(), redactor)
        }
    }

    /// Whether its own words reach clients: to name a contract for a command is to trust what it says in it.
    pub(super) fn trusts_words(&self) -> bool {
        let is_named = self.contract != Contract::core() || !self.plugins.is_empty();
        self.workspace.is_some() || self.trust.unwrap_or(is_named && self.url.is_none())
    }

    /// Whether it is believed when it calls a tool read-only or idempotent.
    pub(super) fn trusts_annotations(&self) -> bool {
        self.trust_annotations.unwrap_or(self.url.is_none())
    }

    /// The codes that it may use, with those of its plugins.
    pub(crate) fn codes(&self) -> Arc<Registry> {
        let contract = taught::teach(&self.r#match, self.own_codes());
        if self.plugins.is_empty() {
            return contract;
        }
        let plugins = Plugins::default();
        for plugin in &self.plugins {
            // A file with plugins that do not fit together is not valid, so that none is refused here.
            let _registered = plugins.register_all(&plugin.registry);
        }
        Arc::new(plugins.taken_into(&contract))
    }

    /// The codes of its contract: the built-in server has its own, unless others are named.
    pub(super) fn own_codes(&self) -> Arc<Registry> {
        if self.workspace.is_some() && self.contract == Contract::core() {
            return Arc::clone(redress_workspace::registry());
        }
        Arc::clone(&self.contract.registry)
    }

    fn tool_deadlines(&self) -> BTreeMap<String, Duration> {
        let tools = self.tool.0.iter();
        tools
            .filter_map(|it| Some((it.name.clone(), Duration::from_millis(it.deadline_ms?))))
            .collect()
    }

    /// The server behind the gate; `ledger` is where its failures are recorded.
    pub(crate) fn target(&self, ledger: Option<PathBuf>) -> Result<Target, Failure> {
        if let Some(root) = &self.workspace {
            return workspace::target(&root.0, ledger);
        }
        let Some(url) = &self.url else { return Ok(Target::Program(Box::new(self.program()))) };
        let headers = self.headers.iter().map(|(name, it)| (name.clone(), it.reveal().to_owned()));
        let address = RemoteAddress::new(url.as_str(), headers, self.forward_authorization);
        address.map(|it| Target::Url(Arc::new(it))).map_err(|problem| {
            Failure::config(&format!("server.{}.url", self.name), &format!("{problem}."))
        })
    }

    /// What is started for it.
    pub fn program(&self) -> Program {
        let env = self.env.iter().map(|(name, value)| (name.into(), value.reveal().into()));
        Program {
            command: self.command.iter().map(|it| it.0.clone()).collect(),
            env: env.collect(),
            cwd: self.cwd.as_ref().map(|it| it.0.clone()),
            resources: Resources {
                memory: self.memory,
                processes: self.processes,
                open_files: self.open_files,
            },
            is_launched: true,
            ..Program::default()
        }
    }

    /// The name of the program, for faults.
    pub(crate) fn program_name(&self) -> String {
        let program = self.command.first().map(|it| it.0.to_string_lossy().into_owned());
        program
            .or_else(|| self.workspace.as_ref().map(|_| "workspace".to_owned()))
            .unwrap_or_default()
    }

    /// Everything that may be secret, so that it can be taken out of what the server writes.
    pub fn secrets(&self) -> impl Iterator<Item = &str> {
        let headers = self.headers.values().map(Secret::reveal);
        let headers = headers.flat_map(Redactor::secrets_of_header);
        // Servers repeat parts of their address.
        let url = self.url.as_ref();
        let query = url.and_then(|it| it.as_str().split_once('?'));
        let of_url = url.into_iter().flat_map(Url::secrets);
        let env = self.env.iter().filter(|(name, it)| it.is_telling(name)).map(|it| it.1);
        let env = env.map(Secret::reveal);
        let query = query.map(|it| it.1);
        let others = self.env.values().map(Secret::reveal).chain(query);
        let within = others.flat_map(|it| Redactor::secrets_of("", it));
        let places = url.into_iter().flat_map(|it| places(it.as_str()));
        env.chain(headers).chain(query).chain(within).chain(places).chain(of_url)
    }
}

/// The parts of an address that say where a server is: all of it but its query, and its host only if that has a port, since a host with a
/// port is internal.
fn places(url: &str) -> impl Iterator<Item = &str> {
    let whole = url.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    let host = whole.split_once("://").and_then(|it| it.1.split('/').next());
    let host = host.and_then(|it| it.rsplit('@').next()).filter(|it| it.contains(':'));
    [Some(whole), host].into_iter().flatten()
}

impl General {
    /// The page of metrics, where they have an address of their own.
    pub(crate) fn page_of_metrics(&self, servers: Vec<Arc<GatedServer>>) -> MetricsPage {
        let access = self.access(self.metrics.address.map_or(self.listen.address.0, |it| it.0));
        MetricsPage { access, servers, tls: self.listen.tls.certificate() }
    }

    /// Who may come in at an address, which is itself a name for us, if it is one.
    pub(crate) fn access(&self, at: SocketAddr) -> Access {
        let own = (!at.ip().is_unspecified()).then(|| at.to_string());
        let tokens = || {
            Tokens::new(self.auth.all().map(Secret::reveal))
                .with_hashes(self.auth.callers().map(|it| it.0))
        };
        Access {
            hosts: self.listen.allowed_hosts.iter().map(|it| it.0.clone()).chain(own).collect(),
            origins: self.listen.allowed_origins.iter().map(|it| it.0.clone()).collect(),
            tokens: (!self.auth.is_open()).then(tokens),
            writers: self.auth.console_writers().collect(),
        }
    }
}

impl Listen {
    /// What the listeners speak, as URLs name it.
    pub(crate) const fn scheme(&self) -> &'static str {
        if self.tls.is_given() { "https" } else { "http" }
    }
}

impl Retry {
    fn rule(&self) -> RetryRule {
        RetryRule {
            attempts: count(self.attempts),
            first_pause: Duration::from_millis(self.base_ms),
            longest_pause: Duration::from_millis(self.max_ms),
            budget_percent: count(self.budget_percent),
        }
    }
}

impl Breaker {
    fn rule(&self) -> BreakerRule {
        BreakerRule {
            failures: count(self.failures),
            window: Duration::from_millis(self.window_ms),
            pause: Duration::from_millis(self.open_ms),
            longest_pause: Duration::from_millis(self.max_open_ms),
        }
    }
}

impl Loop {
    fn rule(&self) -> LoopRule {
        LoopRule {
            enabled: self.enabled,
            failures: count(self.failures),
            pause: Duration::from_millis(self.pause_ms),
            longest_pause: Duration::from_millis(self.max_pause_ms),
        }
    }
}

impl Limits {
    fn rule(&self) -> LimitRule {
        LimitRule {
            in_flight: size(self.concurrency),
            in_flight_per_session: size(self.session_concurrency),
            rate: self.rate_per_second.map(|it| rate(it, self.burst.unwrap_or(it))),
        }
    }
}

/// As many at once as the burst allows, in the time in which the rate allows as many.
fn rate(per_second: u64, burst: u64) -> Rate {
    let micros = burst.saturating_mul(1_000_000) / per_second.max(1);
    Rate { calls: count(burst), per: Duration::from_micros(micros) }
}

/// A duration as the file writes it.
pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn count(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn size(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}
