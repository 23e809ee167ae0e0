//! The client's side: an envelope read and decided about, alone and inside of a whole response.

use std::hint::black_box;

use redress::{
    Fault, Lookup,
    dialect::wire::{self, Answer},
    dialect::{Dialect, Stamp},
    outcome::Asked,
    recover::{Attempt, Budget, Policy, decide, read},
};

use crate::measure::{Row, median_ns};

pub(crate) fn rows(fault: &Fault) -> [Row; 2] {
    let envelope = Dialect::Native.write(fault, Stamp::default());
    let answer = Answer {
        dialect: Dialect::Native,
        has_output_schema: false,
        stamp: Stamp::default(),
        meta: None,
        said: None,
    };
    let response = wire::response(fault, "7", answer);
    [
        row("read an envelope and decide", &envelope, "≤ 5 µs", 5e3),
        row("read a whole response and decide", &response, "≤ 10 µs", 10e3),
    ]
}

fn row(what: &'static str, bytes: &str, bar: &'static str, most: f64) -> Row {
    let (asked, lookup, policy) = (Asked::default(), Lookup::shipped(), Policy::default());
    let mut budget = Budget::default();
    let ns = median_ns(|| {
        let reading = read(black_box(bytes.as_bytes()), &asked, &lookup);
        let decided = reading.failure().map(|(fault, ground)| {
            let attempt = Attempt { ground, made: 1, ..Attempt::default() };
            decide(&fault, &attempt, &policy, &mut budget)
        });
        black_box(decided);
    });
    Row { what, ns, beside: None, bar, fine: ns <= most }
}
