//! The gate: is before any MCP server, passes what succeeds as it is, and answers what fails by contract.
//!
//! # Modules
//!
//! - `session.rs` one client, or several, and one upstream, without I/O but for what a governor looks up: lines and
//!   moments go in, bytes and actions come out. `session/pipeline.rs` is the way of a request and its answer, top to
//!   bottom, with the module of each step. A session owns its parts, and each part owns its state: `tenancy`, `reader`,
//!   `admission`, the in-flight table (`inflight.rs`), `upstream`, `handshake`, `catalog`, `verdicts`, `retry`,
//!   `checked_writes`. A failure is judged and explained by `context`, which changes nothing.
//! - `answer.rs` what an answer is by protocol. `http_head.rs` what the head of an HTTP response says of it.
//!   `outgoing.rs` queued messages, each with its destination.
//! - `exchange.rs` one request in flight. `inflight.rs` all of them, under ids that cannot be guessed (`upstream_id.rs`).
//!   `pending_fault.rs` a failure that is recorded before the client gets it, and the reply to send then.
//!   `fault_template.rs` failures that were judged before, as templates.
//! - `server.rs` what all sessions of one server share: its settings, and what counts across them. `breaker.rs` whether
//!   it is asked at all, `limits.rs` how much, `quota.rs` how much of its failures is recorded, `retry.rs` what is asked
//!   again; `metrics.rs` counts what came of it, for Prometheus and `sys/errorStats`; `exposition.rs` the metrics as
//!   `OpenMetrics` text, `metrics_listener.rs` the listener that serves them alone.
//! - `memory.rs` the budget of bytes of all clients, and reservations in it. `slots.rs` fair shares of sessions,
//!   connections and calls. `caller.rs` whose share it is.
//! - `tools.rs` what is known of a server's tools. `header_params.rs` the arguments that a request repeats in its
//!   headers. `restarts.rs` when it may start again. `tail.rs` the end of its log; `session/crash_log.rs` what of it
//!   explains a crash.
//! - `connection.rs` a session with its two ends, and the one place that performs its outputs (`apply`): recorded first,
//!   then queued, then written. Below it, for a pipe and for HTTP alike: what starts the server, keeps deadlines and ends
//!   everything (`driver`), the queue in front of a pipe (`writer`), the recorder of failures (`recorder`), the two ends
//!   (`client`, `upstream`, `remote`), a process and its pipes (`child`), read and written by `threads` behind a pipe and
//!   by `tasks` behind HTTP, its output as lines (`reading`), which of two threads reads it (`reader_handoff`,
//!   `interruptible_pipe`), a client's lines (`client_input`) and arrays (`batch`).
//! - `replies.rs` routes messages to HTTP requests and event streams. Below it: where one answer goes (`target`), one
//!   client's streams and its replay buffer (`client_streams`), the queue of one stream (`stream`).
//! - `remote.rs` a server behind a URL as an upstream. Below it: its address (`address`), one message and its response
//!   (`post`, `body`, `refusal`), whether the server has lost the session (`session_loss`), the messages that open it
//!   (`handshake`), event streams (`event_streams`), the headers that repeat a part of a message (`mirrored_headers`).
//! - `run.rs` one client on given streams, one server. `process.rs` how a server's process ended, for the session.
//!   `threads.rs` starts threads. `log.rs` the servers' logs on their way to ours.
//! - `tls.rs` the certificate of our listeners.
//! - `serve.rs` clients over HTTP, on a runtime. Below it: which requests are allowed (`access`), how many connections
//!   (`connection_limit`), which peers are slowed down since their tokens fail (`throttle`), how such a request is
//!   answered and recorded (`failed_tokens`), CORS (`cors`), which server a path means (`router`), the sessions of one
//!   server (`session_manager`), one message (`post`) or several in an array (`batch`), event streams (`get`), a request
//!   that waits for its answer (`pending_request`).
//! - `check_launcher.rs` starts the commands that check writes.
//! - `ask.rs` the tools of a server, before any client asks for them.
//! - `settings.rs` how one server is gated. `moment.rs` now.
//!
//! # Invariants
//!
//! - What succeeds, and what we do not understand, passes with the same bytes but for the id.
//! - An exchange is consumed by its answer: each request is answered once, at the latest at its deadline.
//! - A failure is recorded before the client hears of it, and a repeat before it is made. A failure in a flood is
//!   counted, and told after the record before it.
//! - Bytes that are held for clients over HTTP are reserved first, and all reservations together never exceed the budget.
//! - A call is made again only if `redress::recover::may_repeat` says so; only facts of the transport feed the breaker;
//!   no label of a metric comes from a client or a server.
//! - Of a remote server only the configured address is contacted, and a request that may have arrived in part is not
//!   sent again by the transport.

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

use redress_wire::frame::{self, lines, peek};

pub use ask::{AskError, ask_for_tools};
pub use check_launcher::CheckLauncher;
pub use connection::{OnLedgerFailure, Target};
pub use remote::Address;
pub use server::Server;
