//! Nothing happens at a server unless effects are allowed.

use std::fs;

use crate::odd::{options, run};

#[test]
fn a_lax_server_does_nothing_until_effects_are_allowed() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("effects");
    let shown = file.display().to_string();
    let mut options = options(&["--effects", &shown]);
    for seed in 1..4 {
        options.seed = seed;
        let run = run(&options).unwrap().run;
        assert_eq!(fs::read_to_string(&file).unwrap_or_default(), "");
        let cases = |name: &str| run.tools.iter().find(|it| it.name == name).unwrap().cases;
        assert!(cases("write").played >= 5, "{:?}", cases("write"));
        assert!(cases("write").effects >= 5);
        for harmful in ["wipe", "sweep"] {
            assert_eq!(cases(harmful).played, 0, "{harmful} needs nothing, so it is not called");
        }
        assert!(cases("drop").played >= 1);
    }
    options.allow_effects = true;
    run(&options).unwrap();
    let done = fs::read_to_string(&file).unwrap();
    for tool in ["write", "wipe", "sweep", "choose"] {
        assert!(done.contains(tool), "{tool}: {done}");
    }
}
