//! Code that only looks like what is forbidden, and may run.

use super::{javascript, python};

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
        "x.constructor.name",
        "x.constructor === Array",
        "const self = this; self.items[0]",
        "class A { constructor() { this.x = 1 } }",
        "return document.querySelectorAll('a').length",
        "await page.click('#x')",
        "rows.map((row, i) => row[i] * 2)",
        "window.location.href",
        "setTimeout(() => done(), 10)",
        "signal.abort()",
        "items[items.length - 1]",
    ] {
        assert_eq!(javascript(code), Ok(()), "{code}");
    }
    for code in [
        "# eval('1')\nprint(1)",
        "note = 'exec(x) is bad'",
        "import math\nmath.sqrt(2)",
        "from collections import Counter\nCounter('abc')",
        "getattr(x, 'size')",
        "class A:\n    def __init__(self):\n        self._x = 1\n",
        "response.code",
        "f'{total:.2f} of {rows[0]}'",
        "if __name__ == '__main__':\n    main()",
    ] {
        assert_eq!(python(code), Ok(()), "{code}");
    }
}

#[test]
fn a_key_that_is_made_when_the_code_runs_is_as_harmless_as_one_that_nobody_knows() {
    for code in [
        "r[x.trim()] = 1",
        "counts[w.toLowerCase()] = (counts[w.toLowerCase()] || 0) + 1",
        "seen[x + ',' + y] = true",
        "log(grid[`${x},${y}`])",
        "o[decodeURIComponent(k)] = v",
        "const k = x.textContent.trim(); r[k] = 1",
        "r[el.name] = v; r['item' + i] = 1",
        "const t = {}; for (let i = 0; i < 3; i++) t['r' + i] = i",
        "const key = [a, b].join('|'); seen[key] = 1; return seen[key]",
        "map[String(id)] = row; cache[JSON.stringify(args)] ??= f(args)",
        "groups[d.toISOString().slice(0, 10)].push(row)",
        "rows.reduce((acc, r) => { const k = `${r.a}-${r.b}`; acc[k] = (acc[k] ?? 0) + r.n; return acc }, {})",
        "document.createElement(tag.toLowerCase())",
        "log(grid[y][x]); return dict[lang][key]",
    ] {
        assert_eq!(javascript(code), Ok(()), "{code}");
    }
}

#[test]
fn ordinary_code_with_keys_and_names_may_run() {
    for code in [
        "for (let i = 0; i < n; i += step) total += prices[i]",
        "const byName = {}; for (const row of rows) byName[row.name] = row",
        "['show', 'hide'].forEach(it => log(it)); el[Symbol.iterator]()",
        "for (const m of ['focus', 'blur']) el[m]()",
        "fields[`data-${id}`] = 1",
        "a.constructor === b.constructor && keys.every(k => a[k] === b[k])",
        "await page.click('#x'); return 1",
        "let let_ = 1; return { name, value: x?.y ?? 0 }",
        "while (n --> 0) f(n)",
        "{ name: 'a', 'size': 2 }",
        "function (row) { return row.id }",
    ] {
        assert_eq!(javascript(code), Ok(()), "{code}");
    }
    for code in [
        "import re\nre.compile('a+').findall(text)",
        "print(x.__class__.__name__)",
        "[getattr(x, k) for k in ['width', 'height']]",
        "# -*- coding: utf-8 -*-\nx = 1",
        "return await fetch(url)",
        "class V:\n    def __add__(self, other):\n        return V()\n",
        "'{0.name}: {1:>10}'.format(x, y)",
    ] {
        assert_eq!(python(code), Ok(()), "{code}");
    }
}
