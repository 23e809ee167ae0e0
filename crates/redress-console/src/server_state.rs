//! `ServerState`: what a server does now, where servers are served.

/// The state of a server that is served now.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ServerState {
    /// Its name.
    pub name: String,
    /// What it does, in a few words.
    pub state: String,
    /// Whether that is as it should be.
    pub is_fine: bool,
    /// The calls in progress, where that is known.
    pub in_flight: Option<u64>,
    /// How often its process was started anew.
    pub restarts: u64,
}
