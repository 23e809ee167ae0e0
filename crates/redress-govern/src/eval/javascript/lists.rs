//! What JavaScript may use that it does not declare: `listed.txt`, as the judge asks for it.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use crate::eval::{keywords::Keyword, listed::Listed};

pub(super) const KEYWORDS: &[Keyword] = &[
    (&["process", ".", "exit"], "process.exit"),
    (&["process", "?.", "exit"], "process.exit"),
    (&["require", "("], "require("),
    (&["eval", "("], "eval("),
    (&["Function", "("], "Function("),
    (&["__proto__"], "__proto__"),
    (&["child_process"], "child_process"),
];

pub(super) static LIST: LazyLock<Listed> =
    LazyLock::new(|| Listed::read(include_str!("listed.txt")));

/// The names of the language and of the page, each with the parts of the list that have it.
static GLOBALS: LazyLock<BTreeMap<&'static str, BTreeSet<&'static str>>> = LazyLock::new(|| {
    let mut all: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for (kind, words) in LIST.parts() {
        match kind.strip_prefix("members of ") {
            Some(space) => _ = all.entry(space).or_default().insert("space"),
            None if matches!(kind, "called" | "class" | "value") => {
                for it in words {
                    all.entry(it).or_default().insert(kind);
                }
            }
            None => {}
        }
    }
    all
});

pub(super) fn is_global(name: &str) -> bool {
    GLOBALS.contains_key(name)
}

/// Whether a name that the code does not declare is `called`, a `class`, a `value`, or a `space` of which some members are listed.
pub(super) fn is_of(name: &str, kind: &str) -> bool {
    GLOBALS.get(name).is_some_and(|it| it.contains(kind))
}

pub(super) fn has(kind: &str, word: &str) -> bool {
    LIST.has(kind, word)
}
