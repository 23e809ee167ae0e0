//! Rust that a green run would not notice: files that no module declares, and tests that are ignored where no step runs them.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Folders whose files cargo or a test finds by themselves.
const FOUND: [&str; 5] = ["benches", "bin", "examples", "fixtures", "ui"];

/// Files with which a crate begins.
const ROOTS: [&str; 3] = ["build.rs", "lib.rs", "main.rs"];

/// Where tests may be ignored: the steps `official clients`, `disks` and `browser` run these modules, and the last one is no test
/// but the body of a process that tests start.
const RUN_ELSEWHERE: [&str; 4] =
    ["peers", "mounted", "browser", "crates/redress-ledger/tests/it/process.rs"];

/// Checks every file of Rust among those of the workspace.
pub(crate) fn check(root: &Path, files: &[PathBuf]) -> Vec<String> {
    let is_rust = |it: &&PathBuf| it.extension().is_some_and(|it| it == "rs");
    let load = |it: &Path| fs::read_to_string(root.join(it)).ok();
    let mut problems = Vec::new();
    for path in files.iter().filter(is_rust) {
        let path = path.strip_prefix(root).unwrap_or(path);
        problems.extend([orphan(path, &load), ignored(path, &load)].into_iter().flatten());
    }
    problems
}

/// A file that no file beside or above it declares as a module: cargo does not even compile it.
fn orphan(path: &Path, load: &dyn Fn(&Path) -> Option<String>) -> Option<String> {
    let folder = path.parent()?;
    let name = path.file_name()?.to_str()?;
    if ROOTS.contains(&name) || FOUND.iter().any(|it| folder.ends_with(it)) {
        return None;
    }
    let declared = format!("mod {};", name.strip_suffix(".rs")?);
    let above = ["mod.rs", "main.rs", "lib.rs"].map(|it| folder.join(it));
    let is_declared = [folder.with_extension("rs")].iter().chain(&above).any(|it| {
        let text = load(it).unwrap_or_default();
        let mut lines = text.lines().map(str::trim);
        lines.any(|it| it.strip_suffix(&declared).is_some_and(is_visibility))
    });
    (!is_declared).then(|| format!("{}: no module declares it", path.display()))
}

/// Whether what is before a declaration leaves it one: nothing, `pub` or `pub(…)`.
fn is_visibility(text: &str) -> bool {
    text.is_empty() || (text.starts_with("pub") && !text.contains("//"))
}

/// A test that is ignored, in a file that no step runs with `--ignored`.
fn ignored(path: &Path, load: &dyn Fn(&Path) -> Option<String>) -> Option<String> {
    let is_run = |name: &&str| path.with_extension("").iter().any(|it| it == *name);
    if RUN_ELSEWHERE.iter().any(|it| is_run(it) || path == Path::new(it)) {
        return None;
    }
    let text = load(path)?;
    let is_ignored = text.lines().any(|it| it.trim_start().starts_with("#[ignore"));
    is_ignored.then(|| format!("{}: no step runs its ignored test", path.display()))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{ignored, orphan};

    fn one(file: &'static str, text: &'static str) -> impl Fn(&Path) -> Option<String> {
        move |it| (it == Path::new(file)).then(|| text.to_owned())
    }

    #[test]
    fn a_file_that_no_module_declares_is_a_problem() {
        let path = Path::new("crates/a/src/b/c.rs");
        for (file, text) in [
            ("crates/a/src/b.rs", "mod c;\n"),
            ("crates/a/src/b/main.rs", "    pub(crate) mod c;\n"),
            ("crates/a/src/b/mod.rs", "#[cfg(test)]\nmod c;\n"),
        ] {
            assert_eq!(orphan(path, &one(file, text)), None, "{file}");
        }
        for text in ["", "// mod c;\n", "// pub mod c;\n", "mod cc;\n"] {
            let found = orphan(path, &one("crates/a/src/b.rs", text));
            assert_eq!(found.as_deref(), Some("crates/a/src/b/c.rs: no module declares it"));
        }
    }

    #[test]
    fn files_that_cargo_finds_need_no_declaration() {
        for path in ["crates/a/src/lib.rs", "crates/a/examples/b.rs", "crates/a/tests/ui/b.rs"] {
            assert_eq!(orphan(Path::new(path), &|_| None), None, "{path}");
        }
    }

    #[test]
    fn an_ignored_test_that_no_step_runs_is_a_problem() {
        let text = "#[test]\n#[ignore = \"slow\"]\nfn it_is() {}\n";
        let found = |path: &'static str| ignored(Path::new(path), &one(path, text)).is_some();
        assert!(found("crates/a/tests/it/b.rs"));
        for path in ["crates/a/tests/it/peers.rs", "crates/a/tests/it/mounted/b.rs"] {
            assert!(!found(path), "{path}");
        }
    }
}
