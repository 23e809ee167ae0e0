//! Code that only looks like what is forbidden, and may run.

use super::{javascript, javascript_with_names, python_with_names};

#[test]
fn words_in_comments_and_texts_are_no_code() {
    for code in [
        "// process.exit(1)\n1 + 1",
        "/* require('fs') */ document.title",
        "const note = 'call process.exit(1) to stop'; note",
        "const t = `eval(${n}) is bad`",
        "log('child_process', 'Function(')",
        "process.exitCode",
        "process.env.HOME",
        "typeof require === 'undefined'",
        "f instanceof Function",
        "class A { constructor() { this.x = 1 } }",
        "return document.querySelectorAll('a').length",
        "await page.click('#x')",
        "rows.map((row, i) => row[i] * 2)",
        "window.location.href",
        "setTimeout(() => done(), 10)",
        "signal.abort()",
        "items[items.length - 1]",
    ] {
        assert_eq!(javascript_with_names(code), Ok(()), "{code}");
    }
    for code in [
        "# eval('1')\nprint(1)",
        "note = 'exec(x) is bad'",
        "import math\nmath.sqrt(2)",
        "from collections import Counter\nCounter('abc')",
        "class A:\n    def __init__(self):\n        self._x = 1\n",
        "f'{total:.2f} of {rows[0]}'",
        "if __name__ == '__main__':\n    main()",
    ] {
        assert_eq!(python_with_names(code), Ok(()), "{code}");
    }
}

#[test]
fn a_computed_key_is_as_harmless_as_an_unknown_one() {
    for code in [
        "r[x.trim()] = 1",
        "counts[w.toLowerCase()] = (counts[w.toLowerCase()] || 0) + 1",
        "seen[x + ',' + y] = true",
        "o[decodeURIComponent(k)] = v",
        "const k = x.textContent.trim(); r[k] = 1",
        "r[el.name] = v; r['item' + i] = 1",
        "const t = {}; for (let i = 0; i < 3; i++) t['r' + i] = i",
        "map[String(id)] = row; cache[JSON.stringify(args)] ??= f(args)",
        "const groups = {}; (groups[d.toISOString().slice(0, 10)] ||= []).push(row)",
        "rows.reduce((acc, r) => { const k = `${r.a}-${r.b}`; acc[k] = (acc[k] ?? 0) + r.n; return acc }, {})",
    ] {
        let own = "const r = {}, counts = {}, seen = {}, o = {}, map = {}, cache = {};";
        assert_eq!(javascript_with_names(&format!("{own} {code}")), Ok(()), "{code}");
    }
}

#[test]
fn what_is_the_value_of_an_expression_may_run() {
    for code in ["{ name: 'a', 'size': 2 }", "function (row) { return row.id }"] {
        assert_eq!(javascript(code), Ok(()), "{code}");
    }
}

#[test]
fn ordinary_code_with_keys_and_names_may_run() {
    for code in [
        "for (let i = 0; i < n; i += step) total += prices[i]",
        "const byName = {}; for (const row of rows) byName[row.name] = row",
        "await page.click('#x'); return 1",
        "let let_ = 1; return { name, value: x?.y ?? 0 }",
        "while (n --> 0) f(n)",
    ] {
        assert_eq!(javascript_with_names(code), Ok(()), "{code}");
    }
    for code in [
        "import re\nre.compile('a+').findall(text)",
        "print(x.__class__.__name__)",
        "# -*- coding: utf-8 -*-\nx = 1",
        "return await fetch(url)",
        "class V:\n    def __add__(self, other):\n        return V()\n",
        "'{0.name}: {1:>10}'.format(x, y)",
    ] {
        assert_eq!(python_with_names(code), Ok(()), "{code}");
    }
}
