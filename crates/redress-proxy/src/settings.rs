//! `Settings`: how one server is gated.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use redress::{
    Dialect, ErrorStats,
    emit::Emission,
    fault::{Policy, StackPolicy},
    text::tokens::DEFAULT_DETAILS_BYTES,
};
use redress_ledger::Redactor;
use redress_registry::Registry;

pub use crate::{
    breaker::BreakerRule,
    limits::{LimitRule, Rate},
    loop_guard::LoopRule,
    retry::RetryRule,
};

/// How one server is gated.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the file, or follows from one")]
pub struct Settings {
    /// The server's name in faults and in the ledger.
    pub server: String,
    /// The program that is started for it.
    pub program: String,
    /// How far the gate goes.
    pub mode: Mode,
    /// The shape of envelope that clients get.
    pub dialect: Dialect,
    /// The codes that the server itself may use.
    pub contract: Arc<Registry>,
    /// How long a request may take.
    pub deadline: Duration,
    /// How long a call of these tools may take.
    pub tool_deadlines: BTreeMap<String, Duration>,
    /// The longest message, in bytes.
    pub max_message: usize,
    /// Whether a card quotes what the server wrote.
    pub server_text: ServerText,
    /// How much of a stack is shown, as the environment says.
    pub stack: StackPolicy,
    /// The largest `details` of an envelope, in bytes.
    pub details_bytes: usize,
    /// Whether the descriptions of tools name the codes that the contract lists for them.
    pub describe: bool,
    /// Whether the results of calls that succeed say what they cost.
    pub meter: bool,
    /// Whether the server's own words about a code of its contract reach the client.
    pub trust: bool,
    /// Whether it is built in: what it does not flag is no failure, whatever a file says that it shows.
    pub is_ours: bool,
    /// Whether the server is believed when it calls a tool read-only or idempotent.
    pub trust_annotations: bool,
    /// Takes secrets out of what the server wrote.
    pub redactor: Arc<Redactor>,
    /// Which failed calls are made again.
    pub retry: RetryRule,
    /// When calls are paused because the server is out of reach.
    pub breaker: BreakerRule,
    /// When a repeated call is answered without asking the server.
    pub loop_guard: LoopRule,
    /// How many calls are too many.
    pub limits: LimitRule,
    /// How many bytes of failures are recorded an hour, on average.
    pub fault_bytes_per_hour: u64,
    /// Whether the gate answers `sys/errorStats`.
    pub error_stats: Option<ErrorStats>,
}

impl Settings {
    /// The settings of a server without any of its own. Its failures are recorded without a limit.
    pub fn new(server: String, contract: Arc<Registry>, redactor: Arc<Redactor>) -> Self {
        Self {
            server,
            program: String::new(),
            mode: Mode::Enforce,
            dialect: Dialect::Native,
            contract,
            deadline: Duration::from_secs(55),
            tool_deadlines: BTreeMap::new(),
            max_message: 16 << 20,
            server_text: ServerText::Quote,
            stack: StackPolicy::Hidden,
            details_bytes: DEFAULT_DETAILS_BYTES,
            describe: false,
            meter: false,
            trust: false,
            is_ours: false,
            trust_annotations: false,
            redactor,
            retry: RetryRule::default(),
            breaker: BreakerRule::default(),
            loop_guard: LoopRule::default(),
            limits: LimitRule::default(),
            fault_bytes_per_hour: u64::MAX,
            error_stats: None,
        }
    }

    /// How long a request may take.
    pub(crate) fn deadline_of(&self, tool: Option<&str>) -> Duration {
        if self.tool_deadlines.is_empty() {
            return self.deadline;
        }
        let own = tool.and_then(|it| self.tool_deadlines.get(it));
        own.copied().unwrap_or(self.deadline)
    }

    /// The most bytes that wait for a server that is not ready.
    pub(crate) const fn queue_limit(&self) -> usize {
        self.max_message.saturating_mul(2)
    }

    /// How failures are emitted.
    pub fn emission(&self) -> Emission<'_> {
        Emission {
            policy: Policy { stack: self.shown_stack(), redact: &*self.redactor },
            hides_server_text: self.server_text == ServerText::Hide,
            details_bytes: self.details_bytes,
        }
    }

    /// How much of a stack is shown. Every stack is in the words of the server, so that hiding these hides it.
    pub(crate) fn shown_stack(&self) -> StackPolicy {
        match self.server_text {
            ServerText::Hide => StackPolicy::Hidden,
            ServerText::Quote | ServerText::Full => self.stack,
        }
    }

    /// No request that comes from now on is due before that time.
    pub fn shortest_deadline(&self) -> Duration {
        self.tool_deadlines.values().copied().fold(self.deadline, Duration::min)
    }
}

/// How far the gate goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Answers pass as they are; failures are recorded.
    Observe,
    /// Answers get an envelope beside what they say.
    Annotate,
    /// Failures are answered by the contract.
    Enforce,
}

impl Mode {
    /// The name in files and records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Observe => "observe",
            Self::Annotate => "annotate",
            Self::Enforce => "enforce",
        }
    }
}

/// Whether a card quotes what the server wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerText {
    /// In quotes, and below the card where it was cut.
    Quote,
    /// The same, and more of it below the card.
    Full,
    /// Not at all.
    Hide,
}
