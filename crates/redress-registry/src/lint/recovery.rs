//! Recovery (`CK3xx`): what the caller can do must follow from the row, and hold.

mod advice;
mod contradictions;

use super::LintCheck;
use crate::rule::{
    Grade,
    Level::{Improvement, Violation},
    Rule,
};

pub(super) const CHECKS: &[LintCheck] = &[
    LintCheck {
        rule: Rule {
            id: "CK301",
            name: "missing-retry",
            grade: Grade::Level(Violation),
            summary: "A code does not say when the call may be made again.",
            why: "A caller that is not told repeats what cannot work, or gives up what would.",
            how_to_fix: "Set retry to now, after_delay, after_change, after_state, after_human or \
                         never.",
        },
        run: advice::missing_retry,
    },
    LintCheck {
        rule: Rule {
            id: "CK302",
            name: "state-without-next",
            grade: Grade::Level(Violation),
            summary: "A code is to be retried after another call, and names none.",
            why: "\"Do something else first\" helps only with what to do.",
            how_to_fix: "Name the call in next, or choose another kind of retry.",
        },
        run: advice::state_without_next,
    },
    LintCheck {
        rule: Rule {
            id: "CK303",
            name: "delay-without-time",
            grade: Grade::Level(Violation),
            summary: "A code is to be retried after a delay, and says neither how long nor how \
                      often.",
            why: "Every client would guess, and the quickest guess is a storm.",
            how_to_fix: "Set after_ms or max, or declare a parameter retry_after_ms that each \
                         failure fills.",
        },
        run: advice::delay_without_time,
    },
    LintCheck {
        rule: Rule {
            id: "CK304",
            name: "unsafe-retry",
            grade: Grade::Level(Improvement),
            summary: "A code can be repeated and may have had an effect, and a tool that is not \
                      idempotent answers with it.",
            why: "The repeat would do it twice: send, pay or delete again.",
            how_to_fix: "Say after_state with a next that looks first, or mark the tool as \
                         read_only or idempotent if it is.",
        },
        run: contradictions::unsafe_retry,
    },
    LintCheck {
        rule: Rule {
            id: "CK305",
            name: "retry-against-class",
            grade: Grade::Level(Violation),
            summary: "The kind of retry contradicts the class.",
            why: "A client that does not know the code acts by its class; the two must agree.",
            how_to_fix: "Change the class or the kind of retry, whichever is wrong.",
        },
        run: contradictions::retry_against_class,
    },
    LintCheck {
        rule: Rule {
            id: "CK306",
            name: "http-against-class",
            grade: Grade::Level(Violation),
            summary: "The HTTP status contradicts the class, or is not within 400 to 599.",
            why: "Proxies, browsers and clients act on the status alone.",
            how_to_fix: "Leave http out to get the status of the class, or choose one that fits.",
        },
        run: contradictions::http_against_class,
    },
    LintCheck {
        rule: Rule {
            id: "CK307",
            name: "unknown-next-tool",
            grade: Grade::Level(Violation),
            summary: "next names a tool that the registry does not have, although it lists tools.",
            why: "The caller would follow the advice into a second failure.",
            how_to_fix: "Name a tool that exists, or add its [tool.X].",
        },
        run: advice::unknown_next_tool,
    },
    LintCheck {
        rule: Rule {
            id: "CK308",
            name: "similar-without-param",
            grade: Grade::Level(Violation),
            summary: "similar names no parameter of the code.",
            why: "Nothing can be near to a value that does not exist.",
            how_to_fix: "Name one of the code's parameters, or declare it.",
        },
        run: advice::similar_without_param,
    },
    LintCheck {
        rule: Rule {
            id: "CK309",
            name: "human-without-name",
            grade: Grade::Level(Violation),
            summary: "A person must act, and the hint does not say who.",
            why: "A model that is not told whom to ask asks itself.",
            how_to_fix: "Say in the hint who acts: the user, the operator, the owner.",
        },
        run: advice::human_without_name,
    },
    LintCheck {
        rule: Rule {
            id: "CK310",
            name: "change-without-argument",
            grade: Grade::Level(Violation),
            summary: "Arguments must change, and neither a parameter nor the hint says which.",
            why: "A model that is not told what to change changes anything.",
            how_to_fix: "Declare the argument as a parameter, or name it in the hint.",
        },
        run: advice::change_without_argument,
    },
];
