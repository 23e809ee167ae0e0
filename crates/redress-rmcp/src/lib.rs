//! The error contract around any rmcp server: a failing call is answered with a coded fault, whatever went wrong.
//!
//! [`Contract::new`] takes a handler and a registry and is a handler again, over stdio and over HTTP. What the handler
//! answers well passes as it is. An error, a panic, an unknown tool, wrong arguments, a call that takes too long and a
//! result that breaks its promise become faults, which are recorded first and then answered in the same form as by the gate.
//!
//! For clients there is [`client::Recovering`], which repeats what may be repeated and says what to do about the rest.

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
pub use redress::tally::ErrorStats;
pub use redress_registry::{
    Operation,
    plugin::{PluginCode, PluginError, Registration},
};
pub use session::RunError;
pub use settings::Seen;
pub use start::StartError;
pub use tool_fault::ToolFault;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/write-a-client.md")]
struct DocsWriteAClient;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/write-a-server.md")]
struct DocsWriteAServer;
