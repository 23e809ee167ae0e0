//! The error contract for MCP: what a failure is called, how it looks to each reader, what a foreign one means.

pub mod card;
pub mod codes;
pub mod fault;
pub mod json;
pub mod text;
pub mod tokens;

pub use card::card;
pub use fault::Fault;
