//! JSON read in place, and JSON-RPC messages split into the parts that one routes on.
//!
//! # Modules
//!
//! - `json.rs` reads a document in one bounded pass without recursion, and keeps every spelling.
//! - `frame.rs` splits a JSON-RPC message. Below it: a stream cut into lines, the messages of an array, the id of a line
//!   that is too long or no JSON, and how a line that is no message is described.
//! - `method.rs` lists the methods of the protocol.
//! - `unseen.rs` finds control characters and invisible ones.
//!
//! # Invariants
//!
//! - Pure: no I/O, no clock, no runtime, no environment.
//! - Every reader is total: a value or a typed error, within its limits of size and nesting.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

pub mod frame;
pub mod json;
mod method;
pub mod unseen;

pub use method::is_method;
