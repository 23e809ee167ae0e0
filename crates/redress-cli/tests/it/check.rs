//! `redress check`: what it finds, how it tells it, what it corrects and what it drafts.

use std::{fs, path::Path};

use crate::redress::{Ran, shell};

const CONTRACT: &str = "format = \"redress-registry/1\"\nextends = [\"core\"]\n[registry]\nname = \"notes\"\nversion = \"1.0.0\"\n";

const SERVER: &str = "import { ToolError } from './errors.js';\n\nexport function read(path: string) {\n  throw new ToolError(\"FILE_NOT_FUOND\", `No file at ${path}.`);\n}\n";

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    dir
}

fn in_folder(line: &str, files: &[(&str, &str)]) -> Ran {
    shell(line, folder(files).path())
}

fn text(dir: &Path, name: &str) -> String {
    fs::read_to_string(dir.join(name)).unwrap()
}

#[test]
fn a_finding_shows_its_line_its_fix_and_a_summary_and_ends_with_1() {
    let files = [("errors.toml", CONTRACT), ("src/server.ts", SERVER)];
    let ran = in_folder("redress check", &files);
    assert_eq!(ran.exit, 1, "{}", ran.err);
    for part in [
        "CK001 FILE_NOT_FUOND is not in errors.toml.",
        "--> src/server.ts:4:24",
        "    4 |   throw new ToolError(\"FILE_NOT_FUOND\"",
        "^^^^^^^^^^^^^^",
        "fix: Write FILE_NOT_FOUND, or add the code with redress registry add.",
        "    1  CK001",
        "    1  src/server.ts",
        "1 violation, 0 improvements, 0 notes",
    ] {
        assert!(ran.out.contains(part), "no {part} in\n{}", ran.out);
    }
    let ran = in_folder("redress check --format json", &files);
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&json["rule"], &json["line"]), (&"CK001".into(), &4.into()));
    let ran = in_folder("redress check --format sarif src", &files);
    let sarif: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "CK001");
    let ran = in_folder("redress check --format github", &files);
    assert!(ran.out.starts_with("::error file=src/server.ts,line=4,col=24"), "{}", ran.out);
}

#[test]
fn a_fix_is_made_once_and_never_in_a_broken_file() {
    let broken = format!("{SERVER}\nfunction (( {{\n");
    let files = [("errors.toml", CONTRACT), ("a.ts", SERVER), ("b.ts", &*broken)];
    let dir = folder(&files);
    let ran = shell("redress check --fix", dir.path());
    assert_eq!(ran.exit, 1, "{}", ran.err);
    assert!(ran.err.contains("a.ts: FILE_NOT_FUOND is FILE_NOT_FOUND now"), "{}", ran.err);
    assert!(ran.err.contains("b.ts: its syntax is broken"), "{}", ran.err);
    assert_eq!(text(dir.path(), "a.ts"), SERVER.replace("FUOND", "FOUND"));
    assert_eq!(text(dir.path(), "b.ts"), broken);
    let again = shell("redress check --fix a.ts", dir.path());
    assert_eq!((again.exit, again.err.as_str()), (0, ""), "{}", again.out);
}

#[test]
fn each_file_is_under_the_nearest_contract() {
    let plugin = "format = \"redress-registry/1\"\nextends = [\"core\"]\n[registry]\nname = \"voice\"\nversion = \"1.0.0\"\n[plugin]\nnamespace = \"voice\"\n";
    let source =
        "export const failed = () => makePluginError(\"NO_MICROPHONE\", { message: \"None.\" });\n";
    let files = [
        ("errors.toml", CONTRACT),
        ("src/a.ts", source),
        ("plugins/voice/errors.toml", plugin),
        ("plugins/voice/src/a.ts", source),
    ];
    let ran = in_folder("redress check --format json | cut -c1-15", &files);
    assert_eq!(ran.out, "{\"rule\":\"CK005\"\n{\"rule\":\"CK001\"\n");
}

#[test]
fn sources_without_a_contract_are_told_how_to_get_one() {
    let ran = in_folder("redress check", &[("src/server.ts", SERVER), (".git/HEAD", "")]);
    assert_eq!(ran.exit, 2, "{}", ran.out);
    assert!(ran.err.contains("CONFIG_INVALID") && ran.err.contains("--infer"), "{}", ran.err);
    let ran = in_folder("redress check nowhere", &[]);
    assert_eq!(ran.exit, 2, "{}", ran.err);
    assert!(ran.err.contains("FILE_NOT_FOUND"), "{}", ran.err);
    let ran = in_folder("redress check", &[("errors.toml", "format = 1"), ("a.ts", SERVER)]);
    assert_eq!(ran.exit, 2, "{}", ran.err);
}

#[test]
fn a_drafted_registry_is_a_contract_of_its_sources() {
    let source = "server.registerTool(\"read_note\", { description: \"Reads.\" }, async () => {\n  throw new ToolError(\"NOTE_NOT_FOUND\", \"There is no such note.\");\n});\n";
    let dir = folder(&[("src/server.ts", source)]);
    let ran = shell("redress check --infer > draft.toml && mv draft.toml errors.toml", dir.path());
    assert_eq!(ran.exit, 0, "{}", ran.err);
    let draft = text(dir.path(), "errors.toml");
    for part in [
        "[code.NOTE_NOT_FOUND]",
        "class = \"not_found\"",
        "message = \"There is no such note.\"",
        "may = [\"NOTE_NOT_FOUND\"]",
    ] {
        assert!(draft.contains(part), "no {part} in\n{draft}");
    }
    let lint = shell("redress registry lint errors.toml", dir.path());
    assert_eq!(lint.exit, 0, "{}{}", lint.out, lint.err);
    let check = shell("redress check --format json | grep -c '\"CK00[1-6]\"'", dir.path());
    assert_eq!(check.out, "0\n");
}

#[test]
fn what_git_ignores_and_others_wrote_is_left_out() {
    let files = [
        ("errors.toml", CONTRACT),
        (".gitignore", "made/\n"),
        ("made/a.ts", SERVER),
        ("node_modules/x/a.ts", SERVER),
        (".hidden/a.ts", SERVER),
        ("tests/a.test.ts", SERVER),
        ("bin.ts", "\0\u{1}"),
    ];
    let ran = in_folder("redress check", &files);
    assert_eq!((ran.exit, ran.out.as_str()), (0, "0 violations, 0 improvements, 0 notes\n"));
}

#[test]
fn a_rule_is_explained_with_its_examples() {
    let ran = in_folder("redress explain CK001", &[]);
    assert!(
        ran.out.contains("unregistered-code") && ran.out.contains("```python bad"),
        "{}",
        ran.out
    );
}
