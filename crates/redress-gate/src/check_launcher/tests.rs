//! The commands that check writes do no more than they may.

#[path = "../../../../fixtures/kernel.rs"]
mod kernel;

use std::{
    fs,
    process::{Command, Stdio},
};

use redress_govern::Launcher as _;
use redress_transport::confinement::Confinement;

use super::CheckLauncher;

#[test]
fn a_confined_check_writes_in_the_workspace_and_reads_no_key() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    let beside = |it: &str| dir.path().join(it);
    fs::create_dir_all(root.join("src")).unwrap();
    fs::write(root.join("src/a.rs"), "old").unwrap();
    fs::create_dir_all(beside("config/redress")).unwrap();
    fs::write(beside("config/redress/ledger.key"), "secret").unwrap();
    let secret = Some(beside("config/redress"));
    let confinement = Confinement { secret, ..Confinement::default() };
    if !kernel::can_confine(confinement.is_held().unwrap()) {
        return;
    }
    let launcher = CheckLauncher::confined(confinement);
    let succeeds = |script: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", script]).current_dir(&root).env_clear();
        command.env("PATH", "/usr/bin:/bin").stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let (mut child, _descendants) = launcher.launch(command, &root).unwrap();
        child.wait().unwrap().success()
    };
    for fine in ["echo x > made", "cat src/a.rs /etc/passwd > /dev/null"] {
        assert!(succeeds(fine), "{fine}");
    }
    for refused in [
        "cat ../config/redress/ledger.key",
        "echo x > ../config/redress/ledger.key",
        "echo x > ../outside",
        "setsid sh -c 'echo x > ../outside'",
    ] {
        assert!(!succeeds(refused), "{refused}");
    }
    assert!(root.join("made").exists() && !beside("outside").exists());
}
