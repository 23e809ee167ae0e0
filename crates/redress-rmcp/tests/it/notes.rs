//! The example server, as a process of its own.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command as Build,
    sync::LazyLock,
};

use rmcp::{RoleClient, ServiceExt as _, service::RunningService, transport::TokioChildProcess};
use serde_json::json;
use tokio::process::Command;

use crate::odd::{call, failed};

/// Where the example and the command are, built with the features that the tests of the workspace have: after
/// `cargo test --workspace` both are there.
pub(crate) fn built() -> &'static Path {
    static BUILT: LazyLock<PathBuf> = LazyLock::new(|| {
        let mut build = Build::new(env!("CARGO"));
        build.args(["build", "--quiet", "--locked", "--offline", "--workspace"]);
        build.args(["--bin", "redress", "--example", "notes", "--example", "failing"]);
        // Build scripts that look at these would run again, and all that depends on them be built again.
        for (name, _) in env::vars().filter(|it| it.0.starts_with("CARGO_PKG_")) {
            build.env_remove(name);
        }
        assert!(build.env_remove("CARGO_MANIFEST_DIR").status().unwrap().success());
        let here = env::current_exe().unwrap();
        here.ancestors().nth(2).unwrap().to_owned()
    });
    &BUILT
}

/// The example.
pub(crate) fn program() -> PathBuf {
    built().join("examples/notes")
}

pub(crate) async fn client(home: &Path) -> RunningService<RoleClient, ()> {
    let mut command = Command::new(program());
    command.arg("ledger").current_dir(home);
    ().serve(TokioChildProcess::new(command).unwrap()).await.unwrap()
}

#[tokio::test]
async fn the_example_answers_every_failure_and_lives_on() {
    let home = tempfile::tempdir().unwrap();
    let client = client(home.path()).await;
    let tools = client.list_all_tools().await.unwrap();
    let read = tools.iter().find(|it| it.name == "read_note").unwrap();
    assert!(read.description.as_ref().unwrap().ends_with("Errors: NOTE_NOT_FOUND (change id)."));
    let (card, envelope) = failed(&call(&client, "read_note", json!({"id": 1})).await.unwrap());
    assert!(card.starts_with("NOTE_NOT_FOUND: There is no note 1.\n"), "{card}");
    assert!(card.ends_with("\nNext: list_notes"), "{card}");
    assert_eq!(envelope["context"]["server"], "notes");
    call(&client, "add_note", json!({"text": "milk"})).await.unwrap();
    let note = call(&client, "read_note", json!({"id": 1})).await.unwrap();
    assert!(format!("{note:?}").contains("milk"));
    let (card, _) = failed(&call(&client, "panic", json!({})).await.unwrap());
    assert!(card.starts_with("INTERNAL_ERROR: ") && !card.contains("as was asked for"), "{card}");
    let (card, _) = failed(&call(&client, "add_note", json!({"text": ""})).await.unwrap());
    assert!(card.starts_with("INVALID_INPUT_VALUE: "), "{card}");
    let listed = call(&client, "list_notes", json!({})).await.unwrap();
    assert_eq!(listed.is_error, Some(false));
    client.cancel().await.unwrap();
    let chains = fs::read_dir(home.path().join("ledger")).unwrap().flatten();
    assert!(chains.count() > 0, "it was recorded");
}

#[test]
fn the_example_fits_on_two_screens() {
    let text = include_str!("../../examples/notes.rs");
    assert!(text.lines().count() < 100);
}

#[test]
fn the_probe_finds_nothing_wrong_with_the_example() {
    let mut probe = Build::new(built().join("redress"));
    probe.args(["probe", "--allow-effects", "--contract", "examples/errors.toml"]);
    let probed = probe.args(["--format", "json", "--"]).arg(program()).output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&probed.stdout).unwrap();
    assert!(probed.status.success(), "{report}");
    assert_eq!(report["direct"]["score"]["letter"], "A", "{report}");
    assert_eq!(report["direct"]["coverage"]["seen"], json!(["NOTE_NOT_FOUND"]));
}
