//! Whether a failed call may be made again without doing anything twice: the one rule for gate and clients.

use redress_registry::Effect;

use crate::{Fault, outcome::ToolTraits};

/// What is known about the effect of a call that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ground {
    /// The server never had it.
    NotSent,
    /// The server itself says what failed, by a code or a status: its row holds.
    #[default]
    Stated,
    /// It was made out from words, or from silence. That nothing was changed is a guess then.
    Guessed,
}

impl Ground {
    /// Every ground.
    pub const ALL: [Self; 3] = [Self::NotSent, Self::Stated, Self::Guessed];

    /// The name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotSent => "not_sent",
            Self::Stated => "stated",
            Self::Guessed => "guessed",
        }
    }

    /// The ground of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }
}

/// What making a failed call again would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeat {
    /// Nothing was changed, or nothing can be changed twice.
    Safe,
    /// The call may have changed something.
    Doubtful,
    /// The call was carried out: it would be done twice.
    Double,
}

impl Repeat {
    /// Every answer.
    pub const ALL: [Self; 3] = [Self::Safe, Self::Doubtful, Self::Double];

    /// The name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Doubtful => "doubtful",
            Self::Double => "double",
        }
    }
}

/// What making the call again would do, whether or not it helps.
pub const fn repeat(fault: &Fault, traits: ToolTraits, ground: Ground) -> Repeat {
    let is_harmless = traits.trusted && (traits.read_only || traits.idempotent);
    match (ground, fault.effect) {
        (Ground::NotSent, _) => Repeat::Safe,
        (_, Effect::Done) => Repeat::Double,
        // Whatever a tool is known for: this call is known to have changed something.
        (_, Effect::Partial) => Repeat::Doubtful,
        _ if is_harmless => Repeat::Safe,
        (Ground::Stated, Effect::None) => Repeat::Safe,
        (Ground::Stated | Ground::Guessed, _) => Repeat::Doubtful,
    }
}

/// Whether a failed call may be made again by a program: the one place that decides it.
///
/// It must be worth it, and it must do no harm.
pub const fn may_repeat(fault: &Fault, traits: ToolTraits, ground: Ground) -> bool {
    fault.retryable() && matches!(repeat(fault, traits, ground), Repeat::Safe)
}

#[cfg(test)]
mod tests {
    use redress_registry::{Effect, RetryKind};

    use super::{Ground, Repeat, may_repeat, repeat};
    use crate::{Fault, codes, outcome::ToolTraits};

    const NONE: ToolTraits = ToolTraits { read_only: false, idempotent: false, trusted: true };
    const READS: ToolTraits = ToolTraits { read_only: true, ..NONE };
    const AGAIN: ToolTraits = ToolTraits { idempotent: true, ..NONE };

    fn fault(code: codes::CoreCode) -> Fault {
        code.raise([] as [(&str, &str); 0])
    }

    #[test]
    fn a_call_is_repeated_only_if_it_helps_and_does_no_harm() {
        let crashed = fault(codes::UPSTREAM_CRASHED);
        let limited = fault(codes::RATE_LIMITED);
        let missing = fault(codes::NOT_FOUND);
        for (fault, traits, ground, expected) in [
            (&crashed, NONE, Ground::Guessed, false),
            (&crashed, NONE, Ground::NotSent, true),
            (&crashed, READS, Ground::Guessed, true),
            (&crashed, AGAIN, Ground::Guessed, true),
            (&crashed, NONE, Ground::Stated, false),
            (&limited, NONE, Ground::Stated, true),
            (&limited, NONE, Ground::Guessed, false),
            (&limited, READS, Ground::Guessed, true),
            (&missing, READS, Ground::Stated, false),
            (&missing, NONE, Ground::NotSent, false),
        ] {
            let seen = may_repeat(fault, traits, ground);
            assert_eq!(seen, expected, "{} {traits:?} {ground:?}", fault.code());
        }
        let boast = ToolTraits { trusted: false, ..READS };
        assert!(!may_repeat(&crashed, boast, Ground::Guessed), "nobody vouches for it");
    }

    #[test]
    fn what_was_done_would_be_done_twice() {
        let mut done = fault(codes::TIMEOUT);
        done.retry.kind = RetryKind::Now;
        done.effect = Effect::Done;
        assert_eq!(repeat(&done, NONE, Ground::Stated), Repeat::Double);
        assert_eq!(repeat(&done, AGAIN, Ground::Stated), Repeat::Double);
        done.effect = Effect::Partial;
        assert_eq!(repeat(&done, NONE, Ground::Stated), Repeat::Doubtful);
        assert_eq!(repeat(&done, READS, Ground::Guessed), Repeat::Doubtful);
        assert_eq!(repeat(&done, NONE, Ground::NotSent), Repeat::Safe, "an earlier one did it");
    }
}
