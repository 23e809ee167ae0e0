//! `Inherit`: which variables of the gate's environment a server gets besides the usual ones.

use super::{
    kind::ValueKind,
    table::{Given, Reading},
    value::{Shown, Value},
};

/// The word for all of them.
const ALL: &str = "all";

/// Which variables of the gate's environment a server behind `redress serve` gets besides the usual ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inherit {
    /// Those of these names.
    Named(Vec<String>),
    /// Every one.
    All,
}

impl Inherit {
    /// Whether a variable is one of them.
    pub(crate) fn has(&self, name: &str) -> bool {
        match self {
            Self::Named(names) => names.iter().any(|it| it == name),
            Self::All => true,
        }
    }
}

impl Value for Inherit {
    fn read(given: &Given<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        let value = given.value.get_ref();
        if value.as_str() == Some(ALL) {
            return Some(Self::All);
        }
        if !value.is_array() {
            given.refuse_type(reading, "a list of names or \"all\"");
            return None;
        }
        let names = Vec::<String>::read(given, reading)?;
        if names.iter().any(|it| it.contains('=')) {
            given.refuse(reading, "has a name that no variable can have");
            return None;
        }
        Some(Self::Named(names))
    }

    fn kind() -> ValueKind {
        ValueKind::ListOr(Box::new(String::kind()), ALL)
    }

    fn shown(&self) -> Shown {
        match self {
            Self::Named(names) => names.shown(),
            Self::All => Shown::text(ALL),
        }
    }
}
