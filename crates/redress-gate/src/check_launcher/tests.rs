//! The commands that check writes do no more than they may.

#[path = "../../../../fixtures/counts.rs"]
mod counts;

use std::{
    fs,
    io::Write as _,
    process::{Command, Stdio},
};

use redress_govern::Launcher as _;

use super::CheckLauncher;
use crate::confine::Confinement;

#[test]
fn a_check_that_is_confined_writes_in_the_workspace_alone_and_reads_no_key() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    let beside = |it: &str| dir.path().join(it);
    fs::create_dir_all(root.join("src")).unwrap();
    fs::write(root.join("src/a.rs"), "old").unwrap();
    fs::create_dir_all(beside("config/redress")).unwrap();
    fs::write(beside("config/redress/ledger.key"), "secret").unwrap();
    let secret = Some(beside("config/redress"));
    let confinement = Confinement { secret, ..Confinement::default() };
    if !confinement.is_held().unwrap() {
        assert!(std::env::var_os("CI").is_none(), "this kernel has no Landlock");
        // Past the harness, which shows nothing of a test that does not fail.
        let name = std::thread::current().name().unwrap_or_default().to_owned();
        let mut terminal = std::io::stderr();
        counts::counted(1, "not run");
        return writeln!(terminal, "not run: {name}: this kernel has no Landlock").unwrap();
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
