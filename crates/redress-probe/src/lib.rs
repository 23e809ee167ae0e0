//! The probe: calls a live MCP server so that it must fail, and grades how it does.
//!
//! # Modules
//!
//! - `options.rs` what is probed, and how. `report.rs` all that a probe did and found, the one value that every
//!   presentation shows. `finding.rs` what one rule says of one tool, with its evidence. `score.rs` points and letters,
//!   with the sums behind them.
//! - `client.rs` speaks MCP byte by byte, so that it can say what no SDK would: a child's pipes or HTTP, the greeting,
//!   what a server asks back.
//! - `plan.rs` every call that must fail, from the schemas of the tools; `plan/safety.rs` decides which are made.
//!   `runner.rs` sends them, starts a server that died again, and has each answer graded. `repeat.rs` the command that
//!   runs a case again.
//! - `grade.rs` the rules, a group in each module, each a row with its function and its weight.
//! - `present.rs` the report for its readers, one file each: the page, JUnit, JSON; in `present/html/markup.rs` nothing
//!   but our literals can be markup. `compare.rs` what became better or worse since an earlier report.
//!
//! # Invariants
//!
//! - A tool that is not known to be read-only is never called with every required argument in its type, unless effects
//!   are allowed.
//! - Any schema and any answer of a server is something: reading and planning are total and bounded.
//! - The same seed and the same tools give the same calls, whichever of them are run.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod client;
pub mod compare;
pub mod finding;
mod grade;
mod options;
mod plan;
pub mod present;
mod repeat;
pub mod report;
mod runner;
pub mod score;

pub use client::{ServerAddress, Trouble, Unprobed, tools};
pub use compare::Comparison;
pub use finding::{Finding, Hit};
pub use grade::{rules, weight};
pub use options::ProbeOptions;
pub use plan::cases;
pub use report::Report;
pub use runner::{ProbeProgress, Probed, Refusals, Trial, probe, probe_with};
