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
    ("redress", &["redress-derive", "redress-registry"]),
    ("redress-ledger", &["redress"]),
    ("redress-rmcp", &["redress", "redress-ledger", "redress-registry"]),
    ("redress-check", &["redress", "redress-registry"]),
    (
        "redress-gate",
        &["redress", "redress-govern", "redress-ledger", "redress-registry", "redress-transport"],
    ),
    ("redress-transport", &["redress"]),
    ("redress-govern", &["redress", "redress-ledger", "redress-registry"]),
    ("redress-probe", &["redress", "redress-registry", "redress-transport"]),
    (
        "redress-cli",
        &[
            "redress",
            "redress-check",
            "redress-declare",
            "redress-gate",
            "redress-govern",
            "redress-ledger",
            "redress-probe",
            "redress-registry",
            "redress-transport",
            "redress-workspace",
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
        Ok(map) => check_code_map(root, &map, &files, &mut problems),
        Err(error) => problems.push(format!("ARCHITECTURE.md: {error}")),
    }
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

/// The map names every crate and every module file at the top of a crate, and none that is gone.
fn check_code_map(root: &Path, map: &str, files: &[PathBuf], problems: &mut Vec<String>) {
    let mapped: Vec<&str> = map.lines().filter_map(heading).collect();
    for (name, _) in ARROWS {
        if !mapped.contains(name) {
            problems.push(format!("ARCHITECTURE.md: `crates/{name}` has no section"));
        }
    }
    for name in &mapped {
        if ARROWS.iter().all(|(known, _)| known != name) {
            problems.push(format!("ARCHITECTURE.md: `crates/{name}` does not exist"));
        }
    }
    for path in files.iter().filter_map(|it| it.strip_prefix(root).ok()) {
        let parts: Vec<_> = path.iter().filter_map(|it| it.to_str()).collect();
        if let ["crates", name, "src", file] = parts.as_slice()
            && !["lib.rs", "main.rs"].contains(file)
            && !section(map, name).contains(&format!("`{file}`"))
        {
            problems.push(format!("ARCHITECTURE.md: `crates/{name}` does not name `{file}`"));
        }
    }
    for name in mapped {
        for file in section(map, name).split('`').filter(|it| is_rust(it)) {
            if !root.join("crates").join(name).join("src").join(file).exists() {
                problems.push(format!("ARCHITECTURE.md: `crates/{name}` has no `{file}`"));
            }
        }
    }
}

fn is_rust(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|it| it == "rs")
}

fn heading(line: &str) -> Option<&str> {
    line.strip_prefix("### `crates/")?.strip_suffix('`')
}

/// The text below a crate's heading, up to the next heading.
fn section<'a>(map: &'a str, name: &str) -> &'a str {
    let start = format!("### `crates/{name}`\n");
    let rest = map.split_once(&start).map_or("", |(_, rest)| rest);
    rest.split("\n##").next().unwrap_or_default()
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
    use std::path::Path;

    use super::{ARROWS, check_arrows, check_code_map, check_source};

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
    fn keeps_the_code_map_true() {
        let root = Path::new("/nowhere");
        let mut found = Vec::new();
        let headings: Vec<_> = ARROWS.iter().map(|it| format!("### `crates/{}`\n", it.0)).collect();
        let sections = headings.concat();
        check_code_map(root, &sections, &[], &mut found);
        assert_eq!(found, [""; 0]);
        let unknown = root.join("crates/redress/src/new.rs");
        check_code_map(root, &sections, &[unknown], &mut found);
        assert_eq!(found, ["ARCHITECTURE.md: `crates/redress` does not name `new.rs`"]);
        found.clear();
        check_code_map(root, "### `crates/gone`\n- `old.rs` it was\n", &[], &mut found);
        assert_eq!(found.len(), ARROWS.len() + 2);
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
