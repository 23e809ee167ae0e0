//! `ContractSettings`: what the author of a server decides about its contract.

use std::{collections::BTreeMap, fmt, sync::Arc, time::Duration};

use redress::{
    Dialect, ErrorStats,
    fault::{Context, StackPolicy},
};
use redress_ledger::{Ledger, Redactor};
use redress_registry::{Operation, Registry};
use rmcp::{
    model::CallToolRequestParams,
    service::{RequestContext, RoleServer},
};

use crate::clock;

/// How long a call may take unless the author says otherwise; the gate waits as long.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The largest result unless the author says otherwise; clients of rmcp take no longer lines.
const MAX_RESULT_BYTES: usize = 16 << 20;

/// A call as a closure sees it that knows more about its context.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Seen<'a> {
    /// The call.
    pub call: &'a CallToolRequestParams,
    /// The request around it.
    pub request: &'a RequestContext<RoleServer>,
}

/// Knows more about the context of a call.
pub(crate) type Fill = Arc<dyn Fn(Seen<'_>) -> Context + Send + Sync>;

#[derive(Clone)]
pub(crate) struct ContractSettings {
    /// What is the same for every call.
    pub(crate) context: Context,
    pub(crate) fill: Option<Fill>,
    pub(crate) ledger: Option<Arc<Ledger>>,
    pub(crate) redactor: Arc<Redactor>,
    pub(crate) dialect: Dialect,
    /// How much of a stack callers see.
    pub(crate) stack: StackPolicy,
    /// How long a call may take, and calls of some tools.
    pub(crate) timeout: Option<Duration>,
    pub(crate) timeouts: BTreeMap<String, Duration>,
    /// What tools do, beside what the registry says.
    pub(crate) operations: BTreeMap<String, Operation>,
    pub(crate) max_result_bytes: usize,
    /// How `sys/errorStats` counts, if it is answered.
    pub(crate) error_stats: Option<ErrorStats>,
}

impl ContractSettings {
    pub(crate) fn new(server: String) -> Self {
        Self {
            context: Context { server: Some(server), ..Context::default() },
            fill: None,
            ledger: None,
            redactor: Arc::default(),
            dialect: Dialect::Native,
            stack: clock::shown_stack(),
            timeout: Some(TIMEOUT),
            timeouts: BTreeMap::new(),
            operations: BTreeMap::new(),
            max_result_bytes: MAX_RESULT_BYTES,
            error_stats: None,
        }
    }

    /// What a tool does, if anybody said so.
    pub(crate) fn operation(&self, tool: &str, registry: &Registry) -> Option<Operation> {
        let own = self.operations.get(tool).copied();
        own.or_else(|| registry.tools.get(tool)?.operation)
    }

    /// How long any call may take. One without a limit has the usual one unless a caller asks for more.
    pub(crate) fn longest_timeout(&self) -> Duration {
        let all = self.timeouts.values().copied().chain(self.timeout);
        all.max().unwrap_or(TIMEOUT)
    }

    /// How long a call of a tool may take.
    pub(crate) fn timeout(&self, tool: &str) -> Option<Duration> {
        self.timeouts.get(tool).copied().or(self.timeout)
    }
}

impl fmt::Debug for ContractSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings").field("context", &self.context).finish_non_exhaustive()
    }
}
