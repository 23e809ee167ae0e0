//! Ordinary code that an earlier guard followed and let through. A list of what may run has no place for it: the refusal says what to write.

use redress_govern::eval::Refusal;

use super::{javascript_with_names, python_with_names};

#[test]
fn what_is_not_listed_is_refused_with_a_word_on_what_to_write() {
    let javascript = [
        "log(list[i], items[i].name)",
        "obj[key] = v; fn(list[i])",
        "const out = {}; for (const key of keys) out[key] = source[key]; return out",
        "const pick = (o, keys) => Object.fromEntries(keys.map(k => [k, o[k]])); return pick(row, ['a', 'b'])",
        "keys.map(k => rows[k]).filter(r => r.visible).forEach(r => r.remove())",
        "const mapValues = (o, fn) => Object.fromEntries(Object.keys(o).map(k => [k, fn(o[k])])); mapValues(row, v => v * 2)",
        "function each(list, fn) { for (const x of list) fn(x) } each(keys, k => out.push(row[k]))",
        "await new Promise(resolve => setTimeout(resolve, 100)); return data[k]",
        "const wait = () => new Promise((resolve) => { img.onload = () => resolve(img) }); await wait(); log(data[k])",
        "const el = $(cells[i]); el.text(labels[i]); $('a').hide()",
        "const sorted = [...rows].sort((a, b) => a[col] > b[col] ? 1 : -1); return sorted.map(r => r[col])",
        "const total = rows.reduce((sum, r) => sum + r[col], 0); return total.toFixed(2)",
        "const { [k]: gone, ...rest } = row; return rest",
        "const m = new Map(); keys.forEach(k => m.set(k, row[k])); return [...m.entries()]",
        "const t = (key) => dict[lang][key] ?? key; el.textContent = t('title')",
        "return tpl.replace(/{(\\w+)}/g, (_, name) => row[name])",
        "const next = () => queue.shift(); const job = next(); job.run(args[i])",
        "class Store { get(k) { return this.data[k] } set(k, v) { this.data[k] = v } } const s = new Store(); s.set('a', 1); s.get('a')",
        "const stats = JSON.parse(JSON.stringify(data[k])); return Array.from(lists[k])",
        "function* pages() { for (const k in site) yield site[k] } for (const p of pages()) log(p.url)",
        "const style = getComputedStyle(els[i]); return style.getPropertyValue(names[i])",
        "const cell = grid[y]?.[x]; return cell ? cell.value : null",
        "const resp = await fetch(urls[i]); const json = await resp.json(); out.push(json[field])",
        "const lookup = Object.assign({}, defaults[kind]); lookup.name = names[i]; return lookup",
        "Object.entries(config).forEach(([key, value]) => { target[key] = value; log(key, target[key]) })",
        "options[i].call.price; fn.call(items[i], 1)",
        "Object.prototype.hasOwnProperty.call(obj[k], 'x'); handler.apply(els[i], args)",
        "const node = { value: xs[i], next: nodes[i + 1] }; return node",
        "const bar = { open: row[1], close: row[k], size: sizes[k], start: starts[i] }; return bar",
        "const module = modules[i]; module.load(); row.module.name",
        "module.exports = { run: () => rows[k] }",
        "class A extends Base { constructor(x) { super(x); this.rows = lists[x] } get first() { return this.rows[0] } } new A(k).first",
        "class A { set name(v) { this.el.textContent = v } } const a = new A(); a.name = names[i]",
        "class Q { add(x) { this.items.push(x); return this } } new Q().add(rows[k]).add(rows[j])",
        "try { use(rows[k]) } catch (e) { log(e.message); throw e }",
        "function* walk(n) { yield n; for (const c of n.children) yield* walk(c) } for (const n of walk(roots[k])) log(n.id)",
        "setTimeout(o.s, 10)",
        "log(rows[k], sizes[k] + 1); byName[k] = rows[k]",
        "rows.map(row => row[k])",
        "grid[y][x] = 1; if (grid[y][x] > 2) log('big')",
        "class A { async run() { await this.x() } } await new A().run()",
        "log(grid[`${x},${y}`])",
        "const key = [a, b].join('|'); seen[key] = 1; return seen[key]",
        "document.createElement(tag.toLowerCase())",
        "log(grid[y][x]); return dict[lang][key]",
        "['show', 'hide'].forEach(it => log(it)); el[Symbol.iterator]()",
        "for (const m of ['focus', 'blur']) el[m]()",
        "const self = this; self.items[0]",
        "const res = { sum: xs[i], toString() { return `${this.sum}` } }; return String(res)",
        "[].map.call(els, el => el[k]); Array.prototype.slice.call(lists[k], 1)",
        "Object.defineProperty(o, 'x', { get: () => 1, enumerable: flags[k] })",
        "const out = {}; for (const k of Object.keys(src)) out[k] = src[k]; return out",
        "const out = {}; for (const k in src) out[k] = src[k]; return JSON.stringify(out)",
        "const has = x => typeof x[Symbol.iterator] === 'function' && Symbol.iterator in x; out[k] = src[k]",
        "const id = Symbol('id'); const o = { [id]: 1 }; return o[id] + src[k]",
        "return Object.fromEntries(keys.map(key => [key, src[key]]))",
        "const o = Object.create(null); o[k] = { value: src[k] }; return o",
        "const row = { [`col_${i}`]: src[k], [names[i]]: src[k] }; return row",
        "const cache = new Proxy({}, { set(t, key, value) { t[key] = value; return true } }); cache.x = 1",
        "fields[`data-${id}`] = 1",
        "a.constructor === b.constructor && keys.every(k => a[k] === b[k])",
        "x.constructor.name",
        "x.constructor === Array",
        "for await (const row of stream) out[row.id] = row",
        "e.innerHTML = '<p class=\"once\">price = 3, based on = 4</p><a href=\"/javascript\">x</a>'",
        "e.innerHTML = '<img src=\"a.png\" alt=\"on click = none\"><b>online=1</b>'",
    ];
    let python = [
        "class P:\n    pass\nmatch p:\n    case P(x=0):\n        pass\n    case P():\n        pass",
        "type(x)(1)",
        "line = '{}: {:>10}\\n'\nline.format(x, y)",
        "import textwrap\nprint(textwrap.dedent('''\n  a {}\n''').format(1))",
        "from textwrap import dedent\nprint(dedent('''\n  a {x}\n''').strip().format(x=1))",
        "license = row['license']\nprint(license)",
        "print(repo.license, book.copyright)",
        "[getattr(x, k) for k in ['width', 'height']]",
        "getattr(x, 'size')",
        "response.code",
        "print(('{:<10}'*3).format(*row))",
        "print((3 * '{:>8} ').format(*row))",
    ];
    let javascript = javascript.iter().map(|it| (it, javascript_with_names(it)));
    let python = python.iter().map(|it| (it, python_with_names(it)));
    for (code, verdict) in javascript.chain(python) {
        let refusal = verdict.expect_err(code);
        assert!(matches!(refusal, Refusal::Construct(_)), "{code}: {refusal:?}");
        assert!(refusal.instead().is_some(), "{refusal:?}");
    }
}
