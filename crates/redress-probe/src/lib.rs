//! The probe: calls a live MCP server so that it must fail, and grades how it does.

mod client;
pub mod compare;
pub mod finding;
mod grade;
mod plan;
mod play;
pub mod present;
mod repeat;
pub mod report;
pub mod score;

pub use client::{Place, Trouble, Unprobed, tools};
pub use compare::Comparison;
pub use finding::{Finding, Hit};
pub use grade::{rules, weight};
pub use plan::cases;
pub use play::{Options, Probed, Progress, probe};
pub use report::Report;
