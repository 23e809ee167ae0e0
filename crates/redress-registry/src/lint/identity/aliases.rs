//! In one dialect, one spelling means one code.

use std::{collections::BTreeMap, ops::Range};

use crate::{
    draft::DraftCode,
    finding::part,
    lint::scope::{Hits, Scope},
    name,
};

/// CK109. A dialect with fewer codes has one spelling for several of ours; that is no collision if
/// one of them claims it under its own name, because that one is then read.
pub(super) fn colliding(scope: &Scope<'_>, hits: &mut Hits<'_>) {
    for ((dialect, spelling), claims) in claims(scope) {
        if claims.iter().any(|it| it.by_alias && is_named(it.name, spelling)) {
            continue;
        }
        let first = claims.iter().find(|it| !it.by_alias).or(claims.first());
        let Some(first) = first.map(|it| it.name) else { continue };
        for claim in claims.iter().filter(|it| it.name != first) {
            let Some((code, span)) = claim.own else { continue };
            let context =
                [part("spelling", spelling), part("dialect", dialect), part("other", first)];
            hits.on(code, span, "In {dialect}, {spelling} also means {other}.", context);
        }
    }
    of_tombstones(scope, hits);
}

/// A code that a dialect spells in some way.
struct Claim<'a> {
    name: &'a str,
    /// By `alias`, and not only because it is called so.
    by_alias: bool,
    /// Where the file says so.
    own: Option<(&'a DraftCode, &'a Range<usize>)>,
}

fn claims<'a>(scope: &'a Scope<'_>) -> BTreeMap<(&'a str, &'a str), Vec<Claim<'a>>> {
    let mut claims: BTreeMap<_, Vec<Claim<'a>>> = BTreeMap::new();
    for entry in scope.taken_codes() {
        for alias in &entry.alias {
            for spelling in &alias.spellings {
                let claim = Claim { name: &entry.code, by_alias: true, own: None };
                claims.entry((&*alias.dialect, spelling.as_str())).or_default().push(claim);
            }
        }
    }
    for (name, code) in scope.named_codes() {
        for (dialect, spellings) in &code.alias {
            for spelling in spellings {
                let claim = Claim { name, by_alias: true, own: Some((code, &spelling.span)) };
                let key = (dialect.value.as_str(), spelling.value.as_str());
                claims.entry(key).or_default().push(claim);
            }
        }
    }
    for ((dialect, spelling), claims) in &mut claims {
        if let Some(name) = scope.spelt_by_name(spelling, dialect) {
            claims.push(Claim { name, by_alias: false, own: None });
        }
    }
    claims
}

fn is_named(full: &str, spelling: &str) -> bool {
    full.eq_ignore_ascii_case(spelling) || name::split(full).1.eq_ignore_ascii_case(spelling)
}

/// A tombstone's name may live on as an alias, but only of the code that replaced it.
fn of_tombstones(scope: &Scope<'_>, hits: &mut Hits<'_>) {
    let own =
        scope.retired().map(|it| (it.name.value.as_str(), it.to.as_ref().map(|to| &*to.value)));
    let taken = scope.taken_retired().map(|(name, it)| (name, it.to.as_deref()));
    let dead: BTreeMap<&str, Option<&str>> = taken.chain(own).collect();
    for code in scope.codes() {
        for spelling in code.alias.iter().flat_map(|it| &it.1) {
            let Some(to) = dead.get(spelling.value.as_str()) else { continue };
            if *to != Some(&code.name.value) {
                let context = [part("spelling", spelling.value.as_str())];
                let message = "{spelling} is the name of a tombstone that does not lead here.";
                hits.on(code, &spelling.span, message, context);
            }
        }
    }
}
