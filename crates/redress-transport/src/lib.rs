//! How Redress reaches a server. The gate and the probe use the same code for it.
//!
//! # Modules
//!
//! - `http.rs` asks a server over HTTP/1.1 with hyper: `http/client.rs` the connections to one server,
//!   `http/connection.rs` one of them, `http/counted.rs` how much of a request was written, `http/framing.rs` what hyper
//!   would read in one of two ways.
//! - `sse.rs` reads and writes server-sent events.
//! - `process.rs` a server's process in a group of its own, or a thread of this program (`in_process.rs`); `program.rs`
//!   the command. `launch.rs` a second process of this program that becomes the server, with limits (`resources.rs`) and
//!   confinement (`confinement.rs`); `spawner.rs` the one thread that starts them. `subreaper.rs` adopts, ends and reaps
//!   what servers leave behind; `subreaper/watch.rs` ends it if the gate is killed. `pipe.rs` how much a pipe takes, and
//!   what is left in it.
//!
//! # Invariants
//!
//! - A request is sent again only if no byte of it was written.
//! - A signal is sent to a process or its group only while the system cannot reuse its id.
//! - No reader keeps more bytes than its caller allows.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

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
