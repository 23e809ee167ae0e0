//! What cannot be probed is told, and nothing of it is left running.

use std::{
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};

use redress_probe::{ServerAddress, Trouble, Unprobed, probe};

use crate::odd::{at, options, run};

#[test]
fn whatever_is_no_server_is_told_as_what_it_is() {
    let command =
        |words: &[&str]| at(ServerAddress::Command(words.iter().map(Into::into).collect()));
    let told = |options| run(&options).unwrap_err();
    assert!(matches!(told(command(&["/nowhere/server"])), Unprobed::NotStarted { .. }));
    assert!(matches!(told(command(&[])), Unprobed::NotStarted { .. }));
    let Unprobed::Died { code, log, .. } = told(options(&["--break", "start"])) else { panic!() };
    assert_eq!((code, log.text.trim()), (Some(9), "no licence found"));
    let Unprobed::NotMcp(why) = told(options(&["--break", "babble"])) else { panic!() };
    assert!(why.contains("Welcome"), "{why}");
    let url = |url: &str| at(ServerAddress::Url { url: url.to_owned(), headers: Vec::new() });
    assert!(matches!(told(url("ftp://a")), Unprobed::NotAnAddress(_)));
    assert!(matches!(told(url("http://u:p@a/")), Unprobed::NotAnAddress(_)));
    let refused = told(url("http://127.0.0.1:9/mcp"));
    assert!(matches!(refused, Unprobed::Unreachable(Trouble::Connect(_))), "{refused:?}");
    let mut none = options(&[]);
    none.only = vec!["read/nothing".into()];
    assert!(matches!(told(none), Unprobed::NoSuchCase(_)));
}

#[test]
fn whoever_waits_for_a_mute_server_can_stop() {
    let stop = Arc::new(AtomicBool::new(true));
    let start = Instant::now();
    let stopped = probe(&options(&["--break", "mute"]), &mut |_| (), &stop);
    assert!(matches!(stopped, Err(Unprobed::Interrupted)));
    assert!(start.elapsed() < Duration::from_secs(10));
}
