//! The error contract around any rmcp server: a failing call is answered with a coded fault, whatever went wrong.
//!
//! [`Contract::new`] takes a handler and a registry and is a handler again, over stdio and over HTTP. What the handler
//! answers well passes as it is. An error, a panic, an unknown tool, wrong arguments, a call that takes too long and a
//! result that breaks its promise become faults, which are recorded first and then answered in the same form as by the gate.
//!
//! For clients there is [`client::Recovering`], which repeats what may be repeated and says what to do about the rest.
//!
//! # Modules
//!
//! - `contract.rs` the handler with the contract around it. `plugins.rs` its codes, and those that plugins bring while it
//!   runs. `settings.rs` what its author decides. `start.rs` what it does not begin with. `clock.rs` time and
//!   environment, for servers that ask for them.
//! - `pipe.rs` the contract on a pipe or a socket: lines in bounded memory, calls read in one pass, one answer to each
//!   request, also to what is none. `session.rs` one client to its end.
//! - `handler.rs` every method of a handler, passed on. `call.rs` one call of a tool. `tasks.rs` what a task ended with.
//!   `asked.rs` what is kept of a request.
//! - `catalog.rs` what is known of the tools. `schema.rs` values that do not fit their schema. `size.rs` results that are
//!   too large.
//! - `panics.rs` panics, caught. `judge.rs` a failing answer to its fault. `tell.rs` recorded first. `answer.rs` in
//!   rmcp's types.
//! - `client.rs` the other side: a client that reads failures, decides by `redress::recover`, waits and repeats.
//! - `tool_fault.rs` the error of a tool that is written with a contract. `http.rs` a body for errors that rmcp answers
//!   in plain text.
//! - `provoke.rs` the contract test: whether it answers with each code that it declares.
//!
//! # Invariants
//!
//! - Each call is answered, whatever the handler does; what it answers well is passed on as it is.
//! - What a panic said is sent as the `cause` alone, and where it was only if stacks are shown; both are recorded.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod answer;
mod asked;
mod call;
mod catalog;
pub mod client;
mod clock;
mod contract;
mod handler;
pub mod http;
mod judge;
mod panics;
mod pipe;
mod plugins;
mod provoke;
mod schema;
mod session;
mod settings;
mod size;
mod start;
mod tasks;
mod tell;
mod tool_fault;

pub use clock::{clock, error_stats_from_env};
pub use contract::Contract;
pub use pipe::{Both, Connection, Messages, Pair};
pub use redress::ErrorStats;
pub use redress_registry::{
    Operation,
    plugin::{PluginCode, PluginError, Registration},
};
pub use session::RunError;
pub use settings::Seen;
pub use start::StartError;
pub use tool_fault::ToolFault;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/clients.md")]
struct DocsWriteAClient;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/rust.md")]
struct DocsWriteAServer;
