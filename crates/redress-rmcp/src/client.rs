//! `Recovering`: a client of rmcp that reads failures, decides about them, waits, and repeats what may be repeated.

mod heard;
mod traits;

use std::{
    sync::{Arc, Mutex, OnceLock},
    time::Duration,
};

use redress::{
    Lookup,
    outcome::ToolTraits,
    recover::{Budget, BudgetRule, Ended, FallbackChain, Policy, Surroundings},
};
use redress_registry::Registry;
use rmcp::{
    RoleClient, Service,
    model::{CallToolRequestParams, CallToolResult},
    service::RunningService,
};
use uuid::Uuid;

use crate::clock::now;
use traits::Traits;

/// How long a call takes at most, with all of its repeats.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// As long as anybody waits: a limit beyond what a clock can show means none.
const FOR_EVER: Duration = Duration::from_secs(60 * 60 * 24 * 365);

/// A client that recovers. It derefs to the service that it was made of, for everything but calls of tools.
///
/// ```no_run
/// # async fn example(service: rmcp::service::RunningService<rmcp::RoleClient, ()>) {
/// use redress_rmcp::client::Recovering;
/// use rmcp::model::CallToolRequestParams;
///
/// let client = Recovering::new(service).trust_annotations();
/// let ended = client.call_tool(CallToolRequestParams::new("list_notes")).await;
/// match ended.answer {
///     Ok(result) => println!("{:?}", result.content),
///     Err(trouble) => println!("{}: {:?}", trouble.fault.code(), trouble.decided.decision),
/// }
/// # }
/// ```
#[derive(Debug)]
pub struct Recovering<S: Service<RoleClient>> {
    service: RunningService<RoleClient, S>,
    policy: Policy,
    time_limit: Duration,
    contract: Option<Arc<Registry>>,
    lookup: Lookup,
    budget: Mutex<Budget>,
    traits: Traits,
}

impl<S: Service<RoleClient>> std::ops::Deref for Recovering<S> {
    type Target = RunningService<RoleClient, S>;

    fn deref(&self) -> &Self::Target {
        &self.service
    }
}

impl<S: Service<RoleClient>> Recovering<S> {
    /// A client around a service that runs. What its server says about its tools is not believed yet.
    #[must_use]
    pub fn new(service: RunningService<RoleClient, S>) -> Self {
        redress::classify::warm_up();
        Self {
            service,
            policy: Policy::default(),
            time_limit: TIME_LIMIT,
            contract: None,
            lookup: Lookup::shipped(),
            budget: Mutex::default(),
            traits: Traits::default(),
        }
    }

    /// How calls are repeated.
    #[must_use]
    pub fn policy(self, policy: Policy) -> Self {
        Self { policy, ..self }
    }

    /// How many repeats the server gets, over all calls.
    #[must_use]
    pub fn budget(self, rule: BudgetRule) -> Self {
        Self { budget: Mutex::new(Budget::new(rule)), ..self }
    }

    /// How long a call takes at most, with all of its repeats; a minute by default.
    #[must_use]
    pub fn time_limit(self, time_limit: Duration) -> Self {
        Self { time_limit, ..self }
    }

    /// The server's contract: its codes are known then, and which of its tools only read or are idempotent.
    #[must_use]
    pub fn contract(self, registry: Arc<Registry>) -> Self {
        let lookup = Lookup::with([Arc::clone(&registry)]);
        Self { contract: Some(registry), lookup, ..self }
    }

    /// Believes the server's annotations on its tools: what only reads, or is idempotent, may be repeated.
    #[must_use]
    pub fn trust_annotations(self) -> Self {
        Self { traits: Traits::trusted(), ..self }
    }

    /// Calls a tool, as often as it takes and as it may be. Nothing is repeated that may have had an effect.
    pub async fn call_tool(&self, call: CallToolRequestParams) -> Ended<CallToolResult> {
        let chain = self.step(self.chain(), "server", call).await;
        self.run(chain).await
    }

    /// A chain of ways to make one call. Add servers by their [`Self::step`], then [`Self::run`] it.
    pub fn chain<'c>(&self) -> FallbackChain<'c, CallToolResult> {
        let limit = u64::try_from(self.time_limit.as_millis()).unwrap_or(u64::MAX);
        FallbackChain::new(heard::is_nothing)
            .policy(self.policy)
            .until(now().millis().saturating_add(limit))
    }

    /// Adds a call of a tool of this server to a chain.
    pub async fn step<'c>(
        &'c self,
        chain: FallbackChain<'c, CallToolResult>,
        name: &str,
        call: CallToolRequestParams,
    ) -> FallbackChain<'c, CallToolResult> {
        let traits = self.traits_of(&call.name).await;
        // The time of a step begins with its first attempt, not while others are tried.
        let first = OnceLock::new();
        chain.step(name, traits, move || {
            let call = call.clone();
            let started = *first.get_or_init(tokio::time::Instant::now);
            let until = started.checked_add(self.time_limit).unwrap_or(started + FOR_EVER);
            async move {
                let answer = tokio::time::timeout_at(until, self.service.call_tool(call.clone()));
                heard::heard(answer.await, &call, traits, self)
            }
        })
    }

    /// Makes the calls of a chain, with this client's budget.
    pub async fn run(&self, chain: FallbackChain<'_, CallToolResult>) -> Ended<CallToolResult> {
        chain.run(&Runtime, &self.budget).await
    }

    /// What is known about a tool: what its contract says, else what the server says, if it is believed.
    async fn traits_of(&self, tool: &str) -> ToolTraits {
        match self.contract.as_ref().and_then(|it| it.tools.get(tool)) {
            Some(row) if row.reads() || row.idempotent => {
                ToolTraits { read_only: row.reads(), idempotent: row.idempotent, trusted: true }
            }
            _ => self.traits.of(tool, &self.service).await,
        }
    }
}

/// The clock and the timer of the runtime.
struct Runtime;

impl Surroundings for Runtime {
    fn now_ms(&self) -> u64 {
        now().millis()
    }

    fn random(&self) -> u32 {
        Uuid::new_v4().as_fields().0
    }

    async fn wait(&self, ms: u64) {
        tokio::time::sleep(Duration::from_millis(ms)).await;
    }
}
