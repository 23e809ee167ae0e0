//! The promises of the registry crate, one module for each part.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod diff;
mod documentation;
mod export;
mod laws;
mod lint;
mod lock;
