//! Each planted bug is found, in few episodes.

use redress_sim::{Bug, Episode};

/// The most episodes of a planted bug.
const MOST: u64 = 60;

/// The first episode that a planted bug spoils.
fn found(bug: Bug) -> Option<Episode> {
    (0..MOST).map(|it| Episode::of_run(5, it)).find(|it| it.play(Some(bug)).broken.is_some())
}

#[test]
fn each_planted_bug_is_found() {
    let missed: Vec<_> = Bug::ALL.into_iter().filter(|it| found(*it).is_none()).collect();
    assert_eq!(missed, []);
}

#[test]
fn an_episode_is_made_shorter_and_still_shows_the_bug() {
    let episode = found(Bug::AnswersTwice).expect("it is found");
    let shorter = episode.shrink(Some(Bug::AnswersTwice), 300).expect("it shows the bug");
    assert!(shorter.length() * 4 < episode.length(), "{} actions", shorter.length());
    let said = shorter.play(Some(Bug::AnswersTwice)).broken.expect("it shows the bug").0;
    assert!(said.contains("answered twice"), "{said}");
    assert_eq!(shorter.play(None).broken, None, "it is the bug and nothing else");
}
