//! The error contract for MCP: what a failure is called, how it looks to each reader, what a foreign one means.

pub mod card;
pub mod classify;
pub mod contract;
mod describe;
pub mod dialect;
pub mod emit;
pub mod fault;
pub mod frame;
pub mod json;
pub mod outcome;
mod own;
pub mod package;
pub mod provoke;
pub mod recover;
pub mod redact;

mod stated;
pub mod tally;
pub mod text;
pub mod tokens;
pub mod wire;

pub use card::card;
pub use contract::Contract;
pub use describe::describe;
pub use dialect::{Dialect, Lookup};
pub use fault::{Fault, OwnEnvelope, codes};
#[cfg(feature = "derive")]
pub use redress_derive::Contract;
pub use stated::Stated;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/faults.md")]
struct DocsFaults;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/recover.md")]
struct DocsRecover;
