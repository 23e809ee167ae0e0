//! The error contract for MCP: what a failure is called, how it looks to each reader, what a foreign one means.

pub mod json;
