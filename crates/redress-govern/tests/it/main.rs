//! The guards as the gate sees them.
#![expect(clippy::expect_used, reason = "a test fails by it")]

mod eval;
mod invariant;
mod plan;
mod role;
mod session;
mod writes;
