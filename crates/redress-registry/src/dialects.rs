//! The dialects that an alias can be for.
//!
//! This file is written by `cargo xtask codegen`, from the list of dialects in `redress`.

/// Their names.
#[rustfmt::skip]
pub const DIALECTS: [&str; 7] = ["native", "atlas-gate", "workrail", "rpc", "stagewright", "mailvault", "tool-failure"];
