//! What is forbidden, as data. `docs/governance.md` says why, and where it differs from the seed.

use super::tokens::Keyword;

/// Words of the blocklist for JavaScript: tokens one after another, and the spelling in which they are reported.
pub(super) const JS_KEYWORDS: &[Keyword] = &[
    (&["process", ".", "exit"], "process.exit"),
    (&["process", "?.", "exit"], "process.exit"),
    (&["require", "("], "require("),
    (&["eval", "("], "eval("),
    (&["Function", "("], "Function("),
    (&["__proto__"], "__proto__"),
    (&["child_process"], "child_process"),
];

/// Names that stand for a way to run text, load code or leave the sandbox: they are not even mentioned.
pub(super) const JS_VALUES: &[&str] = &[
    "eval",
    "Function",
    "AsyncFunction",
    "GeneratorFunction",
    "require",
    "importScripts",
    "execScript",
    "Deno",
    "Bun",
    "Worker",
    "SharedWorker",
    "ShadowRealm",
    "WebAssembly",
];

/// Members that lead to them from any object.
pub(super) const JS_MEMBERS: &[&str] = &[
    "eval",
    "Function",
    "constructor",
    "__proto__",
    "require",
    "callee",
    "caller",
    "mainModule",
    "binding",
    "_linkedBinding",
    "reallyExit",
    "dlopen",
    "_load",
    "child_process",
    "__defineGetter__",
    "__defineSetter__",
    "__lookupGetter__",
    "__lookupSetter__",
    "getBuiltinModule",
    "importScripts",
    "execScript",
];

/// Members of `process` that end it or others.
pub(super) const JS_PROCESS: &[&str] =
    &["exit", "kill", "abort", "_kill", "reallyExit", "chdir", "setuid", "setgid"];

/// Names of the global object. The last three are common names of variables, too.
pub(super) const JS_GLOBALS: &[&str] =
    &["globalThis", "global", "window", "self", "top", "parent", "frames"];

/// Calls whose first argument is run if it is a text.
pub(super) const JS_RUNS_TEXT: &[&str] =
    &["setTimeout", "setInterval", "setImmediate", "eval", "Function", "execScript"];

/// Calls and methods that make one text of others.
pub(super) const JS_MAKES_TEXT: &[&str] = &[
    "join",
    "concat",
    "replace",
    "replaceAll",
    "reverse",
    "fromCharCode",
    "fromCodePoint",
    "raw",
    "atob",
    "unescape",
    "decodeURIComponent",
    "decodeURI",
    "String",
    "repeat",
    "padStart",
    "padEnd",
    "charAt",
    "substring",
    "substr",
    "slice",
    "at",
    "toString",
    "toLowerCase",
    "toUpperCase",
    "trim",
    "normalize",
    "reduce",
];

/// Words of the blocklist for Python.
pub(super) const PY_KEYWORDS: &[Keyword] = &[
    (&["eval", "("], "eval("),
    (&["exec", "("], "exec("),
    (&["compile", "("], "compile("),
    (&["__import__"], "__import__"),
    (&["os", ".", "system"], "os.system"),
    (&["os", ".", "_exit"], "os._exit"),
    (&["sys", ".", "exit"], "sys.exit"),
    (&["subprocess"], "subprocess"),
    (&["__builtins__"], "__builtins__"),
    (&["__subclasses__"], "__subclasses__"),
    (&["__globals__"], "__globals__"),
];

/// Built-in names that run text, reach other names, or end the process.
pub(super) const PY_VALUES: &[&str] = &[
    "eval",
    "exec",
    "compile",
    "globals",
    "locals",
    "vars",
    "setattr",
    "delattr",
    "breakpoint",
    "exit",
    "quit",
    "SystemExit",
    "KeyboardInterrupt",
    "execfile",
    "open",
];

/// Members that lead out of anything that has them.
pub(super) const PY_MEMBERS: &[&str] = &[
    "func_globals",
    "gi_frame",
    "cr_frame",
    "ag_frame",
    "tb_frame",
    "f_globals",
    "f_builtins",
    "f_locals",
    "f_back",
    "gi_code",
    "cr_code",
    "mro",
    "attrgetter",
    "methodcaller",
    "format_map",
];

/// Modules that lead out, which harmless modules have as members.
pub(super) const PY_MODULE_MEMBERS: &[&str] = &[
    "os",
    "sys",
    "subprocess",
    "builtins",
    "importlib",
    "imp",
    "ctypes",
    "cffi",
    "shutil",
    "socket",
    "signal",
    "pty",
    "runpy",
    "inspect",
    "codecs",
    "gc",
    "marshal",
    "pickle",
    "multiprocessing",
    "threading",
    "posix",
    "nt",
    "pathlib",
    "platform",
    "tracemalloc",
    "faulthandler",
    "code",
    "codeop",
    "pdb",
    "sre_compile",
    "linecache",
    "tokenize",
    "system",
    "popen",
    "types",
    "operator",
    "tempfile",
    "glob",
    "io",
    "asyncio",
    "http",
    "urllib",
    "ssl",
    "sqlite3",
];

/// Modules that compute and do nothing else.
pub(super) const PY_MODULES: &[&str] = &[
    "math",
    "cmath",
    "json",
    "re",
    "datetime",
    "time",
    "calendar",
    "itertools",
    "functools",
    "collections",
    "statistics",
    "random",
    "string",
    "decimal",
    "fractions",
    "numbers",
    "textwrap",
    "typing",
    "dataclasses",
    "enum",
    "copy",
    "base64",
    "hashlib",
    "uuid",
    "heapq",
    "bisect",
    "array",
    "struct",
    "zlib",
    "html",
    "unicodedata",
    "difflib",
    "pprint",
    "abc",
    "collections.abc",
    "__future__",
];

/// Names with two underscores on each side that a harmless class or module has.
pub(super) const PY_DUNDERS: &[&str] = &[
    "__name__",
    "__doc__",
    "__init__",
    "__str__",
    "__repr__",
    "__len__",
    "__iter__",
    "__next__",
    "__eq__",
    "__ne__",
    "__lt__",
    "__le__",
    "__gt__",
    "__ge__",
    "__hash__",
    "__bool__",
    "__add__",
    "__sub__",
    "__mul__",
    "__truediv__",
    "__floordiv__",
    "__mod__",
    "__neg__",
    "__contains__",
    "__getitem__",
    "__setitem__",
    "__call__",
    "__enter__",
    "__exit__",
    "__post_init__",
    "__future__",
    "__main__",
    "__slots__",
    "__all__",
    "__version__",
];

/// Whether a list has the word.
pub(super) fn has(list: &[&str], word: &str) -> bool {
    list.contains(&word)
}
