//! A file that changed while it is served. What lets less in is served from now on; what would let more in waits until it is confirmed;
//! what is not valid is reported and changes nothing.

mod follow;
mod said;

use std::{
    path::Path,
    sync::{Arc, Weak},
};

use redress_gate::{
    Server,
    serve::{Handle, ServerChange},
};
use redress_govern::Governor;

pub(super) use self::follow::{Event, first, follow, take_hang_ups};
use super::{Stage, size};
use crate::{
    config::{self, Config, ConfigComparison, General, Governance, KeyChange, Loosening},
    failure::Failure,
    findings::counted,
    govern::{self, confine, unserved},
    output::Err,
};

/// What is served, and by what it is changed.
pub(super) struct Reload {
    pub(super) stage: Stage,
    pub(super) config: Config,
    pub(super) handle: Handle,
    /// Every server that has sessions, those too that have left the file.
    pub(super) live: Vec<StartedServer>,
}

/// A server, and who is to let its calls pass from now on.
type Ruled = (Arc<Server>, Arc<Governor>);

/// A server as it was started.
pub(super) struct StartedServer {
    row: config::Server,
    governance: Governance,
    gated: Weak<Server>,
}

impl Reload {
    /// Serves what a file says, but for what would let more in and is not confirmed; all of it, or nothing. Gives every change.
    fn take(&mut self, file: &Config, loosening: Loosening) -> Result<Vec<KeyChange>, Failure> {
        let ConfigComparison { changes, config } =
            ConfigComparison::of(&self.config, file, loosening);
        self.stage.audit(&config)?;
        let mut next = Vec::new();
        let mut new = Vec::new();
        for server in &config.servers {
            if self.stays(server, &config.general) {
                next.push(ServerChange::Same(server.name.clone()));
                continue;
            }
            let before = self.live.iter().rev().find_map(|it| it.named(server));
            let served = self.stage.served(server, &config.general, before.as_deref())?;
            unserved::say(&config, [(server, &*served.server, &served.target)].into_iter());
            new.push(StartedServer::new(server, &config.general, &served.server));
            let served = Box::new(served);
            let ends = changes.iter().any(|it| it.ends_sessions_of(&server.name));
            next.push(if ends { ServerChange::Instead(served) } else { ServerChange::New(served) });
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
        if let Some(tls) = config.general.listen.tls.certificate() {
            self.handle.change_certificate(&tls);
        }
        self.handle.limit_connections(size(config.general.listen.max_connections));
        self.stage.show(&config, self.handle.servers());
        say(&new, &self.config, has_policy, &config);
        said::say(&changes, loosening, config.file.as_deref());
        if let (None, Some(made)) = (&self.config.general.auth.made, &config.general.auth.made) {
            Err::new().say(&format!("clients need the token in {} now", made.file.display()));
        }
        self.live.extend(new);
        self.live.retain(|it| it.gated.strong_count() > 0);
        self.config = config;
        Ok(changes)
    }

    /// A server without changes keeps its breaker and its processes.
    fn stays(&self, server: &config::Server, general: &General) -> bool {
        let old = &self.config.general;
        self.config.servers.contains(server)
            && old.ledger == general.ledger
            && old.governance.enabled == general.governance.enabled
            && has_reach_of(&old.governance, &general.governance)
    }

    fn has_policy_of(&self, general: &General) -> bool {
        let old = &self.config.general;
        old.governance == general.governance && old.auth.caller == general.auth.caller
    }
}

impl StartedServer {
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
        general.governance.readable.clone_from(&self.governance.readable);
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
    one.root == other.root
        && one.confine == other.confine
        && one.writable == other.writable
        && one.readable == other.readable
}

fn say(new: &[StartedServer], before: &Config, has_policy: bool, config: &Config) {
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
    Err::new().say(&format!("the file was read again: {all}, {}", which.join("; ")));
    if has_policy {
        Err::new().say("the policy changed; it holds for open sessions, too");
    }
}
