//! Payloads that must not run, however they are written, and those that may.

mod attacks;
mod bounds;
mod flow;
mod found;
mod hidden;
mod hundred;
mod imports;
mod narrowed;
mod ordinary;
mod unseen;

use redress_govern::eval::{Language, Refusal, fnv1a, inspect, sha256};

fn javascript(code: &str) -> Result<(), Refusal> {
    inspect(Language::JavaScript, code, &mut || false)
}

fn python(code: &str) -> Result<(), Refusal> {
    inspect(Language::Python, code, &mut || false)
}

/// A snippet of a file of samples: `=== language: title`, and the code below it.
struct Sample {
    language: &'static str,
    title: &'static str,
    code: &'static str,
}

impl Sample {
    fn judge(&self) -> Result<(), Refusal> {
        match self.language {
            "javascript" => javascript(self.code),
            _ => python(self.code),
        }
    }
}

fn samples(file: &'static str) -> Vec<Sample> {
    let file = file.strip_prefix("=== ").unwrap_or(file);
    let parts = file.split("\n=== ").filter_map(|it| it.split_once('\n'));
    parts
        .filter_map(|(head, code)| {
            let (language, title) = head.split_once(": ")?;
            Some(Sample { language, title, code: code.trim_end() })
        })
        .collect()
}

/// Code whose free names are parameters of a function of the script.
fn with_names(code: &str) -> String {
    const NAMES: &str = "a, args, b, byName, cache, done, name, one, signal, step, total, two, w, book, cells, cols, config, counts, d, data, defaults, dict, e, el, els, emitter, f, fields, fn, form, grid, \
        groups, handlers, i, id, img, inputs, items, j, job, k, key, keys, kind, labels, lang, list, lists, log, map, n, names, next, nodes, o, obj, \
        options, out, page, params, parts, prices, queue, r, roots, row, rows, run, seen, sep, site, sizes, slow, source, src, starts, stream, \
        table, target, text, tpl, urls, use, v, values, x, xs, y";
    format!("const outer = ({{ {NAMES} }}) => async () => {{\n{code}\n}}")
}

fn javascript_with_names(code: &str) -> Result<(), Refusal> {
    javascript(&with_names(code))
}

/// Code whose free names have a value.
fn python_with_names(code: &str) -> Result<(), Refusal> {
    const NAMES: &str = "a = b = book = repo = d = f = fn = df = col = handlers = i = k = key = keys = main = n = name = names = o = out = p = page = response = \
        row = rows = source = t = text = total = u = url = width = x = y = fetch = 1";
    python(&format!("{NAMES}\n{code}"))
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
