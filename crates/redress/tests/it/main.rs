//! What the library promises, seen from outside.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod arbitrary;
mod card;
mod classify;
mod codes;
#[path = "../../../../fixtures/counts.rs"]
mod counts;
mod dialects;
#[path = "../../../../fixtures/disguised.rs"]
mod disguised;
mod emission;
mod factories;
mod golden;
mod laws;
mod lint;
mod noncanonical;
mod packages;
mod recover;
mod schema;
mod seeds_atlas;
mod seeds_mailvault;
mod seeds_rpc;
mod seeds_stagewright;
mod seeds_workrail;
mod unseen;
mod wire;
