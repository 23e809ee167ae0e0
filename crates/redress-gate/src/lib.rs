//! The gate: stands before any MCP server, passes what succeeds as it is, and answers what fails by contract.

mod answer;
mod exchange;
mod frame;
mod inflight;
mod known;
mod lines;
mod mail;
mod moment;
mod outbox;
mod peek;
mod process;
mod restarts;
mod run;
mod session;
mod settings;
pub mod sse;
mod tail;
mod told;
mod tools;

pub use inflight::UpstreamId;
pub use mail::{Mail, Sender, Ticket, ToClient, ToUpstream};
pub use moment::Moment;
pub use run::{Ended, OnLedgerFailure, Run, Streams, run};
pub use session::{ClientKind, Exit, Expected, Phase, Refused, Session, Turn, UpstreamKind};
pub use settings::{Mode, ServerText, Settings};
pub use tail::Tail;
pub use told::{Head, Told};
