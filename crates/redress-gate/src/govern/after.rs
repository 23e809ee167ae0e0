//! A policy that changes while sessions are open: one governor after the other, with all that they know.

use std::sync::Arc;

use super::{Governor, Policy};

impl Governor {
    /// A governor with another policy for the same server, which knows what the one before it knows, and learns what that one still does.
    #[must_use]
    pub fn after(before: &Self, policy: Policy) -> Self {
        Self { served: Arc::clone(&before.served), ..Self::instead_of(before, policy) }
    }

    /// A governor for another server under the same name: the sessions are the same, and their locks.
    #[must_use]
    pub fn instead_of(before: &Self, policy: Policy) -> Self {
        Self { state: Arc::clone(&before.state), ..Self::new(policy) }
    }
}
