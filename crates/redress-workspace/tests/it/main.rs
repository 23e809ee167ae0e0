//! What the workspace server promises, seen by a client.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod cards;
mod client;
mod confined;
mod contract;
mod files;
mod kills;
mod patches;
mod races;
