//! Types whose inherent methods stand in more than one file.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    names,
    tree::{Segments, Tree},
};

/// Says which types have methods in several files although `allowed` does not name them, and which are named without need.
pub(super) fn check(name: &str, tree: &Tree, allowed: &[&str]) -> Vec<String> {
    let mut problems = Vec::new();
    let scattered = scattered(tree);
    for (of, files) in scattered.iter().filter(|it| !allowed.contains(&it.0.as_str())) {
        let files = files.join(", ");
        problems.push(format!(
            "{name}: the methods of `{of}` stand in several files ({files}): put them into one; if it gets too long, the type is too large"
        ));
    }
    for old in allowed.iter().filter(|it| !scattered.contains_key(**it)) {
        problems.push(format!(
            "{name}: the methods of `{old}` are in one file: take it off the list in tidy/exceptions.rs"
        ));
    }
    problems
}

/// The files of each type that has several, generated ones aside.
fn scattered(tree: &Tree) -> BTreeMap<String, Vec<String>> {
    let mut files: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (at, module) in tree.modules.iter().filter(|it| !it.1.is_generated) {
        for path in &module.inherent {
            if let Some(of) = defined(tree, at, path) {
                files.entry(of).or_default().insert(module.file.display().to_string());
            }
        }
    }
    let several = files.into_iter().filter(|it| it.1.len() > 1);
    several.map(|(of, files)| (of, files.into_iter().collect())).collect()
}

/// The path of the type's definition.
fn defined(tree: &Tree, at: &[String], path: &Segments) -> Option<String> {
    let is_plain = path.len() == 1;
    let local: Segments = at.iter().chain(path).cloned().collect();
    // A name that only a `*` brings in is found from here, too.
    let from_root = names::from_root(tree, at, path).or_else(|| is_plain.then_some(local))?;
    let target = names::target(tree, &from_root)?;
    Some(target.module.into_iter().chain(target.item).collect::<Vec<_>>().join("::"))
}

#[cfg(test)]
mod tests;
