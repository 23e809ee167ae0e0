//! `Run`: episodes one after the other, from one seed, with what they came to.

use std::{fmt, str::FromStr};

use crate::{
    books::Violation,
    episode::{Ended, Episode},
    trace::Trace,
    world::Played,
};

/// Episodes one after the other, from one seed.
#[derive(Debug, Clone, Copy)]
pub struct Run {
    /// The seed.
    pub seed: u64,
    /// How many episodes were played.
    pub episodes: u64,
    /// What they came to.
    pub played: Played,
    /// The hash over all that happened in them.
    pub trace: Trace,
}

impl Run {
    /// A run of a seed, before its first episode.
    pub fn new(seed: u64) -> Self {
        Self { seed, episodes: 0, played: Played::default(), trace: Trace::default() }
    }

    /// Plays the next episode. Gives it, if it broke a promise, and which.
    pub fn play_next(&mut self) -> Option<(Episode, Violation)> {
        let episode = Episode::of_run(self.seed, self.episodes);
        let Ended { played, trace, broken } = episode.play(None);
        self.episodes += 1;
        self.played.add(played);
        self.trace.join(trace);
        broken.map(|it| (episode, it))
    }
}

/// The state of a run as a line, from which it goes on another day.
impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Played { calls, answers, records, crashes, writes, actions } = self.played;
        let Self { seed, episodes, trace, .. } = self;
        write!(f, "{seed} {episodes} {calls} {answers} {records} {crashes} {writes} {actions} ")?;
        write!(f, "{trace}")
    }
}

impl FromStr for Run {
    type Err = Violation;

    fn from_str(text: &str) -> Result<Self, Violation> {
        let wrong = || Violation("not the state of a run: eight numbers and a trace".to_owned());
        let words: Vec<_> = text.split_whitespace().collect();
        let [seed, episodes, calls, answers, records, crashes, writes, actions, trace] = *words
        else {
            return Err(wrong());
        };
        let number = |it: &str| it.parse::<u64>().map_err(|_no_number| wrong());
        let played = Played {
            calls: number(calls)?,
            answers: number(answers)?,
            records: number(records)?,
            crashes: number(crashes)?,
            writes: number(writes)?,
            actions: number(actions)?,
        };
        let trace = Trace::read(trace).ok_or_else(wrong)?;
        Ok(Self { seed: number(seed)?, episodes: number(episodes)?, played, trace })
    }
}

#[cfg(test)]
mod tests {
    use super::Run;

    #[test]
    fn a_run_goes_on_from_its_state() {
        let mut run = Run::new(3);
        assert_eq!(run.play_next(), None);
        let mut again: Run = run.to_string().parse().unwrap();
        assert_eq!(again.to_string(), run.to_string());
        assert_eq!((run.play_next(), again.play_next()), (None, None));
        assert_eq!(again.to_string(), run.to_string());
        for bad in ["", "1 2 3", "1 2 3 4 5 6 7 8 x", "a 2 3 4 5 6 7 8 00"] {
            assert!(bad.parse::<Run>().is_err(), "{bad}");
        }
    }
}
