//! `--contract C`: a registry by file or by the name of a built-in one.

use std::{fs, path::Path, sync::Arc};

use redress_registry::{Problem, Registry, Source, nearest::nearest, read, resolve, shipped};

use crate::failure::Failure;

/// The registry of that name, or in that file.
pub(crate) fn load(name: &str) -> Result<Arc<Registry>, Failure> {
    if let Some(built_in) = shipped::get(name) {
        return Ok(Arc::clone(built_in));
    }
    let looks_like_a_file = Path::new(name).extension().is_some() || name.contains(['/', '\\']);
    if !looks_like_a_file && !Path::new(name).exists() {
        let names: Vec<&str> = shipped::names().collect();
        let meant = nearest(name, names.iter().copied());
        let meant = meant.map(|it| format!(" Did you mean `{it}`?")).unwrap_or_default();
        let problem = format!("no file and no built-in registry has this name.{meant}");
        return Err(Failure::config(name, &problem).note(format!("Built in: {}.", names.join(", "))));
    }
    from_file(name, &mut Vec::new())
}

/// The registry in a file; `within` are the files that are being read, to find a circle.
fn from_file(path: &str, within: &mut Vec<String>) -> Result<Arc<Registry>, Failure> {
    let source = source(path)?;
    let draft = read(&source).map_err(|it| refused(&it))?;
    let mut found: Vec<(String, Arc<Registry>)> = Vec::new();
    within.push(path.to_owned());
    for name in draft.extends.iter().map(|it| &it.value) {
        let beside = Path::new(path).with_file_name(name);
        let beside = beside.to_string_lossy().into_owned();
        let registry = match shipped::get(name) {
            Some(built_in) => Arc::clone(built_in),
            None if within.contains(&beside) => {
                return Err(Failure::config(path, &format!("`{name}` extends this file in a circle")));
            }
            None if Path::new(&beside).exists() => from_file(&beside, within)?,
            None => continue,
        };
        found.push((name.clone(), registry));
    }
    within.pop();
    let lookup = |name: &str| found.iter().find(|(it, _)| it == name).map(|(_, it)| Arc::clone(it));
    resolve(&draft, &lookup).map(Arc::new).map_err(|it| refused(&it))
}

/// A registry file as text.
pub(crate) fn source(path: &str) -> Result<Source, Failure> {
    let bytes = fs::read(path).map_err(|it| Failure::reading(path, &it))?;
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
