//! Generated files: each is a pure function of the shipped registries or of a type, compared byte by byte in CI.

mod decisions;
mod dialects;
mod vectors;

use std::{fmt::Write as _, fs, io, path::Path};

use redress::{
    dialect,
    package::{self, PACKAGES, Runtime},
};
use redress_cli::{command_line, config};
use redress_registry::{Source, diff, export, lint, load, lock, rule::Rule, shipped};

/// Folders in which every file is generated; one that no generator writes any more is a problem.
const WHOLLY: [&str; 4] = [
    "docs/reference/codes",
    "tests/vectors",
    "tests/packages/notes/rust",
    "tests/packages/hostile/rust",
];

/// Writes every generated file, or with `check` only says which are stale.
pub(crate) fn run(root: &Path, check: bool) -> Vec<String> {
    let files = match files(root) {
        Ok(files) => files,
        Err(problem) => return vec![problem],
    };
    println!("ran: {} files", files.len());
    let mut problems = leftovers(root, &files);
    for (path, text) in files {
        let full = root.join(&path);
        if fs::read_to_string(&full).is_ok_and(|it| it == text) {
            continue;
        }
        if check {
            problems.push(format!("{path} is stale: run `cargo xtask codegen`"));
        } else if let Err(error) = write(&full, &text) {
            problems.push(format!("{path}: {error}"));
        }
    }
    problems
}

/// The files that no generator writes, in folders where all are generated.
fn leftovers(root: &Path, files: &[(String, String)]) -> Vec<String> {
    let mut problems = Vec::new();
    for folder in WHOLLY {
        for entry in fs::read_dir(root.join(folder)).into_iter().flatten().flatten() {
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if files.iter().all(|it| it.0 != path) {
                problems.push(format!("{path} is written by no generator: remove it"));
            }
        }
    }
    problems
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    fs::write(path, text)
}

fn files(root: &Path) -> Result<Vec<(String, String)>, String> {
    let mut files = vec![
        ("crates/redress/src/fault/codes/list.rs".to_owned(), handles()),
        ("docs/reference/rules.md".to_owned(), rules()),
        ("docs/reference/configuration.md".to_owned(), config::page()),
        ("docs/reference/command-line.md".to_owned(), command_line::page()),
        ("docs/reference/redress.schema.json".to_owned(), config::schema()),
    ];
    files.extend(package::runtime_files().into_iter().map(|it| (it.path, it.text)));
    files.extend(vectors::files());
    files.extend(decisions::files(root)?);
    files.extend(dialects::files(root)?);
    let markdown = export::format("markdown").ok_or("the export to Markdown is gone")?;
    let pages = shipped::all()
        .map(|it| (format!("docs/reference/codes/{}.md", it.name), (markdown.write)(it)));
    files.extend(pages);
    files.extend(packages()?);
    Ok(files)
}

/// The example of every package but the vectors, which would be far too long to be read; and of a registry that tries
/// to break out of its literals, the one that only Cargo compiles.
fn packages() -> Result<Vec<(String, String)>, String> {
    let notes = include_str!("../../tests/packages/notes/errors.toml");
    let hostile = include_str!("../../tests/packages/hostile/errors.toml");
    let mut files = example("notes", notes, |it| it != "vectors")?;
    files.extend(example("hostile", hostile, |it| it == "rust")?);
    Ok(files)
}

fn example(
    name: &str,
    text: &str,
    wanted: fn(&str) -> bool,
) -> Result<Vec<(String, String)>, String> {
    let registry = load(&Source::new("errors.toml", text), &|_, _| None).map_err(|found| {
        let first = found.first().map_or("", |it| &it.message);
        format!("tests/packages/{name}/errors.toml does not load: {first}")
    })?;
    let packages = PACKAGES.iter().filter(|it| wanted(it.name));
    let files = packages.flat_map(|it| {
        (it.files)(&registry, Runtime::Imported).into_iter().map(|file| (it.name, file))
    });
    let files = files.filter(|(_, file)| !file.is_draft);
    Ok(files
        .map(|(form, it)| (format!("tests/packages/{name}/{form}/{}", it.path), it.text))
        .collect())
}

/// One line per rule of sources, lint, diff and probe.
fn rules() -> String {
    let mut text = String::from(
        "# Rules\n\nWhat `redress check`, `#[derive(Contract)]`, `redress registry lint`, `redress registry diff` and `redress probe` look for. `redress explain CK203` prints one of them.\n\
         This page is written by `cargo xtask codegen`.\n",
    );
    for (title, rules) in [
        ("Sources", redress_check::rules().collect()),
        (
            "Lint",
            lint::rules()
                .chain(dialect::lint::rules())
                .chain(lock::rules())
                .chain(package::lint::rules())
                .collect::<Vec<_>>(),
        ),
        ("Diff", diff::rules().collect()),
    ] {
        write!(text, "\n## {title}\n\n| rule | finds | why | fix |\n| --- | --- | --- | --- |\n")
            .unwrap_or_default();
        for Rule { id, name, summary, why, how_to_fix, .. } in rules {
            writeln!(text, "| {id} `{name}` | {summary} | {why} | {how_to_fix} |")
                .unwrap_or_default();
        }
    }
    probe_rules(&mut text);
    text
}

/// The rules of the probe, with what they count: a weight, and the most points that are left when one is broken.
fn probe_rules(text: &mut String) {
    text.push_str("\n## Probe\n\n| rule | finds | why | fix | weight | at most |\n| --- | --- | --- | --- | --- | --- |\n");
    for Rule { id, name, summary, why, how_to_fix, .. } in redress_probe::rules() {
        let (weight, cap) = redress_probe::weight(id).unwrap_or_default();
        let cap = cap.map(|it| it.to_string()).unwrap_or_default();
        writeln!(text, "| {id} `{name}` | {summary} | {why} | {how_to_fix} | {weight} | {cap} |")
            .unwrap_or_default();
    }
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{example, leftovers};

    #[test]
    fn a_file_that_no_generator_writes_is_a_problem() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("docs/reference/codes")).unwrap();
        for name in ["core.md", "gone.md"] {
            fs::write(root.path().join("docs/reference/codes").join(name), "").unwrap();
        }
        let files = [("docs/reference/codes/core.md".to_owned(), String::new())];
        let found = leftovers(root.path(), &files);
        assert_eq!(found, ["docs/reference/codes/gone.md is written by no generator: remove it"]);
    }

    #[test]
    fn a_registry_that_does_not_load_is_a_problem() {
        let problem = example("notes", "[registry]\nname = 1\n", |_| true).unwrap_err();
        assert!(
            problem.starts_with("tests/packages/notes/errors.toml does not load: "),
            "{problem}"
        );
    }
}
