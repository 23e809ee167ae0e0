//! The promises of the derive: what an error tells, and what does not compile.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod faults;
mod hygiene;
mod inline;
mod refused;
