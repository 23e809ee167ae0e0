//! Closed sets: their names and meanings, for the file, its page and the command line alike.

use clap::builder::{PossibleValue, TypedValueParser};
use redress::Dialect;
use redress_gate::{
    OnLedgerFailure,
    serve::Sharing,
    settings::{Mode, ServerText},
};

use redress_registry::{Effect, problems::quoted};

use super::{
    governance::{Confine, Preset},
    kind::ValueKind,
    table::{Given, Reading},
    value::{Shown, Value},
};
use crate::choice::one_of;

/// A closed set of values with names.
pub(crate) trait Choice: Copy + PartialEq + Send + Sync + 'static {
    /// Value, name and meaning of each.
    const ALL: &'static [(Self, &'static str, &'static str)];

    /// The value of that name.
    fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|it| it.1 == name).map(|it| it.0)
    }

    /// What it is called.
    fn name(&self) -> &'static str {
        Self::ALL.iter().find(|it| it.0 == *self).map_or("", |it| it.1)
    }
}

/// An option of the command line with these values.
pub(crate) fn parser<C: Choice>() -> impl TypedValueParser<Value = C> {
    let value = |it: &(C, &'static str, &'static str)| match it.2 {
        "" => PossibleValue::new(it.1),
        meaning => PossibleValue::new(it.1).help(meaning),
    };
    one_of(C::ALL.iter().map(value), C::parse)
}

impl Choice for Mode {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Observe, Self::Observe.name(), "Answers pass as they are; failures are recorded"),
        (Self::Annotate, Self::Annotate.name(), "Answers get an envelope beside what they say"),
        (Self::Enforce, Self::Enforce.name(), "Failures are answered by the contract"),
    ];
}

impl Choice for ServerText {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Quote, "quote", "In quotes; where it was cut, up to 4 KiB of it in a second block"),
        (Self::Full, "full", "The same, with up to 16 KiB in the second block"),
        (Self::Hide, "hide", "Not at all"),
    ];
}

impl Choice for Effect {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Self::None, Self::None.name(), "Nothing was changed"),
        (Self::Unknown, Self::Unknown.name(), "Something may have been changed"),
        (Self::Partial, Self::Partial.name(), "A part of it was done"),
        (Self::Done, Self::Done.name(), "It was done"),
    ];
}

impl Choice for OnLedgerFailure {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (
            Self::Closed,
            "closed",
            "The client hears that it could not be recorded, and nothing else",
        ),
        (Self::Open, "open", "The client hears of the failure all the same"),
    ];
}

/// `docs/reference/dialects.md` describes each.
impl Choice for Dialect {
    #[expect(clippy::indexing_slicing, reason = "an index out of bounds would not compile")]
    const ALL: &'static [(Self, &'static str, &'static str)] = &{
        let mut all = [(Self::Native, "", ""); Self::ALL.len()];
        let mut at = 0;
        while at < all.len() {
            all[at] = (Self::ALL[at], Self::ALL[at].name(), "");
            at += 1;
        }
        all
    };
}

impl Choice for Sharing {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Self::PerSession, "per_session", "Each session of a client has a server of its own"),
        (Self::Shared, "shared", "All sessions use one server"),
    ];
}

impl Choice for Preset {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[(
        Self::AtlasGate,
        "atlas-gate",
        "Any failure locks; the roles ANTIGRAVITY and WINDSURF; the dialect atlas-gate",
    )];
}

impl Choice for Confine {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[(
        Self::State,
        "state",
        "Servers may write everywhere but in the ledger and beside the keys, and cannot read the keys",
    )];
}

impl Value for Confine {
    fn read(given: &Given<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        match given.value.get_ref().as_bool() {
            Some(true) => Some(Self::Workspace),
            Some(false) => Some(Self::Off),
            None => read(given, reading),
        }
    }

    fn kind() -> ValueKind {
        ValueKind::FlagOr(<Self as Choice>::ALL.iter().map(|it| (it.1, it.2)).collect())
    }

    fn shown(&self) -> Shown {
        match self {
            Self::Off => false.shown(),
            Self::Workspace => true.shown(),
            Self::State => Shown::text(Choice::name(self)),
        }
    }
}

/// Each can stand behind a key.
macro_rules! values {
    ($($Choice:ty),+) => {$(
        impl Value for $Choice {
            fn read(given: &Given<'_>, reading: &mut Reading<'_>) -> Option<Self> {
                read(given, reading)
            }

            fn kind() -> ValueKind {
                ValueKind::Choice(<Self as Choice>::ALL.iter().map(|it| (it.1, it.2)).collect())
            }

            fn shown(&self) -> Shown {
                Shown::text(Choice::name(self))
            }
        }
    )+};
}

values!(Mode, ServerText, Effect, OnLedgerFailure, Dialect, Sharing, Preset);

fn read<C: Choice>(given: &Given<'_>, reading: &mut Reading<'_>) -> Option<C> {
    let name = given.text(reading)?;
    let member = C::parse(name);
    if member.is_none() {
        let names: Vec<&str> = C::ALL.iter().map(|it| it.1).collect();
        let meant = reading.problems.nearest(name, names.iter().copied());
        let (path, names) = (&given.path, names.join(", "));
        let message = format!("`{path}` is one of {names}, not {}.", quoted(name));
        reading.problems.add_meant(given.value.span().start, message, meant);
    }
    member
}
