//! Words that are hidden, or chosen only when the code runs.

use redress_govern::eval::Refusal;

use super::{javascript, javascript_with_names, python, python_with_names};

fn assert_blocked(code: &str, refused: &Result<(), Refusal>) {
    let is_blocked = matches!(refused, Err(Refusal::Construct(_) | Refusal::Keyword(_)));
    assert!(is_blocked, "{code}: {refused:?}");
}

#[test]
fn what_hides_a_word_is_blocked_as_a_construct() {
    for code in [
        "process[`exit`](0)",
        "process['exit'](0)",
        "process['ex' + 'it'](0)",
        "(0, eval)('1')",
        "const e = eval; e('1')",
        "[eval][0]('1')",
        "eval?.('1')",
        "eval`1`",
        "window['ev' + 'al']('1')",
        "window[`ev${'al'}`]('1')",
        "globalThis[k]('1')",
        "const g = globalThis; g[k]",
        "const k = 'con' + 'structor'; x[k][k]('1')()",
        "x[['con','structor'].join('')]",
        "x['con'.concat('structor')]",
        "x['rotcurtsnoc'.split('').reverse().join('')]('1')()",
        "x.click[atob('Y29uc3RydWN0b3I=')]('1')()",
        "const f = x.click[s.trim()]; f('1')()",
        "(() => {})[String.fromCharCode(101)]",
        "globalThis[s.trim()]",
        "process[`${a}${b}`]",
        "x['con' + s]",
        "x['con' + s.trim() + 'r']",
        "x[(c ? 'con' : 'y') + s]",
        "x[c ? 'con' + s : 'y' + s]",
        "x[s + 'struct' + t]",
        "for (const k of ['constructor']) x[k]",
        "(() => {}).constructor('1')()",
        "[].constructor.constructor('1')()",
        "[]['constructor']['constructor']('1')()",
        "const { constructor: c } = f; c('1')",
        "const { constructor } = f",
        "const { ['con' + 'structor']: c } = f",
        "Reflect.construct(Function, ['1'])",
        "Reflect.apply(f, x, [])",
        "Reflect['get'](globalThis, 'eval')",
        "const R = Reflect; R.get(x, 'y')",
        "const p = process; p.exit()",
        "const { exit } = process; exit()",
        "globalThis.process.exit()",
        "window.self.process['kill'](1)",
        "process.reallyExit(1)",
        "process.mainModule.require('fs')",
        "process.binding('fs')",
        "process.getBuiltinModule('fs')",
        "import('fs')",
        "import fs from 'fs'",
        "export * from 'fs'",
        "module.require('fs')",
        "setTimeout('alert(1)', 1)",
        "setTimeout('al' + x, 1)",
        "const t = 'alert(1)'; setTimeout(t)",
        "window.setInterval(`x`)",
        "with (x) { y }",
        "location = 'javascript:alert(1)'",
        "`${eval}`",
        "var a = { eval }",
        "Function.prototype.call",
        "<!-- x\n1",
        "window === top || window[k]",
        "x.constructor['constructor']",
        "x\u{2028}['constr\\u0075ctor']",
        "// x\u{2028}import('fs')",
        "Deno.exit()",
    ] {
        assert_blocked(code, &javascript(code));
    }
    for code in [
        "e = eval\ne('1')",
        "(eval)('1')",
        "[exec][0]('1')",
        "getattr(x, 'ev' + 'al')",
        "getattr(x, '__cl' + 'ass__')",
        "getattr(x, name)",
        "k = '__class__'\ngetattr(x, k)",
        "g = getattr\ng(x, 'y')",
        "().__class__.__bases__[0]",
        "x.__dict__['y']",
        "import os",
        "import os.path as p",
        "from os import path",
        "from . import x",
        "import json\njson.codecs.sys",
        "import json, os",
        "from json import codecs",
        "from math import *",
        "random._os",
        "'{0.__class__}'.format(x)",
        "'{0.__cl' 'ass__}'.format(x)",
        "vars()['x']",
        "globals()",
        "raise SystemExit",
        "quit()",
        "breakpoint()",
        "@eval\ndef f(): pass",
        "f'{eval}'",
        "match x:\n    case object(__class__=c):\n        pass",
        "(lambda: 0).__code__",
        "gen.gi_frame",
        "x.__getattribute__('y')",
        "open('/etc/passwd')",
        "type(x).mro()",
    ] {
        assert_blocked(code, &python(code));
    }
}

/// Each was a way around the guard.
#[test]
fn what_is_chosen_when_the_code_runs_is_no_way_out() {
    for code in [
        "let k = 'con'; k += 'structor'; x[k][k]('1')()",
        "let k = 'a'; if (c) k = 'con'; x[k + 'structor']",
        "let k = 'a'; [k] = ['con' + 'structor']; x[k]",
        "k = 'a'; window.k = 'con' + 'structor'; x[k]",
        "function g(k = 'a') { return x[k] } g('constructor')",
        "(k => x[k])(['con', 'structor'].join(''))",
        "for (const k in { constructor: 1 }) x[k]",
        "function constructor() {} x[constructor.name]",
        "x[{ toString() { return 'constructor' } }]",
        "x[k]('alert(1)')",
        "const f = x[k]; f.call(null, 'alert(1)')",
        "Object.getOwnPropertyDescriptor(y, 'constructor').value('1')()",
        "Object.values(Object.getOwnPropertyDescriptors(y))[0].value('1')",
        "Error.prepareStackTrace = (e, frames) => frames[0].getThis()",
        "['alert(1)'].forEach(setTimeout)",
        "setTimeout(...['alert(1)'])",
        "setTimeout.bind(null, 'alert(1)')()",
        "arguments[1]('fs')",
        "(() => arguments[1]('fs'))()",
        "document.defaultView[k]",
        "process.execve('/bin/sh')",
        "document.createElement('scr' + 'ipt')",
        "e.innerHTML = '<img src=x onerror=alert(1)>'",
        "e.setAttribute('onclick', 'alert(1)')",
        "location.href = ' java\\nscript:alert(1)'",
        "1\n--> x",
        "a = await\n/eval('1')/g",
        "{ a: 1 }\n/eval('1')/g",
        "function f() {}\n/eval('1')/g",
    ] {
        assert_blocked(code, &javascript(code));
    }
    for code in [
        "getattr(x, '__cla' + z)",
        "def f(k='size'):\n    return getattr(x, k)",
        "k = 'size'\nk += y\ngetattr(x, k)",
        "match x:\n    case k:\n        getattr(y, k)",
        "from functools import reduce\nreduce(getattr, names, x)",
        "import enum\nenum.bltns.getattr(x, 'y')",
        "from typing import get_type_hints",
        "import string\nstring.Formatter().get_field(n, x, y)",
        "''.join(['{0.__cl', 'ass__}']).format(x)",
        "'{0.gi_frame}'.format(x)",
        "# coding: utf-7\nx = 1",
        "x.__\u{ff43}lass__",
        "class A:\n    def __reduce__(self):\n        return f",
    ] {
        assert_blocked(code, &python(code));
    }
}

/// Each was a way around the guard: the word is read from a text that no guard can read.
#[test]
fn a_member_of_a_function_that_is_chosen_is_never_handed_on() {
    let key = r#"const k = JSON.parse('"constru\\u0063tor"');"#;
    for code in [
        "const { [k]: F } = () => {}; F('x')()",
        "let F; ({ [k]: F } = () => {}); F('x')()",
        "function z({ [k]: F } = () => {}) { F('x')() } z()",
        "const { [k]: F } = o.click; F('x')()",
        "Promise.resolve('x').then((() => {})[k]).then(f => f())",
        "Promise.resolve('x').then(o.click[k]).then(f => f())",
        "const F = o.click[k]; ['x'].map(F)",
        "[(() => {})[k]].map(f => f('x')())",
        "((f) => f('x')())((() => {})[k])",
        "((f) => f('x')())([].at[k])",
        "((f) => f('x')())([][k][k])",
        "((f) => f('x')())(o[k][k])",
        "const o = {}; o.f = (() => {})[k]; o.f('x')()",
        "const o = {}; o.f = p.click[k]; o.f('x')()",
        "const o = { f: p.click[k] }; o.f('x')()",
        "const [F] = [(() => {})[k]]; F('x')()",
        "[o.click[k]][0]('x')()",
        "class A { static g = (() => {})[k] } A.g('x')()",
        "class A { static g = o.click[k] } A.g('x')()",
        "function z(f = (() => {})[k]) { return f('x')() } z()",
        "function* z() { const f = yield; f('x')() } const i = z(); i.next(); i.next(z[k])",
        "function* z() { yield o[k][k] } for (const f of z()) f('x')()",
        "try { throw (() => {})[k] } catch (f) { f('x')() }",
        "try { throw o[k][k] } catch (f) { f('x')() }",
        "for (const f of [(() => {})[k]]) f('x')()",
        "new Map([[1, (() => {})[k]]]).get(1)('x')()",
        "class A {} new Map([[1, A[k]]]).get(1)('x')()",
        "Math.max[k]",
        "parseInt[k]",
        "const f = x => x; const g = f; g[k]",
        "const o = { f() {} }; o.f[k]",
    ] {
        let refused = javascript(&format!("{key}{code}"));
        assert!(matches!(refused, Err(Refusal::Construct(_))), "{code}: {refused:?}");
    }
    let code = "const cell = rows[Number(k)].cells; cell.forEach(it => log(it))";
    assert_eq!(javascript_with_names(&format!("{key}{code}")), Ok(()));
}

/// What waits in a module may be a name in a script, and the other way around.
#[test]
fn a_payload_is_judged_as_all_that_it_may_be_read_as() {
    for code in [
        "await (x); const e = `${eval}`",
        "await /x[k]('1')/g",
        "a = await\n/b[k]('x')()/g",
        "async function m() { await x } a = await\n/b[k]('x')()/g",
        "await x; a = await\n/b; eval('1')/g",
        "await\n/a[k]('x')/g",
        "x = await [k]('1')",
        "await x; {}\n/eval('1')/g",
        "await x; y\n--> z[k]('1')",
        "await x <!-- z\n1",
        "new.target; await x; y[k]('1')",
        "var await = 1; x[k]('1')",
        "with (x) { await (y) }",
    ] {
        assert!(javascript(code).is_err(), "{code}");
    }
    for code in [
        "await page.click('#x'); return 1",
        "async function main() { await run() } main()",
        "await (async () => { await run() })()",
        "const [a, b] = await Promise.all([one(), two()]); return a + b",
        "for await (const row of rows) log(row)",
    ] {
        assert_eq!(javascript_with_names(code), Ok(()), "{code}");
    }
}

#[test]
fn a_format_is_spelled_out() {
    for code in [
        "('{0.' + chr(95) * 2 + 'class' + chr(95) * 2 + '}').format(x)",
        "('{0.%s}' % name).format(x)",
        "f = '{0.__cla'\nf += 'ss__}'\nf.format(x)",
        "f = template.format\nf(x)",
        "str.format(template, x)",
        "getattr(template, 'format')(x)",
        "f'{{0.{name}}}'.format(x)",
        "help()",
    ] {
        let refused = python(code);
        assert!(matches!(refused, Err(Refusal::Construct(_))), "{code}: {refused:?}");
    }
    for code in ["format(x, '.2f')", "'%s' % x"] {
        assert_eq!(python_with_names(code), Ok(()), "{code}");
    }
}
