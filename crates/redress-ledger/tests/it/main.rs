//! The ledger on real files, in real processes, under real failures.

mod chain;
mod commit;
mod crash;
mod faults;
mod fixture;
mod process;
mod tamper;
mod torn;
