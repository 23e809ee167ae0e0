//! An MCP server for the files of one directory. It is written as any server can be: errors that derive `Contract`, tools of rmcp,
//! `redress_rmcp::Contract` around them.
//!
//! Where to look: `errors.toml` is the contract, `error.rs` the errors, `server.rs` the tools as clients see them, `tools/` what
//! each does. `root.rs` keeps everything inside: each path is resolved by the system below a handle of the root (`openat2` with
//! `RESOLVE_BENEATH`), so that there is no moment between a check and its use.

mod change;
mod content;
mod error;
mod hold;
mod journal;
mod lock;
pub mod patch;
mod path;
mod reserved_names;
mod root;
mod serve;
mod server;
mod temporary;
mod tools;
mod walk;
mod workspace;

pub use serve::WorkspaceServer;
pub use server::registry;
pub use workspace::Workspace;
