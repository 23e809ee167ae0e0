//! Generated files: each is a pure function of the shipped registries, compared byte by byte in CI.

use std::{fmt::Write as _, fs, path::Path};

use redress_registry::shipped;

/// Writes every generated file, or with `check` only says which are stale.
pub(crate) fn run(root: &Path, check: bool) -> Vec<String> {
    let mut problems = Vec::new();
    for (path, text) in files() {
        let full = root.join(path);
        if fs::read_to_string(&full).is_ok_and(|it| it == text) {
            continue;
        }
        if check {
            problems.push(format!("{path} is stale: run `cargo xtask codegen`"));
        } else if let Err(error) = fs::write(&full, text) {
            problems.push(format!("{path}: {error}"));
        }
    }
    problems
}

fn files() -> Vec<(&'static str, String)> {
    vec![("crates/redress/src/codes/list.rs", handles())]
}

/// One typed handle per row of `core`.
fn handles() -> String {
    let mut text = String::from(
        "//! One handle per row of `core`. Written by `cargo xtask codegen`; not to be edited.\n\n\
         use super::{CoreCode, row};\n",
    );
    for (row, entry) in shipped::core().codes.values().enumerate() {
        let code = &entry.code;
        let title = entry.title.trim_end_matches('.');
        write!(
            text,
            "\n/// {title}: {}\npub const {code}: CoreCode = row(\"{code}\", {row});\n",
            escaped(&entry.message)
        )
        .unwrap_or_default();
    }
    text
}

/// A message template inside a doc comment: its braces are code.
fn escaped(message: &str) -> String {
    message.replace('{', "`{").replace('}', "}`")
}
