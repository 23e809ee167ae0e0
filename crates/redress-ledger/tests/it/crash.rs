//! Processes that are killed at any moment, alone and beside each other.

use redress_ledger::Ledger;

use crate::{
    fixture::Place,
    process::{Ack, Plan, assert_kept, rounds, start},
};

/// Numbers that look random and are the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

#[test]
fn a_killed_writer_loses_nothing_that_it_acknowledged() {
    let place = Place::new();
    let mut chance = Chance(7);
    let mut acks: Vec<Ack> = Vec::new();
    for round in 0..rounds(30, 400) {
        let plan = Plan {
            threads: 1 + round % 8,
            each: 10_000,
            segment_bytes: 30_000,
            reserve_bytes: 1 << 20,
            haste: 1,
        };
        let mut running = start(&place, &plan, &[]);
        let until = chance.below(200);
        while u64::try_from(running.acks.len()).unwrap() < until && running.hear() {}
        acks.extend(running.kill().acks);
        if round % 10 == 0 {
            assert_kept(&place, &acks);
        }
    }
    assert_kept(&place, &acks);
    // The last one was finished by nobody yet.
    let ledger = Ledger::open(place.options()).unwrap();
    assert!(ledger.recovered().len() <= 1, "{:?}", ledger.recovered());
    ledger.close().unwrap();
    let report = place.verify();
    assert!(report.is_sound(), "{report:#?}");
    assert_kept(&place, &acks);
}

#[test]
fn two_processes_write_one_ledger_at_once() {
    let place = Place::new();
    let plan =
        Plan { threads: 4, each: 50, segment_bytes: 20_000, reserve_bytes: 1 << 20, haste: 1 };
    let one = start(&place, &plan, &[]);
    let two = start(&place, &plan, &[]);
    let (one, two) = (one.finish(), two.finish());
    assert!(one.closed && two.closed, "{:?} {:?}", one.errors, two.errors);
    assert_ne!(one.chain, two.chain);
    assert_eq!((one.acks.len(), two.acks.len()), (200, 200));
    assert_kept(&place, &[one.acks, two.acks].concat());
    let report = place.verify();
    assert!(report.is_sound(), "{report:#?}");
    assert_eq!(report.chains.len(), 2);
}
