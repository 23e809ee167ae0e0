//! Governance: which calls reach a governed server.
//!
//! A [`Governor`] has every call judged by an ordered list of guards, answers calls of the gate's own tools, and has writes checked when
//! they were made. What a guard decides by is a [`Policy`]; what is known of sessions is folded from the ledger.
//!
//! # Modules
//!
//! - `governor.rs` decides on each request. `guards.rs` the guards in their order, one file each below it, all behind one
//!   trait. `policy.rs` what they decide by. `call.rs` a request as they see it, and what they find out about it.
//! - `session.rs` sessions, folded from the ledger: what locks and unlocks them. `session_store.rs` takes in what other
//!   processes recorded. `report.rs` failure reports. `server_state.rs` what is known of the server.
//! - `manifest.rs` what each tool does. `access.rs` the files that a call names. `root.rs` the workspace as a handle, and
//!   where paths lead in it. `protected.rs` the files that no tool may change. `gate_argument.rs` arguments that are for
//!   the gate, `argument.rs` arguments that a call cannot have.
//! - `builtin_tools.rs` the gate's own tools. `tool_list.rs` the list of tools as clients see it, `unserved.rs` the tools
//!   that are not in it.
//! - `role.rs` who may call what. `plan.rs` a plan as a file, `plans.rs` those of a workspace. `invariant.rs` what always
//!   holds, each under an id, for the self-audit and for every call.
//! - `writes.rs` rules about the content of files. `checked_writes.rs` writes that are checked and put back: their queue,
//!   backups, and the commands that check them.
//! - `eval.rs` code that a caller wants to have run. What may run is a list for each language
//!   (`eval/javascript/listed.txt`, `eval/python/listed.txt`), and a judge reads the tree with it. `eval/thread.rs` is
//!   why no payload can crash or hold the gate. `hash.rs` how hashes and identifiers are written.
//!
//! # Invariants
//!
//! - A guard allows or refuses; it never fails, and no fault shows a payload.
//! - A write with checks is answered as done only after all of them passed; otherwise what it changed is put back, unless
//!   another program has changed it since.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod access;
pub mod argument;
mod builtin_tools;
mod call;
mod checked_writes;
pub mod eval;
mod gate_argument;
mod governor;
mod guards;
mod hash;
pub mod invariant;
mod manifest;
pub mod plan;
mod plans;
mod policy;
mod protected;
mod report;
pub mod role;
mod root;
mod server_state;
pub mod session;
mod session_store;
mod tool_list;
mod unserved;
pub mod writes;

pub use builtin_tools::is_own as is_tool_of_gate;
pub use call::{Call, CallContext, CallRecord, Principal, TokenId};
pub use checked_writes::{
    CheckedWrite, Checks, Descendants, Job, Launched, Launcher, OnReport, Preflight, PutBack,
    WriteReport, Writes,
};
pub use gate_argument::{GateArgument, without};
pub use governor::{Decision, Governor};
pub use manifest::Manifest;
pub use plans::{Plans, is_hash, revoked};
pub use policy::Policy;
pub use protected::Protected;
pub use root::can_confine;
pub use unserved::{Unserved, tool_lines};
