//! The tests of the probe.

mod reports;
