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
const builtIn = () => [Math.max, JSON.parse, Object.keys, Array.prototype.map, Function.prototype.call, setTimeout, fetch].concat(Object.keys(globalThis), Object.entries(process.env).flat());
const before = builtIn();
process.on('exit', code => {
    const after = builtIn();
    if (code > 1 || after.length !== before.length || before.some((it, i) => it !== after[i])) harmed('changed');
});
";

/// The same before a module.
const PYTHON: &str = "
import atexit, builtins, collections, json, os
def builtin():
    return [json.loads, json.dumps, collections.Counter.update, dict(os.environ), dict(vars(builtins))]
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
#[expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
fn harm(sample: &Sample, home: &Path) -> Option<String> {
    fs::create_dir(home).unwrap();
    let (program, prelude) = match sample.language {
        "javascript" => ("node", JAVASCRIPT.to_owned() + sample.code),
        _ => ("python3", PYTHON.to_owned()),
    };
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

#[test]
#[expect(clippy::print_stdout, reason = "the numbers are figures of the guard")]
fn what_passes_does_no_harm_when_it_runs() {
    let mut all = samples(include_str!("attacks_javascript.txt"));
    all.extend(samples(include_str!("attacks_python.txt")));
    assert!(all.len() >= 300, "{}", all.len());
    let passed: Vec<&Sample> = all.iter().filter(|it| it.judge().is_ok()).collect();
    let home = std::env::temp_dir().join(format!("redress-eval-{}", std::process::id()));
    let harms: Vec<String> = passed.iter().filter_map(|it| harm(it, &home)).collect();
    let titles: Vec<&str> = passed.iter().map(|it| it.title).collect();
    println!("{} payloads, {} pass, {} harms: {titles:#?}", all.len(), passed.len(), harms.len());
    assert!(harms.is_empty(), "{harms:#?}");
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
        ("python", "open('HARM', 'w')"),
        ("python", "import os\nos.environ['X'] = '1'"),
        ("python", "import os\nos._exit(7)"),
    ] {
        assert!(harm(&Sample { language, title: "", code }, &home).is_some(), "{code}");
    }
    assert!(harm(&Sample { language: "javascript", title: "", code: "1 + 1" }, &home).is_none());
}
