//! What the operator hears of a change: which keys, and never a secret.

use std::path::Path;

use crate::{
    config::{KeyChange, Loosening, Strictness},
    output::Err as ToOperator,
};

/// Tells every change, those first that hold from now on.
pub(super) fn say(changes: &[KeyChange], loosening: Loosening, file: Option<&Path>) {
    let now = |verdict: Strictness| {
        move |it: &&KeyChange| it.verdict == verdict && !it.after_restart && !it.waits(loosening)
    };
    list("lets less in from now on", changes.iter().filter(now(Strictness::Tightened)));
    list("lets more in from now on", changes.iter().filter(now(Strictness::Loosened)));
    list("changed", changes.iter().filter(now(Strictness::Neutral)));
    list("counts after a restart", changes.iter().filter(|it| it.after_restart));
    let file = file.map(Path::to_string_lossy).unwrap_or_default();
    let waits =
        format!("would let more in, and waits for `redress config apply {file}` or a restart");
    list(&waits, changes.iter().filter(|it| it.waits(loosening)));
}

fn list<'c>(what: &str, changes: impl Iterator<Item = &'c KeyChange>) {
    let changes: Vec<String> = changes.map(ToString::to_string).collect();
    if !changes.is_empty() {
        ToOperator::new().say(&format!("{what}: {}", changes.join(", ")));
    }
}
