//! Identity (`CK1xx`): names, numbers and aliases that can stand for ever.

mod aliases;
mod names;
mod near;
mod numbers;

use super::LintCheck;
use crate::rule::{
    Grade,
    Level::{Improvement, Information, Violation},
    Rule,
};

pub(super) const CHECKS: &[LintCheck] = &[
    LintCheck {
        rule: Rule {
            id: "CK101",
            name: "malformed-name",
            grade: Grade::Level(Violation),
            summary: "A code is not SCREAMING_SNAKE, or a parameter is not lower_snake.",
            why: "Names are constants in every language and labels in every log; another shape \
                  needs a translation at each border.",
            how_to_fix: "Write codes as words of capitals and digits joined by one underscore, \
                         parameters as words of small letters.",
        },
        run: names::malformed,
    },
    LintCheck {
        rule: Rule {
            id: "CK102",
            name: "name-length",
            grade: Grade::Level(Violation),
            summary: "A code has fewer than 3 or more than 63 characters.",
            why: "Shorter names tell nothing; longer ones are cut or refused by some clients.",
            how_to_fix: "Name the subject and the condition, in 3 to 63 characters.",
        },
        run: names::length,
    },
    LintCheck {
        rule: Rule {
            id: "CK103",
            name: "duplicate-number",
            grade: Grade::Level(Violation),
            summary: "Two codes, or a code and a tombstone, have the same number.",
            why: "A JSON-RPC client knows a failure by its number alone.",
            how_to_fix: "Give the newer code a number that no code and no tombstone ever had.",
        },
        run: numbers::duplicate,
    },
    LintCheck {
        rule: Rule {
            id: "CK104",
            name: "reserved-number",
            grade: Grade::Level(Violation),
            summary: "A number or a domain's range lies in -32768 to -32000.",
            why: "JSON-RPC and MCP own that range; a client takes such a number for an error of \
                  the protocol.",
            how_to_fix: "Use a positive number from the domain's range.",
        },
        run: numbers::reserved,
    },
    LintCheck {
        rule: Rule {
            id: "CK105",
            name: "number-out-of-range",
            grade: Grade::Level(Violation),
            summary: "A number is outside its domain's range, or two domains own the same numbers.",
            why: "The range is how a reader finds the owner of a number that he does not know.",
            how_to_fix: "Take a number inside the domain's range, or a range that touches no other.",
        },
        run: numbers::out_of_range,
    },
    LintCheck {
        rule: Rule {
            id: "CK106",
            name: "colliding-name",
            grade: Grade::Level(Violation),
            summary: "Two names are one name when case is ignored or when they become constants \
                      or variants, or the name of a tombstone is used again.",
            why: "Generated TypeScript, Python and Rust would define one name twice, and a dead \
                  name would speak again.",
            how_to_fix: "Give the newer code a name that differs in more than case, separators \
                         and word breaks.",
        },
        run: names::colliding,
    },
    LintCheck {
        rule: Rule {
            id: "CK107",
            name: "near-duplicate-name",
            grade: Grade::Level(Improvement),
            summary: "Two codes differ by a typo, by a plural, or by the order of their words.",
            why: "Twins get mixed up; two failures that a caller handles alike are one code.",
            how_to_fix: "Keep one of the two, or name what is different.",
        },
        run: near::near_duplicate,
    },
    LintCheck {
        rule: Rule {
            id: "CK108",
            name: "vague-name",
            grade: Grade::Level(Violation),
            summary: "A code begins with E_ or ERR_, ends with _ERROR, has only vague words, or \
                      holds a version or a bare number.",
            why: "Every code is an error, so the affix tells nothing; versions and numbers age, \
                  and the name cannot.",
            how_to_fix: "Name the subject and the condition, such as FILE_NOT_FOUND.",
        },
        run: names::vague,
    },
    LintCheck {
        rule: Rule {
            id: "CK109",
            name: "colliding-alias",
            grade: Grade::Level(Violation),
            summary: "In one dialect two codes have the same spelling.",
            why: "Whoever reads that dialect cannot tell which code was meant.",
            how_to_fix: "Give each code a spelling of its own in that dialect.",
        },
        run: aliases::colliding,
    },
    LintCheck {
        rule: Rule {
            id: "CK110",
            name: "bad-namespace",
            grade: Grade::Level(Violation),
            summary: "A namespace is malformed, reserved, or not the one of the plugin's file.",
            why: "The namespace says who answers for a code; core, mcp, rpc, test and x would \
                  speak for others.",
            how_to_fix: "Use small letters, digits and dashes, at most 32, and in a plugin's file \
                         its own namespace.",
        },
        run: names::bad_namespace,
    },
    LintCheck {
        rule: Rule {
            id: "CK111",
            name: "number-gap",
            grade: Grade::Level(Information),
            summary: "Between two numbers of a domain ten or more are free.",
            why: "Numbers in a row are easy to read and leave the end of the range for later; a gap looks like codes that were lost.",
            how_to_fix: "Take the next free number, unless the gap is reserved for related codes.",
        },
        run: numbers::gap,
    },
];
