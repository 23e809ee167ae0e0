//! Codes as classes of Python: an exception for each, whose keyword arguments are the code's parameters.

use std::sync::Arc;

use redress_registry::{Entry, Param};

use super::{kind, literal};

/// Names that the module or Python has for something else.
const RESERVED: &[&str] = &[
    "Any",
    "Attempt",
    "Basis",
    "Budget",
    "Class",
    "Code",
    "Context",
    "Contract",
    "Decision",
    "Deprecated",
    "Dialect",
    "Effect",
    "Ended",
    "False",
    "FallbackChain",
    "Fault",
    "FaultError",
    "Final",
    "Ground",
    "Literal",
    "Mapping",
    "NextAction",
    "NextCall",
    "None",
    "NotRequired",
    "Origin",
    "Param",
    "Policy",
    "Retry",
    "RetryKind",
    "Row",
    "Rule",
    "Severity",
    "StopReason",
    "Tool",
    "Traits",
    "True",
    "Try",
    "TypeVar",
    "TypedDict",
    "UnknownCodeError",
];

/// Words that cannot name a keyword argument.
const KEYWORDS: &[&str] = &[
    "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif",
    "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda",
    "nonlocal", "not", "or", "pass", "raise", "return", "self", "try", "while", "with", "yield",
];

/// The classes of some codes.
pub(super) struct Classes<'r> {
    /// The name of the contract in the module.
    contract: &'static str,
    named: Vec<(String, &'r Arc<Entry>)>,
}

impl<'r> Classes<'r> {
    pub(super) fn of(rows: impl Iterator<Item = &'r Arc<Entry>>, contract: &'static str) -> Self {
        let mut named: Vec<(String, &Arc<Entry>)> = Vec::new();
        for row in rows {
            let mut name = camel(&row.code);
            while RESERVED.contains(&&*name) || named.iter().any(|(it, _)| *it == name) {
                name.push('_');
            }
            named.push((name, row));
        }
        Self { contract, named }
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.named.iter().map(|(name, _)| &**name)
    }

    /// The classes, with two empty lines before each.
    pub(super) fn lines(&self) -> Vec<String> {
        let classes = self.named.iter();
        classes.flat_map(|(name, row)| self.class(name, row)).collect()
    }

    fn class(&self, name: &str, row: &Entry) -> Vec<String> {
        let params: Vec<&Param> = row.params.iter().filter(|it| !it.secret).collect();
        let (needed, others): (Vec<&Param>, Vec<&Param>) =
            params.iter().partition(|it| it.required);
        let given = needed.iter().map(|it| format!(", {}: {}", argument(it), kind(it)));
        let absent =
            others.iter().map(|it| format!(", {}: {} | None = None", argument(it), kind(it)));
        let arguments: String = given.chain(absent).collect();
        let star = if params.is_empty() { "" } else { ", *" };
        let values =
            params.iter().map(|it| format!("{}: {}", literal::text(&it.name), argument(it)));
        let values = values.collect::<Vec<_>>().join(", ");
        let code = literal::text(&row.code);
        vec![
            String::new(),
            String::new(),
            format!("class {name}(FaultError):"),
            format!("    {}", literal::text(&format!("{}. {}", row.title, row.hint))),
            String::new(),
            format!("    def __init__(self{star}{arguments}) -> None:"),
            format!("        super().__init__({}.make_fault({code}, {{{values}}}))", self.contract),
        ]
    }
}

/// The name of a parameter as an argument.
fn argument(param: &Param) -> String {
    let mark = if KEYWORDS.contains(&&*param.name) { "_" } else { "" };
    format!("{}{mark}", param.name)
}

/// `NOTE_NOT_FOUND` and `rpc-taxonomy` as names of classes.
pub(super) fn camel(name: &str) -> String {
    let words = name.split(['_', '-', '.']).filter(|it| !it.is_empty());
    words
        .map(|it| {
            let (first, rest) = it.split_at_checked(1).unwrap_or((it, ""));
            first.to_ascii_uppercase() + &rest.to_ascii_lowercase()
        })
        .collect()
}
