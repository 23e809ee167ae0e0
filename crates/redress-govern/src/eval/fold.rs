//! What a text is, as far as it can be told without running anything.

/// The value of an expression, where it is a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Text {
    /// This one.
    Known(String),
    /// One that is made of others when the code runs.
    Made,
    /// No text, or nobody knows.
    Other,
}

impl Text {
    /// The text of two, one after the other.
    pub(super) fn and(self, next: Self) -> Self {
        match (self, next) {
            (Self::Known(first), Self::Known(next)) => Self::Known(first + &next),
            (Self::Other, Self::Other) => Self::Other,
            _ => Self::Made,
        }
    }

    /// The more suspect of two that it may be.
    pub(super) fn or(self, other: Self, suspect: &dyn Fn(&str) -> bool) -> Self {
        match (&self, &other) {
            (Self::Known(text), _) if suspect(text) => self,
            (_, Self::Known(text)) if suspect(text) => other,
            (Self::Made, _) | (_, Self::Other) => self,
            _ => other,
        }
    }
}

/// How much more may be looked at: what is used up makes every text suspect.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effort {
    pub(super) depth: u8,
}

impl Effort {
    pub(super) const FULL: Self = Self { depth: 12 };

    pub(super) fn less(self) -> Option<Self> {
        Some(Self { depth: self.depth.checked_sub(1)? })
    }
}
