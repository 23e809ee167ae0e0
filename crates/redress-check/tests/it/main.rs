//! What the scan of sources promises.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod branches;
mod handlers;
mod imports;
mod pages;
mod robust;
mod seeds;
mod slips;
