//! Power cuts: a reflink copy of a disk image while a process writes to it holds what reached the disk, and nothing of the
//! page cache.

use std::{
    ffi::OsStr,
    fs::{self, File},
    path::{Path, PathBuf},
    process::Command,
};

use redress_ledger::Ledger;
use tempfile::TempDir;

use crate::{
    fixture::Place,
    process::{Ack, Plan, assert_kept, start, temporary_log},
    strace::strace,
};

/// An ext4 image on an XFS image: the outer one can copy the inner one in no time.
struct Disk {
    root: TempDir,
    inner: Option<Mount>,
    outer: Option<Mount>,
}

/// Something mounted.
struct Mount(PathBuf);

impl Mount {
    fn new(image: &Path, at: PathBuf) -> Self {
        fs::create_dir_all(&at).unwrap();
        run("mount", &[OsStr::new("-o"), OsStr::new("loop"), image.as_ref(), at.as_ref()]);
        Self(at)
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        Command::new("umount").arg("-l").arg(&self.0).status().unwrap();
    }
}

fn run(program: &str, args: &[&OsStr]) {
    let output = Command::new(program).args(args).output();
    let output = output.unwrap_or_else(|error| panic!("{program} is needed: {error}"));
    assert!(
        output.status.success(),
        "{program} {args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn image(path: &Path, megabytes: u64, program: &str, option: &str) {
    File::create(path).unwrap().set_len(megabytes << 20).unwrap();
    run(program, &[OsStr::new(option), path.as_ref()]);
}

impl Disk {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        image(&root.path().join("outer.img"), 512, "mkfs.xfs", "-q");
        let outer = Mount::new(&root.path().join("outer.img"), root.path().join("outer"));
        image(&outer.0.join("inner.img"), 64, "mkfs.ext4", "-q");
        let inner = Mount::new(&outer.0.join("inner.img"), root.path().join("inner"));
        Self { root, inner: Some(inner), outer: Some(outer) }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// Copies what the disk holds at this moment.
    fn cut(&self) {
        let (from, to) = (self.path("outer/inner.img"), self.path("outer/cut.img"));
        run("cp", &[OsStr::new("--reflink=always"), from.as_ref(), to.as_ref()]);
    }

    /// Mounts the copy where the original was.
    fn restart(&mut self) {
        self.inner = None;
        fs::rename(self.path("outer/cut.img"), self.path("outer/inner.img")).unwrap();
        self.inner = Some(Mount::new(&self.path("outer/inner.img"), self.path("inner")));
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        self.inner = None;
        self.outer = None;
    }
}

/// Writes, cuts the power after some acknowledgements, and gives what was acknowledged before.
fn cut_while_writing(disk: &mut Disk, place: &Place, until: usize, before: &[String]) -> Vec<Ack> {
    let plan = Plan {
        threads: 4,
        each: 100_000,
        segment_bytes: 60_000,
        reserve_bytes: 64 << 10,
        haste: 1,
    };
    let mut running = start(place, &plan, before);
    while running.acks.len() < until && running.hear() {}
    let acks = running.acks.clone();
    assert!(acks.len() >= until, "{:?}", running.errors);
    disk.cut();
    running.abandon();
    disk.restart();
    acks
}

#[test]
#[ignore = "needs the right to mount: cargo xtask test --full"]
fn a_power_cut_loses_nothing_that_was_acknowledged() {
    let mut disk = Disk::new();
    let mut place = Place::new();
    place.dir = disk.path("inner/ledger");
    let mut acks = Vec::new();
    for round in 0..40 {
        acks.extend(cut_while_writing(&mut disk, &place, 20 + 37 * round % 300, &[]));
        assert_kept(&place, &acks);
    }
    Ledger::open(place.options()).unwrap().close().unwrap();
    let report = place.verify();
    assert!(report.is_sound(), "{report:#?}");
    assert_kept(&place, &acks);
}

#[test]
#[ignore = "needs the right to mount: cargo xtask test --full"]
fn without_syncs_a_power_cut_loses_records() {
    let mut disk = Disk::new();
    let mut place = Place::new();
    place.dir = disk.path("inner/ledger");
    let (_keep, log) = temporary_log("control");
    // The calls are not made, and say that they were: else this test could not tell a sync from none.
    let options = ["-e", "trace=fdatasync,fsync", "-e", "inject=fdatasync,fsync:retval=0"];
    let acks = cut_while_writing(&mut disk, &place, 200, &strace(&log, &options));
    let left = if place.dir.exists() { place.entries().len() } else { 0 };
    assert!(left < acks.len(), "{left} of {} records are there", acks.len());
}
