//! What the library promises, seen from outside.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod card;
mod codes;
mod factories;
mod schema;
