//! What does not keep the rules about modules yet. The lists only shrink: an entry that is no longer needed is a problem.

/// The exceptions of one crate.
pub(super) struct Exceptions {
    /// The name of the crate's folder.
    pub(super) name: &'static str,
    /// Top modules that are in an import cycle.
    pub(super) cycles: &'static [&'static str],
    /// Types whose methods stand in several files, each by its path in the crate.
    pub(super) methods: &'static [&'static str],
}

/// By crate.
pub(super) const EXCEPTIONS: &[Exceptions] = &[
    Exceptions {
        name: "redress",
        cycles: &[],
        methods: &[
            "classify::answer::Judge",
            "fault::Fault",
            "fault::parts::Violation",
            "tally::Tally",
        ],
    },
    Exceptions {
        name: "redress-cli",
        cycles: &[],
        methods: &["config::Config", "config::compare::rules::Rules", "config::governance::Preset"],
    },
    Exceptions {
        name: "redress-ledger",
        cycles: &[],
        methods: &[
            "commit::Inner",
            "commit::Queue",
            "record::Record",
            "verify::walk::Walk",
            "writer::Writer",
        ],
    },
    Exceptions {
        name: "redress-rmcp",
        cycles: &[],
        methods: &["contract::Contract", "schema::shape::SchemaShape"],
    },
    Exceptions { name: "xtask", cycles: &[], methods: &["packages::Bench"] },
];
