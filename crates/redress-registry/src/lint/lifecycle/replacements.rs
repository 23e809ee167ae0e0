//! Replacements: why a code goes, and what comes in its place.

use std::collections::BTreeMap;

use crate::{
    Spanned,
    draft::DraftCode,
    finding::part,
    lint::scope::{Fate, Hits, Scope, text},
};

/// CK502.
pub(super) fn missing_reason(scope: &Scope<'_>, hits: &mut Hits<'_>) {
    for code in scope.codes() {
        if let Some(deprecated) = &code.deprecated
            && text(deprecated.value.reason.as_ref()).trim().is_empty()
        {
            hits.on(code, &deprecated.span, "It is deprecated without a reason.", []);
        }
    }
    for dead in scope.retired().filter(|it| text(it.why.as_ref()).trim().is_empty()) {
        hits.at(&dead.name.span, "It is retired without a why.", []).about(&dead.name.value);
    }
}

/// CK503. A code may go without a replacement, unless it says that it was renamed.
pub(super) fn bad_replacement(scope: &Scope<'_>, hits: &mut Hits<'_>) {
    let arrows = arrows(scope);
    for (name, code) in scope.named_codes() {
        let Some(deprecated) = &code.deprecated else { continue };
        let Some(to) = &deprecated.value.to else {
            if text(deprecated.value.reason.as_ref()).to_lowercase().starts_with("renamed") {
                hits.on(code, &deprecated.span, "It was renamed, and to what is not said.", []);
            }
            continue;
        };
        if !leads_nowhere(scope, hits, &arrows, (name, to)) {
            lost_params(scope, hits, code, to);
        }
    }
    for dead in scope.retired() {
        if let Some(to) = &dead.to {
            leads_nowhere(scope, hits, &arrows, (&scope.draft.full_name(&dead.name.value), to));
        }
    }
}

/// Which code leads to which: deprecated and retired ones.
fn arrows(scope: &Scope<'_>) -> BTreeMap<String, String> {
    let deprecated = scope.named_codes().filter_map(|(name, it)| {
        let to = it.deprecated.as_ref()?.value.to.as_ref()?;
        Some((name.to_owned(), scope.meant(&to.value)))
    });
    let retired = scope.retired().filter_map(|it| {
        Some((scope.draft.full_name(&it.name.value), scope.meant(&it.to.as_ref()?.value)))
    });
    deprecated.chain(retired).collect()
}

/// Judges where a replacement leads, and says whether something was found.
fn leads_nowhere(
    scope: &Scope<'_>,
    hits: &mut Hits<'_>,
    arrows: &BTreeMap<String, String>,
    (from, to): (&str, &Spanned<String>),
) -> bool {
    let target = scope.meant(&to.value);
    let fate = scope.fate(&target);
    let message = match fate {
        _ if leads_back(arrows, from) => "{to} leads back here.",
        Fate::Alive => return false,
        Fate::Deprecated => "{to} is deprecated itself.",
        Fate::Retired => "{to} is retired.",
        Fate::Unknown => "There is no code {to}.",
    };
    hits.at(&to.span, message, [part("to", to.value.as_str())]).about(from);
    if fate == Fate::Unknown
        && let Some(meant) = hits.nearest(&target, scope.names())
    {
        hits.fix(format!("Write {meant}."));
    }
    true
}

fn leads_back(arrows: &BTreeMap<String, String>, from: &str) -> bool {
    // A longer way round is still found: every code on it leads to one that is deprecated.
    const MOST_STEPS: usize = 32;
    let way = std::iter::successors(arrows.get(from), |it| arrows.get(*it));
    way.take(MOST_STEPS).any(|it| it == from)
}

/// Parameters that clients read from the old code and will miss in the new one.
fn lost_params(scope: &Scope<'_>, hits: &mut Hits<'_>, code: &DraftCode, to: &Spanned<String>) {
    let Some(theirs) = scope.param_types(&scope.meant(&to.value)) else { return };
    for param in code.params.iter().map(|it| &it.value) {
        let name = param.name.value.as_str();
        let message = match (theirs.get(name), &param.kind) {
            (None, _) => "{to} has no parameter {param}.",
            (Some(Some(theirs)), Some(ours)) if *theirs != ours.value => {
                "{to} has the parameter {param} with another type."
            }
            _ => continue,
        };
        hits.on(code, &to.span, message, [part("to", to.value.as_str()), part("param", name)]);
    }
}
