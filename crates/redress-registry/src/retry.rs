//! The other closed sets of a row: retry, effect, severity, stability, operation.

/// Declares a closed set with its names in files and on the wire.
macro_rules! closed {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$vdoc])* $variant,)+ }

        impl $name {
            /// Every member, in the order of declaration.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// The name in files and on the wire.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            /// The member of that name.
            pub fn parse(name: &str) -> Option<Self> {
                match name { $($text => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}

closed! {
    /// When the same call may be made again.
    RetryKind {
        /// At once.
        Now = "now",
        /// After a while, unchanged.
        AfterDelay = "after_delay",
        /// Only with other arguments.
        AfterChange = "after_change",
        /// Only after another call.
        AfterState = "after_state",
        /// Only after a person acted.
        AfterHuman = "after_human",
        /// Not at all. What is not known is `never`.
        Never = "never",
    }
}

closed! {
    /// Whether the failed call may have changed something.
    Effect {
        /// Nothing was changed.
        None = "none",
        /// It is not known.
        Unknown = "unknown",
        /// A part of it was done.
        Partial = "partial",
        /// It was done; what failed came after.
        Done = "done",
    }
}

closed! {
    /// How bad it is for the operator.
    Severity {
        /// Worth knowing.
        Info = "info",
        /// Worth a look.
        Warning = "warning",
        /// A call failed.
        Error = "error",
        /// An operator must act.
        Critical = "critical",
    }
}

closed! {
    /// Whether a row may still change freely.
    Stability {
        /// May change.
        Draft = "draft",
        /// Is contract.
        Stable = "stable",
    }
}

closed! {
    /// What a tool does, for the guards.
    Operation {
        /// Changes state.
        Command = "command",
        /// Reads state.
        Query = "query",
        /// Runs code that the caller wrote.
        Eval = "eval",
        /// Takes a picture.
        Screenshot = "screenshot",
        /// Reads logs.
        Logs = "logs",
        /// Looks at windows.
        WindowInfo = "window_info",
        /// Answers a dialog.
        Dialog = "dialog",
    }
}

impl Operation {
    /// Whether a tool that does no more than this changes nothing.
    pub const fn reads(self) -> bool {
        !matches!(self, Self::Command | Self::Eval | Self::Dialog)
    }
}

/// A retry rule: a kind and what it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Retry {
    /// When the same call may be made again.
    pub kind: RetryKind,
    /// The least time to wait, in milliseconds.
    pub after_ms: Option<u64>,
    /// How many repeats make sense.
    pub max: Option<u32>,
}

impl Retry {
    /// The rule of that kind and nothing else.
    pub const fn of(kind: RetryKind) -> Self {
        Self { kind, after_ms: None, max: None }
    }

    /// Wait `after_ms`, then send the same call.
    pub const fn after(after_ms: u64) -> Self {
        Self { kind: RetryKind::AfterDelay, after_ms: Some(after_ms), max: None }
    }

    /// The stricter of two rules: the later kind in the order of [`RetryKind`], the fewer repeats. Where both wait, the wait of
    /// `stated` counts, since a row's is only what holds when a server names none.
    #[must_use]
    pub fn stricter(self, stated: Self) -> Self {
        let kind = self.kind.max(stated.kind);
        let after_ms = stated.after_ms.or(self.after_ms);
        let max = match (self.max, stated.max) {
            (Some(one), Some(another)) => Some(one.min(another)),
            (one, another) => one.or(another),
        };
        let rule = Self { kind, after_ms, max };
        match kind {
            RetryKind::Now | RetryKind::AfterDelay => rule,
            _ => Self::of(kind),
        }
    }

    /// Whether a program may send the same call again by itself: now or after a delay.
    pub const fn retryable(self) -> bool {
        matches!(self.kind, RetryKind::Now | RetryKind::AfterDelay)
    }
}
