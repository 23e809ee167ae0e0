//! How Redress reaches a server. The gate and the probe use the same code for it.

pub mod http;
pub mod sse;
