//! `Episode`: one run from its seed to its end, and the actions of it that are played.

use std::{
    any::Any,
    fmt,
    panic::{self, AssertUnwindSafe},
    str::FromStr,
};

use crate::{
    books::Violation,
    bugs::Bug,
    chance::Chance,
    trace::Trace,
    world::{Played, World},
};

/// How many actions an episode has.
const ACTIONS: u64 = 600;

/// A run from its seed to its end. Each action follows from the seed and its own number alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Episode {
    seed: u64,
    actions: Vec<u64>,
}

/// How an episode ended.
#[derive(Debug, Clone)]
pub struct Ended {
    /// What was played.
    pub played: Played,
    /// The hash over all that happened.
    pub trace: Trace,
    /// The promise that was broken, if one was.
    pub broken: Option<Violation>,
}

impl Episode {
    /// The episode of a seed, with all its actions.
    pub fn new(seed: u64) -> Self {
        Self { seed, actions: (0..ACTIONS).collect() }
    }

    /// The episode of that number in a run.
    pub fn of_run(seed: u64, number: u64) -> Self {
        Self::new(Chance::part(seed, number).next())
    }

    /// The seed.
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// How many actions it has.
    pub fn length(&self) -> usize {
        self.actions.len()
    }

    /// Plays it.
    pub fn play(&self, bug: Option<Bug>) -> Ended {
        let mut world = World::new(self.seed, bug);
        // A panic is a broken promise, too.
        let result = panic::catch_unwind(AssertUnwindSafe(|| {
            let result = self.actions.iter().try_for_each(|it| world.play(*it));
            result.and_then(|()| world.end())
        }));
        let result =
            result.unwrap_or_else(|panic| Err(Violation(format!("panic: {}", said(&*panic)))));
        let broken = result.err().map(|it| world.tell_of(&it));
        Ended { played: world.played, trace: world.trace, broken }
    }

    /// A shorter episode that breaks a promise, too: actions are left out as long as it does. `None` if it breaks none.
    pub fn shrink(&self, bug: Option<Bug>, mut most_plays: u64) -> Option<Self> {
        let mut shortest = self.broken_part(bug)?;
        let mut size = shortest.actions.len().div_ceil(2);
        while size > 0 {
            let mut from = 0;
            while from < shortest.actions.len() {
                if most_plays == 0 {
                    return Some(shortest);
                }
                most_plays -= 1;
                let mut actions = shortest.actions.clone();
                drop(actions.drain(from..(from + size).min(actions.len())));
                let candidate = Self { seed: self.seed, actions };
                match candidate.broken_part(bug) {
                    Some(shorter) => shortest = shorter,
                    None => from += size,
                }
            }
            size /= 2;
        }
        Some(shortest)
    }

    /// The same up to the action that breaks a promise.
    fn broken_part(&self, bug: Option<Bug>) -> Option<Self> {
        let ended = self.play(bug);
        ended.broken?;
        let length = usize::try_from(ended.played.actions).unwrap_or(usize::MAX);
        let actions = self.actions.iter().copied().take(length).collect();
        Some(Self { seed: self.seed, actions })
    }
}

/// What a panic says.
fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a word")
}

impl fmt::Display for Episode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "seed {}", self.seed)?;
        let numbers: Vec<_> = self.actions.iter().map(u64::to_string).collect();
        writeln!(f, "actions {}", numbers.join(" "))
    }
}

impl FromStr for Episode {
    type Err = Violation;

    fn from_str(text: &str) -> Result<Self, Violation> {
        let wrong = |line: usize| Violation(format!("line {line}: not `seed N` and `actions N …`"));
        let lines: Vec<_> = text.lines().filter(|it| !it.starts_with('#')).collect();
        let rest = |at: usize, word: &str| {
            lines.get(at).and_then(|it| it.strip_prefix(word)).ok_or_else(|| wrong(at + 1))
        };
        let seed = rest(0, "seed ")?.trim().parse().map_err(|_no_number| wrong(1))?;
        let numbers = rest(1, "actions")?.split_whitespace().map(str::parse);
        let actions = numbers.collect::<Result<_, _>>().map_err(|_no_number| wrong(2))?;
        Ok(Self { seed, actions })
    }
}

#[cfg(test)]
mod tests {
    use super::Episode;

    #[test]
    fn an_episode_is_read_as_it_is_written() {
        let episode = Episode { seed: 7, actions: vec![1, 5, 6] };
        let text = format!("# why it is kept\n{episode}");
        assert_eq!(text.parse(), Ok(episode));
        for bad in ["", "seed x\nactions 1", "seed 1\nactions 1 b", "seed 1"] {
            assert!(bad.parse::<Episode>().is_err(), "{bad}");
        }
    }
}
