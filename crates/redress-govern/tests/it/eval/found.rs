//! Ways around the guard that were found by running them, and ordinary code beside them.

use super::{assert_all_blocked, assert_none_refused, javascript, javascript_with_names};

/// A member that no guard can read, of a function that it does not see.
const CHOSEN: &str =
    "const id = x => x; const k = id('x'); const F = [() => 1].pop()[id(String.fromCharCode(99))];";

#[test]
fn what_was_found_by_running_it_is_blocked() {
    let codes = [
        "F['ca' + 'll'](null, 'x')()",
        "F[`bi${'nd'}`]()('x')()",
        "F[['app', 'ly'].join('')](null, ['x'])()",
        "for (const m of ['call', 'bind']) F[m](null, 'x')()",
        "const o = {}; o.x = F; for (const m of ['x', 'y']) o[m]('x')()",
        "(() => 1).call.call(F, null, 'x')()",
        "(() => 1).apply.call(F, null, ['x'])",
        "console.log.call.call(F, null, 'x')",
        "const c = (() => 1).call; c.call(F, null, 'x')",
        "const { call } = () => 1; call.call(F, null, 'x')",
        "const go = f => f('x')(); (() => 1).call.call(go, null, F)",
        "class A { constructor() { return F } } new A()('x')()",
        "class A { constructor() { return F } } class B extends A {} new B()('x')()",
        "class A { constructor(x) { return x } } class B extends A {} new B(F)('x')()",
        "class A { constructor() { return F } } class B extends A { constructor() { super(); this('x')() } } new B()",
        "class A { constructor() { return F } } class B extends A { constructor() { const t = super(); t('x')() } } new B()",
        "class A { constructor(f) { f('x')() } } class B extends A {} new B(F)",
        "class A { constructor(f) { f('x')() } } class B extends A { constructor(g) { super(g) } } new B(F)",
        "function A(f) { f('x')() } class B extends A {} new B(F)",
        "class A { constructor(f) { return f } } class B extends A { z = this('x')() } new B(F)",
        "class A { [k](f) { f('x')() } } new A().x(F)",
        "class A { static [k](f) { f('x')() } } A.x(F)",
        "class A { [k]() { return F } } new A().x()('x')()",
        "class I { *[Symbol.iterator]() { yield F } } for (const f of new I()) f('x')()",
        "const o = { set [k](v) { v('x')() } }; o.x = F",
        "const o = { set x(v) { v('x')() } }; o[k] = F",
        "const o = Object.defineProperty({}, 'x', { set(v) { v('x')() } }); o.x = F",
        "const o = Object.create(null, { x: { set: v => v('x')() } }); o.x = F",
        "const p = new Proxy({}, { set(t, n, v) { v('x')(); return true } }); p.x = F",
        "const p = new Proxy({}, { defineProperty(t, n, d) { d.value('x')(); return true } }); p.x = F",
        "try { await Promise.reject(F) } catch (f) { f('x')() }",
        "try { await new Promise((y, n) => n(F)) } catch (f) { f('x')() }",
        "Promise.resolve().then(() => { throw F }).catch(f => f('x')())",
        "function* a() { return F } function* b() { const f = yield* a(); f('x')() } [...b()]",
        "const a = []; a.join = F; `${a}`",
        "const p = new Proxy({}, { getPrototypeOf: F }); Object.getPrototypeOf(p)",
        "const p = new Proxy({}, Object.fromEntries([['getPrototypeOf', F]])); Object.getPrototypeOf(p)",
        "function* g() { yield* { [Symbol.iterator]: () => ({ next: F }) } }",
        "new ReadableStream({ start: F })",
        "for await (const f of new ReadableStream({ start(c) { c.enqueue(F) } })) f('x')()",
        "process.nextTick(F, 'x')",
        "process.stdout.prependListener('x', F)",
        "module._compile('x', 'y')",
        "module.load('x')",
        "module.children[0]",
        "const m = module",
        "x._compile('x')",
        "(function () { return this })()[k].exit(1)",
        "const g = (function () { return this })(); g[k].exit(1)",
        "const o = { f() { return this } }; const { f } = o; f()[k].exit(1)",
        "e.innerHTML = '<img src=\"x\"onerror=alert(1)>'",
        "e.innerHTML = '<img src=x onerror =alert(1)>'",
        "e.innerHTML = '<img alt=\">\" onerror=alert(1)>'",
        "e.innerHTML = '<iframe src=\"javascript:alert(1)\">'",
        "e.innerHTML = '<a href=\"&#106;avascript:alert(1)\">x</a>'",
        "e.innerHTML = '<a href=\"java&Tab;script&colon;alert(1)\">x</a>'",
    ];
    assert_all_blocked(&codes.map(|it| format!("{CHOSEN} {it}")), javascript);
}

#[test]
fn what_looks_like_it_and_is_ordinary_may_run() {
    let codes = [];
    assert_none_refused(&codes, javascript_with_names);
}
