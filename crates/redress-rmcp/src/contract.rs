//! `Contract`: a handler of rmcp with the contract around it, and what its author can decide about it.

use std::{path::Path, sync::Arc, time::Duration};

use redress::{
    Dialect, ErrorStats,
    fault::{Context, StackPolicy},
};
use redress_ledger::{Ledger, Redactor};
use redress_registry::{
    Entry, Operation, Registry,
    plugin::{PluginCode, PluginError, Plugins, Registration},
};
use rmcp::ServerHandler;
use uuid::Uuid;

use crate::{
    catalog::Catalog,
    panics,
    plugins::Codes,
    settings::{ContractSettings, Seen},
};

/// A handler with the contract around it. It is a handler, too; clones share everything.
///
/// Each of its tools needs an operation type, in `[tool.X]` of the registry or by [`Self::operation`]: a tool without is
/// not served. [`Self::start`] refuses to begin with one.
#[derive(Debug)]
pub struct Contract<H> {
    pub(crate) handler: Arc<H>,
    pub(crate) settings: Arc<ContractSettings>,
    pub(crate) state: Arc<State>,
    /// The session of a client that has no other name for it: the one on the other end of a pipe.
    pub(crate) session: Arc<str>,
}

/// What is needed to tell a failure that no handler has heard of: with the name of the session.
pub(crate) type Books = (Arc<ContractSettings>, Arc<State>, Arc<str>);

/// What clones share.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) catalog: Catalog,
    pub(crate) codes: Codes,
}

fn new_session() -> Arc<str> {
    Uuid::new_v4().to_string().into()
}

impl<H> Clone for Contract<H> {
    fn clone(&self) -> Self {
        Self {
            handler: Arc::clone(&self.handler),
            settings: Arc::clone(&self.settings),
            state: Arc::clone(&self.state),
            session: Arc::clone(&self.session),
        }
    }
}

impl<H: ServerHandler> Contract<H> {
    /// The contract around a handler. The registry says which codes its tools may fail with.
    #[must_use]
    pub fn new(handler: H, registry: impl Into<Arc<Registry>>) -> Self {
        panics::watch();
        redress::classify::warm_up();
        let server = handler.get_info().server_info.name;
        let state = State { catalog: Catalog::default(), codes: Codes::new(registry.into()) };
        let settings = ContractSettings::new(server);
        let stack = settings.stack;
        let contract = Self {
            handler: Arc::new(handler),
            settings: Arc::new(settings),
            state: Arc::new(state),
            session: new_session(),
        };
        contract.stack(stack)
    }

    /// The same contract for another client.
    pub(crate) fn for_client(self) -> Self {
        Self { session: new_session(), ..self }
    }

    /// The same contract around another handler of the same tools, for servers that have one for each session.
    #[must_use]
    pub fn around(&self, handler: H) -> Self {
        Self { handler: Arc::new(handler), ..self.clone() }
    }

    pub(crate) fn books(&self) -> Books {
        (Arc::clone(&self.settings), Arc::clone(&self.state), Arc::clone(&self.session))
    }

    fn with(mut self, change: impl FnOnce(&mut ContractSettings)) -> Self {
        change(Arc::make_mut(&mut self.settings));
        self
    }

    /// How much of a stack callers see, in dialects that have a place for it; else `DEBUG_STACK` and `MCP_ERRORS_VERBOSE` say it.
    #[must_use]
    pub fn stack(self, shown: StackPolicy) -> Self {
        if shown != StackPolicy::Hidden {
            panics::keep_stacks();
        }
        self.with(|it| it.stack = shown)
    }

    /// The server's name in faults; else it is the one that the handler tells its clients.
    #[must_use]
    pub fn server(self, name: impl Into<String>) -> Self {
        self.with(|it| it.context.server = Some(name.into()))
    }

    /// The role of the caller.
    #[must_use]
    pub fn role(self, role: impl Into<String>) -> Self {
        self.with(|it| it.context.role = Some(role.into()))
    }

    /// The directory that the server works in.
    #[must_use]
    pub fn workspace(self, root: impl AsRef<Path>) -> Self {
        let root = root.as_ref().to_string_lossy().into_owned();
        self.with(|it| it.context.workspace_root = Some(root))
    }

    /// Knows more about the context of a call: phase, plan, session. It goes before what is the same for all calls.
    #[must_use]
    pub fn context(self, fill: impl Fn(Seen<'_>) -> Context + Send + Sync + 'static) -> Self {
        self.with(|it| it.fill = Some(Arc::new(fill)))
    }

    /// Records every failure before it is answered. One that cannot be recorded is withheld: the caller gets `AUDIT_LOG_FAILED`.
    #[must_use]
    pub fn ledger(self, ledger: impl Into<Arc<Ledger>>) -> Self {
        self.with(|it| it.ledger = Some(ledger.into()))
    }

    /// Takes secrets that it knows out of everything that is recorded or answered; credentials are found anyway.
    #[must_use]
    pub fn redactor(self, redactor: Redactor) -> Self {
        self.with(|it| it.redactor = Arc::new(redactor))
    }

    /// The shape of the envelope.
    #[must_use]
    pub fn dialect(self, dialect: Dialect) -> Self {
        self.with(|it| it.dialect = dialect)
    }

    /// How long a call may take: a minute, unless this says otherwise. `None`: as long as it wants.
    #[must_use]
    pub fn timeout(self, timeout: impl Into<Option<Duration>>) -> Self {
        self.with(|it| it.timeout = timeout.into())
    }

    /// How long a call of this tool may take.
    #[must_use]
    pub fn tool_timeout(self, tool: impl Into<String>, timeout: Duration) -> Self {
        self.with(|it| it.timeouts.extend([(tool.into(), timeout)]))
    }

    /// What a tool does, where the registry does not say so.
    #[must_use]
    pub fn operation(self, tool: impl Into<String>, operation: Operation) -> Self {
        self.with(|it| it.operations.extend([(tool.into(), operation)]))
    }

    /// The largest result that is passed on, in bytes: 16 MiB, unless this says otherwise.
    #[must_use]
    pub fn max_result_bytes(self, most: usize) -> Self {
        self.with(|it| it.max_result_bytes = most)
    }

    /// Answers `sys/errorStats` with what has failed so far. [`ErrorStats::from_switches`] reads the variables of the
    /// environment that turn this on.
    #[must_use]
    pub fn error_stats(self, how: impl Into<Option<ErrorStats>>) -> Self {
        self.with(|it| it.error_stats = how.into())
    }

    /// What has failed so far, as `sys/errorStats` answers it; `None` unless that was asked for.
    pub fn stats(&self) -> Option<String> {
        Some(self.state.codes.stats(self.settings.error_stats?))
    }

    /// Registers the codes and tools of a plugin's registry, all or none. They count from the next request on, for all clones.
    pub fn register(&self, plugin: &Registry) -> Result<Registration, PluginError> {
        self.changed(|it| it.register_all(plugin))
    }

    /// Registers codes of a plugin that has no registry, all or none.
    pub fn register_codes(
        &self,
        namespace: &str,
        codes: &[PluginCode],
    ) -> Result<Registration, PluginError> {
        self.changed(|it| it.register(namespace, codes))
    }

    /// Takes a registration back. A code that was registered twice stays until both are taken back.
    pub fn unregister(&self, registration: Registration) {
        self.changed(|it| it.unregister(registration));
    }

    /// The row of a code: of a plugin, of the contract or of `core`. [`redress::Fault::raise`] makes a failure of it.
    pub fn lookup(&self, code: &str) -> Option<Arc<Entry>> {
        self.state.codes.lookup(code)
    }

    fn changed<T>(&self, change: impl FnOnce(&Plugins) -> T) -> T {
        let end = self.state.codes.change(change);
        // What was known of the tools may be another thing now.
        self.state.catalog.forget();
        end
    }
}
