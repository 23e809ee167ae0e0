//! What is known of a place of a payload, and how it follows from what is known of another.

/// It may be a member that was chosen.
pub(super) const CHOSEN: u8 = 1;
/// The same, if a function that nobody knows gives back what it gets.
pub(super) const PERHAPS: u8 = 2;
/// One may be in it.
pub(super) const HOLDS: u8 = 4;
/// Called, it may give one.
pub(super) const GIVES: u8 = 8;
/// Called, it may give what gives one.
pub(super) const GIVES_LATER: u8 = 16;

/// How what is known of one place follows from what is known of another.
#[derive(Clone, Copy)]
pub(super) enum Way {
    /// It is the same.
    Same,
    /// The other is what it was, with what was put into it.
    Back,
    /// It is in the other.
    Taken,
    /// The other is in it.
    Put,
    /// A function gets the other, and calls what it likes.
    Through { is_known: bool },
    /// The other is called.
    Called,
    /// A method of the other is called.
    Method { is_known: bool },
    /// A function is called with what it, or something in it, may be.
    Handed,
    /// A function gives it.
    Given,
}

impl Way {
    /// What is known of one by what is known of the other.
    pub(super) fn follow(self, bits: u8) -> u8 {
        const ANY: u8 = CHOSEN | PERHAPS | HOLDS;
        let all = |has: u8, then: u8| if bits & has == 0 { 0 } else { then };
        let gives = bits & (GIVES | GIVES_LATER);
        match self {
            Self::Same => bits,
            Self::Back => all(HOLDS | GIVES, HOLDS),
            Self::Taken => all(HOLDS, CHOSEN | HOLDS) | gives,
            Self::Put => all(ANY, HOLDS) | gives,
            Self::Through { is_known } => {
                let chosen = if is_known { CHOSEN } else { PERHAPS };
                all(ANY | GIVES, chosen | HOLDS) | all(GIVES_LATER, GIVES) | gives
            }
            Self::Called => all(GIVES, CHOSEN | HOLDS) | all(GIVES_LATER, GIVES | GIVES_LATER),
            Self::Method { is_known } => {
                let chosen = if is_known { CHOSEN } else { PERHAPS };
                all(HOLDS, chosen | HOLDS) | all(GIVES, PERHAPS | HOLDS)
            }
            Self::Handed => all(ANY, CHOSEN | HOLDS) | gives,
            Self::Given => all(ANY, GIVES) | all(GIVES | GIVES_LATER, GIVES_LATER),
        }
    }
}
