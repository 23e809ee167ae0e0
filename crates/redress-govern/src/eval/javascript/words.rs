//! What is forbidden in JavaScript, as data. `docs/governance.md` says where it differs from its origin.

use crate::eval::words::Keyword;

/// Words of the blocklist for JavaScript.
pub(in crate::eval) const KEYWORDS: &[Keyword] = &[
    (&["process", ".", "exit"], "process.exit"),
    (&["process", "?.", "exit"], "process.exit"),
    (&["require", "("], "require("),
    (&["eval", "("], "eval("),
    (&["Function", "("], "Function("),
    (&["__proto__"], "__proto__"),
    (&["child_process"], "child_process"),
];

/// Names that stand for a way to run text, load code or leave the sandbox: they are not even mentioned.
pub(in crate::eval) const VALUES: &[&str] = &[
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
    "__webpack_require__",
    "__non_webpack_require__",
];

/// Members that lead to them from any object.
pub(in crate::eval) const MEMBERS: &[&str] = &[
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
    "getOwnPropertyDescriptor",
    "getOwnPropertyDescriptors",
    "getOwnPropertyNames",
    "prepareStackTrace",
    "srcdoc",
    "addModule",
    "serviceWorker",
];

/// Members of `process` that only tell something, or wait for something.
pub(in crate::eval) const PROCESS: &[&str] = &[
    "addListener",
    "arch",
    "argv",
    "argv0",
    "availableMemory",
    "browser",
    "config",
    "constrainedMemory",
    "cpuUsage",
    "cwd",
    "emitWarning",
    "env",
    "execArgv",
    "execPath",
    "exitCode",
    "features",
    "getegid",
    "geteuid",
    "getgid",
    "getuid",
    "hrtime",
    "listenerCount",
    "memoryUsage",
    "nextTick",
    "off",
    "on",
    "once",
    "pid",
    "platform",
    "ppid",
    "release",
    "removeListener",
    "resourceUsage",
    "resourcesPath",
    "stderr",
    "stdout",
    "title",
    "type",
    "uptime",
    "version",
    "versions",
];

/// Members of `process` that a refusal names.
pub(in crate::eval) const PROCESS_ENDS: &[&str] =
    &["exit", "kill", "abort", "reallyExit", "binding", "dlopen", "chdir", "mainModule", "execve"];

/// Calls whose first argument is run if it is a text.
pub(in crate::eval) const RUNS_TEXT: &[&str] =
    &["setTimeout", "setInterval", "setImmediate", "eval", "Function", "execScript"];

/// Calls whose texts are code or names of modules.
pub(in crate::eval) const READS_TEXT: &[&str] = &[
    "setTimeout",
    "setInterval",
    "setImmediate",
    "eval",
    "Function",
    "execScript",
    "require",
    "getBuiltinModule",
];

/// Calls and methods that make one text of others.
pub(in crate::eval) const MAKES_TEXT: &[&str] = &[
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
