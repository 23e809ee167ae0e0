//! What Python may use that it does not declare: `listed.txt`, as the judge asks for it.

use std::sync::LazyLock;

use crate::eval::{
    keywords::{Keyword, plain},
    listed::Listed,
};

pub(super) const KEYWORDS: &[Keyword] = &[
    (&["eval", "("], "eval("),
    (&["exec", "("], "exec("),
    (&["__import__"], "__import__"),
    (&["os", ".", "system"], "os.system"),
    (&["os", ".", "_exit"], "os._exit"),
    (&["sys", ".", "exit"], "sys.exit"),
    (&["subprocess"], "subprocess"),
    (&["__builtins__"], "__builtins__"),
    (&["__subclasses__"], "__subclasses__"),
    (&["__globals__"], "__globals__"),
];

pub(in crate::eval) static LIST: LazyLock<Listed> =
    LazyLock::new(|| Listed::read(include_str!("listed.txt")));

pub(super) fn has(kind: &str, word: &str) -> bool {
    LIST.has(kind, word)
}

pub(super) fn is_module(path: &str) -> bool {
    LIST.parts().any(|(kind, _)| kind.strip_prefix("module ") == Some(path))
}

pub(super) fn is_of_module(path: &str, member: &str) -> bool {
    LIST.has(&format!("module {path}"), member)
}

/// A name between two pairs of underscores that code neither declares nor reads, or one that Python reads as another.
pub(super) fn is_forbidden(name: &str) -> bool {
    let is_special = name.len() > 4 && name.starts_with("__") && name.ends_with("__");
    (is_special && !has("special", name)) || plain(name) != name
}

/// Frames, code and how a value was made: nothing that code declares has such a name.
pub(super) fn is_never(name: &str) -> bool {
    let inside = ["gi_", "cr_", "ag_", "f_", "tb_", "co_", "func_"];
    has("never", name) || inside.iter().any(|it| name.starts_with(it))
}
