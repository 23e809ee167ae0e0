//! What the library promises, seen from outside.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod arbitrary;
mod card;
mod classify;
mod codes;
mod dialects;
mod factories;
mod golden;
mod laws;
mod schema;
