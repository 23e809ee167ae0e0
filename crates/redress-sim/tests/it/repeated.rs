//! The same seed plays the same bytes.

use redress_sim::{Episode, Run};

#[test]
fn the_same_seed_has_the_same_trace() {
    for seed in 1..5 {
        let (one, again) = (Episode::new(seed).play(None), Episode::new(seed).play(None));
        assert_eq!(one.trace, again.trace, "seed {seed}");
        assert_eq!(one.broken, None, "seed {seed}");
    }
    assert_ne!(Episode::new(1).play(None).trace, Episode::new(2).play(None).trace);
}

#[test]
fn a_run_plays_calls_crashes_and_records() {
    let mut run = Run::new(1);
    for _ in 0..20 {
        assert_eq!(run.play_next(), None);
    }
    let played = run.played;
    assert!(played.calls > 2_000 && played.answers > 1_000, "{played:?}");
    assert!(played.crashes > 40 && played.records > 300, "{played:?}");
}
