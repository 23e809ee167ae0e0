//! The schemas in an editor's checker: Tombi takes what our readers take, and names the place of what they refuse.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use serde_json::Value;

use super::clients::python_program;
use crate::redress::redress;

/// Lints a file beside the schemas, and gives its diagnostics.
fn lint(folder: &Path, name: &str, text: &str) -> Vec<Value> {
    let file = folder.join(name);
    fs::write(&file, text).unwrap();
    let found = folder.join("diagnostics.json");
    drop(fs::remove_file(&found));
    let mut tombi = Command::new(python_program("tombi"));
    tombi.args([
        "lint",
        "--offline",
        "--quiet",
        "--diagnostics-format",
        "json",
        "--diagnostics-file",
    ]);
    let Output { stderr, .. } =
        tombi.arg(&found).arg(&file).current_dir(folder).env("HOME", folder).output().unwrap();
    let said = fs::read_to_string(&found)
        .unwrap_or_else(|it| panic!("{it}: {}", String::from_utf8_lossy(&stderr)));
    serde_json::from_str(&said).unwrap()
}

/// A folder with both schemas, as our commands print them.
fn schemas() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (command, name) in [
        (["registry", "schema"], "errors.schema.json"),
        (["config", "schema"], "redress.schema.json"),
    ] {
        let ran = redress(&command, b"");
        assert_eq!(ran.exit, 0, "{ran:?}");
        fs::write(folder.path().join(name), ran.out).unwrap();
    }
    // Tombi looks for a project above the file.
    fs::write(folder.path().join("tombi.toml"), "").unwrap();
    folder
}

const NOTES: &str = "#:schema ./errors.schema.json\nformat = \"redress-registry/1\"\n\n[registry]\nname = \"notes\"\nversion = \"1.0.0\"\nextends = [\"core\"]\n\n[domain.notes]\ntitle = \"Notes\"\nrange = [5000, 5099]\n\n[code.NOTE_NOT_FOUND]\nnumber = 5000\ndomain = \"notes\"\nclass = \"not_found\"\nretry = \"after_change\"\neffect = \"none\"\nmessage = \"There is no note {id}.\"\nhint = \"List the notes.\"\nnext = [{ tool = \"list_notes\" }]\nparams.id = { type = \"string\", required = true }\n";

#[test]
#[ignore = "needs the official peers: cargo xtask peers"]
fn tombi_takes_every_shipped_registry() {
    let folder = schemas();
    let registries = Path::new(env!("CARGO_MANIFEST_DIR")).join("../redress-registry/registries");
    let mut count = 0;
    for entry in fs::read_dir(registries).unwrap() {
        let path = entry.unwrap().path();
        let text = format!("#:schema ./errors.schema.json\n{}", fs::read_to_string(&path).unwrap());
        let name = path.file_name().unwrap().to_str().unwrap();
        assert_eq!(lint(folder.path(), name, &text), [] as [Value; 0], "{name}");
        count += 1;
    }
    assert_eq!(count, 6);
    assert_eq!(lint(folder.path(), "errors.toml", NOTES), [] as [Value; 0]);
}

#[test]
#[ignore = "needs the official peers: cargo xtask peers"]
fn tombi_names_what_a_registry_has_wrong() {
    let folder = schemas();
    for (right, wrong, line) in [
        ("class = \"not_found\"", "class = \"not_fuond\"", 16),
        ("number = 5000", "number = \"5000\"", 14),
        ("hint = ", "hnit = ", 20),
        ("retry = \"after_change\"", "retry = \"sometimes\"", 17),
        ("[code.NOTE_NOT_FOUND]", "[code.note-not-found]", 13),
        ("range = [5000, 5099]", "range = [5000]", 11),
        ("format = \"redress-registry/1\"", "format = \"redress-registry/2\"", 2),
        ("{ tool = \"list_notes\" }", "{ args = {} }", 21),
    ] {
        assert!(NOTES.contains(right), "{right}");
        let found = lint(folder.path(), "errors.toml", &NOTES.replace(right, wrong));
        let lines: Vec<_> = found.iter().map(place).collect();
        assert!(lines.contains(&line), "{wrong}: {found:?}");
        // What Tombi names is refused by our reader, too.
        let ran = redress(
            &["registry", "lint", folder.path().join("errors.toml").to_str().unwrap()],
            b"",
        );
        assert_ne!(ran.exit, 0, "{wrong}");
    }
}

#[test]
#[ignore = "needs the official peers: cargo xtask peers"]
fn tombi_reads_the_schema_of_a_configuration() {
    let folder = schemas();
    let good = "#:schema ./redress.schema.json\n[server.files]\ncommand = [\"cat\"]\ndeadline_ms = 10000\n";
    assert_eq!(lint(folder.path(), "redress.toml", good), [] as [Value; 0]);
    for (right, wrong, line) in [
        ("deadline_ms = 10000", "deadline_ms = \"soon\"", 4),
        ("deadline_ms = 10000", "deadline = 10000", 4),
        ("deadline_ms = 10000", "deadline_ms = 0", 4),
    ] {
        let found = lint(folder.path(), "redress.toml", &good.replace(right, wrong));
        let lines: Vec<_> = found.iter().map(place).collect();
        assert!(lines.contains(&line), "{wrong}: {found:?}");
    }
}

/// The line of a diagnostic, from 1.
fn place(diagnostic: &Value) -> u64 {
    let start = diagnostic.pointer("/range/start/line").and_then(Value::as_u64);
    start.unwrap_or_else(|| panic!("{diagnostic}"))
}
