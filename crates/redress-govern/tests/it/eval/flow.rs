//! Ways that a member which is chosen when the code runs may take until it is called.

use redress_govern::eval::Refusal;

use super::{javascript, javascript_with_names, python, python_with_names};

/// A word that no guard can read.
const KEY: &str = r#"const k = JSON.parse('"constru\\u0063tor"');"#;

#[test]
fn what_is_chosen_is_not_called_whatever_way_it_takes() {
    let mut passed = Vec::new();
    for code in [
        // Handed to a function of the payload's own.
        "((f) => f('x')())(o.click[k])",
        "(function (f) { f('x')() })(o.click[k])",
        "const g = f => f('x')(); g(o.click[k])",
        "function g(f) { return f('x')() } g(o.click[k])",
        "const g = { run(f) { f('x')() } }; g.run(o.click[k])",
        "class A { constructor(f) { f('x')() } } new A(o.click[k])",
        "class A { run(f) { f('x')() } } new A().run(o.click[k])",
        "((a, f) => f('x')())(1, o.click[k])",
        "((...fs) => fs[0]('x')())(o.click[k])",
        "((...[f]) => f('x')())(o.click[k])",
        "(([f]) => f('x')())([o.click[k]])",
        "(({ f }) => f('x')())({ f: o.click[k] })",
        "((f) => f('x')())(...[o.click[k]])",
        "((f) => f('x')()).call(null, o.click[k])",
        "((f) => f('x')()).apply(null, [o.click[k]])",
        "((f) => f('x')()).bind(null, o.click[k])()",
        "(function () { arguments[0]('x')() })(o.click[k])",
        "(function () { [...arguments].pop()('x')() })(o.click[k])",
        "(function () { this('x')() }).call(o.click[k])",
        "((f, g = f) => g('x')())(o.click[k])",
        "((f) => { const g = f; g('x')() })(o.click[k])",
        "((f) => f`x`())(o.click[k])",
        "((f) => f?.('x')())(o.click?.[k])",
        "((f) => new f('x')())(o.click[k])",
        "((f) => f.call(null, 'x')())(o.click[k])",
        "((f) => ['x'].map(f)[0]())(o.click[k])",
        "const twice = f => g => f(g); twice(f => f('x')())(o.click[k])",
        "const get = (x, y) => x[y]; get(o.click, k)('x')()",
        "const get = (x, y) => x[y]; const f = get(o.click, k); f('x')()",
        "function get() { return o.click[k] } get()('x')()",
        "const get = () => { if (a) return o.click[k]; return b }; get()('x')()",
        "async function get() { return o.click[k] } get().then(f => f('x')())",
        "const f = await (async () => o.click[k])(); f('x')()",
        "function* get() { yield o.click[k] } const [f] = get(); f('x')()",
        "function* get() { yield o.click[k] } for (const f of get()) f('x')()",
        "function* get() { yield o.click[k] } get().next().value('x')()",
        "function* get() { yield* [o.click[k]] } for (const f of get()) f('x')()",
        "function* z() { const f = yield; f('x')() } const i = z(); i.next(); i.next(o.click[k])",
        "async function* get() { yield o.click[k] } for await (const f of get()) f('x')()",
        "const a = f => f('x')(), b = a, c = b, d = c, e = d, g = e; g(o.click[k])",
        "let x = y; x = f => f('x')(); y = x; y(o.click[k])",
        "const c = {}; c[j] = f => f('x')(); c.a(o.click[k])",
        "[f => f('x')()].forEach(h => h(o.click[k]))",
        "const m = { a: { b: f => f('x')() } }; m.a.b(o.click[k])",
        "function f(g) { g('x')() } const m = { f }; m.f(o.click[k])",
        "setTimeout(f => f('x')(), 0, o.click[k])",
        "const curry = f => a => f(a); curry(curry(f => f('x')()))(o.click[k])",
        "const make = () => f => f('x')(); make()(o.click[k])",
        "const run = (f, ...rest) => f(...rest); run(f => f('x')(), o.click[k])",
        "(async f => { (await f)('x')() })(o.click[k])",
        "label: for (const f of [o.click[k]]) { f('x')(); break label }",
        "switch (1) { case 1: var f = o.click[k] } f('x')()",
        // Put somewhere and taken out again.
        "[o.click[k]].map(f => f('x')())",
        "[o.click[k]].forEach(function (f) { f('x')() })",
        "const all = [o.click[k]]; all.forEach(f => f('x')())",
        "const all = []; all.push(o.click[k]); all[0]('x')()",
        "const all = []; all.push(o.click[k]); all.pop()('x')()",
        "const all = [], too = all; too.push(o.click[k]); all.pop()('x')()",
        "const all = []; all[0] = o.click[k]; all[0]('x')()",
        "const c = {}; c[j] = o.click[k]; c.a('x')()",
        "const c = { list: [] }; c.list.push(o.click[k]); c.list[0]('x')()",
        "[[o.click[k]]].forEach(([f]) => f('x')())",
        "[{ f: o.click[k] }].forEach(({ f }) => f('x')())",
        "const [f] = [o.click[k]]; f('x')()",
        "const [[f]] = [[o.click[k]]]; f('x')()",
        "const { f } = { f: o.click[k] }; f('x')()",
        "const { a: { f } } = { a: { f: o.click[k] } }; f('x')()",
        "let f; ({ f } = { f: o.click[k] }); f('x')()",
        "let f; [f] = [o.click[k]]; f('x')()",
        "const { ...r } = { f: o.click[k] }; r.f('x')()",
        "Object.values({ f: o.click[k] })[0]('x')()",
        "Object.entries({ f: o.click[k] }).forEach(([n, f]) => f('x')())",
        "Object.fromEntries([['f', o.click[k]]]).f('x')()",
        "const c = { [j]: o.click[k] }; c.f('x')()",
        "const c = {}; Object.defineProperty(c, 'a', { value: o.click[k] }); c.a('x')()",
        "const c = []; Object.assign(c, [o.click[k]]); c[0]('x')()",
        "const c = []; Array.prototype.push.call(c, o.click[k]); c[0]('x')()",
        "const c = []; [].push.apply(c, [o.click[k]]); c.pop()('x')()",
        "const { push } = []; const c = []; push.call(c, o.click[k]); c.pop()('x')()",
        "const w = new WeakRef(o.click[k]); w.deref()('x')()",
        "const it = [o.click[k]][Symbol.iterator](); it.next().value('x')()",
        "const h = { apply: f => f('x')() }; new Proxy(o.click[k], {}).call(null, 'x')()",
        "const s = { __f: null }; s.__f = o.click[k]; s.__f('x')()",
        "new Map([[1, o.click[k]]]).get(1)('x')()",
        "const m = new Map(); m.set(1, o.click[k]); m.get(1)('x')()",
        "const m = new Map(); m.set(1, o.click[k]); for (const [n, f] of m) f('x')()",
        "new Set([o.click[k]]).forEach(f => f('x')())",
        "Promise.resolve(o.click[k]).then(f => f('x')())",
        "(await Promise.resolve(o.click[k]))('x')()",
        "new Promise(done => done(o.click[k])).then(f => f('x')())",
        "const f = await new Promise(done => done(o.click[k])); f('x')()",
        "const { promise, resolve } = Promise.withResolvers(); resolve(o.click[k]); promise.then(f => f('x')())",
        "Promise.reject(o.click[k]).catch(f => f('x')())",
        "try { throw o.click[k] } catch (f) { f('x')() }",
        "try { throw { f: o.click[k] } } catch ({ f }) { f('x')() }",
        "emitter.on('e', f => f('x')()); emitter.emit('e', o.click[k])",
        "class A { f = o.click[k]; g() { this.f('x')() } }",
        "class A { #f = o.click[k]; g() { this.#f('x')() } }",
        "class A { get f() { return o.click[k] } } new A().f('x')()",
        "const a = { get f() { return o.click[k] } }; a.f('x')()",
        "const a = { set f(g) { g('x')() } }; a.f = o.click[k]",
        "class A { static { A.f = o.click[k]; A.f('x')() } }",
        "class A extends o.click[k] {} new A('x')()",
        "const F = o.click[k]; class A extends F { constructor() { super('x') } } new A()()",
        "const F = o.click[k]; class A { @F g() {} }",
        "(0, o.click[k])('x')()",
        "(c ? o.click[k] : d)('x')()",
        "(f ||= o.click[k])('x')()",
        // Taken by a pattern.
        "(({ [k]: F }) => F('x')())(o.click)",
        "const { click: { [k]: F } } = o; F('x')()",
        "const [{ [k]: F }] = [o.click]; F('x')()",
        "for (const { [k]: F } of [o.click]) F('x')()",
        "let F; [{ [k]: F }] = [o.click]; F('x')()",
        "let F; ({ click: { [k]: F } } = o); F('x')()",
        "try { throw o.click } catch ({ [k]: F }) { F('x')() }",
        "const { [k]: F = 1 } = o.click; F('x')()",
        "const c = {}; ({ [k]: c.f } = o.click); c.f('x')()",
        // Called by somebody else.
        "Array.from(['x'], o.click[k])[0]()",
        "const F = o.click[k]; Array.from(['x'], F).forEach(f => f())",
        "JSON.parse('\"x\"', o.click[k])()",
        "'a'.replace({ [Symbol.replace]: o.click[k] }, 'x')()",
        "setTimeout([o.click[k]].map(f => f.bind(null, 'x'))[0])",
        "super_[k]('x')()",
    ] {
        let refused = javascript(&format!("{KEY}{code}"));
        if !matches!(refused, Err(Refusal::Construct(_))) {
            passed.push(format!("{code}: {refused:?}"));
        }
    }
    assert!(passed.is_empty(), "{}:\n{}", passed.len(), passed.join("\n"));
}

#[test]
fn what_is_chosen_and_only_used_may_run() {
    let mut refused = Vec::new();
    for code in [
        "items.map(x => x.id)",
        "rows.map((row, i) => [labels[i], row.name])",
        "const byId = {}; rows.forEach(r => { byId[r.id] = r }); byId[id].click()",
        "const groups = {}; for (const r of rows) (groups[r.type] ||= []).push(r); return groups",
        "const cmp = key => (a, b) => a[key] - b[key]; rows.sort(cmp('size'))",
        "const cache = new Map(); const memo = n => cache.get(n) ?? cache.set(n, slow(n)).get(n); return memo(3)",
        "try { return table[Number(row)][0] } catch (e) { return e.message }",
        "document.querySelectorAll('a')[Number(i)].click(); inputs[Number(i)].dispatchEvent(new Event('input'))",
        "rows[Number(k)].cells[0].querySelector('a').click()",
        "const [first, ...others] = parts[Number(i)].split(','); return first.trim()",
    ] {
        if let Err(why) = javascript_with_names(code) {
            refused.push(format!("{code}: {why:?}"));
        }
    }
    assert!(refused.is_empty(), "{}:\n{}", refused.len(), refused.join("\n"));
}

#[test]
fn a_name_that_no_guard_can_read_gives_no_member_in_python() {
    let mut passed = Vec::new();
    for code in [
        "(lambda f: f('x')())(getattr(o, k))",
        "[getattr(o, k) for k in names]",
        "f = (g := getattr)(o, 'a')",
        "getattr(*args)",
        "getattr(o, *names)",
        "map(getattr, objects, names)",
        "from functools import partial\npartial(getattr, o)(k)",
        "from operator import attrgetter\nattrgetter(k)(o)",
        "import operator\noperator.attrgetter(k)(o)",
        "o.__getattribute__(k)",
        "object.__getattribute__(o, k)",
        "super().__getattribute__(k)",
        "type(o).__getattribute__(o, k)",
        "'{0.__class__}'.format(o)",
        "'{0[a].__class__}'.format(o)",
        "'{a.__class__.__init__}'.format(a=o)",
        "f'{o.__class__}'",
        "f'{o!r:{o.__class__}}'",
        "f'{(lambda: o.__class__)()}'",
        "map('{0.__class__}'.format, [o])",
        "map(str.format, templates, objects)",
        "template.format_map({'a': o})",
        "o._\u{ff3f}class__",
        "o.__cl\u{1d43}ss__",
        "\u{1d452}val('1')",
        "match o:\n    case object(__class__=c):\n        pass",
        "match o:\n    case A.B(__self__=c):\n        pass",
        "class A:\n    __match_args__ = ('__class__',)\n",
        "T = type(int)\nA = T('A', (), {'__match_' + 'args__': (k,)})\nmatch f:\n    case A(c):\n        pass",
        "A = make()\nmatch f:\n    case A(c):\n        pass",
        "class A(make()):\n    pass\nmatch f:\n    case A(c):\n        pass",
        "@make\nclass A:\n    pass\nmatch f:\n    case A(c):\n        pass",
        "class A(metaclass=make()):\n    pass\nmatch f:\n    case A(c):\n        pass",
        "match f:\n    case [m.A(c), *_]:\n        pass",
        "def dataclass(c): return make()\n@dataclass\nclass A:\n    pass\nmatch f:\n    case A(c):\n        pass",
        "int = make()\nmatch f:\n    case int(c):\n        pass",
        "class A:\n    pass\nA = make()\nmatch f:\n    case A(c):\n        pass",
        "from functools import update_wrapper\nupdate_wrapper(o, f, (k,), ())",
        "from functools import wraps\nwraps(f, (k,))(o)",
        "from functools import wraps\nwraps(f, assigned=names)(o)",
        "from functools import wraps\nwraps(*args)(o)",
        "from functools import wraps\nw = wraps\nw(f, names)(o)",
        "from functools import wraps as w\nw(f, names)(o)",
        "import functools\nfunctools.wraps(f, names)(o)",
        "import functools\nw = functools.wraps",
        "import dataclasses\ndataclasses.make_dataclass('A', [k])",
        "with o.__enter__.__self__ as x:\n    pass",
        "@o.__class__\ndef f(): pass",
        "def f(x: o.__class__): pass",
        "x: o.__class__ = 1",
        "del o.__class__",
        "o.__class__ = A",
        "(o.__class__ for _ in [1])",
        "lambda x=o.__class__: x",
        "async def f():\n    async for x in o.__class__:\n        pass",
        "a, *b = o.__class__, 1",
        "print(*[o.__class__])",
        "f(**o.__dict__)",
        "global x\nx = eval",
        "try:\n    pass\nexcept o.__class__:\n    pass",
        "raise E from o.__class__",
        "assert o.__class__",
        "t'{o.__class__}'",
    ] {
        let refused = python(code);
        if !matches!(refused, Err(Refusal::Construct(_) | Refusal::Keyword(_))) {
            passed.push(format!("{code}: {refused:?}"));
        }
    }
    assert!(passed.is_empty(), "{}:\n{}", passed.len(), passed.join("\n"));
    let mut refused = Vec::new();
    for code in [
        "df[col].mean()",
        "fn(rows[i], d[k])",
        "(lambda f: f(1))(handlers[k])",
        "d[k](x)",
        "out[key] = source[key]",
        "{k: d[k] for k in keys}",
        "from functools import wraps\ndef deco(f):\n    @wraps(f)\n    def g(*a):\n        return f(*a)\n    return g\n",
        "import functools\ndef deco(f):\n    @functools.wraps(f)\n    def g(*a, **k):\n        return f(*a, **k)\n    return g\n",
        "match x:\n    case int(n) | float(n):\n        print(n)\n    case {'a': a, **rest}:\n        print(a)\n    case [first, *_]:\n        print(first)",
        "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\nmatch p:\n    case P(x):\n        print(x)",
        "type(x) is int",
        "(n := len(rows)) > 3 and print(f'{n:>{width}} {rows[0]!r}')",
        "[y for x in rows if (y := x.get(k))]",
        "a, *b = rows\nprint(*b, sep=', ')",
    ] {
        if let Err(why) = python_with_names(code) {
            refused.push(format!("{code}: {why:?}"));
        }
    }
    assert!(refused.is_empty(), "{}:\n{}", refused.len(), refused.join("\n"));
}
