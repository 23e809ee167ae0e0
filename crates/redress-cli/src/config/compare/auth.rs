//! `[auth]`: who is let in by a token, and in which role.

use std::collections::BTreeSet;

use sha2::{Digest as _, Sha256};

use super::{
    Strictness,
    patterns::{by_pattern, is_name},
    rules::Rules,
};
use crate::config::{Auth, Caller, General, RoleRow, Secret};

type Hash = [u8; 32];

/// Compares the tokens, then the roles of those who keep theirs.
pub(super) fn compare(rules: &mut Rules, old: &General, new: &mut General) {
    match (old.auth.is_open(), new.auth.is_open()) {
        (true, true) => {}
        (true, false) => rules.note("auth", Strictness::Tightened, "a token is needed now"),
        (false, true) => {
            let change = ("auth", Strictness::Loosened);
            rules.judged(change, "no token would be needed", (&old.auth, &mut new.auth));
        }
        (false, false) => tokens(rules, &old.auth, &mut new.auth),
    }
    roles(rules, old, new);
    console(rules, &old.auth, &mut new.auth);
}

/// Who may change something in the console. A right that is new is held.
fn console(rules: &mut Rules, old: &Auth, new: &mut Auth) {
    let before: BTreeSet<Hash> = old.console_writers().map(|it| it.0).collect();
    for caller in &mut new.caller.0 {
        let had = caller.hash().is_some_and(|it| before.contains(&it));
        let key = format!("auth.caller.{}.console_write", caller.name);
        match (had, caller.console_write) {
            (false, true) => {
                rules.note(&key, Strictness::Loosened, "");
                caller.console_write = !rules.holds();
            }
            (true, false) => rules.note(&key, Strictness::Tightened, ""),
            _ => (),
        }
    }
}

/// A removed token lets its caller in no more; a new one would let a caller in. Which of the lists has it does not matter.
fn tokens(rules: &mut Rules, old: &Auth, new: &mut Auth) {
    let (before, after) = (hashes(old), hashes(new));
    note(rules, (old, &after), Strictness::Tightened, "removed");
    note(rules, (new, &before), Strictness::Loosened, "added");
    if before == after && lists(old) != lists(new) {
        rules.note("auth", Strictness::Neutral, "");
    }
    if rules.holds() && !after.is_subset(&before) {
        let is_known = |it: &Secret| before.contains(&hash(it));
        new.tokens.retain(is_known);
        for file in &mut new.token_files {
            file.lines.retain(is_known);
        }
        new.caller.0.retain(|it| it.hash().is_some_and(|it| before.contains(&it)));
        new.made = new.made.take().filter(|it| is_known(&it.token));
        // No token may be left. That is not the same as needing none.
        new.is_required = true;
    }
}

/// Notes the tokens of one side that the other one does not have.
fn note(
    rules: &mut Rules,
    (auth, others): (&Auth, &BTreeSet<Hash>),
    verdict: Strictness,
    what: &str,
) {
    let Auth { tokens, token_files, caller, made, is_required: _ } = auth;
    let is_missing = |it: &&Secret| !others.contains(&hash(it));
    let count = tokens.iter().filter(is_missing).count();
    rules.of_list("auth.tokens", (count, verdict, what));
    let count = token_files.iter().flat_map(|it| &it.lines).filter(is_missing).count();
    rules.of_list("auth.token_files", (count, verdict, what));
    if made.iter().any(|it| is_missing(&&it.token)) {
        rules.note("auth", verdict, format!("the token of this user {what}"));
    }
    for caller in caller.0.iter().filter(|it| it.hash().is_none_or(|it| !others.contains(&it))) {
        rules.note(&format!("auth.caller.{}", caller.name), verdict, what);
    }
}

/// A caller may do what the role allows. Which role that is may change, if the new one allows nothing that the old one did not.
fn roles(rules: &mut Rules, old: &General, new: &mut General) {
    let old_rows = old.governance.role_rows();
    let mut rows = new.governance.role_rows();
    let is_governed = new.governance.enabled;
    let known = hashes(&old.auth);
    let mut callers: Vec<_> = new.auth.caller.0.iter_mut().collect();
    let was_let_in = |it: &Hash| old.auth.is_open() || known.contains(it);
    callers.retain(|it| it.hash().is_some_and(|it| was_let_in(&it)));
    let before = |caller: &Caller| caller.hash().and_then(|it| role_of(&old.auth, &it));
    let had = |caller: &Caller| Reach::of(old.governance.enabled, &old_rows, before(caller));
    for caller in &callers {
        let key = format!("auth.caller.{}.role", caller.name);
        let gets = Reach::of(is_governed, &rows, caller.role.as_deref());
        if !gets.is_within(&had(caller)) {
            rules.note(&key, Strictness::Loosened, "");
        } else if before(caller) != caller.role.as_deref() {
            let is_less = !had(caller).is_within(&gets);
            rules.note(&key, if is_less { Strictness::Tightened } else { Strictness::Neutral }, "");
        }
    }
    // A role that is held for one caller may be one that another one has by the file, so that all are looked at again.
    let is_more = |rows: &[RoleRow], it: &Caller| {
        !Reach::of(is_governed, rows, it.role.as_deref()).is_within(&had(it))
    };
    while rules.holds()
        && let Some(caller) = callers.iter_mut().find(|it| is_more(&rows, it))
    {
        caller.role = match had(caller) {
            Reach::Nothing => None,
            Reach::Role(row) => {
                if rows.iter().all(|it| it.name != row.name) {
                    rows.push(row.clone());
                }
                Some(row.name.clone())
            }
            Reach::All => break,
        };
    }
    if rows != new.governance.role_rows() {
        new.governance.roles.0 = rows;
    }
}

/// What a caller may call.
#[derive(Debug)]
pub(super) enum Reach<'r> {
    /// Everything.
    All,
    /// What a role allows.
    Role(&'r RoleRow),
    /// Nothing.
    Nothing,
}

impl<'r> Reach<'r> {
    /// What a caller with that role may call, by these roles of a gate that governs or does not.
    pub(super) fn of(is_governed: bool, rows: &'r [RoleRow], role: Option<&str>) -> Self {
        if !is_governed || rows.is_empty() {
            return Self::All;
        }
        let row = rows.iter().find(|it| Some(it.name.as_str()) == role);
        row.map_or(Self::Nothing, Self::Role)
    }

    /// Whether it is known to be no more than another one.
    pub(super) fn is_within(&self, other: &Self) -> bool {
        match (self, other) {
            (_, Self::All) | (Self::Nothing, _) => true,
            (Self::Role(one), Self::Role(other)) => {
                let is_denied = |it: &String| {
                    by_pattern(&one.deny, it) || is_name(it) && !by_pattern(&one.allow, it)
                };
                one.allow.iter().all(|it| by_pattern(&other.allow, it))
                    && other.deny.iter().all(is_denied)
            }
            (Self::Role(one), Self::Nothing) => one.allow.is_empty(),
            (Self::All, _) => false,
        }
    }
}

/// The role of who brings a token.
fn role_of<'a>(auth: &'a Auth, hash: &Hash) -> Option<&'a str> {
    let caller = auth.caller.0.iter().find(|it| it.hash().as_ref() == Some(hash))?;
    caller.role.as_deref()
}

/// The hashes of all tokens.
fn hashes(auth: &Auth) -> BTreeSet<Hash> {
    let callers = auth.caller.0.iter().filter_map(Caller::hash);
    auth.all().map(hash).chain(callers).collect()
}

fn hash(token: &Secret) -> Hash {
    Sha256::digest(token.reveal()).into()
}

/// Where the tokens stand.
fn lists(auth: &Auth) -> impl PartialEq + use<'_> {
    let callers: Vec<_> = auth.caller.0.iter().map(|it| (&it.name, &it.sha256)).collect();
    (&auth.tokens, &auth.token_files, &auth.made, callers)
}
