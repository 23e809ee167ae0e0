//! The gate: stands before any MCP server, passes what succeeds as it is, and answers what fails by contract.

mod answer;
mod ask;
mod breaker;
mod caller;
mod check_launcher;
mod connection;
mod exchange;
mod exposition;
mod fault_template;
mod header_params;
mod http_head;
mod inflight;
mod limits;
mod log;
mod memory;
pub mod metrics;
pub mod metrics_listener;
mod moment;
mod outgoing;
mod pending_fault;
mod process;
mod quota;
mod remote;
mod replies;
mod restarts;
mod retry;
pub mod run;
pub mod serve;
mod server;
mod session;
pub mod settings;
mod slots;
mod tail;
mod threads;
mod tls;
mod tools;
mod upstream_id;

use redress::frame::{self, lines, peek};

pub use ask::{AskError, ask_for_tools};
pub use check_launcher::CheckLauncher;
pub use connection::{OnLedgerFailure, Target};
pub use remote::Address;
pub use server::Server;
