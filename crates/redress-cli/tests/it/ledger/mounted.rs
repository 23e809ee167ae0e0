//! What needs the right to mount a disk. The long run asks for it: `cargo test --workspace --test it -- --ignored mounted::`.

use std::{fs, path::Path, process::Command};

use serde_json::json;

use super::{
    disk::{assert_unrecorded, until_it_works},
    home::{Home, receipt},
};

/// A file system that can really be filled.
struct SmallDisk<'a>(&'a Path);

impl<'a> SmallDisk<'a> {
    fn new(dir: &'a Path) -> Self {
        fs::create_dir_all(dir).unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=12m", "tmpfs"]).arg(dir);
        assert!(mount.output().unwrap().status.success(), "a small disk cannot be mounted");
        Self(dir)
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        Command::new("umount").arg(self.0).status().unwrap();
    }
}

#[test]
#[ignore = "needs the right to mount: cargo xtask test --full"]
fn a_disk_that_is_really_full_refuses_and_recovers() {
    let home = Home::new();
    let state = home.path().join("state");
    let _disk = SmallDisk::new(&state);
    let mut gate = home.gate(&[], &[]);
    assert!(receipt(&gate.fail()).is_some());
    let filler = state.join("filler");
    assert!(fs::write(&filler, vec![1; 16 << 20]).is_err(), "the disk is not full");
    // What was reserved takes what comes, until new calls are refused.
    let mut recorded = 1;
    while receipt(&gate.fail()).is_some() {
        recorded += 1;
        assert!(recorded < 100_000, "it never fills");
    }
    assert_unrecorded(&gate.call("pid", &json!({})));
    fs::remove_file(&filler).unwrap();
    until_it_works(&mut gate);
    assert!(receipt(&gate.fail()).is_some());
    gate.end();
    home.assert_sound();
    assert_eq!(home.json(&["query", "--kind", "fault"]).len(), recorded + 1);
    assert!(!home.json(&["query", "--kind", "gap"]).is_empty());
}
