//! The error contract for MCP: what a failure is called, how it looks to each reader, what a foreign one means.
//!
//! # Modules
//!
//! - `fault.rs` one occurrence. `fault/fields.rs` lists its members once, for envelope, residue and loss alike.
//!   `fault/codes.rs` typed handles to the rows of `core`, and of a registry that was exported as Rust. `contract.rs`
//!   error types of Rust whose every value is a fault, and what the derive's code calls.
//! - `card.rs` the text for the model. `describe.rs` the line about a tool's errors in its description, for the gate and
//!   `redress-rmcp` alike. `text.rs` cutting, quoting, stripping; `text/stack.rs` frames of stacks and the lines that tell;
//!   `text/tokens.rs` what everything may cost.
//! - `dialect.rs` the list of dialects, one file each; what they share is reading, loss (`dialect/residue.rs`) and
//!   leftovers. `dialect/lookup.rs` which row a code or a dialect's spelling names. `dialect/wire.rs` a fault as the
//!   answer to a call. `dialect/own.rs` the envelope that a trusted server wrote, byte for byte.
//! - `emit.rs` the one way from a fault to what is sent and recorded: expose, normalise, leave out, redact, bound.
//!   `stated.rs` what a server itself says about retry and effect, wherever it writes it (`stated/scan.rs`), and the one
//!   rule that keeps a fault within it.
//! - `outcome.rs` what an upstream really did, before anybody judged it. `classify.rs` outcome to verdict, in tiers of
//!   evidence: `classify/stated.rs`, `classify/taught.rs`, `classify/protocol.rs`, `classify/formats.rs` (one file for each producer), `classify/prose.rs`
//!   (one flat table from phrase to class). `classify/cluster.rs` failures in groups by what they say, for `redress learn`
//!   and the console: `classify/cluster/mask.rs` a text without its values, `classify/cluster/draft.rs` the rows that would name the groups.
//! - `recover.rs` what a client does about a failure. `recover/rows.rs` is the decision table, as data;
//!   `recover/repeat.rs` is the one rule on what may be done twice, for clients and the gate alike.
//! - `package.rs` a registry as typed codes, data and tests in other languages, one file each: what one registry says
//!   (`package/own.rs`) on what ships with the runtime packages (`package/facts.rs`). `provoke.rs` whether a server
//!   really answers with each code that it declares.
//! - `redact.rs` takes secrets out of everything before it is stored or sent: known values (`redact/known.rs`), tokens of
//!   services (`redact/providers.rs`), and what telling names have, by a score (`redact/score.rs`). `tally.rs` a counter
//!   for each code, for `sys/errorStats` and the gate's metrics.
//!
//! # Invariants
//!
//! - Pure: no I/O, no clock, no runtime, no environment. Time and ids are stamped by the caller.
//! - Foreign text appears in `server_text`, in `details.upstream` and, quoted, at the end of the card and of a JSON-RPC
//!   error's message; of a process that ended without an answer also in `cause` and `stack`; nowhere else.
//! - No answer has a frame of a stack unless the policy of the boundary shows stacks.
//! - A document in canonical form is written as it was read, and a fault with its residue is read as it was written.
//! - Every failing answer of the gate and of `redress-rmcp` went through `emit`; no text of it changes after that.
//! - No fault is sent with an earlier retry or a smaller effect than its server stated.
//! - Building a fault cannot fail. A bad part is left out and named in the private part.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod card;
pub mod classify;
pub mod contract;
mod describe;
pub mod dialect;
pub mod emit;
pub mod fault;
pub mod outcome;
pub mod package;
mod provoke;
pub mod recover;
pub mod redact;

mod stated;
mod tally;
pub mod text;

pub use card::{card, cuts_server_text};
pub use contract::Contract;
pub use describe::describe;
pub use dialect::{Dialect, Lookup};
pub use fault::{Fault, OwnEnvelope, codes};
pub use provoke::{Provoked, provoke};
#[cfg(feature = "derive")]
pub use redress_derive::Contract;
pub use stated::Stated;
pub use tally::{BadSample, ErrorStats, Tally, ready_line};

#[cfg(doctest)]
#[doc = include_str!("../../../docs/reference/faults.md")]
struct DocsFaults;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/reference/recover.md")]
struct DocsRecover;
