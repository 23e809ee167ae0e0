//! Plays episodes for a long time, and goes on where it was: `soak STATE SECONDS [SEED]`.
#![expect(clippy::print_stdout, reason = "an example talks to the person who runs it")]

use std::{
    env, fs,
    process::ExitCode,
    time::{Duration, Instant},
};

use redress_sim::{Episode, Run};

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let [state, seconds, seed @ ..] = args.as_slice() else {
        println!("soak STATE SECONDS [SEED]");
        return ExitCode::from(2);
    };
    if state == "shrink" {
        let episode = Episode::new(seconds.parse().unwrap_or(1));
        let shorter = episode.shrink(None, 400);
        if let Some(shorter) = shorter {
            println!("{shorter}{:?}", shorter.play(None).broken);
        }
        return ExitCode::SUCCESS;
    }
    if state == "play" {
        let text = fs::read_to_string(seconds).unwrap_or_default();
        let episode: Result<Episode, _> = text.parse();
        println!("{:?}", episode.map(|it| it.play(None)));
        return ExitCode::SUCCESS;
    }
    let seconds = Duration::from_secs(seconds.parse().unwrap_or(60));
    let seed = seed.first().and_then(|it| it.parse().ok()).unwrap_or(1);
    let text = fs::read_to_string(state).unwrap_or_default();
    let mut run: Run = text.parse().unwrap_or_else(|_no_state| Run::new(seed));
    let (begun, mut is_good) = (Instant::now(), true);
    while begun.elapsed() < seconds {
        for _ in 0..20 {
            if let Some((episode, broken)) = run.play_next() {
                println!("{}\n{episode}", broken.0);
                is_good = false;
            }
        }
        if fs::write(state, run.to_string()).is_err() {
            println!("{state} cannot be written");
            return ExitCode::from(3);
        }
    }
    println!("{run}: {:?}", begun.elapsed());
    if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
