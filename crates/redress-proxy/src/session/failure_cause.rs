//! `FailureCause`: why a request fails although it has no answer that could be judged.

use std::time::Instant;

use redress::outcome::Malformed;
use redress::{Fault, outcome::What};

use super::{interface::HttpFailure, repeated_failure::KnownFailure};
use crate::{frame::Unreadable, limits::LimitExceeded, upstream_id::UpstreamId};

/// Why a request fails although it has no answer that could be judged.
#[derive(Debug)]
pub(super) enum FailureCause<'a> {
    /// What its upstream did.
    Outcome(What<'a>),
    /// How its POST failed.
    Http(&'a HttpFailure<'a>),
    /// Its upstream wrote something that is no message; whether that names this request alone.
    NotAMessage { line: &'a [u8], why: Unreadable, id: UpstreamId, is_alone: bool },
    /// The gate does not ask its upstream, or waits no longer.
    Refusal(RefusalCause),
}

/// Why the gate does not ask an upstream, or waits no longer for its answer.
#[derive(Debug)]
pub(super) enum RefusalCause {
    /// The upstream crashes all the time.
    Parked { until: Instant },
    /// Calls are paused, because the upstream is out of reach.
    CircuitOpen { until: Instant },
    /// The answer does not fit into the memory that the gate may use.
    OutOfMemory,
    /// Too much is in progress.
    Overloaded,
    /// The client asks more than it may.
    LimitExceeded(LimitExceeded),
    /// Failures cannot be recorded.
    Unrecorded,
    /// The gate ends.
    Closing,
    /// The client is gone.
    ClientGone,
    /// The client's message is not a request.
    Malformed(Malformed),
    /// The task that it names is not the client's own.
    UnknownTask,
    /// The governor refuses it.
    Governed(Box<Fault>),
    /// It failed, and must not be made again after all.
    NotRepeated(Box<Fault>),
    /// The same call failed again and again in the same way.
    Repeated { failure: KnownFailure, times: u32 },
    /// Several clients share the upstream, and it would show them what belongs to one of them.
    Unshared,
}

impl<'a> From<What<'a>> for FailureCause<'a> {
    fn from(outcome: What<'a>) -> Self {
        Self::Outcome(outcome)
    }
}

impl From<RefusalCause> for FailureCause<'_> {
    fn from(refusal: RefusalCause) -> Self {
        Self::Refusal(refusal)
    }
}

impl FailureCause<'_> {
    /// Whether the upstream itself was out of reach. A refusal of the gate says nothing about it.
    pub(super) const fn is_out_of_reach(&self) -> bool {
        match self {
            Self::Http(HttpFailure::Status { status, .. }) => matches!(status, 502..=504),
            Self::Http(HttpFailure::OutOfMemory) | Self::NotAMessage { .. } | Self::Refusal(_) => {
                false
            }
            Self::Http(_) => true,
            Self::Outcome(what) => matches!(
                what,
                What::Exited { .. } | What::Killed(_) | What::NotStarted(_) | What::NotOpened
            ),
        }
    }

    /// Whether the upstream was not asked.
    pub(super) const fn is_refusal(&self) -> bool {
        let Self::Refusal(refusal) = self else { return false };
        match refusal {
            RefusalCause::Parked { .. }
            | RefusalCause::CircuitOpen { .. }
            | RefusalCause::Overloaded
            | RefusalCause::LimitExceeded(_)
            | RefusalCause::Unrecorded
            | RefusalCause::Malformed(_)
            | RefusalCause::UnknownTask
            | RefusalCause::Unshared
            | RefusalCause::Repeated { .. }
            | RefusalCause::Governed(_) => true,
            RefusalCause::OutOfMemory
            | RefusalCause::Closing
            | RefusalCause::ClientGone
            | RefusalCause::NotRepeated(_) => false,
        }
    }
}
