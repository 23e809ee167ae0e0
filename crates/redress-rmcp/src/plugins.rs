//! The codes of a server that can change while it runs: those of its contract, and those that its plugins register.

use std::sync::{Arc, PoisonError, RwLock};

use redress::{ErrorStats, Fault, Tally};
use redress_registry::{Entry, Registry, plugin::Plugins, shipped};

/// The codes of a server, and how often each occurred.
#[derive(Debug)]
pub(crate) struct Codes {
    contract: Arc<Registry>,
    plugins: Plugins,
    now: RwLock<Now>,
}

/// The codes that count now.
#[derive(Debug)]
struct Now {
    registry: Arc<Registry>,
    tally: Tally<1>,
}

impl Codes {
    pub(crate) fn new(contract: Arc<Registry>) -> Self {
        let now = Now { registry: Arc::clone(&contract), tally: Tally::new(&contract) };
        Self { contract, plugins: Plugins::default(), now: RwLock::new(now) }
    }

    /// The contract with the codes and tools of the plugins.
    pub(crate) fn registry(&self) -> Arc<Registry> {
        Arc::clone(&self.now.read().unwrap_or_else(PoisonError::into_inner).registry)
    }

    pub(crate) fn count(&self, fault: &Fault) {
        self.now.read().unwrap_or_else(PoisonError::into_inner).tally.count_fault(fault, 0);
    }

    pub(crate) fn stats(&self, how: ErrorStats) -> String {
        self.now.read().unwrap_or_else(PoisonError::into_inner).tally.stats(how)
    }

    /// The row of a code: of a plugin, of the contract or of `core`.
    pub(crate) fn lookup(&self, code: &str) -> Option<Arc<Entry>> {
        self.registry().get(code).or_else(|| shipped::core().get(code)).map(Arc::clone)
    }

    /// Changes what plugins register. What was counted stays.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&Plugins) -> T) -> T {
        let end = change(&self.plugins);
        let mut now = self.now.write().unwrap_or_else(PoisonError::into_inner);
        let registry = Arc::new(self.plugins.taken_into(&self.contract));
        let tally = Tally::after(&now.tally, &registry);
        *now = Now { registry, tally };
        end
    }
}
