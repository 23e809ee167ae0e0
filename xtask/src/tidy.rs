//! The layout rules, each with the sentence that a contributor sees when it is broken.

mod cycles;
mod exceptions;
mod methods;
mod names;
mod paths;
mod tree;

use std::{
    fs,
    path::{Path, PathBuf},
};

use self::{exceptions::EXCEPTIONS, tree::Tree};

/// Lines of code and comment, without the trailing test module.
const MAX_LINES: usize = 600;

/// Folders below `src/`, so that a path can be read at a glance.
const MAX_DEPTH: usize = 3;

/// Names that say nothing about what is inside.
const EMPTY_NAMES: &[&str] = &["util", "utils", "common", "helper", "helpers", "misc", "shared"];

/// Which crate may depend on which. A new pair is an architecture change.
const ARROWS: &[(&str, &[&str])] = &[
    ("redress-registry", &[]),
    ("redress-declare", &["redress-registry"]),
    ("redress-derive", &["redress-declare", "redress-registry"]),
    ("redress-wire", &[]),
    ("redress", &["redress-derive", "redress-registry", "redress-wire"]),
    ("redress-ledger", &["redress", "redress-wire"]),
    ("redress-rmcp", &["redress", "redress-ledger", "redress-registry", "redress-wire"]),
    ("redress-check", &["redress", "redress-registry"]),
    (
        "redress-gate",
        &[
            "redress",
            "redress-govern",
            "redress-ledger",
            "redress-proxy",
            "redress-registry",
            "redress-transport",
            "redress-wire",
        ],
    ),
    (
        "redress-proxy",
        &["redress", "redress-govern", "redress-ledger", "redress-registry", "redress-wire"],
    ),
    (
        "redress-sim",
        &["redress", "redress-ledger", "redress-proxy", "redress-registry", "redress-wire"],
    ),
    ("redress-transport", &["redress", "redress-wire"]),
    ("redress-govern", &["redress", "redress-ledger", "redress-registry", "redress-wire"]),
    ("redress-probe", &["redress", "redress-registry", "redress-transport", "redress-wire"]),
    ("redress-fleet", &["redress-ledger"]),
    ("redress-console", &["redress", "redress-ledger", "redress-registry", "redress-wire"]),
    (
        "redress-cli",
        &[
            "redress",
            "redress-check",
            "redress-console",
            "redress-declare",
            "redress-fleet",
            "redress-gate",
            "redress-govern",
            "redress-ledger",
            "redress-probe",
            "redress-registry",
            "redress-transport",
            "redress-workspace",
            "redress-wire",
        ],
    ),
    ("redress-workspace", &["redress", "redress-ledger", "redress-registry", "redress-rmcp"]),
];

/// Checks every source file and manifest of the workspace.
pub(crate) fn check(root: &Path) -> Vec<String> {
    let mut problems = Vec::new();
    let mut files = Vec::new();
    walk(&root.join("crates"), &mut files);
    walk(&root.join("fixtures"), &mut files);
    walk(&root.join("xtask/src"), &mut files);
    walk(&root.join("bench/src"), &mut files);
    files.sort();
    problems.extend(crate::unrun::check(root, &files));
    for path in &files {
        let shown = path.strip_prefix(root).unwrap_or(path);
        let text = fs::read_to_string(path).unwrap_or_default();
        match path.extension().and_then(|it| it.to_str()) {
            Some("rs") => check_source(shown, &text, &mut problems),
            Some("toml") if shown.starts_with("crates") && path.ends_with("Cargo.toml") => {
                check_arrows(shown, &text, &mut problems);
            }
            _ => (),
        }
    }
    match fs::read_to_string(root.join("ARCHITECTURE.md")) {
        Ok(map) => check_map(root, &map, &mut problems),
        Err(error) => problems.push(format!("ARCHITECTURE.md: {error}")),
    }
    check_modules_named(root, &files, &mut problems);
    check_modules(root, &mut problems);
    println!("ran: {} files", files.len());
    problems
}

/// The rules about the modules of each crate: no import cycle, and the methods of a type in one file.
fn check_modules(root: &Path, problems: &mut Vec<String>) {
    let mut crates = vec![root.join("bench"), root.join("xtask")];
    for folder in ["crates", "fixtures"] {
        let entries = fs::read_dir(root.join(folder)).into_iter().flatten().flatten();
        crates.extend(entries.map(|it| it.path()).filter(|it| it.is_dir()));
    }
    crates.sort();
    let load = |file: &Path| fs::read_to_string(root.join(file)).ok();
    let mut known = Vec::new();
    for folder in &crates {
        let shown = folder.strip_prefix(root).unwrap_or(folder);
        let name = folder.file_name().and_then(|it| it.to_str()).unwrap_or_default();
        let roots = ["lib.rs", "main.rs"].map(|it| shown.join("src").join(it));
        let Some(file) = roots.iter().find(|it| root.join(it).is_file()) else { continue };
        let tree = Tree::read(file, &load);
        let exceptions = EXCEPTIONS.iter().find(|it| it.name == name);
        problems.extend(cycles::check(name, &tree, exceptions.map_or(&[], |it| it.cycles)));
        problems.extend(methods::check(name, &tree, exceptions.map_or(&[], |it| it.methods)));
        problems.extend(tree.problems);
        known.push(name);
    }
    let unknown = EXCEPTIONS.iter().filter(|it| !known.contains(&it.name));
    problems
        .extend(unknown.map(|it| format!("tidy/exceptions.rs: no crate is called `{}`", it.name)));
}

/// How long ARCHITECTURE.md may be: about three screens.
const MAP_LINES: usize = 150;

/// The map fits three screens, names every crate in its list, and names no path that is gone.
fn check_map(root: &Path, map: &str, problems: &mut Vec<String>) {
    let lines = map.lines().count();
    if lines > MAP_LINES {
        problems.push(format!("ARCHITECTURE.md: {lines} lines, {MAP_LINES} at most"));
    }
    for (name, _) in ARROWS {
        if !map.contains(&format!("\n- `{name}` ")) {
            problems.push(format!("ARCHITECTURE.md: `{name}` is not in the list of crates"));
        }
    }
    let listed = map.lines().filter_map(|it| it.strip_prefix("- `redress")?.split_once("` "));
    for (rest, _) in listed {
        let name = format!("redress{rest}");
        if ARROWS.iter().all(|(known, _)| *known != name) {
            problems.push(format!("ARCHITECTURE.md: `{name}` does not exist"));
        }
    }
    let paths = map.split('`').skip(1).step_by(2).filter(|it| it.starts_with("crates/"));
    for path in paths.filter(|it| !root.join(it).exists()) {
        problems.push(format!("ARCHITECTURE.md: `{path}` does not exist"));
    }
}

/// The documentation of each crate names every module file at the top of it, and none that is gone.
fn check_modules_named(root: &Path, files: &[PathBuf], problems: &mut Vec<String>) {
    for (name, _) in ARROWS {
        let folder = Path::new("crates").join(name).join("src");
        let text = fs::read_to_string(root.join(&folder).join("lib.rs")).unwrap_or_default();
        let docs: String = text.lines().take_while(|it| it.starts_with("//!")).collect();
        let here = files.iter().filter_map(|it| it.strip_prefix(root.join(&folder)).ok());
        for file in here.filter_map(Path::to_str) {
            let is_top =
                is_rust(file) && !file.contains('/') && !["lib.rs", "main.rs"].contains(&file);
            if is_top && !docs.contains(&format!("`{file}`")) {
                problems.push(format!("{}/lib.rs does not name `{file}`", folder.display()));
            }
        }
        let named = docs.split('`').skip(1).step_by(2).filter(|it| is_rust(it));
        for file in named.filter(|it| !root.join(&folder).join(it).exists()) {
            problems.push(format!("{}/lib.rs names `{file}`, which is gone", folder.display()));
        }
    }
}

fn is_rust(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|it| it == "rs")
}

fn check_source(path: &Path, text: &str, problems: &mut Vec<String>) {
    let mut say = |rule: &str| problems.push(format!("{}: {rule}", path.display()));
    let in_src = path.components().any(|it| it.as_os_str() == "src");
    if !in_src {
        return;
    }
    if !text.starts_with("//!") {
        say("start with `//!` and one sentence on what this file is for");
    }
    if code_lines(text) > MAX_LINES && !is_test(path) {
        say(&format!("longer than {MAX_LINES} lines: split it along an idea, not in half"));
    }
    let stem = path.file_stem().and_then(|it| it.to_str()).unwrap_or_default();
    if EMPTY_NAMES.contains(&stem) {
        say("name the file after what it holds");
    }
    let below_src = path.iter().skip_while(|it| *it != "src").count().saturating_sub(2);
    if below_src > MAX_DEPTH {
        say(&format!("more than {MAX_DEPTH} folders below `src/`"));
    }
}

fn is_test(path: &Path) -> bool {
    path.file_stem().is_some_and(|it| it == "tests")
}

fn check_arrows(path: &Path, text: &str, problems: &mut Vec<String>) {
    let owner = path.parent().and_then(Path::file_name).and_then(|it| it.to_str());
    let Some((_, allowed)) = ARROWS.iter().find(|(name, _)| Some(*name) == owner) else {
        problems.push(format!("{}: a crate that the list of arrows does not know", path.display()));
        return;
    };
    let dependencies = text
        .split_once("[dependencies]")
        .map_or("", |(_, rest)| rest)
        .split("\n[")
        .next()
        .unwrap_or_default();
    for line in dependencies.lines() {
        let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
        if name.starts_with("redress") && !allowed.contains(&name) {
            problems.push(format!("{}: `{name}` is an arrow we do not have", path.display()));
        }
    }
}

fn code_lines(text: &str) -> usize {
    text.lines().take_while(|line| !line.starts_with("#[cfg(test)]")).count()
}

fn walk(dir: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            walk(&path, files);
        } else {
            files.push(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::{ARROWS, MAP_LINES, check_arrows, check_map, check_modules_named, check_source};

    fn problems(path: &str, text: &str) -> Vec<String> {
        let mut found = Vec::new();
        match Path::new(path).extension().and_then(|it| it.to_str()) {
            Some("toml") => check_arrows(Path::new(path), text, &mut found),
            _ => check_source(Path::new(path), text, &mut found),
        }
        found
    }

    #[test]
    fn accepts_a_plain_file() {
        assert_eq!(problems("crates/redress/src/code.rs", "//! A code.\n"), [""; 0]);
    }

    #[test]
    fn refuses_empty_names_missing_docs_and_depth() {
        assert_eq!(problems("crates/redress/src/utils.rs", "//! Things.\n").len(), 1);
        assert_eq!(problems("crates/redress/src/code.rs", "use std;\n").len(), 1);
        assert_eq!(problems("crates/redress/src/a/b/c/d.rs", "//! Deep.\n").len(), 0);
        assert_eq!(problems("crates/redress/src/a/b/c/d/e.rs", "//! Deeper.\n").len(), 1);
    }

    #[test]
    fn does_not_count_the_test_module() {
        let text = format!("//! Long.\n{}#[cfg(test)]\nmod tests {{}}\n", "x\n".repeat(599));
        assert_eq!(problems("crates/redress/src/a.rs", &text), [""; 0]);
    }

    #[test]
    fn keeps_the_map_true() {
        let root = Path::new("/nowhere");
        let mut found = Vec::new();
        let list: String = ARROWS.iter().flat_map(|it| ["\n- `", it.0, "` a crate"]).collect();
        check_map(root, &list, &mut found);
        assert_eq!(found, [""; 0]);
        check_map(root, &format!("{list}\n- `redress-gone` was\n`crates/gone.rs`\n"), &mut found);
        assert_eq!(found.len(), 2, "{found:?}");
        found.clear();
        check_map(root, &"x\n".repeat(MAP_LINES + 1), &mut found);
        assert_eq!(found.len(), ARROWS.len() + 1);
    }

    #[test]
    fn each_crate_names_its_modules_in_its_documentation() {
        let dir = tempfile::tempdir().unwrap();
        let src = dir.path().join("crates/redress/src");
        fs::create_dir_all(&src).unwrap();
        fs::write(src.join("lib.rs"), "//! A crate.\n//! - `old.rs` it was\n").unwrap();
        let mut found = Vec::new();
        check_modules_named(dir.path(), &[src.join("lib.rs"), src.join("new.rs")], &mut found);
        assert_eq!(
            found,
            [
                "crates/redress/src/lib.rs does not name `new.rs`",
                "crates/redress/src/lib.rs names `old.rs`, which is gone"
            ]
        );
    }

    #[test]
    fn refuses_an_arrow_we_do_not_have() {
        let manifest = "[dependencies]\nredress-gate.workspace = true\n";
        assert_eq!(problems("crates/redress/Cargo.toml", manifest).len(), 1);
        let manifest =
            "[dependencies]\nredress-registry.workspace = true\n[lints]\nworkspace = true\n";
        assert_eq!(problems("crates/redress/Cargo.toml", manifest), [""; 0]);
        assert_eq!(problems("crates/redress-new/Cargo.toml", "[package]\n").len(), 1);
    }
}
