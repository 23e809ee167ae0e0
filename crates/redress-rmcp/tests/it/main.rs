//! What the contract around a handler promises, seen by real clients.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test fails by panicking"
)]

mod client;
mod context;
mod failures;
mod flight;
mod forwards;
mod hostile;
mod http;
mod notes;
mod odd;
mod plugins;
mod provoke;
mod raw;
mod refusals;
mod stacks;
mod wire;
