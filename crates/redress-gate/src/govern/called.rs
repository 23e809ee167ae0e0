//! `Called`: a governed call that succeeded, as the ledger keeps it.

use std::sync::Arc;

use redress::json::{Members, Value};
use redress_govern::eval;

use super::{Call, Governed};

/// A governed call that succeeded. Nobody waits for its record.
#[derive(Debug)]
pub(crate) struct Called {
    pub(crate) governed: Arc<Governed>,
    /// The tool that was called, or the method.
    pub(crate) name: String,
    pub(crate) is_tool: bool,
    pub(crate) elapsed_ms: u64,
}

impl Called {
    /// What is recorded: never an argument, only the fingerprint of all.
    pub(crate) fn object(&self, server: &str) -> String {
        let governed = &self.governed;
        let mut object = String::new();
        let mut members = Members::open(&mut object);
        members.str("server", server);
        members.opt_str("session_id", governed.session.as_ref().map(|it| it.id.as_str()));
        members.str(if self.is_tool { "tool" } else { "method" }, &self.name);
        members.opt_str("role", governed.role.as_deref());
        members.opt_str("plan_hash", governed.plan_hash.as_deref());
        members.opt_str("phase_id", governed.phase_id.as_deref());
        members.opt_str("arguments_sha256", governed.arguments.as_deref());
        members.int("elapsed_ms", self.elapsed_ms);
        members.close();
        object
    }
}

/// The fingerprint of a call's arguments, as the client spelt them.
pub(super) fn fingerprint(call: &Call<'_>) -> Option<String> {
    call.arguments.map(Value::raw).map(eval::sha256)
}
