//! Import cycles between the top modules of a crate.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    names,
    tree::{Segments, Tree},
};

/// The node of the crate's root file itself.
const ROOT: &str = "lib";

/// Which top module uses which, each with the file and the path that show it.
type Uses = BTreeMap<String, BTreeMap<String, String>>;

/// Says which modules are in a cycle although `allowed` does not name them, and which are named without need.
pub(super) fn check(name: &str, tree: &Tree, allowed: &[&str]) -> Vec<String> {
    let uses = uses(tree);
    let cycles = cycles(&uses);
    let inside: BTreeSet<&str> = cycles.iter().flatten().map(String::as_str).collect();
    let mut problems = Vec::new();
    for cycle in &cycles {
        let new: Vec<&str> =
            cycle.iter().map(String::as_str).filter(|it| !allowed.contains(it)).collect();
        if let Some(first) = new.first() {
            let ring = shortest(&uses, cycle, first).join("; ");
            let names = new.join("`, `");
            problems.push(format!(
                "{name}: import cycle through `{names}`: {ring}. Move what both sides use to a module below them"
            ));
        }
    }
    for old in allowed.iter().filter(|it| !inside.contains(*it)) {
        problems.push(format!(
            "{name}: `{old}` is in no import cycle any more: take it off the list in tidy/exceptions.rs"
        ));
    }
    problems
}

fn uses(tree: &Tree) -> Uses {
    let mut uses = Uses::new();
    for (at, module) in &tree.modules {
        let top = at.first().map_or(ROOT, String::as_str);
        let here = uses.entry(top.to_owned()).or_default();
        let imports = module.imports.iter();
        // The root's re-exports are names for others, not uses of its own.
        let imports = imports.filter(|_| !at.is_empty()).map(|it| &it.path);
        for path in imports.chain(&module.paths) {
            // One name alone is an import's or the module's own; in the root it may be a re-export.
            if path.len() < 2
                && (!at.is_empty() || path.iter().all(|it| module.children.contains(it)))
            {
                continue;
            }
            if let Some(target) = target(tree, at, path).filter(|it| it != top) {
                let shown = format!("{} uses `{}`", module.file.display(), path.join("::"));
                here.entry(target).or_insert(shown);
            }
        }
    }
    uses
}

/// The top module that a path uses, which may be the root itself; none for a path of another crate.
fn target(tree: &Tree, at: &[String], path: &Segments) -> Option<String> {
    let from_root = names::from_root(tree, at, path)?;
    if let Some(top) = names::top(tree, &from_root) {
        return Some(top);
    }
    let root = tree.modules.get(&[] as &[String])?;
    let is_own = from_root.first().is_none_or(|it| root.items.contains(it));
    is_own.then(|| ROOT.to_owned())
}

/// The strongly connected parts of more than one module, by two walks (Kosaraju).
fn cycles(uses: &Uses) -> Vec<Vec<String>> {
    let mut turned: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (from, to) in uses {
        for to in to.keys() {
            turned.entry(to).or_default().push(from);
        }
    }
    let below = |it: &str| uses.get(it).into_iter().flatten().map(|it| it.0.as_str()).collect();
    let above = |it: &str| turned.get(it).cloned().unwrap_or_default();
    let mut order = Vec::new();
    let mut seen = BTreeSet::new();
    for start in uses.keys() {
        walk(start, &below, &mut seen, &mut order);
    }
    let mut cycles = Vec::new();
    let mut seen = BTreeSet::new();
    for start in order.iter().rev() {
        let mut part = Vec::new();
        walk(start, &above, &mut seen, &mut part);
        if part.len() > 1 {
            part.sort_unstable();
            cycles.push(part.into_iter().map(str::to_owned).collect());
        }
    }
    cycles.sort();
    cycles
}

/// All that is reached from `start` and was not seen before, what is reached last first.
fn walk<'a>(
    start: &'a str,
    next: &dyn Fn(&str) -> Vec<&'a str>,
    seen: &mut BTreeSet<&'a str>,
    order: &mut Vec<&'a str>,
) {
    if seen.insert(start) {
        for it in next(start) {
            walk(it, next, seen, order);
        }
        order.push(start);
    }
}

/// The uses that lead from `start` back to it, as few as possible.
fn shortest<'a>(uses: &'a Uses, cycle: &[String], start: &str) -> Vec<&'a str> {
    let mut ways: Vec<(&str, Vec<&str>)> = vec![(start, Vec::new())];
    let mut seen = BTreeSet::new();
    while !ways.is_empty() {
        let mut longer = Vec::new();
        for (at, way) in ways {
            for (to, shown) in uses.get(at).into_iter().flatten() {
                let way: Vec<&'a str> = way.iter().copied().chain([shown.as_str()]).collect();
                if to == start {
                    return way;
                }
                if cycle.contains(to) && seen.insert(to.as_str()) {
                    longer.push((to.as_str(), way));
                }
            }
        }
        ways = longer;
    }
    Vec::new()
}

#[cfg(test)]
mod tests;
