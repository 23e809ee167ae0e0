//! The time and the environment: this crate is the boundary that reads them, so that `redress` need not.

use std::{env, sync::Arc, time::SystemTime};

use redress::{BadSample, ErrorStats, fault::StackPolicy};
use redress_ledger::{Clock, Time};

/// The system's clock, for a ledger: `Ledger::open(Options::new(dir, key, clock()))`.
pub fn clock() -> Clock {
    Arc::new(now)
}

/// The time.
pub(crate) fn now() -> Time {
    #[expect(clippy::disallowed_methods, reason = "this is the boundary where time is stamped")]
    let now = SystemTime::now();
    let since = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Time::from_millis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// What `MCP_ERROR_METRICS` and `MCP_ERROR_METRICS_SAMPLE` say about `sys/errorStats`.
#[expect(clippy::disallowed_methods, reason = "a server that calls this asks for the environment")]
pub fn error_stats_from_env() -> Result<Option<ErrorStats>, BadSample> {
    let (switch, sample) = (env::var(ErrorStats::SWITCH), env::var(ErrorStats::SAMPLE));
    ErrorStats::from_switches(switch.ok().as_deref(), sample.ok().as_deref())
}

/// What `DEBUG_STACK` and `MCP_ERRORS_VERBOSE` say about stacks.
#[expect(clippy::disallowed_methods, reason = "whoever starts the server decides what callers see")]
pub(crate) fn shown_stack() -> StackPolicy {
    let [debug, verbose] = StackPolicy::SWITCHES.map(|it| env::var(it).ok());
    StackPolicy::from_switches(debug.as_deref(), verbose.as_deref())
}
