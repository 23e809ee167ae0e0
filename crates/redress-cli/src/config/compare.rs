//! `ConfigComparison`: what a changed file lets in, beside what a running gate lets in.
//!
//! A key has one rule by which it is compared: in its `section!`, or in one line of the tables below. A key without one does not compile.
//! What counts, and why: `docs/decisions/0025-reload.md`.

mod auth;
mod governance;
mod patterns;
mod rules;
mod servers;

use std::fmt;

pub(crate) use self::rules::Rules;
use self::rules::{flag, keys, number, unbounded};
use super::{Address, Config, General, Limits, Listen, Tls, section::Section as _};

/// The changes between what runs and what a file says, and the configuration that may be served without a confirmation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ConfigComparison {
    /// Every change, in the order of the keys.
    pub(crate) changes: Vec<KeyChange>,
    /// What the file says; a key that would let more in has its running value unless that was confirmed.
    pub(crate) config: Config,
}

/// What becomes of a key that would let more in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loosening {
    /// It keeps the value that it has.
    Held,
    /// It gets the value of the file: the operator has confirmed the file.
    Confirmed,
}

/// One key whose value changed, or one direction in which it did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeyChange {
    /// The key, as the file would write it.
    pub(crate) key: String,
    /// Whether it lets more in or less.
    pub(crate) verdict: Strictness,
    /// What changed, without any secret; empty if the key says it all.
    pub(crate) detail: String,
    /// Whether only a restart makes it count.
    pub(crate) after_restart: bool,
}

/// Whether a change lets more in or less.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strictness {
    /// It lets less in.
    Tightened,
    /// It lets more in, or it is not known to let less in.
    Loosened,
    /// It is not about who is let in, nor about what they may do.
    Neutral,
}

impl Strictness {
    /// What it is called.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Tightened => "tightened",
            Self::Loosened => "loosened",
            Self::Neutral => "changed",
        }
    }
}

impl fmt::Display for KeyChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.key)?;
        if self.detail.is_empty() { Ok(()) } else { write!(f, " ({})", self.detail) }
    }
}

impl KeyChange {
    /// Whether a confirmation is missing for it.
    pub(crate) fn waits(&self, loosening: Loosening) -> bool {
        let is_held = self.verdict == Strictness::Loosened && loosening == Loosening::Held;
        is_held && !self.after_restart
    }

    /// Whether open sessions of a server must end so that the change holds for their next request: their server was started, or is
    /// gated, with the power that is taken away.
    pub(crate) fn ends_sessions_of(&self, server: &str) -> bool {
        const OF_ALL: &[&str] = &["enabled", "root", "confine", "writable", "readable"];
        const OF_ONE: &[&str] = &[
            "workspace",
            "forward_authorization",
            "mode",
            "sharing",
            "trust",
            "trust_annotations",
        ];
        let key = self.key.as_str();
        let of_all = key.strip_prefix("governance.");
        let of_one = key.strip_prefix("server.").and_then(|it| it.strip_prefix(server));
        let of_one = of_one.and_then(|it| it.strip_prefix('.'));
        self.verdict == Strictness::Tightened
            && (of_all.is_some_and(|it| OF_ALL.contains(&it))
                || of_one.is_some_and(|it| OF_ONE.contains(&it)))
    }
}

impl ConfigComparison {
    /// Compares what runs with what a file says.
    pub(crate) fn of(running: &Config, file: &Config, loosening: Loosening) -> Self {
        let mut rules = Rules::new(loosening);
        let mut config = file.clone();
        general(&mut rules, &running.general, &mut config.general);
        servers::compare(&mut rules, (running, file), &mut config);
        Self { changes: rules.into_changes(), config }
    }
}

/// What holds for all servers. The roles are compared before the callers who have them.
fn general(rules: &mut Rules, old: &General, new: &mut General) {
    let General {
        listen,
        auth: _,
        ledger,
        metrics,
        emit,
        retry,
        breaker,
        r#loop,
        limits,
        governance,
        fleet,
    } = old;
    keys!(rules, "listen", Listen, (listen, new.listen), apart(tls), {
        address: restart(reach);
        allowed_hosts: granted(patterns::is_same);
        allowed_origins: granted(patterns::is_same);
        insecure: bound(flag);
        max_connections: bound(number);
        max_memory_bytes: restart(|_| ());
    });
    certificate(rules, &listen.tls, &mut new.listen.tls);
    ledger.compare(&mut new.ledger, "ledger", rules);
    metrics.compare(&mut new.metrics, "metrics", rules);
    emit.compare(&mut new.emit, "emit", rules);
    fleet.compare(&mut new.fleet, "fleet", rules);
    retry.compare(&mut new.retry, "retry", rules);
    breaker.compare(&mut new.breaker, "breaker", rules);
    r#loop.compare(&mut new.r#loop, "loop", rules);
    limit_keys(rules, "limits", limits, &mut new.limits);
    governance::compare(rules, governance, &mut new.governance);
    auth::compare(rules, old, new);
}

/// A listener has a certificate from its start on, or none; a new certificate is used at once.
fn certificate(rules: &mut Rules, old: &Tls, new: &mut Tls) {
    if old.is_given() == new.is_given() {
        rules.neutral("listen.tls", old, new);
    } else {
        rules.restart("listen.tls", old, new, |it| !it.is_given());
    }
}

/// `[limits]`, of the file or of one server.
fn limit_keys(rules: &mut Rules, at: &str, old: &Limits, new: &mut Limits) {
    // Without a burst of its own, as many come at once as in a second.
    let bursts = [old, new].map(|it| it.burst.or(it.rate_per_second));
    keys!(rules, at, Limits, (old, new), apart(burst), {
        concurrency: bound(number);
        session_concurrency: bound(number);
        rate_per_second: bound(unbounded);
        session_idle_ms: neutral();
        session_first_call_ms: neutral();
    });
    let [mut held, wanted] = bursts;
    let mut burst = wanted;
    rules.bound(&format!("{at}.burst"), &held, &mut burst, unbounded);
    if burst != wanted {
        new.burst = held.take();
    }
}

/// Whether other machines reach an address, which lets more in.
pub(crate) const fn reach(address: Address) -> bool {
    !address.is_loopback()
}

#[cfg(test)]
mod tests;
