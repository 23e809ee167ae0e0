//! `OwnEnvelope`: the envelope that a trusted server wrote itself, as it is kept in a fault.

/// An envelope as a server wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnEnvelope {
    /// The name of its dialect.
    pub(crate) dialect: &'static str,
    /// The document; in the dialect `rpc` its `error`.
    pub(crate) text: String,
    /// Its dialect has a place for the effect.
    pub(crate) has_effect: bool,
    /// Its dialect has a place for the next steps.
    pub(crate) has_next_actions: bool,
}

impl OwnEnvelope {
    /// Whether the next steps of its fault are those that the server named.
    pub const fn has_next_actions(&self) -> bool {
        self.has_next_actions
    }
}
