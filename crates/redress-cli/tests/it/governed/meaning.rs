//! What a governed gate does not start with: a policy that means nothing, and a contract that cannot be read.

use std::fs;

use super::{
    audit::{HEAD, set_mode, start},
    place::Place,
};

/// What is wrong with a policy, in the words of the check of the file and of the self-audit alike.
const MEANINGLESS: &str = "role = 'r'\nlocks = ['POLICY_VIOLATOIN']\nneed_plan = ['wriet_file']\nreports = 'docs/plans'\n\
    [governance.roles.r]\nallow = ['raed_file', 'read_*', 'resources/read']\ndeny = ['read_ledger']\n\
    [governance.write_rules.empty]\n\
    [governance.write_rules.x]\npaths = ['/a/**', '../x', './b/**', 'src/', 'src', 'src/*.rs']\nforbid_text = ['7']\n\
    [governance.preflight.p]\ncommand = ['no-such-program']\npaths = ['./c']";

const TOLD: &[(&str, &str)] = &[
    (
        "governance.locks",
        "no code matches `POLICY_VIOLATOIN`. Fix: Did you mean `POLICY_VIOLATION`?",
    ),
    ("governance.need_plan", "no server has a tool `wriet_file`. Fix: Did you mean `write_file`?"),
    (
        "governance.roles.r.allow",
        "no server has a tool `raed_file`. Fix: Did you mean `read_file`?",
    ),
    (
        "governance.roles.r.deny",
        "`read_ledger` is a tool of the gate itself, which is for every role. Fix: ",
    ),
    ("governance.write_rules.empty", "the rule asks for nothing. Fix: "),
    (
        "governance.write_rules.x.paths",
        "`/a/**` means no file: they are named from the workspace on. Fix: Write `a/**`.",
    ),
    (
        "governance.write_rules.x.paths",
        "`../x` leads out of the workspace, where nothing is written. Fix: ",
    ),
    (
        "governance.write_rules.x.paths",
        "`./b/**` means no file: they are named from the workspace on. Fix: Write `b/**`.",
    ),
    (
        "governance.write_rules.x.paths",
        "`src/` means no file: they are named from the workspace on. Fix: Write `src/**`.",
    ),
    (
        "governance.write_rules.x.paths",
        "`src` is a directory, and so no file. Fix: Write `src/**` for all that is in it.",
    ),
    (
        "governance.preflight.p.paths",
        "`./c` means no file: they are named from the workspace on. Fix: Write `c`.",
    ),
    ("governance.preflight.p.command", "there is no program `no-such-program`. Fix: "),
    (
        "governance.reports",
        "`docs/plans` is the folder of the plans, into which no tool may write. Fix: ",
    ),
];

#[test]
fn a_meaningless_policy_is_reported_by_check_and_start() {
    let place = Place::with(MEANINGLESS);
    fs::create_dir(place.at("root/src")).unwrap();
    let (exit, said) = start(&place, &["run", "--config", "redress.toml"]);
    assert_eq!(exit, 3, "{said}");
    let failed = format!("SELF_AUDIT_FAILURE: {} of ", TOLD.len());
    assert!(said.starts_with(&failed), "{said}");
    for (key, what) in TOLD {
        let line = format!("INV_POLICY: {key}: {what}");
        assert!(said.contains(&line), "{line}\n{said}");
    }
    let check = ["config", "check", "redress.toml"];
    let (exit, said) = start(&place, &check);
    assert_eq!(exit, 2, "{said}");
    for (key, what) in TOLD {
        let line = format!("`{key}`: {}", what.replace("Fix: ", ""));
        assert!(said.contains(&line), "{line}\n{said}");
    }
    // What is no pattern at all has its place in the file, and hides nothing else.
    let more = MEANINGLESS.replace("'docs/plans'", "'../x'\nallow_eval = ['[']\nplans = '/p'");
    place.configure(&more.replace("deny = [", "deny = ['{', "), "workspace = 'root'");
    for args in [&check[..], &["run", "--config", "redress.toml"]] {
        let (exit, said) = start(&place, args);
        assert_eq!(exit, 2, "{said}");
        for (key, what) in TOLD.iter().filter(|it| it.0 != "governance.reports") {
            let line = format!("`{key}`: {}", what.replace("Fix: ", ""));
            assert!(said.contains(&line), "{line}\n{said}");
        }
        for words in [
            "redress.toml:9:1: `governance.allow_eval`: `[` is no pattern: ",
            "redress.toml:8:1: `governance.reports` must be a folder below the workspace",
            "redress.toml:10:1: `governance.plans` must be a folder below the workspace",
            "redress.toml:13:1: `governance.roles.r.deny`: `{` is no pattern: ",
        ] {
            assert!(said.contains(words), "{words}\n{said}");
        }
    }
}

#[test]
fn a_contract_that_cannot_be_read_is_a_check_that_fails() {
    let place = Place::new();
    set_mode(&place.at("root"), 0o777);
    let broken = [
        (Some("format = 1"), "INV_CONTRACT: errors.toml:1:10: "),
        (Some("not TOML"), "INV_CONTRACT: errors.toml:1:"),
        (Some("[tool.x]\noperation = 'comand'\n"), "Did you mean `command`?"),
        (None, "INV_CONTRACT: errors.toml: No file at "),
    ];
    for (text, words) in broken {
        match text {
            Some(text) if text.starts_with('[') => {
                place.write("errors.toml", &format!("{HEAD}{text}"));
            }
            Some(text) => place.write("errors.toml", text),
            None => fs::remove_file(place.at("errors.toml")).unwrap(),
        }
        place.configure("allow_eval = ['x']", "workspace = 'root'\ncontract = 'errors.toml'");
        let by_file = ["run", "--config", "redress.toml"];
        let by_option = [
            "run",
            "--governed",
            "--root",
            "root",
            "--ledger",
            "ledger",
            "--contract",
            "errors.toml",
        ];
        for args in [&by_file[..], &by_option] {
            let (exit, said) = start(&place, args);
            assert_eq!(exit, 3, "{said}");
            assert!(said.starts_with("SELF_AUDIT_FAILURE: 2 of "), "{said}");
            assert!(said.contains("INV_WORKSPACE: ") && said.contains(words), "{words}\n{said}");
        }
        for args in [
            &["config", "check", "redress.toml"][..],
            &["run", "--no-ledger", "--contract", "errors.toml"],
        ] {
            let (exit, said) = start(&place, args);
            assert_eq!(exit, 2, "{args:?} {said}");
        }
    }
}
