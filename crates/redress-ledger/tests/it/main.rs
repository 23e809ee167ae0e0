//! The ledger on real files, in real processes, under real failures.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod carry;
mod chain;
mod commit;
mod crash;
#[path = "../../../../fixtures/disguised.rs"]
mod disguised;
mod epochs;
mod faults;
mod fixture;
mod follow;
mod forge;
mod forged;
mod full;
mod gone;
mod lead;
mod mounted;
mod process;
mod read;
mod redacted;
mod refusals;
mod retain;
#[path = "../../../../fixtures/strace.rs"]
mod strace;
mod tamper;
mod torn;
mod versions;
mod witness;
