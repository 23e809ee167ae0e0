//! The gate: is before any MCP server, passes what succeeds as it is, and answers what fails by contract.
//!
//! What becomes of a message is decided by `redress-proxy`, without I/O; this crate performs it.
//!
//! # Modules
//!
//! - `connection.rs` a session with its two ends, and the one place that performs its outputs (`apply`): recorded first,
//!   then queued, then written. Below it, for a pipe and for HTTP alike: what starts the server, keeps deadlines and ends
//!   everything (`driver`), the queue in front of a pipe (`writer`), the recorder of failures (`recorder`), the two ends
//!   (`client`, `upstream`, `remote`), a process and its pipes (`child`), read and written by `threads` behind a pipe and
//!   by `tasks` behind HTTP, its output as lines (`reading`), which of two threads reads it (`reader_handoff`,
//!   `interruptible_pipe`), a client's lines and arrays (`client_input`).
//! - `replies.rs` routes messages to HTTP requests and event streams. Below it: where one answer goes (`target`), one
//!   client's streams and its replay buffer (`client_streams`), the queue of one stream (`stream`).
//! - `remote.rs` a server behind a URL as an upstream. Below it: its address (`address`), one message and its response
//!   (`post`, `body`, `refusal`), whether the server has lost the session (`session_loss`), the messages that open it
//!   (`handshake`), event streams (`event_streams`), the headers that repeat a part of a message (`mirrored_headers`).
//! - `run.rs` one client on given streams, one server. `process.rs` how a server's process ended, for the session.
//!   `threads.rs` starts threads. `log.rs` the servers' logs on their way to ours.
//! - `tls.rs` the certificate of our listeners. `pages.rs` pages for people beside the servers, `pages_listener.rs`
//!   their own listener.
//! - `serve.rs` clients over HTTP, on a runtime. Below it: which requests are allowed (`access`), how many connections
//!   (`connection_limit`), which peers are slowed down since their tokens fail (`throttle`), how such a request is
//!   answered and recorded (`failed_tokens`), CORS (`cors`), which server a path means (`router`), the sessions of one
//!   server (`session_manager`), one message (`post`) or several in an array (`batch`), event streams (`get`), a request
//!   that waits for its answer (`pending_request`).
//! - `check_launcher.rs` starts the commands that check writes.
//! - `ask.rs` the tools of a server, before any client asks for them.
//! - `metrics_listener.rs` the listener that serves the metrics alone.
//!
//! # Invariants
//!
//! - A failure is recorded before the client hears of it, and a repeat before it is made.
//! - Of a remote server only the configured address is contacted, and a request that may have arrived in part is not
//!   sent again by the transport.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod ask;
mod check_launcher;
mod connection;
mod log;
pub mod metrics_listener;
pub mod pages;
pub mod pages_listener;
mod process;
mod remote;
mod replies;
pub mod run;
pub mod serve;
mod threads;
mod tls;

use redress_wire::frame::{self, lines};

pub use redress_proxy::{
    metrics,
    server::{Condition, Server},
    settings,
};

pub use ask::{AskError, ask_for_tools};
pub use check_launcher::CheckLauncher;
pub use connection::{OnLedgerFailure, Target};
pub use remote::RemoteAddress;
