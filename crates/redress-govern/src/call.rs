//! `Call`: a request as the guards see it, and `CallContext`: what they find out about it.

use std::{fmt, num::NonZeroU64, sync::Arc};

use redress::fault::Context;
use redress_wire::json::{Members, Value};

use crate::{
    eval,
    session::{GovernedSession, RecordRef},
};

/// A token that was accepted, by the start of its hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TokenId(NonZeroU64);

impl TokenId {
    /// The token with this SHA-256.
    pub fn of(hash: &[u8; 32]) -> Self {
        let start = hash.first_chunk().map_or(0, |it| u64::from_be_bytes(*it));
        Self(NonZeroU64::new(start).unwrap_or(NonZeroU64::MIN))
    }
}

impl fmt::Display for TokenId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// The caller of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Principal {
    /// The process on stdio.
    Process,
    /// A caller over HTTP, known by its token.
    Token(TokenId),
    /// A caller over HTTP without a token.
    Anonymous,
}

/// A request, as far as governance needs it.
#[derive(Debug, Clone, Copy)]
pub struct Call<'c> {
    /// The caller.
    pub caller: Principal,
    /// The tool that is called, or the method.
    pub name: &'c str,
    /// Whether it calls a tool.
    pub is_tool: bool,
    /// Whether it may be done after it was answered.
    pub is_task: bool,
    /// The arguments of the tool.
    pub arguments: Option<Value<'c>>,
}

impl Call<'_> {
    /// The fingerprint of its arguments, as the client spelt them.
    pub(crate) fn fingerprint(&self) -> Option<String> {
        self.arguments.map(Value::raw).map(eval::sha256)
    }
}

/// What is known of a governed request.
#[derive(Debug, Clone, Default)]
pub struct CallContext {
    pub(crate) session: Option<Arc<GovernedSession>>,
    pub(crate) role: Option<String>,
    pub(crate) plan_hash: Option<String>,
    pub(crate) phase_id: Option<String>,
    /// The fingerprint of its arguments.
    pub(crate) arguments: Option<String>,
    /// Whether its failure may lock the session.
    pub(crate) can_lock: bool,
    /// The failure report that it writes.
    pub(crate) report: Option<ReportFile>,
}

/// A failure report that a call writes to a file; it counts if the call succeeds.
#[derive(Debug, Clone)]
pub(crate) struct ReportFile {
    /// The record that it names.
    pub(crate) place: RecordRef,
    pub(crate) path: String,
}

impl CallContext {
    /// The session that its failure may lock.
    pub fn lockable(&self) -> Option<&str> {
        self.session.as_ref().filter(|_| self.can_lock).map(|it| it.id.as_str())
    }

    /// Adds what is known to the context of a fault.
    pub fn add_to(&self, context: &mut Context) {
        context.role.clone_from(&self.role);
        context.plan_hash.clone_from(&self.plan_hash);
        context.phase_id.clone_from(&self.phase_id);
        if let Some(session) = &self.session {
            context.session_id = Some(session.id.clone());
            context.workspace_root = Some(session.root.clone());
        }
    }
}

/// A governed call that succeeded, as the ledger keeps it.
#[derive(Debug)]
pub struct CallRecord {
    /// What is known of the call.
    pub context: Arc<CallContext>,
    /// The tool that was called, or the method.
    pub name: String,
    /// Whether it is a tool.
    pub is_tool: bool,
    /// How long the call took.
    pub elapsed_ms: u64,
}

impl CallRecord {
    /// The object of the record. It has the fingerprint of the arguments, and none of their values.
    pub fn object(&self, server: &str) -> String {
        let context = &self.context;
        let mut object = String::new();
        let mut members = Members::open(&mut object);
        members.str("server", server);
        members.opt_str("session_id", context.session.as_ref().map(|it| it.id.as_str()));
        members.str(if self.is_tool { "tool" } else { "method" }, &self.name);
        members.opt_str("role", context.role.as_deref());
        members.opt_str("plan_hash", context.plan_hash.as_deref());
        members.opt_str("phase_id", context.phase_id.as_deref());
        members.opt_str("arguments_sha256", context.arguments.as_deref());
        members.int("elapsed_ms", self.elapsed_ms);
        members.close();
        object
    }
}
