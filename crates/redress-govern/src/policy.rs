//! `Policy`: what the guards of one governed server decide by.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use redress::Dialect;

use crate::{
    call::TokenId,
    checked_writes::{Checks, Launcher},
    gate_argument::GateArgument,
    manifest::Manifest,
    plans::Plans,
    protected::Protected,
    role::Roles,
    session::SessionRules,
};

/// The policy of a governed server.
#[derive(Debug)]
pub struct Policy {
    /// The server's name in the ledger.
    pub server: String,
    /// Who may call what.
    pub roles: Roles,
    /// What locks a session, and where reports are written.
    pub rules: SessionRules,
    /// Whether the server is the built-in one, which changes nothing but what calls name.
    pub is_built_in: bool,
    /// What each tool does.
    pub manifest: Manifest,
    /// The arguments that calls bring for the gate itself.
    pub extras: Vec<GateArgument>,
    /// The checks of writes.
    pub writes: Checks,
    /// Starts the commands that check writes.
    pub launcher: Arc<dyn Launcher>,
    /// Where plans are, and who approves them.
    pub plans: Plans,
    /// What no tool may change.
    pub guarded: Protected,
    /// The role of the process on stdio.
    pub role: Option<String>,
    /// The roles of the callers that bring a token.
    pub callers: BTreeMap<TokenId, Option<String>>,
    /// The one workspace that sessions are about; without it, the one that they name.
    pub root: Option<PathBuf>,
    /// The shape of envelope that clients get.
    pub dialect: Dialect,
    /// The directory of the ledger.
    pub ledger: PathBuf,
    /// Sends a line to the operator.
    pub say: fn(&str),
}

impl Policy {
    /// Whether calls of a tool follow a plan.
    pub(crate) fn needs_plan(&self, tool: &str) -> bool {
        self.extras.iter().any(|it| it.name() == "plan" && it.is_of(tool))
    }
}
