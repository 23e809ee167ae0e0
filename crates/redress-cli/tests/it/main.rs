//! What the command promises, run as a user runs it.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod audit;
mod bypass;
mod check;
mod config;
mod confined;
mod docs;
mod explain;
mod filters;
mod from_rust;
mod gate;
mod governed;
mod help;
mod ledger;
mod peers;
mod plans;
mod probe;
mod probe_live;
mod redress;
mod registry;
mod reload;
mod serve;
#[path = "../../../../fixtures/strace.rs"]
mod strace;
mod workspace;
mod writes;
