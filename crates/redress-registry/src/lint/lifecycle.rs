//! Lifecycle (`CK5xx`): when a code came, when it goes, and how long an exception lasts.

mod replacements;
mod versions;

use super::LintCheck;
use crate::rule::{
    Grade,
    Level::{Improvement, Violation},
    Rule,
};

pub(super) const CHECKS: &[LintCheck] = &[
    LintCheck {
        rule: Rule {
            id: "CK501",
            name: "bad-since",
            grade: Grade::Level(Violation),
            summary: "since is missing, is no version, or is later than the registry's version.",
            why: "A client decides by since whether a server can answer with a code.",
            how_to_fix: "Set since to the version that brought it, or to NEXT until the release.",
        },
        run: versions::bad_since,
    },
    LintCheck {
        rule: Rule {
            id: "CK502",
            name: "missing-reason",
            grade: Grade::Level(Violation),
            summary: "A code is deprecated without a reason, or retired without a why.",
            why: "Whoever still uses it must decide what to do, and needs to know why.",
            how_to_fix: "Say in a sentence why it goes.",
        },
        run: replacements::missing_reason,
    },
    LintCheck {
        rule: Rule {
            id: "CK503",
            name: "bad-replacement",
            grade: Grade::Level(Violation),
            summary: "The replacement of a code does not exist, goes away itself, leads back, or \
                      lacks parameters of the old code.",
            why: "Whoever follows the advice must arrive at a code that lasts and tells as much.",
            how_to_fix: "Point to at a code that stays and has the old code's parameters.",
        },
        run: replacements::bad_replacement,
    },
    LintCheck {
        rule: Rule {
            id: "CK504",
            name: "until-passed",
            grade: Grade::Level(Improvement),
            summary: "A deprecated code is still there although its until has come, or until is \
                      no version.",
            why: "A deadline that is not kept is not believed the next time.",
            how_to_fix: "Retire the code, or move until to a later version.",
        },
        run: versions::until_passed,
    },
    LintCheck {
        rule: Rule {
            id: "CK505",
            name: "next-in-release",
            grade: Grade::Level(Violation),
            summary: "since is NEXT and the registry's version is a release.",
            why: "Released, NEXT would mean another version every time.",
            how_to_fix: "Write the version in place of NEXT, or give the registry a pre-release \
                         version such as 1.2.0-dev while it is worked on.",
        },
        run: versions::next_in_release,
    },
];
