//! What two attackers wrote: what the guard refuses is refused, and what it lets through is run, and does no harm.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use super::{Sample, samples};

/// Runs before a script: what harms leaves a file, and what is changed in the process is found at its end.
const JAVASCRIPT: &str = "
const { writeFileSync } = require('node:fs');
const harmed = how => writeFileSync('HARM', how);
globalThis.HARM = () => harmed('called');
globalThis.window = globalThis.self = globalThis;
const { isExtensible, getOwnPropertyDescriptors } = Object;
const { is, entries } = Object;
const inside = it => [isExtensible(it)].concat(Reflect.ownKeys(it).flatMap(key => {
    const { value, get, set } = getOwnPropertyDescriptors(it)[key];
    return [key, value, get, set];
}));
const all = [Object, Array, Function, Promise, RegExp, Number, String, Map, Set, JSON, Math, Reflect];
const builtIn = () => [].concat(
    all.flatMap(it => inside(it).concat(it.prototype ? inside(it.prototype) : [])),
    [setTimeout, fetch, performance.now, isExtensible(performance)],
    Object.keys(globalThis), Object.entries(process.env).flat(), process.argv, Object.entries(process.versions).flat(),
);
const before = builtIn();
process.on('exit', code => {
    const after = builtIn();
    if (code > 1 || after.length !== before.length || before.some((it, i) => !is(it, after[i]))) harmed('changed');
});
";

/// A script as a page runs it: its outermost names are those of the window.
const PAGE: &str =
    "require('node:vm').runInThisContext(require('node:fs').readFileSync('payload', 'utf8'));";

/// The same before a module.
const PYTHON: &str = "
import atexit, builtins, calendar, collections, collections.abc, csv, decimal, json, os, re, typing
CLASSES = [collections.Counter, collections.abc.Sequence, csv.DictReader, csv.excel]
def builtin():
    context = decimal.getcontext()
    return [json.loads, json.dumps, dict(os.environ), dict(vars(builtins)), [dict(vars(it)) for it in CLASSES],
            re.I._value_, len(calendar.month_abbr._months), dict(vars(typing.List)), context.prec, dict(context.traps)]
before = builtin()
def end():
    if builtin() != before:
        os.close(os.open('HARM', os.O_CREAT))
atexit.register(end)
with open('payload', encoding='utf-8', newline='') as file:
    code = file.read()
exec(compile(code, 'payload', 'exec'), {'__name__': '__main__'})
";

/// What a payload that passed did, if it did harm.
fn harm(sample: &Sample, home: &Path) -> Option<String> {
    match sample.language {
        "javascript" => run(sample, home, "node", JAVASCRIPT.to_owned() + sample.code)
            .or_else(|| run(sample, home, "node", JAVASCRIPT.to_owned() + PAGE)),
        _ => run(sample, home, "python3", PYTHON.to_owned()),
    }
}

/// What a payload did when a program ran it in this way.
#[expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
fn run(sample: &Sample, home: &Path, program: &str, prelude: String) -> Option<String> {
    fs::create_dir(home).unwrap();
    fs::write(home.join("payload"), sample.code).unwrap();
    fs::write(home.join("run.cjs"), prelude).unwrap();
    let mut command = Command::new(program);
    command.arg("run.cjs").current_dir(home).env("PYTHONDONTWRITEBYTECODE", "1");
    let ended = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    // What throws ends with 1.
    let ended = ended.unwrap_or_else(|it| panic!("{program} is needed: {it}"));
    let is_ended = matches!(ended.code(), Some(0 | 1));
    let files = fs::read_dir(home).unwrap().count();
    let is_harm = !is_ended || files != 2;
    fs::remove_dir_all(home).unwrap();
    is_harm.then(|| format!("{}: {}: {ended}", sample.language, sample.title))
}

/// Runs what passes of so many payloads.
#[expect(clippy::print_stdout, reason = "the numbers are figures of the guard")]
fn assert_harmless(files: [&'static str; 2], least: usize, home: &str) {
    let all: Vec<Sample> = files.into_iter().flat_map(samples).collect();
    assert!(all.len() >= least, "{}", all.len());
    let passed: Vec<&Sample> = all.iter().filter(|it| it.judge().is_ok()).collect();
    let home = std::env::temp_dir().join(format!("redress-{home}-{}", std::process::id()));
    let harms: Vec<String> = passed.iter().filter_map(|it| harm(it, &home)).collect();
    let titles: Vec<&str> = passed.iter().map(|it| it.title).collect();
    println!("{} payloads, {} pass, {} harms: {titles:#?}", all.len(), passed.len(), harms.len());
    assert!(harms.is_empty(), "{harms:#?}");
}

#[test]
fn what_passes_does_no_harm_when_it_runs() {
    let files = [include_str!("attacks_javascript.txt"), include_str!("attacks_python.txt")];
    assert_harmless(files, 300, "eval");
}

/// The payloads of another attacker, who read the guard first.
#[test]
fn what_passes_of_another_attacker_does_no_harm() {
    let javascript = include_str!("attacks_second_javascript.txt");
    assert_harmless([javascript, include_str!("attacks_second_python.txt")], 180, "eval-second");
}

/// The files and changes by which harm is found are found.
#[test]
fn harm_is_found() {
    let home = std::env::temp_dir().join(format!("redress-harm-{}", std::process::id()));
    for (language, code) in [
        ("javascript", "HARM()"),
        ("javascript", "process.env.X = '1'"),
        ("javascript", "globalThis.x = 1"),
        ("javascript", "process.exit(7)"),
        ("javascript", "process.kill(process.pid, 'SIGKILL')"),
        ("javascript", "Object.prototype.x = 1"),
        ("javascript", "Array.prototype.push('x')"),
        ("javascript", "Object.freeze(Object.prototype)"),
        ("javascript", "Number.parseInt = () => 1"),
        ("javascript", "performance.now = () => 1"),
        ("javascript", "process.argv.push('x')"),
        ("javascript", "this.HARMED = 1"),
        ("python", "open('HARM', 'w')"),
        ("python", "import os\nos.environ['X'] = '1'"),
        ("python", "import os\nos._exit(7)"),
        ("python", "from collections import Counter\nCounter.update = 1"),
        ("python", "import re\nre.I._value_ = 0"),
        ("python", "from decimal import getcontext\ngetcontext().prec = 1"),
    ] {
        assert!(harm(&Sample { language, title: "", code }, &home).is_some(), "{code}");
    }
    assert!(harm(&Sample { language: "javascript", title: "", code: "1 + 1" }, &home).is_none());
}
