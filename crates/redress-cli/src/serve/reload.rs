//! A file that changed while it is served: what is new is served from now on, and what is not valid is told and changes nothing.

use std::{fs, io, thread};

use redress_gate::{Handle, Next};
use signal_hook::{consts::SIGHUP, iterator::Signals};

use super::Stage;
use crate::{
    config::{Config, Watch},
    failure::Failure,
    govern::unserved,
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
        let mut changed = Vec::new();
        for server in &config.servers {
            // A server of which nothing changed keeps its counters, its breaker and its processes.
            let is_same = self.config.servers.contains(server)
                && self.config.general.ledger == config.general.ledger;
            if is_same {
                next.push(Next::Same(server.name.clone()));
            } else {
                let new = self.stage.served(server, &config)?;
                unserved::say(&config, [(server, &*new.server, &new.target)].into_iter());
                next.push(Next::New(Box::new(new)));
                changed.push(server.name.as_str());
            }
        }
        self.handle.change(next, config.general.access(config.general.listen.address.0));
        self.stage.show(&config, self.handle.servers());
        say(&changed, &config);
        self.config = config;
        Ok(())
    }

    /// A listener that is open and a ledger that is written stay as they are.
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
        for section in stays {
            Err::new().line("", &format!("{section} changed, which counts after a restart"));
        }
    }
}

fn say(changed: &[&str], config: &Config) {
    let all = config.servers.len();
    let which = if changed.is_empty() {
        "none changed".to_owned()
    } else {
        format!("new or changed: {}", changed.join(", "))
    };
    Err::new().line("", &format!("the file was read again: {all} servers, {which}"));
}
