//! `redress registry`: lint, diff, lock, edit, export.

use std::fs;

use crate::redress::{redress, shell};

const NOTES: &str = include_str!("../../../../fuzz/corpus/registry/notes.toml");

/// Runs a command in a directory that holds `errors.toml`, and gives what it printed and the file after it.
fn in_folder(line: &str, text: &str) -> (crate::redress::Ran, String) {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("errors.toml"), text).unwrap();
    let ran = shell(line, dir.path());
    (ran, fs::read_to_string(dir.path().join("errors.toml")).unwrap())
}

#[test]
fn every_shipped_registry_is_clean_under_our_own_lint() {
    for name in ["core", "atlas-gate", "workrail", "rpc-taxonomy", "stagewright", "mailvault"] {
        let ran = redress(&["registry", "lint", name], b"");
        assert_eq!((ran.exit, ran.err.as_str()), (0, ""), "{}", ran.out);
    }
}

#[test]
fn a_violation_is_shown_at_its_place_and_ends_with_1() {
    let text = NOTES.replace("NOTE_NOT_FOUND", "E_NOTE");
    let (ran, _) = in_folder("redress registry lint errors.toml", &text);
    assert_eq!(ran.exit, 1, "{}", ran.err);
    assert!(ran.out.contains("CK108") && ran.out.contains("--> errors.toml:"), "{}", ran.out);
    let (ran, _) = in_folder("redress registry lint errors.toml --format sarif", &text);
    let sarif: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "CK108");
    let (ran, _) = in_folder("redress registry lint errors.toml --format github", &text);
    assert!(ran.out.starts_with("::error file=errors.toml,line="), "{}", ran.out);
}

#[test]
fn a_wrong_key_is_refused_with_its_place_and_did_you_mean() {
    let text = NOTES.replace("hint    =", "hnit    =");
    let (ran, after) = in_folder("redress registry lint errors.toml", &text);
    assert_eq!(ran.exit, 2);
    assert!(
        ran.err.contains("errors.toml:") && ran.err.contains("Did you mean `hint`?"),
        "{}",
        ran.err
    );
    assert_eq!(after, text);
}

#[test]
fn a_file_that_no_command_can_load_does_not_pass_the_lint() {
    for (from, to, told) in [
        ("[\"core\"]", "[\"cor\"]", "Did you mean `core`?"),
        ("[\"core\"]", "[\"errors.toml\"]", "comes back to itself"),
        ("version = \"0.1.0\"", "version = \"1.2\"", "errors.toml:5:"),
        ("[\"NOTE_NOT_FOUND\"]", "[\"NOTE_NOT_FUND\"]", "Did you mean `NOTE_NOT_FOUND`?"),
        ("[code.NOTE_NOT_FOUND]", "[code.TIMEOUT]", "TIMEOUT"),
        ("domain  = \"notes\"", "domain  = \"nots\"", "Did you mean `notes`?"),
    ] {
        assert!(NOTES.contains(from), "{from}");
        let (ran, _) = in_folder("redress registry lint errors.toml", &NOTES.replace(from, to));
        assert_eq!(ran.exit, 2, "{to}: {}{}", ran.out, ran.err);
        assert!(ran.err.starts_with("CONFIG_INVALID: errors.toml:"), "{to}: {}", ran.err);
        assert!(ran.err.contains(told), "{to}: {}", ran.err);
        assert!(ran.err.ends_with("Fix: Correct that place in the file.\n"), "{to}: {}", ran.err);
        assert!(ran.out.contains("errors.toml: "), "the findings come first: {}", ran.out);
    }
}

#[test]
fn a_name_near_a_built_in_one_is_told_by_every_command() {
    for line in ["lint cor", "diff cor core", "export cor --format json"] {
        let (ran, _) = in_folder(&format!("redress registry {line}"), NOTES);
        assert_eq!(ran.exit, 2, "{line}");
        assert!(ran.err.contains("Did you mean `core`?"), "{line}: {}", ran.err);
    }
}

const ADD: &str = "redress registry add errors.toml NOTE_SLOW --domain notes --class unavailable --message 'Note {id} is slow.' --hint 'Wait two seconds, then try again.'";

#[test]
fn a_new_row_with_gaps_is_written_and_the_gaps_are_told() {
    let (ran, after) = in_folder(&format!("{ADD} --retry after_delay --param id:string"), NOTES);
    assert_eq!(ran.exit, 0, "{}", ran.err);
    assert!(after.contains("[code.NOTE_SLOW]"));
    assert!(ran.err.lines().count() >= 3, "{}", ran.err);
    assert!(ran.err.lines().all(|it| it.starts_with("still to do: errors.toml:")), "{}", ran.err);
    let whole = format!(
        "{ADD} --retry after_delay --after-ms 9 --param 'id:string:The note.' --param 'size:integer:Its bytes.' --example id=7 --example size=7 --explain 'The store is far away.' --number 5002"
    );
    let (ran, after) = in_folder(&whole, NOTES);
    assert_eq!((ran.exit, ran.err.as_str()), (0, ""));
    assert!(after.contains("example = { id = \"7\", size = 7 }\nsince   = \"0.1.0\"\n"), "{after}");
}

#[test]
fn the_only_domain_of_a_file_need_not_be_named() {
    let whole = format!("{ADD} --retry after_delay --param id:string");
    let (_, named) = in_folder(&whole, NOTES);
    let (ran, after) = in_folder(&whole.replace("--domain notes ", ""), NOTES);
    assert_eq!((ran.exit, after), (0, named), "{}", ran.err);
}

#[test]
fn a_number_that_is_taken_or_out_of_range_is_refused() {
    for number in [5000, 5001, 1001, 6000] {
        let line = format!("{ADD} --retry never --param id:string:I. --number {number}");
        let (ran, after) = in_folder(&line, NOTES);
        assert_eq!((ran.exit, after.as_str()), (2, NOTES), "{number}: {}", ran.err);
        assert!(ran.err.contains(&format!("The number {number} is ")), "{}", ran.err);
    }
}

#[test]
fn a_change_names_what_changed_and_counts_itself() {
    let diff = |from: &str, to: &str| {
        let line = format!(
            "sed 's/{from}/{to}/' errors.toml > new.toml; redress registry diff errors.toml new.toml"
        );
        in_folder(&line, NOTES).0
    };
    let ran = diff("Note not found", "No such note");
    assert!(ran.out.contains(") NOTE_NOT_FOUND: "), "{}", ran.out);
    assert!(
        ran.out.contains("\n1 change; the version needs at least a patch step, but took none\n"),
        "{}",
        ran.out
    );
    let ran = diff("nothing", "else");
    assert_eq!(
        (ran.exit, ran.out.lines().last()),
        (0, Some("0 changes; no step is needed")),
        "{}",
        ran.out
    );
    let ran = diff("retired.NOTE_GONE", "retired.NOTE_LOST");
    assert_eq!(ran.exit, 1);
    assert!(ran.out.contains("; no version allows it: undo what DF0"), "{}", ran.out);
}

#[test]
fn an_edit_that_is_refused_leaves_the_file_as_it_was() {
    for line in [
        "redress registry retire errors.toml NOTE_NOT_FUND --since 1.0.0 --why gone",
        "redress registry add errors.toml NOTE_GONE --domain notes --class internal --retry never --message M. --hint 'Do it again later, then.'",
        "redress registry add errors.toml lower --domain notes --class internal --retry never --message M. --hint 'Do it again later, then.'",
        "redress registry deprecate errors.toml NOTE_NOT_FOUND --since 1.0.0 --reason r --to NO_SUCH_CODE",
    ] {
        let (ran, after) = in_folder(line, NOTES);
        assert_eq!(ran.exit, 2, "{line}: {}", ran.out);
        assert!(
            ran.err.contains("errors.toml:") && ran.err.contains("Fix: "),
            "{line}: {}",
            ran.err
        );
        assert_eq!(after, NOTES, "{line}");
    }
}

#[test]
fn every_rule_that_is_built_is_listed_and_explained() {
    let ran = redress(&["registry", "rules", "--format", "json"], b"");
    let ids: Vec<String> = ran
        .out
        .lines()
        .map(|it| {
            serde_json::from_str::<serde_json::Value>(it).unwrap()["id"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    assert!(ids.len() > 70, "{}", ids.len());
    for id in &ids {
        let ran = redress(&["explain", id], b"");
        assert!(ran.exit == 0 && ran.out.starts_with(id.as_str()), "{id}: {}", ran.err);
    }
}

#[test]
fn an_export_is_the_same_bytes_every_time() {
    for format in ["json", "json-schema", "markdown"] {
        let args = ["registry", "export", "core", "--format", format];
        let (once, again) = (redress(&args, b""), redress(&args, b""));
        assert_eq!(once.exit, 0, "{}", once.err);
        assert_eq!(once.out, again.out);
    }
    assert_eq!(redress(&["registry", "export", "core", "--format", "yaml"], b"").exit, 2);
}

#[test]
fn changes_made_at_once_are_all_kept() {
    let line = "for n in A B C D E F; do redress registry add errors.toml NOTE_$n$n$n --domain notes --class internal --retry never \
                --message M. --hint 'Do it again later, then.' & done; wait";
    let (_, after) = in_folder(line, NOTES);
    assert_eq!(after.matches("\n[code.").count(), NOTES.matches("\n[code.").count() + 6, "{after}");
}

#[test]
fn a_pipe_or_a_path_elsewhere_is_refused_at_once() {
    let (ran, _) = in_folder("mkfifo pipe.toml && redress registry lint pipe.toml", NOTES);
    assert_eq!(ran.exit, 2, "{}", ran.err);
    let text = NOTES.replace("\"core\"", "\"../../../etc/passwd\"");
    let (ran, _) = in_folder("redress registry export errors.toml --format json", &text);
    assert_eq!(ran.exit, 2, "{}", ran.err);
    assert!(!ran.err.contains("root:"), "{}", ran.err);
}

#[test]
fn an_export_into_a_folder_is_whole_and_keeps_your_files() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("errors.toml"), NOTES).unwrap();
    let export = |options: &str| {
        shell(&format!("redress registry export errors.toml {options}"), dir.path())
    };
    for format in ["typescript", "python", "rust", "json-schema", "vectors", "vitest", "pytest"] {
        let to = format!("--format {format} --out {format}");
        assert_eq!(export(&format!("{to} --check")).exit, 1, "{format}: nothing is there yet");
        assert_eq!(export(&to).exit, 0, "{format}");
        let again = export(&format!("{to} --check"));
        assert_eq!((again.exit, again.out.contains("stale")), (0, false), "{}", again.out);
    }
    let calls = dir.path().join("typescript/contract.calls.json");
    assert!(fs::read_to_string(&calls).unwrap().contains("\"read_note\""), "a first draft");
    fs::write(&calls, "{}").unwrap();
    fs::write(dir.path().join("typescript/index.ts"), "").unwrap();
    let stale = export("--format typescript --out typescript --check");
    assert_eq!((stale.exit, stale.out.matches("stale").count()), (1, 1), "{}", stale.out);
    assert_eq!(export("--format typescript --out typescript").exit, 0);
    assert_eq!(fs::read_to_string(&calls).unwrap(), "{}");
    let printed = export("--format typescript").out;
    assert_eq!(printed, fs::read_to_string(dir.path().join("typescript/index.ts")).unwrap());
}

#[test]
fn an_export_imports_the_runtime_and_a_standalone_one_holds_it() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("errors.toml"), NOTES).unwrap();
    let export = |options: &str| {
        let line = format!("redress registry export errors.toml --format typescript {options}");
        assert_eq!(shell(&line, dir.path()).exit, 0, "{options}");
    };
    export("--out small");
    export("--out whole --standalone");
    let read = |path: &str| fs::read_to_string(dir.path().join(path)).unwrap();
    assert!(read("small/index.ts").contains("from \"redress-runtime\""));
    assert!(read("small/index.ts").lines().count() < 100, "{}", read("small/index.ts"));
    assert!(read("small/package.json").contains("\"redress-runtime\": \"^"));
    assert!(!dir.path().join("small/runtime").exists());
    assert!(read("whole/index.ts").contains("from \"./runtime/index.ts\""));
    assert!(read("whole/package.json").contains("\"dependencies\": {},"));
    assert!(read("whole/runtime/index.ts").contains("wrapHandler"));
}

#[test]
fn a_stable_code_that_no_call_provokes_is_found() {
    let text = NOTES.replace("stability = \"draft\"", "stability = \"stable\"");
    let line = "echo '{\"calls\":{}}' > calls.json; redress registry lint errors.toml";
    let (ran, _) = in_folder(line, &text);
    assert!(!ran.out.contains("CK703"), "{}", ran.out);
    let (ran, _) = in_folder(&format!("{line} --calls calls.json"), &text);
    assert!(
        ran.out.contains("CK703 No call of the contract test provokes NOTE_NOT_FOUND."),
        "{}",
        ran.out
    );
}

#[test]
fn a_first_registry_is_written_once_and_takes_new_codes() {
    let dir = tempfile::tempdir().unwrap();
    let run = |line: &str| shell(line, dir.path());
    let ran = run("redress registry init --name notes && redress registry lint errors.toml");
    assert_eq!(ran.exit, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("0 violations, 0 improvements, 0 notes"), "{}", ran.out);
    let again = run("redress registry init --name notes");
    assert_eq!(again.exit, 2);
    assert!(again.err.contains("left as it is"), "{}", again.err);
    let add = "redress registry add errors.toml NOTE_GONE --class not_found --retry after_change --message 'There is no note {id}.' \
               --hint 'List the notes, then use an id from the list.' --param 'id:string:The note.' --untrusted id --example id=n-42 \
               --next 'list_notes {\"folder\":\"a\"}' --explain 'Notes are removed for good.'";
    let ran = run(add);
    assert_eq!((ran.exit, ran.err.as_str()), (0, ""), "{}", ran.out);
    let text = fs::read_to_string(dir.path().join("errors.toml")).unwrap();
    assert!(text.contains("untrusted = true"), "{text}");
    assert!(text.contains("tool = \"list_notes\", args = { folder = \"a\" }"), "{text}");
    for (line, part) in [
        ("redress registry init x.toml --name core", "--name"),
        (
            "redress registry add errors.toml NOTE_B --class internal --retry never --message M. --hint H. --untrusted id",
            "no --param",
        ),
        (
            "redress registry add errors.toml NOTE_B --class internal --retry never --message M. --hint H. --next 'a [1]'",
            "JSON object",
        ),
    ] {
        let ran = run(line);
        assert_eq!(ran.exit, 2, "{line}: {}", ran.out);
        assert!(ran.err.contains(part), "{line}: {}", ran.err);
    }
}

#[test]
fn a_missing_domain_is_explained() {
    let head =
        "format = \"redress-registry/1\"\n[registry]\nname = \"notes\"\nversion = \"1.0.0\"\n";
    let add = "redress registry add errors.toml NOTE_GONE --class internal --retry never --message M. --hint H.";
    let (ran, _) = in_folder(add, head);
    assert_eq!(ran.exit, 2);
    assert!(
        ran.err.contains("A domain groups the codes") && ran.err.contains("[domain.notes]"),
        "{}",
        ran.err
    );
    let (ran, _) = in_folder(add, &format!("{head}[domain.a]\n[domain.b]\n"));
    assert!(ran.err.contains("one of a, b"), "{}", ran.err);
}
