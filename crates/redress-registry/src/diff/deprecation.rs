//! Deprecation: the announcement that a code goes, and what becomes of it.

use semver::Version;

use super::{
    fields::{Changed, text},
    pair::{Both, Pair},
    rules::{DF034, DF060, DF061, DF062},
};
use crate::finding::part;

pub(super) fn judge(both: &mut Both<'_>, pair: Pair<'_>, it: &Changed) {
    let at = (&*pair.new.code, it.field);
    match (&pair.old.deprecated, &pair.new.deprecated) {
        (None, Some(new)) => {
            let context = [part("to", new.to.as_deref()), part("until", new.until.as_deref())];
            both.code(&DF060, at, "It is deprecated now.", context);
        }
        (Some(_), None) => _ = both.code(&DF062, at, "It is no longer deprecated.", []),
        (Some(old), Some(new)) if is_earlier(old.until.as_deref(), new.until.as_deref()) => {
            let context =
                [part("before", old.until.as_deref()), part("after", new.until.as_deref())];
            both.code(&DF061, at, "until was {before} and is {after}.", context);
        }
        _ => text(both, pair, it, &DF034),
    }
}

/// Without an until a code stays for good.
fn is_earlier(old: Option<&str>, new: Option<&str>) -> bool {
    let version = |it: Option<&str>| it.and_then(|it| Version::parse(it).ok());
    match (version(old), version(new)) {
        (Some(old), Some(new)) => new < old,
        (None, Some(_)) => true,
        _ => false,
    }
}
