//! A policy that changes while sessions are open: one governor after the other, with all that they know.

use std::sync::Arc;

use super::{Governor, Policy};

impl Governor {
    /// A governor with another policy for the same server, which knows what the one before it knows, and learns what that one still does.
    #[must_use]
    pub fn after(before: &Self, policy: Policy) -> Self {
        Self { state: Arc::clone(&before.state), ..Self::new(policy) }
    }
}
