//! The probe: calls a live MCP server so that it must fail, and grades how it does.

pub mod compare;
pub mod finding;
pub mod present;
pub mod report;
pub mod score;

pub use compare::Comparison;
pub use finding::{Finding, Hit};
pub use report::Report;
