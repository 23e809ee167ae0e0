//! The gate: stands before any MCP server, passes what succeeds as it is, and answers what fails by contract.

mod answer;
mod ask;
mod breaker;
mod caller;
mod check_launcher;
mod connection;
mod exchange;
mod exposition;
mod fault_template;
mod header_params;
mod http_head;
mod inflight;
mod limits;
mod log;
mod memory;
pub mod metrics;
pub mod metrics_listener;
mod moment;
mod outgoing;
mod pending_fault;
mod process;
mod quota;
mod remote;
mod replies;
mod restarts;
mod retry;
mod run;
mod serve;
mod server;
mod session;
mod settings;
mod slots;
mod tail;
mod threads;
mod tls;
mod tools;
mod upstream_id;

use redress::frame::{self, lines, peek};

pub use ask::{AskError, ask_for_tools};
pub use breaker::BreakerRule;
pub use caller::{Caller, Peer};
pub use check_launcher::CheckLauncher;
pub use connection::{OnLedgerFailure, Target};
pub use limits::{LimitRule, Rate};
pub use memory::MemoryBudget;
pub use moment::Moment;
pub use outgoing::{Outgoing, Sender, Ticket, ToClient, ToUpstream, TokenId};
pub use pending_fault::{PendingFault, ReplyHead};
pub use remote::{Address, NotAnAddress};
pub use retry::RetryRule;
pub use run::{Ended, Run, RunError, Streams, run};
pub use serve::{Access, Handle, Serve, Served, ServerChange, Sharing, Tokens, serve};
pub use server::Server;
pub use session::{
    Actions, ClientKind, Exit, Expected, FailureScope, HttpFailure, KillReason, Phase, Repeat,
    Session, UpstreamKind,
};
pub use settings::{Mode, ServerText, Settings};
pub use tail::Tail;
pub use tls::{Tls, TlsError};
pub use upstream_id::UpstreamId;
