//! The error contract for MCP: what a failure is called, how it looks to each reader, what a foreign one means.

pub mod card;
pub mod classify;
pub mod codes;
pub mod contract;
pub mod dialect;
pub mod emit;
pub mod fault;
pub mod frame;
pub mod json;
pub mod lookup;
pub mod outcome;
pub mod package;
pub mod provoke;
pub mod recover;
pub mod secret;
mod stated;
pub mod tally;
pub mod text;
pub mod tokens;
pub mod wire;

pub use card::card;
pub use contract::Contract;
pub use dialect::Dialect;
pub use fault::Fault;
pub use lookup::Lookup;
#[cfg(feature = "derive")]
pub use redress_derive::Contract;
pub use stated::Stated;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/faults.md")]
struct DocsFaults;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/recover.md")]
struct DocsRecover;
