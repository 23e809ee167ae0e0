//! A file that changed while it is served: what is new is served from now on, and what is not valid is told and changes nothing.

use std::{
    fs, io,
    path::Path,
    sync::{Arc, Weak},
    thread,
};

use redress_gate::{Governor, Handle, Next, Server};
use signal_hook::{consts::SIGHUP, iterator::Signals};

use super::Stage;
use crate::{
    config::{self, Config, General, Governance, Watch},
    failure::Failure,
    findings::counted,
    govern::{self, confine, unserved},
    output::Err,
};

/// Serves on after a SIGHUP where there is no file to read again, and says so. Whoever had us ignore it, and with us the servers
/// that we start, is left his way.
pub(super) fn outlive_hang_up() -> io::Result<()> {
    if is_ignored(SIGHUP) {
        return Ok(());
    }
    let mut signals = Signals::new([SIGHUP])?;
    let say = move || {
        for _ in signals.forever() {
            Err::new().line("", "there is no file to read again, and everything goes on");
        }
    };
    thread::Builder::new().name("redress-hang-up".to_owned()).spawn(say).map(drop)
}

/// Whether a signal is ignored since we were started.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|it| it.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|it| u64::from_str_radix(it.trim(), 16).ok()).unwrap_or_default();
    mask >> (signal - 1) & 1 == 1
}

/// What is served, and by what it is changed.
pub(super) struct Reload {
    pub(super) stage: Stage,
    pub(super) config: Config,
    pub(super) handle: Handle,
    /// Every server that has sessions, those too that have left the file.
    pub(super) live: Vec<Live>,
}

/// A server, and who is to let its calls pass from now on.
type Ruled = (Arc<Server>, Arc<Governor>);

/// A server as it was started.
pub(super) struct Live {
    row: config::Server,
    governance: Governance,
    gated: Weak<Server>,
}

impl Reload {
    /// Serves what the file says, from each change on.
    pub(super) fn follow<L>(mut self, watch: Watch<L>) -> io::Result<()>
    where
        L: FnMut() -> Result<Config, Failure> + Send + 'static,
    {
        watch.follow(move |read| {
            if let Err(failure) = read.and_then(|it| self.take(it)) {
                failure.report();
                Err::new().line("", "what was valid before is still served");
            }
        })
    }

    fn take(&mut self, mut config: Config) -> Result<(), Failure> {
        self.keep_what_must_stay(&mut config);
        self.stage.audit(&config)?;
        let mut next = Vec::new();
        let mut new = Vec::new();
        for server in &config.servers {
            if self.stays(server, &config.general) {
                next.push(Next::Same(server.name.clone()));
                continue;
            }
            let before = self.live.iter().rev().find_map(|it| it.named(server));
            let served = self.stage.served(server, &config.general, before.as_deref())?;
            unserved::say(&config, [(server, &*served.server, &served.target)].into_iter());
            new.push(Live::new(server, &config.general, &served.server));
            next.push(Next::New(Box::new(served)));
        }
        let ruled = if self.has_policy_of(&config.general) {
            Vec::new()
        } else {
            let ledger = self.stage.ledger_dir.as_deref();
            let live = self.live.iter().map(|it| it.ruled(&config.general, ledger));
            live.collect::<Result<Vec<_>, _>>()?
        };
        // Nothing fails from here on: a change is made as a whole or not at all.
        let ruled: Vec<_> = ruled.into_iter().flatten().collect();
        let has_policy = !ruled.is_empty();
        for (gated, governor) in ruled {
            gated.change_governor(governor);
        }
        self.handle.change(next, config.general.access(config.general.listen.address.0));
        self.stage.show(&config, self.handle.servers());
        say(&new, &self.config, has_policy, &config);
        self.live.extend(new);
        self.live.retain(|it| it.gated.strong_count() > 0);
        self.config = config;
        Ok(())
    }

    /// A server of which nothing changed keeps its breaker and its processes.
    fn stays(&self, server: &config::Server, general: &General) -> bool {
        let old = &self.config.general;
        self.config.servers.contains(server)
            && old.ledger == general.ledger
            && has_reach_of(&old.governance, &general.governance)
    }

    fn has_policy_of(&self, general: &General) -> bool {
        let old = &self.config.general;
        old.governance == general.governance && old.auth.caller == general.auth.caller
    }

    /// A listener that is open and a ledger that is written stay as they are; and whoever has a session is governed or not.
    fn keep_what_must_stay(&self, config: &mut Config) {
        let (old, new) = (&self.config.general, &mut config.general);
        let on_failure = new.ledger.on_failure;
        let mut stays = Vec::new();
        if new.listen.address != old.listen.address {
            new.listen.address = old.listen.address;
            stays.push("[listen] address");
        }
        if new.listen.max_connections != old.listen.max_connections {
            new.listen.max_connections = old.listen.max_connections;
            stays.push("[listen] max_connections");
        }
        if new.metrics != old.metrics {
            new.metrics.clone_from(&old.metrics);
            stays.push("[metrics]");
        }
        new.ledger.on_failure = old.ledger.on_failure;
        if new.ledger != old.ledger {
            new.ledger.clone_from(&old.ledger);
            stays.push("[ledger]");
        }
        new.ledger.on_failure = on_failure;
        if new.governance.enabled != old.governance.enabled {
            new.governance.clone_from(&old.governance);
            stays.push("[governance] enabled");
        }
        for section in stays {
            Err::new().line("", &format!("{section} changed, which counts after a restart"));
        }
    }
}

impl Live {
    pub(super) fn new(row: &config::Server, general: &General, gated: &Arc<Server>) -> Self {
        let (row, governance) = (row.clone(), general.governance.clone());
        Self { row, governance, gated: Arc::downgrade(gated) }
    }

    /// The server, if one of a changed file has its name: a change of the file sheds no lock, and no counter starts anew.
    fn named(&self, server: &config::Server) -> Option<Arc<Server>> {
        self.gated.upgrade().filter(|_| self.row.name == server.name)
    }

    /// The server, if it has sessions and is governed, with its governor by another policy. Where its processes may write was settled when they were started.
    fn ruled(&self, general: &General, ledger: Option<&Path>) -> Result<Option<Ruled>, Failure> {
        let (Some(gated), Some(ledger)) = (self.gated.upgrade(), ledger) else { return Ok(None) };
        let Some(before) = gated.governor() else { return Ok(None) };
        let mut general = general.clone();
        general.governance.root.clone_from(&self.governance.root);
        general.governance.writable.clone_from(&self.governance.writable);
        general.governance.confine = self.governance.confine;
        let policy = govern::policy(&general, &self.row, &gated.settings, Some(ledger.to_owned()))?;
        Ok(policy.map(|policy| {
            let governor = Governor::after(&before, policy);
            confine::guard(&governor, &self.row, &general, ledger);
            (gated, Arc::new(governor))
        }))
    }
}

/// Whether the system lets processes of servers do the same.
fn has_reach_of(one: &Governance, other: &Governance) -> bool {
    one.root == other.root && one.confine == other.confine && one.writable == other.writable
}

fn say(new: &[Live], before: &Config, has_policy: bool, config: &Config) {
    let all = counted(config.servers.len(), "server");
    let names: Vec<&str> = new.iter().map(|it| it.row.name.as_str()).collect();
    let is_there = |it: &&str| config.servers.iter().any(|server| server.name == *it);
    let known = before.servers.iter().map(|it| it.name.as_str());
    let gone: Vec<&str> = known.filter(|it| !is_there(it)).collect();
    let mut which = Vec::new();
    if !names.is_empty() {
        which.push(format!("new or changed: {}", names.join(", ")));
    }
    if !gone.is_empty() {
        which.push(format!("no longer served: {}", gone.join(", ")));
    }
    if which.is_empty() {
        which.push("none changed".to_owned());
    }
    Err::new().line("", &format!("the file was read again: {all}, {}", which.join("; ")));
    if has_policy {
        Err::new().line("", "the policy changed; it holds for open sessions, too");
    }
}
