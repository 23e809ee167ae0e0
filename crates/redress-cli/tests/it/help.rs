//! Every example of every `--help` runs as it stands there.

use std::{
    fs,
    path::Path,
    process::{Child, Command, Stdio},
};

use crate::{
    gate::http::listening,
    redress::{redress, shell},
};

const COMMANDS: &[&[&str]] = &[
    &[],
    &["run"],
    &["probe"],
    &["ledger"],
    &["ledger", "verify"],
    &["ledger", "tail"],
    &["ledger", "query"],
    &["ledger", "stats"],
    &["ledger", "export"],
    &["explain"],
    &["classify"],
    &["translate"],
    &["registry"],
    &["registry", "lint"],
    &["registry", "diff"],
    &["registry", "lock"],
    &["registry", "export"],
    &["registry", "add"],
    &["registry", "deprecate"],
    &["registry", "retire"],
    &["registry", "rules"],
    &["config"],
    &["config", "check"],
    &["config", "schema"],
    &["config", "apply"],
    &["completions"],
];

/// The file of `docs/reference/registry.md`.
fn errors_toml() -> String {
    let page = include_str!("../../../../docs/reference/registry.md");
    let (_, rest) = page.split_once("```toml errors.toml\n").unwrap();
    rest.split_once("```").unwrap().0.to_owned()
}

/// The commands below `Examples:`; one that ends with a backslash goes on in the next line.
fn examples(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|it| !it.starts_with("Example")).skip(1);
    let block: Vec<&str> = lines.take_while(|it| it.starts_with("  ")).collect();
    let joined = block.join("\n").replace("\\\n", " ");
    joined.lines().map(|it| it.trim().to_owned()).collect()
}

#[test]
fn every_example_of_every_help_runs_as_written() {
    let dir = tempfile::tempdir().unwrap();
    let path = |it: &str| dir.path().join(it);
    fs::write(path("errors.toml"), errors_toml()).unwrap();
    fs::create_dir(path("src")).unwrap();
    fs::write(path("src/errors.rs"), crate::from_rust::ERRORS).unwrap();
    fs::create_dir(path("old")).unwrap();
    fs::write(path("old/errors.toml"), errors_toml()).unwrap();
    assert_eq!(shell("redress registry lock errors.toml", dir.path()).exit, 0);
    fs::write(path("envelopes.jsonl"), "{\"code\":\"TIMEOUT\"}\n").unwrap();
    let atlas = "echo '{\"code\":\"TIMEOUT\"}' | redress translate --from native --to atlas-gate > in.jsonl";
    assert_eq!(shell(atlas, dir.path()).exit, 0);
    fs::write(path("redress.toml"), "[server.a]\ncommand = ['sh']\n").unwrap();
    fs::create_dir_all(path(".local/share/bash-completion/completions")).unwrap();
    let recorded = "echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}' | redress run --name files -- false";
    assert_eq!(shell(recorded, dir.path()).exit, 0);
    let gate = Serving::start(dir.path());
    let mut ran = 0;
    for command in COMMANDS.iter().copied() {
        let help = redress(&[command, &["--help"]].concat(), b"");
        assert_eq!(help.exit, 0, "{command:?}");
        let examples = examples(&help.out);
        assert_eq!(examples.is_empty(), command.is_empty(), "{command:?}: {}", help.out);
        // Those of `run` and `probe` need servers that are not here.
        let needs_servers = command == ["run"] || command == ["probe"];
        for line in examples.iter().filter(|_| !needs_servers) {
            // One that waits for more is ended by us.
            let ended = if line.contains(" -f ") {
                format!("timeout 1 {line} || [ $? = 124 ]")
            } else {
                line.clone()
            };
            let done = shell(&ended, dir.path());
            assert!((0..=1).contains(&done.exit), "{line}\n{}{}", done.out, done.err);
            ran += 1;
        }
    }
    assert!(ran > 15, "{ran}");
    drop(gate);
}

/// A gate that serves `redress.toml` of a directory, which is also its home.
struct Serving(Child);

impl Serving {
    fn start(dir: &Path) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_redress"));
        command.args(["serve", "--config", "redress.toml", "--listen", "127.0.0.1:0"]);
        command.arg("--no-ledger").env("HOME", dir).current_dir(dir).stderr(Stdio::piped());
        command.env_remove("XDG_STATE_HOME").env_remove("XDG_CONFIG_HOME");
        let mut child = command.spawn().unwrap();
        listening(child.stderr.take().unwrap());
        Self(child)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.0.kill().unwrap_or_default();
        self.0.wait().map(drop).unwrap_or_default();
    }
}

#[test]
fn the_values_of_a_closed_option_are_listed_in_its_help() {
    for (command, values) in [
        (&["translate"][..], &["auto", "native", "tool-failure"][..]),
        (&["registry", "export"], &["json-schema", "markdown"]),
        (&["registry", "add"], &["failed_precondition", "after_delay", "partial"]),
    ] {
        let help = redress(&[command, &["--help"]].concat(), b"").out;
        for value in values {
            assert!(help.contains(value), "{command:?} {value}: {help}");
        }
    }
    let ran = redress(&["translate", "--from", "natve", "--to", "rpc"], b"");
    assert!(
        ran.exit == 2 && ran.err.contains("auto") && ran.err.contains("'native'"),
        "{}",
        ran.err
    );
}

#[test]
fn a_command_needs_no_dashes_behind_a_gate() {
    let call = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let script = r#"read -r line; printf '{"jsonrpc":"2.0","id":"%s"}\n' "$0" >&2; exit 7"#;
    for dashes in [&["--"][..], &[]] {
        let args = [&["run", "--no-ledger"], dashes, &["sh", "-c", script, "--name"]].concat();
        let ran = redress(&args, call);
        assert!(ran.err.contains(r#""id":"--name""#), "{args:?}: {}", ran.err);
        assert!(ran.out.contains(r#""exit_code":7"#), "{args:?}: {}", ran.out);
    }
}

#[test]
fn a_command_without_dashes_shows_where_a_probe_needs_them() {
    let ran = redress(&["probe", "npx", "server"], b"");
    assert_eq!(ran.exit, 2);
    assert!(ran.err.contains("after two dashes: `-- npx"), "{}", ran.err);
    let ran = redress(&["explain", "TIMEOUT", "npx"], b"");
    assert!(!ran.err.contains("two dashes"), "{}", ran.err);
}
