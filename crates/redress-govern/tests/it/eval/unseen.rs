//! Ways to what is chosen that do not look like a call, and members whose names become code.

use super::{
    assert_all_blocked, assert_none_refused, javascript, javascript_with_names, python,
    python_with_names,
};

/// A member that no guard can read, of a function that it does not see.
const CHOSEN: &str = "const f = [() => 1].pop()[JSON.parse(text)];";

#[test]
fn what_is_chosen_is_not_called_by_the_language_either() {
    let codes = [
        "const r = 'x'.match({ [Symbol.match]: f }); +{ valueOf: r }",
        "const o = {}; o[Symbol.replace] = f; 'a'.replace(o, 'x')",
        "class M { static [Symbol.search] = f } 'x'.search(M)",
        "class M { get [Symbol.toPrimitive]() { return f } } +new M()",
        "`${{ toString: f }}`",
        "(async () => { await { then: f } })()",
        "JSON.stringify({ x: { toJSON: f } })",
        "const d = new Date(0); d.toISOString = f; JSON.stringify({ d })",
        "const p = new Proxy([], { get: f }); p.x",
        "Object.defineProperty({}, 'x', { get: f }).x",
        "class A extends Object { constructor(c) { super(c) } } Object.setPrototypeOf(A, f); new A('x')()",
        "[].map.call(['x'], f)",
        "Array.prototype.sort.apply(['x', 'y'], [f])",
        "const go = [].forEach.bind(['x'], f); go()",
        "const o = {}; o[id('go')] = f; const { go } = o; go('x')()",
        "class X { [id('go')] = f } new X().go('x')()",
        "class X { get [id('go')]() { return f } } new X().go('x')()",
        "const o = { get [id('go')]() { return f } }; o.go('x')()",
        "const o = {}; Object.defineProperty(o, 'go', { get: () => f }); o.go('x')()",
        "function* g() { try { yield } catch (x) { x('x')() } } const it = g(); it.next(); it.throw(f)",
        "function* g() { yield 1 } const { value } = g().return(f); value('x')()",
        "new AggregateError([f]).errors[0]('x')()",
        "const { value } = [f].values().next(); value('x')()",
        "Promise.allSettled([f]).then(([{ value }]) => value('x')())",
        "const t = (texts, v) => v('x')(); t`${f}`",
    ];
    assert_all_blocked(&codes.map(|it| format!("{CHOSEN} {it}")), javascript);
    assert_none_refused(
        &[
            "const state = {}; inputs.forEach(i => { state[i.name] = i.value }); const { email } = state; return email.trim()",
            "const q = {}; for (const [k, v] of params) q[k] = v; const rows = q.rows; return rows.map(r => r.id)",
            "const byId = {}; els.forEach(e => { byId[e.id] = e }); byId.title.textContent.trim(); byId.save.click()",
            "class A { [Symbol.iterator]() { return this.rows[Number(k)].values() } }",
        ],
        javascript_with_names,
    );
}

#[test]
fn what_is_chosen_is_put_under_no_name_that_the_language_calls() {
    let codes = [
        "const s = Symbol.match; 'code'.match({ [s]: f })",
        "const S = Symbol; const o = {}; o[S.replace] = f; 'a'.replace(o, 'x')",
        "const { search } = Symbol; class M { static [search] = f } 'x'.search(M)",
        "const put = (o, key) => { o[key] = f }; const o = {}; put(o, Symbol.toPrimitive); +o",
        "const [s] = Object.getOwnPropertySymbols(RegExp.prototype); 'code'.match({ [s]: f })",
        "let s; 'x'.match(new Proxy({}, { get(_, key) { s = key } })); 'code'.match({ [s]: f })",
        "const g = { Symbol }; 'code'.match({ [g.Symbol.match]: f })",
        "const v = 'valueOf'; +{ [v]: f }",
        "const o = {}; o['to' + 'JSON'] = f; JSON.stringify({ 'code': o })",
        "const o = {}; o['to' + id('JSON')] = f; JSON.stringify({ 'code': o })",
        "const o = {}; Object.defineProperty(o, 'valueOf', { value: f }); +o",
        "const o = Object.create({}, { valueOf: { value: f } }); +o",
        "+Object.fromEntries([['valueOf', f]])",
        "const o = {}; Object.defineProperties(o, { toJSON: { value: f } }); JSON.stringify({ o })",
        "const o = Object.fromEntries(new Map([[Symbol.toPrimitive, f]])); +o",
        "const o = {}; o[plain ? 'x' : 'then'] = f; await o",
    ];
    assert_all_blocked(&codes.map(|it| format!("{CHOSEN} {it}")), javascript);
    assert_none_refused(&[], javascript_with_names);
}

#[test]
fn a_private_member_is_one_that_the_code_has_itself() {
    let codes = [
        "import random as self\nself._os.remove('x')",
        "import random\ndef f(self):\n    self._os.remove('x')\nf(random)",
        "import random\nclass A:\n    def f(self):\n        self._os = 1\n        return self._os\nA.f(random)",
        "import collections\n(lambda cls: cls._sys.modules)(collections)",
        "import dataclasses as self\nself._create_fn('f', [], ['x'])",
        "import uuid\nfor self in [uuid]:\n    self._get_command_stdout('x')",
    ];
    assert_all_blocked(&codes, python);
    assert_none_refused(
        &[
            "class A:\n    def __init__(self):\n        self._x, self._y = 1, 2\n    def same(self, other):\n        return self._x == other._x",
            "class A:\n    _n = 0\n    @classmethod\n    def count(cls):\n        cls._n += 1\n        return A._n",
            "class A:\n    def _go(self):\n        return 1\n    def go(self):\n        return self._go()",
            "from collections import namedtuple\np = namedtuple('P', 'a b')(1, 2)\nprint(p._asdict(), p._replace(a=2)._fields)",
        ],
        python_with_names,
    );
}

#[test]
fn names_of_members_become_no_code() {
    let codes = [
        "from dataclasses import dataclass\nA = type('A', (), {k: {'x,f()': int}})\ndataclass(init=False)(A)",
        "import dataclasses\ndataclasses.dataclass(make())",
        "from dataclasses import dataclass as d\nd(make())",
        "import dataclasses\ngetattr(dataclasses, 'data' + 'class')(make())",
        "from dataclasses import dataclass\nA = make()\n@dataclass\nclass B(A):\n    pass",
        "from dataclasses import dataclass\n@dataclass\nclass B(make()):\n    pass",
        "from dataclasses import dataclass\n@dataclass\n@make\nclass B:\n    pass",
        "from dataclasses import dataclass\n@make\nclass A:\n    pass\n@dataclass\nclass B(A):\n    pass",
        "from dataclasses import dataclass\nM = make()\nclass A(metaclass=M):\n    pass\n@dataclass\nclass B(A):\n    pass",
        "from dataclasses import dataclass\n@dataclass\nclass B(**words):\n    pass",
        "from dataclasses import dataclass\n@dataclass\nclass B[T: eval]:\n    pass",
        "from dataclasses import dataclass\n@dataclass(eq=o.__class__)\nclass B:\n    pass",
        "match text:\n    case str(format=f):\n        f(o)",
    ];
    assert_all_blocked(&codes, python);
    assert_none_refused(
        &[
            "from dataclasses import dataclass, field\n@dataclass(order=True)\nclass A:\n    x: int = 0\n    tags: list = field(default_factory=list)\n@dataclass\nclass B(A):\n    y: int = 1",
            "import dataclasses\nfrom abc import ABC\nclass Base(ABC):\n    pass\n@dataclasses.dataclass(frozen=True)\nclass A(Base):\n    x: float\nprint(dataclasses.asdict(A(1)))",
            "from dataclasses import dataclass\nfrom typing import Generic, TypeVar\nT = TypeVar('T')\n@dataclass\nclass Box(Generic[T]):\n    value: T",
            "from dataclasses import dataclass\n@dataclass\nclass Odd(Exception):\n    code: int",
        ],
        python_with_names,
    );
}
