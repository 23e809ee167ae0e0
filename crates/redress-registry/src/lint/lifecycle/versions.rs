//! Versions: since when, until when. The registry's own version is the only "now".

use std::ops::Range;

use semver::Version;

use crate::{
    Spanned,
    finding::part,
    lint::scope::{Hits, Scope},
};

/// The version of the next release.
const NEXT: &str = "NEXT";

/// CK501.
pub(super) fn bad_since(scope: &Scope<'_>, hits: &mut Hits<'_>) {
    let default = scope.draft.defaults.since.as_ref();
    if let Some((message, since)) = default.and_then(|it| Some((wrong_since(scope, it)?, it))) {
        hits.at(&since.span, message, [part("since", since.value.as_str())]);
    }
    for code in scope.codes() {
        let name = &code.name;
        if code.since.is_some() || default.is_none() {
            judge_since(scope, hits, name, &name.span, code.since.as_ref());
        }
        if let Some(deprecated) = &code.deprecated {
            judge_since(scope, hits, name, &deprecated.span, deprecated.value.since.as_ref());
        }
    }
    for dead in scope.retired() {
        judge_since(scope, hits, &dead.name, &dead.name.span, dead.since.as_ref());
    }
}

fn judge_since(
    scope: &Scope<'_>,
    hits: &mut Hits<'_>,
    name: &Spanned<String>,
    row: &Range<usize>,
    since: Option<&Spanned<String>>,
) {
    match since {
        None => _ = hits.at(row, "There is no since.", []).about(&name.value),
        Some(since) => {
            if let Some(message) = wrong_since(scope, since) {
                let context = [part("since", since.value.as_str())];
                hits.at(&since.span, message, context).about(&name.value);
            }
        }
    }
}

fn wrong_since(scope: &Scope<'_>, since: &Spanned<String>) -> Option<&'static str> {
    if since.value == NEXT {
        return None;
    }
    match Version::parse(&since.value) {
        Err(_) => Some("{since} is no version such as 1.2.0."),
        Ok(since) if scope.version().is_some_and(|now| since > now) => {
            Some("{since} is later than the registry's version.")
        }
        Ok(_) => None,
    }
}

/// CK504.
pub(super) fn until_passed(scope: &Scope<'_>, hits: &mut Hits<'_>) {
    for code in scope.codes() {
        let until = code.deprecated.as_ref().and_then(|it| it.value.until.as_ref());
        let Some(until) = until else { continue };
        let context = [part("until", until.value.as_str())];
        match Version::parse(&until.value) {
            Err(_) => {
                hits.on(code, &until.span, "{until} is no version such as 1.2.0.", context);
            }
            Ok(end) if scope.version().is_some_and(|now| end <= now) => {
                hits.on(
                    code,
                    &until.span,
                    "It was to go with {until}, and is still there.",
                    context,
                );
            }
            Ok(_) => {}
        }
    }
}

/// CK505.
pub(super) fn next_in_release(scope: &Scope<'_>, hits: &mut Hits<'_>) {
    const MESSAGE: &str = "since is NEXT in the release {version}.";
    let Some(now) = scope.version().filter(|it| it.pre.is_empty()) else { return };
    let version = now.to_string();
    let is_next = |it: &&Spanned<String>| it.value == NEXT;
    if let Some(since) = scope.draft.defaults.since.as_ref().filter(is_next) {
        hits.at(&since.span, MESSAGE, [part("version", version.as_str())]);
    }
    for code in scope.codes() {
        let deprecated = code.deprecated.as_ref().and_then(|it| it.value.since.as_ref());
        for since in code.since.iter().chain(deprecated).filter(is_next) {
            hits.on(code, &since.span, MESSAGE, [part("version", version.as_str())]);
        }
    }
    for dead in scope.retired() {
        if let Some(since) = dead.since.as_ref().filter(is_next) {
            hits.at(&since.span, MESSAGE, [part("version", version.as_str())])
                .about(&dead.name.value);
        }
    }
}
