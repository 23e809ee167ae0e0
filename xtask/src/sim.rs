//! Runs the simulator, and keeps an episode that breaks a promise, made as short as it can be.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use redress_sim::{Episode, Run, Violation};

use crate::fuzz::{fresh_seed, is_over, worked};

/// How often an episode is played to make it shorter.
const MOST_PLAYS: u64 = 400;

/// Where episodes are kept. A test plays them.
const KEPT: &str = "crates/redress-sim/episodes";

/// Plays episodes until the time is over, or so many calls were made, or one breaks a promise.
pub(crate) fn run(root: &Path, seed: Option<u64>, seconds: u64, calls: Option<u64>) -> Vec<String> {
    let seed = seed.unwrap_or_else(fresh_seed);
    println!("seed {seed}");
    let (time, start, before) = (Duration::from_secs(seconds), Instant::now(), worked());
    let mut run = Run::new(seed);
    let is_done = |run: &Run| match calls {
        Some(calls) => run.played.calls >= calls,
        None => is_over(time, start.elapsed(), before),
    };
    while !is_done(&run) {
        if let Some((episode, broken)) = run.play_next() {
            return vec![keep(root, &episode, &broken)];
        }
    }
    let played = run.played;
    println!("ran: {} episodes\nran: {} simulated calls", run.episodes, played.calls);
    println!("ran: {} crash points\nran: {} failures on record", played.crashes, played.records);
    println!("ran: {} changes of a disk", played.writes);
    println!(
        "trace {}: `cargo xtask sim --seed {seed} --calls {}` plays the same",
        run.trace, played.calls
    );
    Vec::new()
}

/// Makes an episode shorter and keeps it. Says where.
fn keep(root: &Path, episode: &Episode, broken: &Violation) -> String {
    let shorter = episode.shrink(None, MOST_PLAYS).unwrap_or_else(|| episode.clone());
    let found = shorter.play(None).broken.unwrap_or_else(|| broken.clone());
    let what = found.0.lines().next().unwrap_or_default().to_owned();
    let path = root.join(KEPT).join(format!("{}.txt", shorter.seed()));
    let text = format!("# {what}\n{shorter}");
    match fs::create_dir_all(root.join(KEPT)).and_then(|()| fs::write(&path, text)) {
        Ok(()) => format!("{what} ({KEPT}/{}.txt, {} actions)", shorter.seed(), shorter.length()),
        Err(error) => format!("{what} (not kept: {error})\n{shorter}"),
    }
}
