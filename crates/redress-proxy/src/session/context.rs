//! `Context`: what a failure is judged and explained by. Nothing here changes it.

use super::{catalog::Catalog, handshake::Handshake, tenancy::Tenancy, upstream::Upstream};
use crate::server::Server;

/// The parts of a session that say what a failure means: read-only.
#[derive(Debug, Clone, Copy)]
pub(super) struct Context<'s> {
    pub(super) server: &'s Server,
    pub(super) tenancy: &'s Tenancy,
    pub(super) upstream: &'s Upstream,
    pub(super) handshake: &'s Handshake,
    pub(super) catalog: &'s Catalog,
}

impl Context<'_> {
    /// Whether the upstream's session is over, and the client's with it.
    pub(super) fn is_over(&self) -> bool {
        self.handshake.is_expired() && !self.tenancy.reopens_upstream()
    }
}
