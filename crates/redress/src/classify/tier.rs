//! The tiers of evidence, strongest first, and what one of them finds.

use std::borrow::Cow;

use redress_registry::{Effect, RetryKind};

use crate::fault::{Basis, Violation};

/// The kind of evidence that decided what a failure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// An envelope of a known dialect, or a code of the server's contract.
    Stated,
    /// A `[[match]]` row of the contract.
    Taught,
    /// The transport, the process, an HTTP status or a JSON-RPC number.
    Protocol,
    /// The form in which a validator, a runtime or a program reports.
    Format,
    /// Words.
    Prose,
    /// Nothing: all that is known is that it failed.
    Unknown,
}

impl Tier {
    /// Every tier, strongest first.
    pub const ALL: [Self; 6] =
        [Self::Stated, Self::Taught, Self::Protocol, Self::Format, Self::Prose, Self::Unknown];

    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stated => "stated",
            Self::Taught => "taught",
            Self::Protocol => "protocol",
            Self::Format => "format",
            Self::Prose => "prose",
            Self::Unknown => "unknown",
        }
    }

    /// The basis that an envelope names: forms and words are both inferred.
    pub const fn basis(self) -> Basis {
        match self {
            Self::Stated => Basis::Stated,
            Self::Taught => Basis::Taught,
            Self::Protocol => Basis::Protocol,
            Self::Format | Self::Prose | Self::Unknown => Basis::Inferred,
        }
    }
}

/// How a failure came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// A result with `isError`.
    Tool,
    /// A JSON-RPC error.
    Rpc,
    /// An HTTP status.
    Http,
    /// A result that does not say that it failed.
    Silent,
    /// Bytes that are no message.
    Malformed,
    /// A pipe that closed.
    Closed,
    /// A process that ended.
    Exit,
    /// Nothing in time.
    Deadline,
    /// A refusal by this side.
    Refusal,
}

impl Source {
    /// Whether the server answered in the protocol.
    pub(crate) const fn is_answer(self) -> bool {
        matches!(self, Self::Tool | Self::Rpc)
    }

    /// Whether a message of the server came, over whatever transport.
    pub(crate) const fn is_transport(self) -> bool {
        matches!(self, Self::Rpc | Self::Http)
    }
}

/// What a tier concludes.
#[derive(Debug, Clone)]
pub(super) struct Finding<'f> {
    pub(super) tier: Tier,
    /// The rule that decided.
    pub(super) rule: Cow<'f, str>,
    pub(super) code: Cow<'f, str>,
    /// When to call again, where the row of the code says otherwise.
    pub(super) retry: Option<RetryKind>,
    /// The effect, where the row of the code says otherwise.
    pub(super) effect: Option<Effect>,
    /// The arguments that are wrong.
    pub(super) violations: Vec<Violation>,
    /// The path that the failure is about, where a format names it.
    pub(super) path: Option<String>,
    /// Values that a taught row captured, by the names of the code's parameters.
    pub(super) captures: Vec<(String, String)>,
    /// A validator refused the arguments, before they had an effect.
    pub(super) is_of_validator: bool,
    /// What is wrong is the name of an argument.
    pub(super) misnamed: bool,
    /// The failure is one of the program or query that the caller handed over.
    pub(super) blames_program: bool,
}

impl<'f> Finding<'f> {
    pub(super) fn new(
        tier: Tier,
        rule: impl Into<Cow<'f, str>>,
        code: impl Into<Cow<'f, str>>,
    ) -> Self {
        Self {
            tier,
            rule: rule.into(),
            code: code.into(),
            retry: None,
            effect: None,
            violations: Vec::new(),
            path: None,
            captures: Vec::new(),
            is_of_validator: false,
            misnamed: false,
            blames_program: false,
        }
    }

    /// What is left when no tier speaks.
    pub(super) fn unknown() -> Self {
        Self::new(Tier::Unknown, "unknown", crate::codes::UNKNOWN_TOOL_FAILURE.name())
    }

    pub(super) const fn retry(mut self, kind: RetryKind) -> Self {
        self.retry = Some(kind);
        self
    }

    pub(super) const fn effect(mut self, effect: Effect) -> Self {
        self.effect = Some(effect);
        self
    }
}
