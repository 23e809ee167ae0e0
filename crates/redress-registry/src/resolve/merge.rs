//! What `extends` takes in: the rows of other registries, behind the own ones, never over them.

use std::sync::Arc;

use super::Find;
use crate::{
    Entry, Registry, Spanned,
    draft::Draft,
    embedded,
    problems::{Problems, cut, quoted},
};

/// A registry that is taken in, and where the file says so.
type Base = Spanned<Arc<Registry>>;

/// The registries that the draft extends, each once.
pub(super) fn bases(draft: &Draft, find: Find<'_>, problems: &mut Problems) -> Vec<Base> {
    let own = draft.name.as_ref().map(|it| it.value.as_str());
    let mut bases: Vec<Base> = Vec::new();
    for wanted in &draft.extends {
        let at = wanted.span.start;
        let Some(base) = find(&wanted.value) else {
            let message = format!("There is no registry {}.", quoted(&wanted.value));
            let meant = problems.nearest(&wanted.value, embedded::names());
            problems.add_meant(at, message, meant);
            continue;
        };
        if Some(&*base.name) == own || base.extends.iter().any(|it| Some(it.as_str()) == own) {
            let message =
                format!("{} extends this registry, which extends it.", quoted(&base.name));
            problems.add(at, message);
        } else if bases.iter().all(|it| it.value.name != base.name) {
            bases.push(Spanned::new(base, wanted.span.clone()));
        }
    }
    bases
}

/// Adds all that the bases have and refuses names that two of them, or the file and a base, claim.
pub(super) fn take_in(
    registry: &mut Registry,
    bases: &[Base],
    draft: &Draft,
    problems: &mut Problems,
) {
    let own_domains = registry.domains.len();
    for base in bases {
        own_against(base, draft, problems);
        domains(registry, own_domains, base, problems);
        codes(registry, base, problems);
        for (name, tombstone) in &base.value.retired {
            registry.retired.entry(name.clone()).or_insert_with(|| tombstone.clone());
        }
        registry.matches = Arc::new(registry.matches.before(&base.value.matches));
        for (name, tool) in &base.value.tools {
            registry.tools.entry(name.clone()).or_insert_with(|| tool.clone());
        }
    }
}

/// Rows of the file whose names the base has, or has had.
fn own_against(base: &Base, draft: &Draft, problems: &mut Problems) {
    let base = &base.value;
    for row in &draft.codes {
        let name = &row.value.name;
        let full = draft.full_name(&name.value);
        if let Some(theirs) = base.get(&full) {
            let message = format!(
                "{} is a code of `{}` already; a row that was taken in cannot be changed.",
                quoted(&full),
                cut(&theirs.registry)
            );
            problems.add(name.span.start, message);
        } else if base.retired.contains_key(full.as_str()) {
            let message =
                format!("{} is retired in `{}` and never comes back.", quoted(&full), base.name);
            problems.add(name.span.start, message);
        }
    }
    for row in &draft.retired {
        let name = &row.value.name;
        let full = draft.full_name(&name.value);
        if base.get(&full).is_some() {
            let message =
                format!("{} belongs to `{}`; only that can retire it.", quoted(&full), base.name);
            problems.add(name.span.start, message);
        }
    }
    for row in &draft.domains {
        let name = &row.value.name;
        if base.domains.contains_key(name.value.as_str()) {
            let message = format!(
                "The domain {} belongs to `{}`; choose another name.",
                quoted(&name.value),
                base.name
            );
            problems.add(name.span.start, message);
        }
    }
}

/// The first `own` domains are the file's, and were compared there.
fn domains(registry: &mut Registry, own: usize, base: &Base, problems: &mut Problems) {
    for (name, theirs) in &base.value.domains {
        let entry = registry.domains.entry(name.clone());
        let is_own = entry.index() < own;
        if entry.or_insert_with(|| theirs.clone()) != theirs && !is_own {
            let message = format!("Two of these registries have a domain {}.", quoted(name));
            problems.add(base.span.start, message);
        }
    }
}

fn codes(registry: &mut Registry, base: &Base, problems: &mut Problems) {
    for (name, theirs) in &base.value.codes {
        let ours = registry.codes.entry(name.clone()).or_insert_with(|| Arc::clone(theirs));
        // Of two registries with other texts for the same row, the first counts.
        let same = Arc::ptr_eq(ours, theirs) || are_one_row(ours, theirs);
        if !same && ours.registry != registry.name {
            let message = format!(
                "`{}` and `{}` both have a code {}.",
                ours.registry,
                theirs.registry,
                quoted(name)
            );
            problems.add(base.span.start, message);
        }
    }
}

/// Whether two rows are the same but for the texts that `[override.X]` can change.
fn are_one_row(ours: &Entry, theirs: &Entry) -> bool {
    let same_texts = Entry {
        message: theirs.message.clone(),
        hint: theirs.hint.clone(),
        next: theirs.next.clone(),
        ..ours.clone()
    };
    same_texts == *theirs
}
