//! An MCP server for the files of one directory. It is written as any server can be: errors that derive `Contract`, tools of rmcp,
//! `redress_rmcp::Contract` around them.
//!
//! Where to look: `errors.toml` is the contract, `error.rs` the errors, `server.rs` the tools as clients see them, `tools/` what
//! each does. `root.rs` keeps everything inside: each path is resolved by the system below a handle of the root (`openat2` with
//! `RESOLVE_BENEATH`), so that there is no moment between a check and its use.
//!
//! # Modules
//!
//! - `errors.toml` (beside `src`) the contract. `error.rs` the errors, each a code of it. `server.rs` the tools as
//!   clients see them. `tools.rs` and the files below it: what each does.
//! - `path.rs` what a path of a call is, before the system is asked. `root.rs` the root as a handle, below which the
//!   system resolves it.
//! - `change.rs` files that get new content together, or not at all. `temporary.rs` new content beside the old,
//!   `reserved_names.rs` its names. `journal.rs` a patch that happens even if the process dies. `hold.rs` who writes in a
//!   directory, `lock.rs` the locks for that.
//! - `patch.rs` unified diffs as data, and where they fit; no files. `content.rs` hashes, and files that are read whole.
//!   `walk.rs` a walk by handles.
//! - `workspace.rs` what the tools work on. `serve.rs` the server on two pipes.
//!
//! # Invariants
//!
//! - Nothing is opened but by `openat2` below the root, or as a name in a directory that was opened so.
//! - A reader of a file sees what it was or what it becomes, also after a kill.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

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
