//! How Redress reaches a server. The gate and the probe use the same code for it.

pub mod confinement;
pub mod http;
pub mod in_process;
pub mod launch;
pub mod pipe;
pub mod process;
pub mod program;
pub mod resources;
mod spawner;
pub mod sse;
pub mod subreaper;
