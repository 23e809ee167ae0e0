//! Episodes that once broke a promise.

use std::{fs, path::Path};

use redress_sim::Episode;

#[test]
fn every_episode_that_is_kept_breaks_no_promise() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("episodes");
    let mut played = 0;
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let episode: Episode = text.parse().unwrap_or_else(|it| panic!("{path:?}: {it:?}"));
        assert_eq!(episode.play(None).broken, None, "{path:?}");
        played += 1;
    }
    assert!(played > 0, "none is kept");
}
