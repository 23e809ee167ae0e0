//! Payloads that must not run, however they are written, and those that may.

mod bounds;
mod flow;
mod found;
mod hidden;
mod imports;
mod ordinary;
mod unseen;

use redress_govern::eval::{Language, Refusal, fnv1a, inspect, sha256};

fn javascript(code: &str) -> Result<(), Refusal> {
    inspect(Language::JavaScript, code, &mut || false)
}

fn python(code: &str) -> Result<(), Refusal> {
    inspect(Language::Python, code, &mut || false)
}

/// What is forbidden however it is written.
fn assert_all_blocked<T: AsRef<str> + std::fmt::Debug>(
    codes: &[T],
    judge: fn(&str) -> Result<(), Refusal>,
) {
    let is_blocked =
        |it: &&T| matches!(judge(it.as_ref()), Err(Refusal::Construct(_) | Refusal::Keyword(_)));
    let passed: Vec<_> = codes.iter().filter(|it| !is_blocked(it)).collect();
    assert!(passed.is_empty(), "{}: {passed:#?}", passed.len());
}

/// What is ordinary.
fn assert_none_refused(codes: &[&str], judge: fn(&str) -> Result<(), Refusal>) {
    let refused: Vec<_> =
        codes.iter().filter_map(|it| judge(it).err().map(|why| (it, why))).collect();
    assert!(refused.is_empty(), "{}: {refused:#?}", refused.len());
}

#[test]
fn the_words_of_the_seed_are_blocked_in_code() {
    for (code, keyword) in [
        ("process.exit(1)", "process.exit"),
        ("process ?. exit(1)", "process.exit"),
        ("require('fs')", "require("),
        ("eval('1')", "eval("),
        ("new Function('return 1')", "Function("),
        ("x.__proto__ = y", "__proto__"),
        ("x['__proto__'] = y", "__proto__"),
        ("const {a} = {'__proto__': y}", "__proto__"),
        ("import x from 'child_process'", "child_process"),
        ("import x from 'node:child_process'", "child_process"),
        ("setTimeout('process.exit(1)')", "process.exit"),
        ("\\u0065val('1')", "eval("),
        ("\u{ff45}val('1')", "eval("),
        ("process/* */.exit()", "process.exit"),
        ("a\n/process.exit(1)/g", "process.exit"),
    ] {
        assert_eq!(javascript(code), Err(Refusal::Keyword(keyword)), "{code}");
    }
    for (code, keyword) in [
        ("eval('1')", "eval("),
        ("exec ('1')", "exec("),
        ("__import__('os')", "__import__"),
        ("import subprocess", "subprocess"),
        ("os.system('ls')", "os.system"),
        ("x['__globals__']", "__globals__"),
        ("\u{ff45}\u{ff58}ec('1')", "exec("),
        ("# comment\rexec('1')", "exec("),
    ] {
        assert_eq!(python(code), Err(Refusal::Keyword(keyword)), "{code}");
    }
}

#[test]
fn fingerprints_are_those_of_the_standards() {
    for (code, hash) in [("", "811c9dc5"), ("a", "e40c292c"), ("foobar", "bf9cf968")] {
        assert_eq!(fnv1a(code), hash);
    }
    assert_eq!(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}
