//! What the command promises, run as a user runs it.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod check;
mod config;
mod console;
#[path = "../../../../fixtures/counts.rs"]
mod counts;
mod docs;
mod doctor;
mod explain;
mod filters;
mod from_rust;
mod gate;
mod governed;
mod help;
mod learn;
mod ledger;
mod peers;
mod probe;
mod probe_live;
mod redress;
mod registry;
mod reload;
mod serve;
mod stopwatch;
#[path = "../../../../fixtures/strace.rs"]
mod strace;
mod workspace;
mod wrap;
