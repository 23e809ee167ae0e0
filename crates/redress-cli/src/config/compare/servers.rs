//! `[server.NAME]`: what each server is trusted with, and how much it is asked.

use redress_gate::{serve::Sharing, settings::Mode};

use super::{
    Strictness, limit_keys,
    patterns::is_below,
    rules::{Rules, flag, keys, number, unbounded},
};
use crate::config::{Config, General, Location, Server, section::Section as _};

/// Compares the servers of both sides. One that is new is not looser by that: who is let in is the same.
pub(super) fn compare(rules: &mut Rules, (running, file): (&Config, &Config), new: &mut Config) {
    for server in &running.servers {
        if new.servers.iter().all(|it| it.name != server.name) {
            let key = format!("server.{}", server.name);
            rules.note(&key, Strictness::Tightened, "no longer served");
        }
    }
    let generals = (&running.general, &file.general);
    for server in &mut new.servers {
        let at = format!("server.{}", server.name);
        if let Some(old) = running.servers.iter().find(|it| it.name == server.name) {
            both(rules, &at, (old, server), generals);
        } else {
            rules.note(&at, Strictness::Neutral, "new");
            let usual = untrusted(server);
            trust(rules, &at, &usual, server);
        }
    }
}

fn both(
    rules: &mut Rules,
    at: &str,
    (old, new): (&Server, &mut Server),
    generals: (&General, &General),
) {
    let is_governed = generals.0.governance.enabled;
    // Trust is in the server at an address. The server at another one has none yet.
    let is_same_place = old.url == new.url && old.is_program() == new.is_program();
    keys!(rules, at, Server, (old, new), apart(name, contract, plugins, forward_authorization, trust, trust_annotations, emit, retry, breaker, r#loop, limits), {
        command: neutral();
        env: neutral();
        inherit_env: neutral();
        memory: bound(unbounded);
        processes: bound(unbounded);
        open_files: bound(unbounded);
        cwd: neutral();
        url: neutral();
        workspace: folder();
        headers: neutral();
        mode: bound(leaves);
        dialect: neutral();
        deadline_ms: neutral();
        max_message_bytes: bound(number);
        sharing: bound(is_shared);
        max_sessions: bound(number);
        r#match: neutral();
        tool: neutral();
    });
    contract(rules, at, is_governed, (old, new));
    let usual = untrusted(new);
    trust(rules, at, if is_same_place { old } else { &usual }, new);

    // What a server takes from the file's own table was noted there.
    let (before, after) = generals;
    let is_noted = old.emit == before.emit && new.emit == after.emit;
    rules.quietly(is_noted, |it| old.emit.compare(&mut new.emit, &format!("{at}.emit"), it));
    let is_noted = old.retry == before.retry && new.retry == after.retry;
    rules.quietly(is_noted, |it| old.retry.compare(&mut new.retry, &format!("{at}.retry"), it));
    let is_noted = old.breaker == before.breaker && new.breaker == after.breaker;
    rules.quietly(is_noted, |it| {
        old.breaker.compare(&mut new.breaker, &format!("{at}.breaker"), it);
    });
    let is_noted = old.r#loop == before.r#loop && new.r#loop == after.r#loop;
    rules.quietly(is_noted, |it| old.r#loop.compare(&mut new.r#loop, &format!("{at}.loop"), it));
    let is_noted = old.limits == before.limits && new.limits == after.limits;
    rules.quietly(is_noted, |it| {
        limit_keys(it, &format!("{at}.limits"), &old.limits, &mut new.limits);
    });
}

/// Where calls are governed, the contract says by its tools which guards they pass.
fn contract(rules: &mut Rules, at: &str, is_governed: bool, (old, new): (&Server, &mut Server)) {
    if old.contract == new.contract && old.plugins == new.plugins {
        return;
    }
    let key = format!("{at}.contract");
    if is_governed && old.codes().tools != new.codes().tools {
        rules.note(&key, Strictness::Loosened, "its tools differ");
        if rules.holds() {
            new.contract.clone_from(&old.contract);
            new.plugins.clone_from(&old.plugins);
        }
    } else {
        rules.note(&key, Strictness::Neutral, "");
    }
}

/// What a server is believed, and given.
fn trust(rules: &mut Rules, at: &str, old: &Server, new: &mut Server) {
    let forward = &mut new.forward_authorization;
    let key = format!("{at}.forward_authorization");
    rules.bound(&key, &old.forward_authorization, forward, flag);
    // The built-in server's words are ours.
    if new.workspace.is_some() {
        return;
    }
    let mut words = new.trusts_words();
    let wanted = words;
    rules.bound(&format!("{at}.trust"), &old.trusts_words(), &mut words, flag);
    if words != wanted {
        new.trust = Some(words);
    }
    let mut annotations = new.trusts_annotations();
    let wanted = annotations;
    let key = format!("{at}.trust_annotations");
    rules.bound(&key, &old.trusts_annotations(), &mut annotations, flag);
    if annotations != wanted {
        new.trust_annotations = Some(annotations);
    }
}

/// The same server with no more trust than one gets that the file says nothing about.
fn untrusted(server: &Server) -> Server {
    Server { trust: None, trust_annotations: None, forward_authorization: false, ..server.clone() }
}

impl Rules {
    /// The folder of the built-in server: what callers reach lies in it.
    #[expect(clippy::ref_option, reason = "a table of keys hands every value to its rule as it is")]
    fn folder(&mut self, key: &str, old: &Option<Location>, new: &mut Option<Location>) {
        if old == new {
            return;
        }
        let verdict = match (&old, &new) {
            (Some(old), Some(new)) if is_below(&new.0, &old.0) => Strictness::Tightened,
            (Some(_), Some(_)) => Strictness::Loosened,
            // Another kind of server.
            _ => Strictness::Neutral,
        };
        self.judged((key, verdict), "", (old, new));
    }
}

impl Server {
    const fn is_program(&self) -> bool {
        self.url.is_none() && self.workspace.is_none()
    }
}

/// How much of what a server says passes as it is.
const fn leaves(mode: Mode) -> u8 {
    match mode {
        Mode::Enforce => 0,
        Mode::Annotate => 1,
        Mode::Observe => 2,
    }
}

fn is_shared(sharing: Sharing) -> bool {
    sharing == Sharing::Shared
}
