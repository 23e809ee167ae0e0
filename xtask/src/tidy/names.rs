//! What a path names: the module in which an item is defined, through imports and re-exports.

use super::tree::{Module, Segments, Tree};

/// Imports of imports are followed this far, so that a ring of them ends.
const MAX_STEPS: usize = 16;

/// Where a path leads within its crate.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// The module that defines the item, or the module that the path names.
    pub(super) module: Segments,
    pub(super) item: Option<String>,
}

/// The path from the root that `path` means in the module `at`; none for a path of another crate.
pub(super) fn from_root(tree: &Tree, at: &[String], path: &[String]) -> Option<Segments> {
    let mut base = at.to_vec();
    let mut rest = path;
    let mut is_ours = false;
    while let Some((first, after)) = rest.split_first() {
        match first.as_str() {
            "crate" => base.clear(),
            "super" => {
                base.pop();
            }
            "self" => (),
            _ => break,
        }
        is_ours = true;
        rest = after;
    }
    is_ours = is_ours || rest.first().is_some_and(|it| has(tree, at, it));
    is_ours.then(|| base.iter().chain(rest).cloned().collect())
}

/// What a path from the root names in the end.
pub(super) fn target(tree: &Tree, path: &[String]) -> Option<Target> {
    follow(tree, path, MAX_STEPS)
}

/// The top module that a path from the root goes through first. What the root itself defines has none.
pub(super) fn top(tree: &Tree, path: &[String]) -> Option<String> {
    top_within(tree, path, MAX_STEPS)
}

fn top_within(tree: &Tree, path: &[String], steps: usize) -> Option<String> {
    let (first, rest) = path.split_first()?;
    let root = tree.modules.get(&[] as &[String])?;
    if root.children.contains(first) {
        return Some(first.clone());
    }
    imported(tree, &[], root, first, steps)
        .into_iter()
        .find_map(|it| top_within(tree, &[it.as_slice(), rest].concat(), steps - 1))
}

fn follow(tree: &Tree, path: &[String], steps: usize) -> Option<Target> {
    let mut module = Vec::new();
    for (position, name) in path.iter().enumerate() {
        let here = tree.modules.get(&module)?;
        if here.children.contains(name) {
            module.push(name.clone());
        } else if here.items.contains(name) {
            return Some(Target { module, item: Some(name.clone()) });
        } else {
            let rest = path.get(position + 1..).unwrap_or_default();
            return imported(tree, &module, here, name, steps)
                .into_iter()
                .find_map(|it| follow(tree, &[it.as_slice(), rest].concat(), steps - 1));
        }
    }
    Some(Target { module, item: None })
}

/// The paths from the root that an import of the module may mean by `name`.
fn imported(
    tree: &Tree,
    at: &[String],
    module: &Module,
    name: &String,
    steps: usize,
) -> Vec<Segments> {
    if steps == 0 {
        return Vec::new();
    }
    let named = module.imports.iter().filter(|it| it.name.as_ref() == Some(name));
    let all = module.imports.iter().filter(|it| it.name.is_none());
    let named = named.filter(|it| it.path.first() != Some(name)).map(|it| it.path.clone());
    let all = all.map(|it| [it.path.as_slice(), std::slice::from_ref(name)].concat());
    named.chain(all).filter_map(|it| from_root(tree, at, &it)).collect()
}

fn has(tree: &Tree, at: &[String], name: &String) -> bool {
    tree.modules.get(at).is_some_and(|it| {
        it.children.contains(name)
            || it.items.contains(name)
            || it.imports.iter().any(|it| it.name.as_ref() == Some(name))
    })
}
