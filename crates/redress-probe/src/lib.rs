//! The probe: calls a live MCP server so that it must fail, and grades how it does.

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

pub use client::{Place, Trouble, Unprobed, tools};
pub use compare::Comparison;
pub use finding::{Finding, Hit};
pub use grade::{rules, weight};
pub use options::Options;
pub use plan::cases;
pub use report::Report;
pub use runner::{Probed, Progress, probe};
