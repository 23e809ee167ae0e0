//! The core of the gate, without I/O: lines and moments go in, bytes and actions come out.
//!
//! It has no thread, no socket and no clock, so that a test or a simulator can play any order of events. Only a governor
//! looks up files.
//!
//! # Modules
//!
//! - `session.rs` one client, or several, and one upstream. `session/pipeline.rs` is the way of a request and its answer,
//!   top to bottom, with the module of each step. A session owns its parts, and each part owns its state: `tenancy`,
//!   `reader`, `admission`, the in-flight table (`inflight.rs`), `upstream`, `handshake`, `catalog`, `verdict`, `retry`,
//!   `checked_writes`. `interface` is what a driver gives and gets: kinds of ends, failures over HTTP, exits, `Actions`.
//!   A failure is judged and explained by a `Context`, which changes nothing.
//! - `answer.rs` what an answer is by protocol. `http_head.rs` what the head of an HTTP response says of it.
//!   `outgoing.rs` queued messages, each with its destination.
//! - `exchange.rs` one request in flight. `inflight.rs` all of them, under ids that cannot be guessed (`upstream_id.rs`).
//!   `pending_fault.rs` a failure that is recorded before the client gets it, and the reply to send then.
//!   `fault_template.rs` failures that were judged before, as templates. `request_facts.rs` what a record tells of the
//!   request, `canonical.rs` its arguments in one spelling, `trace_id.rs` its trace.
//! - `server.rs` what all sessions of one server share: its settings, and what counts across them. `breaker.rs` whether
//!   it is asked at all, `limits.rs` how much, `quota.rs` how much of its failures is recorded, `retry.rs` what is asked
//!   again, `loop_guard.rs` which repeats of a failed call are not sent; `failed_tools.rs` which tools failed in a run and have not
//!   succeeded since, `succeeded_call.rs` the record of a success that ends that; `metrics.rs` counts what came of it, for Prometheus and `sys/errorStats`; `exposition.rs` the metrics as
//!   `OpenMetrics` text.
//! - `memory.rs` the budget of bytes of all clients, and reservations in it. `slots.rs` fair shares of sessions,
//!   connections and calls. `caller.rs` whose share it is.
//! - `tools.rs` what is known of a server's tools. `header_params.rs` the arguments that a request repeats in its
//!   headers. `restarts.rs` when it may start again. `tail.rs` the end of its log; `session/crash_log.rs` what of it
//!   explains a crash.
//! - `settings.rs` how one server is gated. `moment.rs` now.
//!
//! # Driving a session
//!
//! A driver makes a [`session::Session`] on a [`server::Server`] and calls it with each event, together with
//! [`session::Actions`] that hold the moment. Then it performs what the actions say: it records `faults` and sends what
//! [`pending_fault::PendingFault::render`] makes of each, sends the messages to both ends, starts or ends the upstream.
//! At [`session::Session::next_deadline`] it calls [`session::Session::expire`]. The smallest driver is in `tests/it`.
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
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod answer;
mod breaker;
pub mod caller;
mod canonical;
mod exchange;
pub mod exposition;
mod failed_tools;
mod fault_template;
pub mod header_params;
mod http_head;
mod inflight;
mod limits;
mod loop_guard;
pub mod memory;
pub mod metrics;
pub mod moment;
pub mod outgoing;
pub mod pending_fault;
mod quota;
pub mod request_facts;
mod restarts;
mod retry;
pub mod server;
pub mod session;
pub mod settings;
pub mod slots;
pub mod succeeded_call;
pub mod tail;
mod tools;
mod trace_id;
pub mod upstream_id;

use redress_wire::frame::{self, peek};
