//! What confinement costs: a file that is read through the workspace beside the `openat2`, `fstat` and reads that it makes, in turns.
//!
//! `cargo bench -p redress-workspace` prints both and fails if the rest takes longer than the calls themselves.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark is a program that fails by panicking"
)]

use std::{
    fs::{self, File},
    hint::black_box,
    io::Read as _,
    time::{Duration, Instant},
};

use redress_workspace::Workspace;
use rustix::fs::{Mode, OFlags, ResolveFlags, fstat, open, openat2};

/// Files in a turn, and turns of each side.
const FILES: u32 = 2_000;
const TURNS: usize = 15;

const PATH: &str = "a/b/c/file.txt";

fn main() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("a/b/c")).unwrap();
    fs::write(dir.path().join(PATH), "text\n").unwrap();
    let workspace = Workspace::open(dir.path()).unwrap();
    let root = open(dir.path(), OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty()).unwrap();
    let (mut calls, mut ours) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        calls.push(timed(|| drop(black_box(by_calls(&root)))));
        ours.push(timed(|| {
            let mut file = workspace.open_file(PATH).unwrap();
            let mut text = Vec::new();
            file.read_to_end(&mut text).unwrap();
            black_box(text);
        }));
    }
    let (calls, ours) = (median(calls), median(ours));
    println!("the calls alone: {calls:?}; through the workspace: {ours:?}");
    assert!(ours < calls * 2, "the rest takes longer than the calls");
}

fn by_calls(root: &impl std::os::fd::AsFd) -> Vec<u8> {
    let how = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    let file = openat2(root, PATH, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty(), how).unwrap();
    fstat(&file).unwrap();
    let mut text = Vec::new();
    File::from(file).read_to_end(&mut text).unwrap();
    text
}

fn timed(work: impl Fn()) -> Duration {
    let began = Instant::now();
    for _ in 0..FILES {
        work();
    }
    began.elapsed() / FILES
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
