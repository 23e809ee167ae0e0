//! A disk that fails: short writes, EIO, ENOSPC, on write and on sync, once and for ever.

use std::fs;

use crate::{
    fixture::{Place, segments},
    process::{Plan, Running, assert_kept, start, temporary_log},
    strace::strace,
};

const PLAN: Plan =
    Plan { threads: 1, each: 40, segment_bytes: 1 << 20, reserve_bytes: 4096, haste: 1 };

/// Runs a writer with a fault put in, and checks what holds whatever the fault is.
fn run(inject: &str) -> (Place, Running) {
    let place = Place::new();
    let (_keep, log) = temporary_log("fault");
    let call = inject.split(':').next().unwrap();
    let trace = format!("trace={call}");
    let inject = format!("inject={inject}");
    let running = start(&place, &PLAN, &strace(&log, &["-e", &trace, "-e", &inject])).finish();
    let text = fs::read_to_string(&log).unwrap();
    assert!(text.contains("INJECTED"), "{inject} was never reached");
    assert_kept(&place, &running.acks);
    (place, running)
}

/// The next process finds everything in order.
fn assert_sound_after_reopening(place: &Place, running: &Running) {
    place.open().close().unwrap();
    let report = place.verify();
    assert!(report.is_sound(), "{report:#?}\n{:?}", running.errors);
    assert_kept(place, &running.acks);
}

#[test]
fn one_failed_sync_moves_on_to_a_new_segment() {
    for (error, when) in [("EIO", 2), ("EIO", 9), ("ENOSPC", 5), ("EDQUOT", 3)] {
        let (place, running) = run(&format!("fdatasync:error={error}:when={when}"));
        assert!(running.closed, "{:?}", running.errors);
        assert_eq!(running.acks.len(), 40, "{:?}", running.errors);
        assert_eq!(segments(&place.chains()[0]).len(), 2);
        let report = place.verify();
        assert!(report.is_sound(), "{report:#?}");
    }
}

#[test]
fn a_failed_sync_is_never_repeated_on_that_file() {
    let place = Place::new();
    let (_keep, log) = temporary_log("once");
    let options = ["-y", "-e", "trace=fdatasync", "-e", "inject=fdatasync:error=EIO:when=6"];
    let running = start(&place, &PLAN, &strace(&log, &options)).finish();
    assert_eq!(running.acks.len(), 40);
    let text = fs::read_to_string(&log).unwrap();
    let mut after = text.lines().skip_while(|it| !it.contains("INJECTED"));
    let file = named(after.next().unwrap());
    assert!(after.all(|it| named(it) != file), "{text}");
}

#[test]
fn a_file_that_failed_gets_no_more_space() {
    let place = Place::new();
    let (_keep, log) = temporary_log("space");
    let inject = "inject=write:error=ENOSPC:when=20..27";
    let options = ["-y", "-e", "trace=write,fallocate", "-e", inject];
    let plan = Plan { each: 300, reserve_bytes: 512, haste: 300, ..PLAN };
    let running = start(&place, &plan, &strace(&log, &options)).finish();
    assert!(running.closed && running.acks.len() > 100, "{:?}", running.errors);
    let text = fs::read_to_string(&log).unwrap();
    // The note beside the key fails as well if its turn comes first, and is written anew each time.
    let is_segment = |it: &&str| named(it).contains("/ledger/");
    let segments = text.lines().filter(is_segment);
    let mut after = segments.skip_while(|it| !it.contains("INJECTED"));
    let file = named(after.next().unwrap());
    assert!(after.all(|it| named(it) != file), "{text}");
}

/// The file of a call, as `strace -y` writes it.
fn named(call: &str) -> &str {
    let (_, file) = call.split_once('<').unwrap_or_default();
    file.split_once('>').unwrap_or_default().0
}

#[test]
fn two_failed_syncs_close_the_ledger() {
    for error in ["EIO", "ENOSPC"] {
        let (place, running) = run(&format!("fdatasync:error={error}:when=7+"));
        assert!(!running.closed);
        assert_eq!(running.acks.len(), 6, "{:?}", running.errors);
        assert_eq!(running.errors.len(), 40 - 6 + 1, "{:?}", running.errors);
        assert_sound_after_reopening(&place, &running);
        let refused = u64::try_from(running.refusals).unwrap();
        assert_eq!(unrecorded(&place), 40 - 6 + refused);
    }
}

/// How many failures the records say could not be recorded.
fn unrecorded(place: &Place) -> u64 {
    redress_ledger::Stats::of(place.entries().into_iter().map(Ok)).unrecorded
}

#[test]
fn a_failed_write_moves_on_and_a_second_one_closes() {
    for error in ["EIO", "ENOSPC"] {
        let (place, running) = run(&format!("write:error={error}:when=12"));
        assert_eq!(running.acks.len() + running.errors.len(), 40, "{:?}", running.errors);
        assert!(running.acks.len() >= 39, "{:?}", running.errors);
        assert_sound_after_reopening(&place, &running);

        let (place, running) = run(&format!("write:error={error}:when=12+"));
        assert!(running.acks.len() < 12);
        assert!(!running.closed && running.errors.len() >= 28, "{:?}", running.errors);
        assert_sound_after_reopening(&place, &running);
    }
}

#[test]
fn a_write_that_claims_more_than_it_did_is_not_believed() {
    for when in [10, 15, 25] {
        // The call is not made at all, and says that it wrote 100 bytes.
        let (place, running) = run(&format!("write:retval=100:when={when}"));
        assert!(running.closed, "{:?}", running.errors);
        assert_eq!(running.acks.len(), 40, "{:?}", running.errors);
        let report = place.verify();
        assert!(report.is_sound(), "{report:#?}");
    }
}

#[test]
fn no_space_ahead_refuses_and_loses_nothing() {
    let (place, running) = run("fallocate:error=ENOSPC:when=2+");
    // What was reserved at the start takes all of it.
    assert_eq!(running.acks.len(), 40, "{:?}", running.errors);
    assert_sound_after_reopening(&place, &running);

    let (place, running) = run("fallocate:error=ENOSPC:when=1+");
    assert!(running.errors[0].starts_with("unopened"), "{:?}", running.errors);
    assert!(running.acks.is_empty());
    place.open().close().unwrap();
    assert!(place.verify().is_sound());

    let (place, running) = run("fallocate:error=EOPNOTSUPP:when=1+");
    assert_eq!(running.acks.len(), 40, "{:?}", running.errors);
    assert!(place.verify().is_sound());
}

#[test]
fn a_kill_at_any_call_of_the_writer_loses_nothing() {
    for (call, most) in
        [("fdatasync", 16), ("write", 24), ("fsync", 12), ("rename", 10), ("ftruncate", 2)]
    {
        for when in 1..=most {
            let place = Place::new();
            let (_keep, log) = temporary_log("kill");
            let trace = format!("trace={call}");
            let inject = format!("inject={call}:signal=SIGKILL:when={when}");
            let plan = Plan { segment_bytes: 3_000, ..PLAN };
            let running =
                start(&place, &plan, &strace(&log, &["-e", &trace, "-e", &inject])).finish();
            assert_kept(&place, &running.acks);
            assert_sound_after_reopening(&place, &running);
        }
    }
}
