//! `Within`: where in a document a value stands, as far as that says what it loses.

use redress::secret::Hidden;

/// Where a value stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Within {
    /// Anywhere: its own words tell.
    Open,
    /// Below a name that hides it.
    Hidden(Hidden),
    /// Among a server's words in one line: only what is known goes, and what names of a document hide.
    Told,
    /// The envelope of a failure.
    Envelope,
    /// The details of one.
    Details,
    /// What a server answered with.
    Upstream,
}

/// Where in an envelope a server's words stand that were made one line.
const TOLD: &[(Within, &str, Within)] = &[
    (Within::Envelope, "server_text", Within::Told),
    (Within::Envelope, "details", Within::Details),
    (Within::Details, "upstream", Within::Upstream),
    (Within::Upstream, "data", Within::Told),
    (Within::Upstream, "useless_sample", Within::Told),
];

impl Within {
    /// Where a member stands.
    pub(super) fn under(self, key: &str) -> Self {
        if let Self::Hidden(hidden) = self {
            return Self::Hidden(hidden.under(key));
        }
        let further = || TOLD.iter().find(|it| it.0 == self && it.1 == key).map(|it| it.2);
        let plain = if self == Self::Told { Self::Told } else { Self::Open };
        Hidden::by(key).map_or_else(|| further().unwrap_or(plain), Self::Hidden)
    }

    /// The same, unless something beside the value hides it.
    pub(super) fn or_hidden(self, beside: Option<Hidden>) -> Self {
        match (self, beside) {
            (Self::Open | Self::Told, Some(hidden)) => Self::Hidden(hidden),
            _ => self,
        }
    }

    /// What a text there is looked through as.
    pub(super) const fn of_text(self) -> Self {
        if matches!(self, Self::Told) { self } else { Self::Open }
    }

    pub(super) fn hides_number(self) -> bool {
        matches!(self, Self::Hidden(hidden) if hidden.hides_number())
    }
}
