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
fn a_finding_shows_line_fix_and_summary_and_ends_with_1() {
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
    let expected = "0 violations, 0 improvements, 0 notes\n1 file read (1 typescript). Left out: made, node_modules.\n";
    assert_eq!((ran.exit, ran.out.as_str()), (0, expected));
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

#[test]
fn a_scan_says_what_it_read_and_reading_nothing_is_bad_input() {
    let files = [
        ("errors.toml", CONTRACT),
        ("src/a.ts", "export const a = 1;\n"),
        ("README.md", "# Notes\n"),
        ("dist/a.js", SERVER),
        ("web/dist/a.js", SERVER),
    ];
    let said = "2 files read (1 markdown, 1 typescript). Left out: dist (2).";
    let ran = in_folder("redress check", &files);
    assert_eq!((ran.exit, ran.out.lines().last()), (0, Some(said)));
    let ran = in_folder("redress check --format json", &files);
    assert_eq!((ran.out.as_str(), ran.err.trim_end()), ("", said));
    for line in ["redress check", "redress check --infer"] {
        let ran = in_folder(line, &[("errors.toml", CONTRACT), ("dist/a.js", SERVER)]);
        assert_eq!(ran.exit, 2, "{}", ran.out);
        assert!(ran.err.contains("no file to check") && ran.err.contains("Left out: dist."));
    }
}

/// Raises a code that is a slip away from a registered one, and lets an error out.
const AUDITED: &str = "import { ToolError } from './errors.js';\n\nserver.registerTool('read', {}, async ({ path }) => {\n  if (!path) throw new ToolError(\"FILE_NOT_FUOND\", 'No file.');\n  throw new Error('no');\n});\n";

fn audit(document: &str) -> String {
    let dir = folder(&[("errors.toml", CONTRACT), ("src/server.ts", AUDITED)]);
    let ran = shell("redress check --report docs/audit", dir.path());
    assert_eq!(ran.exit, 1, "{}", ran.err);
    assert!(ran.err.contains("docs/audit/AUDIT_SUMMARY.md"), "{}", ran.err);
    // The documents name wrong codes, and the next scan leaves them alone.
    let again = shell("redress check", dir.path());
    assert!(again.out.contains("2 violations, 0 improvements"), "{}", again.out);
    text(dir.path(), &format!("docs/audit/{document}"))
}

#[test]
fn seed_001_26_the_summary_has_status_counts_and_risk() {
    let summary = audit("AUDIT_SUMMARY.md");
    for part in [
        "**Overall status:** The contract is broken.",
        "**Overall risk:** high",
        "**Scope:** 1 file read (1 typescript).",
        "| P0, the contract is broken | 2 |",
        "| findings that `redress check --fix` corrects | 1 |",
        "| Clients do not know a code | high | 2 |",
        "| A failure is taken for a success | none | 0 |",
        "1. Run `redress check --fix`: it corrects 1 finding.",
    ] {
        assert!(summary.contains(part), "no {part} in\n{summary}");
    }
}

#[test]
fn seed_001_27_findings_are_grouped_by_priority() {
    let findings = audit("FINDINGS_BY_PRIORITY.md");
    let heads: Vec<_> = findings.lines().filter(|it| it.starts_with("## ")).collect();
    let expected = [
        "## P0: the contract is broken (2 findings)",
        "## P1: it works and could be better (0 findings)",
        "## P2: good to know (0 findings)",
    ];
    assert_eq!(heads, expected);
    assert!(findings.contains("### src/server.ts:4:35\n\n**CK001**"), "{findings}");
}

#[test]
fn seed_001_28_findings_show_the_line_before_and_after() {
    let findings = audit("FINDINGS_BY_FILE.md");
    let line = |code: &str| {
        format!("```ts\n  if (!path) throw new ToolError(\"{code}\", 'No file.');\n```")
    };
    let both = format!(
        "As it is:\n\n{}\n\nAs it should be:\n\n{}",
        line("FILE_NOT_FUOND"),
        line("FILE_NOT_FOUND")
    );
    assert!(findings.contains("## src/server.ts\n\n### Line 4, P0"), "{findings}");
    assert!(findings.contains(&both), "{findings}");
    assert_eq!(findings.matches("As it is:").count(), 2);
}

#[test]
fn seed_001_29_the_checklist_has_every_rule_with_its_state() {
    let list = audit("CHECKLIST.md");
    for part in [
        "- [!] CK001 unregistered-code: broken: 1 finding",
        "- [x] CK905 stopped-tool: held (looked at 1 tool)",
        "- [-] CK404 structured-error: not applicable: no tool with an output schema",
    ] {
        assert!(list.contains(part), "no {part} in\n{list}");
    }
    let rules = in_folder(
        "redress registry rules --format json | grep -o '\"id\":\"CK[049]..\"' | sort -u | wc -l",
        &[],
    );
    let listed = list.lines().filter(|it| it.starts_with("- [")).count();
    assert_eq!(rules.out.trim(), listed.to_string(), "{}", rules.err);
}

#[test]
fn seed_001_30_what_holds_is_listed() {
    let summary = audit("AUDIT_SUMMARY.md");
    let (_, holds) = summary.split_once("## What holds").unwrap();
    assert!(holds.contains("- CK905 stopped-tool (looked at 1 tool)"), "{holds}");
    assert!(!holds.contains("CK001") && !holds.contains("CK404"), "{holds}");
}

#[test]
fn a_report_that_cannot_be_written_leaves_nothing_behind() {
    let dir = folder(&[("errors.toml", CONTRACT), ("src/server.ts", AUDITED), ("audit", "a file")]);
    let ran = shell("redress check --report audit", dir.path());
    assert_eq!(ran.exit, 3, "{}", ran.out);
    assert!(ran.err.contains("FILE_WRITE_FAILED") && ran.err.contains("--report"), "{}", ran.err);
    assert_eq!(text(dir.path(), "audit"), "a file");
}

#[test]
fn nothing_of_a_source_is_obeyed_by_a_terminal() {
    let hostile = "/*\u{1b}]52;c;cm0=\u{7}\u{1b}[2J\u{1b}[8m\u{9b}31m\u{202e}*/";
    let spelled = r"/*\u{1b}]52;c;cm0=\u{7}\u{1b}[2J\u{1b}[8m\u{9b}31m\u{202e}*/";
    let source = format!(
        "server.registerTool('read', {{}}, async (a) => {{\n  try {{ return await r(a); }} catch (e) {{ {hostile} return {{ content: [{{ text: e.stack }}] }}; }}\n}});\n"
    );
    for (colours, style) in [("0", ""), ("1", "\u{1b}[1m")] {
        let line = format!("CLICOLOR_FORCE={colours} redress check --contract core a.ts");
        let said = in_folder(&line, &[("a.ts", &source)]).out;
        assert!(said.contains(spelled) && said.contains(style), "{said}");
        let plain = anstream::adapter::strip_str(&said).to_string();
        let is_obeyed = |it: char| it.is_control() && it != '\n' || it == '\u{202e}';
        assert!(!plain.contains(is_obeyed), "{plain}");
        // The marks stand below what is meant.
        let (line, marks) = (plain.lines().nth(2).unwrap(), plain.lines().nth(3).unwrap());
        assert_eq!(marks.find('^'), line.find("{ content:"), "{plain}");
    }
}
