//! The fleet: many gates, one picture, on an engine that is there: NATS JetStream.
//!
//! A node's own ledger stays the truth. Its records are copied to one stream, in order, behind the sync of the local disk and on a thread of
//! their own, so that no answer waits for the network. What the stream has, the node can not change unseen.
//!
//! # The stream
//!
//! ```text
//! <stream>.ledger.<node>.<chain>      one subject for each chain of each node
//!
//! Redress-Format   redress-fleet/1    Redress-Records  FIRST-LAST       Redress-Head  hash of the last record
//! Nats-Msg-Id      <chain>:FIRST-LAST Nats-Expected-Last-Subject-Sequence  the message before
//! ```
//!
//! The body is the lines of the ledger, byte for byte, each with its newline; or one line `{"missing":{"first","last","head","why"}}` for
//! records that were gone before they could be sent, or are longer than a message may be. `head` is the hash that the next record follows.
//!
//! # Modules
//!
//! - `engine.rs` where the servers are, and a connection. `names.rs` what things are called there. `settings.rs` how stream and buckets are
//!   made, and what makes a stream weak. `init.rs` makes them and names the permissions.
//! - `shipper.rs` sends the chains of a ledger. `message.rs` what it sends. `progress.rs` how far it is. `fleet.rs` the thread that it has
//!   in a gate.
//! - `mirror.rs` the stream as ledgers in a directory, `mirror/state.rs` how far that is. `compare.rs` the ledger of a node beside its copy.
//! - `nodes.rs` what nodes say of themselves. `contracts.rs` contracts for all of them.
//! - `error.rs` why something cannot be done, and what helps.
//!
//! # Invariants
//!
//! - A record is sent only after it is durable on the node, and never twice in the stream.
//! - No caller waits for the engine unless it asks to.
//! - What the engine says is read as text of a stranger: any message gives a value or an error that names its subject.

mod compare;
mod contracts;
mod engine;
mod error;
mod fleet;
mod init;
mod message;
mod mirror;
mod names;
mod nodes;
mod progress;
mod settings;
mod shipper;

pub use compare::{Comparison, Difference, compare};
pub use contracts::{PushedContract, contract_file, push_contract, pushed_contracts};
pub use engine::{Connection, Credentials, Engine};
pub use error::{FleetError, Weakness};
pub use fleet::{Fleet, Say, Settings, Starting, Waker};
pub use init::{Made, init, permissions};
pub use message::Missing;
pub use mirror::{Mirror, StreamFinding, StreamGap};
pub use names::{Names, check};
pub use nodes::{NodeStatus, nodes};
pub use progress::{Progress, Snapshot, State};
pub use settings::REPLICAS;
pub use shipper::Source;
