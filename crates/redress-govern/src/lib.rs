//! Governance: which calls reach a governed server.
//!
//! A [`Governor`] has every call judged by an ordered list of guards, answers calls of the gate's own tools, and has writes checked when
//! they were made. What a guard decides by is a [`Policy`]; what is known of sessions is folded from the ledger.

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
