//! Governance: the guards that a call passes before a server is asked, each a pure judgement in its own module.

pub mod argument;
pub mod eval;
mod hash;
pub mod invariant;
pub mod plan;
pub mod role;
pub mod session;
pub mod writes;
