//! The tests of the probe.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod comparisons;
mod pages;
mod reports;
