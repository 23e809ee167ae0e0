//! The tests of the probe.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod comparisons;
mod effects;
mod http;
mod odd;
mod pages;
mod reports;
mod rules;
mod trouble;
