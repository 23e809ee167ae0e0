//! Texts that a file gives to rows which it takes in: `[override.X]`.

use std::sync::Arc;

use super::row;
use crate::{
    Entry, Registry, Spanned,
    draft::{Draft, DraftOverride},
    problems::{Problems, cut, quoted},
};

/// Gives the rows that were taken in the texts of the file. Everything else of a row stays what its own registry says.
pub(super) fn apply(registry: &mut Registry, draft: &Draft, problems: &mut Problems) {
    for it in &draft.overrides {
        let it = &it.value;
        let (name, at) = (it.name.value.as_str(), it.name.span.start);
        let Some(entry) = registry.get(name).map(Arc::clone) else {
            let meant = problems.nearest(name, registry.codes.keys());
            problems.add_meant(
                at,
                format!("There is no code {} to override.", quoted(name)),
                meant,
            );
            continue;
        };
        if entry.registry == registry.name {
            let message =
                format!("{} is a row of this file; change its texts there.", quoted(name));
            problems.add(at, message);
            continue;
        }
        let entry = overridden(it, &entry, problems);
        registry.codes.insert(name.into(), Arc::new(entry));
    }
}

fn overridden(it: &DraftOverride, entry: &Entry, problems: &mut Problems) -> Entry {
    let mut entry = entry.clone();
    if it.message.is_none() && it.hint.is_none() && it.next.is_empty() {
        let name = cut(&it.name.value);
        let message =
            format!("`[override.{name}]` changes nothing: give it `message`, `hint` or `next`.");
        problems.add(it.name.span.start, message);
    }
    if let Some(message) = text("message", it.message.as_ref(), problems) {
        row::checked_template(&message.value, message.span.start, &entry.params, problems);
        entry.message.clone_from(&message.value);
    }
    if let Some(hint) = text("hint", it.hint.as_ref(), problems) {
        entry.hint.clone_from(&hint.value);
    }
    if !it.next.is_empty() {
        entry.next =
            it.next.iter().filter_map(|it| row::step(it, &entry.params, problems)).collect();
    }
    entry
}

/// A text that says something.
fn text<'a>(
    key: &str,
    written: Option<&'a Spanned<String>>,
    problems: &mut Problems,
) -> Option<&'a Spanned<String>> {
    let written = written?;
    if written.value.trim().is_empty() {
        problems.add(written.span.start, format!("`{key}` is empty."));
    }
    Some(written)
}
