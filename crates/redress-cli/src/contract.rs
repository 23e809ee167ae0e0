//! `--contract C`: a registry by file or by the name of a built-in one.

use std::{path::Path, sync::Arc};

use redress_registry::{Problem, Registry, Source, load, nearest::nearest, shipped};

use crate::{failure::Failure, files};

/// The registry of that name, or in that file.
pub(crate) fn find(name: &str) -> Result<Arc<Registry>, Failure> {
    match built_in(name) {
        Some(built_in) => Ok(Arc::clone(built_in)),
        None => from_source(&written(name)?),
    }
}

/// Whether a name is that of a file.
pub(crate) fn is_file(name: &str) -> bool {
    built_in(name).is_none()
}

fn built_in(name: &str) -> Option<&'static Arc<Registry>> {
    let workspace = Some(redress_workspace::registry()).filter(|it| &*it.name == name);
    shipped::get(name).or(workspace)
}

/// The text of the registry of that name, or in that file.
pub(crate) fn written(name: &str) -> Result<Source, Failure> {
    if let Some(built_in) = shipped::source(name) {
        return Ok(built_in);
    }
    let looks_like_a_file = Path::new(name).extension().is_some() || name.contains(['/', '\\']);
    if looks_like_a_file || Path::new(name).exists() {
        return source(name);
    }
    let names: Vec<&str> = shipped::names().collect();
    let meant = nearest(name, names.iter().copied());
    let meant = meant.map(|it| format!(" Did you mean `{it}`?")).unwrap_or_default();
    let problem = format!("No file and no built-in registry has this name.{meant}");
    Err(Failure::config(name, &problem)
        .note(format!("Built in: {}.", names.join(", ")))
        .fix("Give a file, or the name of a built-in registry."))
}

/// A registry file with all that it extends.
pub(crate) fn from_source(source: &Source) -> Result<Arc<Registry>, Failure> {
    load(source, &beside).map_err(|it| refused(&it))
}

/// What a file extends: a built-in registry, or a file beside it that can be read.
pub(crate) fn base(from: &Source, name: &str) -> Option<Arc<Registry>> {
    match shipped::get(name) {
        Some(built_in) => Some(Arc::clone(built_in)),
        None => load(&beside(from, name)?.ok()?, &beside).ok(),
    }
}

/// The file of that name beside the one that extends it.
fn beside(from: &Source, name: &str) -> Option<Result<Source, Problem>> {
    let path = load::beside(&from.file, name)?;
    let bytes = files::read(Path::new(&path)).ok()?;
    Some(Source::from_bytes(&path, &bytes))
}

/// A registry file as text.
pub(crate) fn source(path: &str) -> Result<Source, Failure> {
    let bytes = files::read(Path::new(path)).map_err(|it| Failure::reading(path, &it))?;
    Source::from_bytes(path, &bytes).map_err(|it| refused(&[it]))
}

/// The first problem as a fault, the others below it.
pub(crate) fn refused(problems: &[Problem]) -> Failure {
    const MAX_SHOWN: usize = 20;
    let Some((first, others)) = problems.split_first() else {
        return Failure::config("the registry", "it cannot be read");
    };
    let meant = first.did_you_mean.as_ref().map(|it| format!(" Did you mean `{it}`?"));
    let problem = format!("{}{}", first.message, meant.unwrap_or_default());
    let mut failure = Failure::config(&first.place.to_string(), &problem);
    for other in others.iter().take(MAX_SHOWN) {
        failure = failure.note(other);
    }
    if others.len() > MAX_SHOWN {
        failure = failure.note(format!("and {} more", others.len() - MAX_SHOWN));
    }
    failure
}
