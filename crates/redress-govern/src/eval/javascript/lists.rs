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

/// What a name is that the code does not declare.
#[derive(Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "a name may be on several lists")]
pub(super) struct Global {
    pub(super) is_called: bool,
    /// It makes a text or a number of what it gets, as its members do.
    pub(super) is_of_data: bool,
    pub(super) is_class: bool,
    pub(super) is_value: bool,
    /// Its members that are read and called.
    pub(super) members: Option<&'static BTreeSet<&'static str>>,
}

static GLOBALS: LazyLock<BTreeMap<&'static str, Global>> = LazyLock::new(|| {
    let mut all: BTreeMap<&'static str, Global> = BTreeMap::new();
    for (kind, words) in LIST.parts() {
        let mut add = |set: fn(&mut Global)| {
            for it in words {
                set(all.entry(it).or_default());
            }
        };
        match kind {
            "called" => add(|it| it.is_called = true),
            "called of data" => add(|it| (it.is_called, it.is_of_data) = (true, true)),
            "class" => add(|it| it.is_class = true),
            "value" => add(|it| it.is_value = true),
            _ => {}
        }
        if let Some(name) = kind.strip_prefix("members of ") {
            let space = all.entry(name).or_default();
            space.members = Some(words);
            space.is_of_data |= matches!(name, "Math" | "console" | "Number");
        }
    }
    all
});

pub(super) fn global(name: &str) -> Option<&'static Global> {
    GLOBALS.get(name)
}

pub(super) fn has(kind: &str, word: &str) -> bool {
    LIST.has(kind, word)
}
