//! Gates on a simulated disk, clock, pipes, processes and clients, played from one seed, with their promises checked at every step.
//!
//! # Modules
//!
//! - `run.rs` episodes one after the other. `episode.rs` one of them from its seed to its end, made shorter where it breaks a promise.
//! - `world.rs` all that there is, and what happens to it. `gate.rs` one process with its servers; `recorder.rs` records before it
//!   tells; `connection.rs` a session with its two ends; `upstream.rs` what servers answer, `requests.rs` what clients ask.
//! - `disk.rs` files in memory: `disk/file.rs` what a power cut leaves of one, `disk/space.rs` how much fits.
//! - `books.rs` which request awaits what. `recovery.rs` what must hold of a ledger after a crash.
//! - `bugs.rs` the planted bugs, which tests find. `chance.rs` numbers from a seed. `trace.rs` a hash over all that happens.
//!
//! # Invariants
//!
//! - No thread, no real clock, no chance but the seed: the same episode has the same trace.
//! - The core and the ledger are those of the product; what is simulated is what is outside of them.
//! - Each action follows from the seed and its number alone.

mod books;
mod bugs;
mod chance;
mod connection;
mod disk;
mod episode;
mod gate;
mod recorder;
mod recovery;
mod requests;
mod run;
mod trace;
mod upstream;
mod world;

pub use books::Violation;
pub use bugs::Bug;
pub use episode::{Ended, Episode};
pub use run::Run;
pub use trace::Trace;
pub use world::Played;
