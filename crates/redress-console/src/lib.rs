//! The console: what fails, how often, of how many calls, what the model was told, and whether it recovered. It reads ledgers alone.
//!
//! # Modules
//!
//! - `index.rs` what ledgers say, in memory: below it the texts once each (`symbols`), counts by minute (`buckets`), how a
//!   record enters (`record`), and the thread that builds and follows (`follow`).
//! - `filter.rs` which failures are wanted, `address.rs` how an address says it. `query.rs` counts them; lists and charts
//!   come from the same counts. `table.rs` what is listed, as CSV and JSON.
//! - `view.rs` the pages, one file each; `server_state.rs` what a server does now. `page.rs` their frame, and what they share: charts and lists.
//! - `console.rs` answers requests. `access.rs` who may read and write. `tests.rs` the whole on real ledgers. `mcp.rs` the same queries as MCP tools, `report.rs` as
//!   lines of a terminal.
//!
//! # Invariants
//!
//! - The ledger is the truth: the index is derived, bounded, and can be built again. Memory does not grow with the ledger.
//! - Page, CSV, JSON and tools show the rows of one table; counts, lists and charts come from one summary.
//! - Text of a server is escaped, and what would mislead a reader is spelled. A page loads nothing but its own style and script.
//! - No I/O but on ledgers; no clock, no runtime, no sockets: requests and time are passed in.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod access;
mod address;
mod console;
mod filter;
mod index;
pub mod mcp;
mod page;
mod query;
mod report;
mod server_state;
mod table;
mod view;

#[cfg(test)]
mod tests;

pub use access::{Grant, Right};
pub use console::{Console, Options, Teacher, Writer};
pub use filter::{Filter, FilterError};
pub use index::{Index, Progress};
pub use report::{Report, What};
pub use server_state::ServerState;

/// Where the pages are.
pub const BASE: &str = "/console";
