// Whether the exported TypeScript says of each code what the registry says.
//
// node rows.mjs INDEX.ts REGISTRY.json
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [, , index, path] = process.argv;
const { CODES, TOOLS, REGISTRY, read } = await import(pathToFileURL(index));
const registry = JSON.parse(readFileSync(path, 'utf8'));

assert.deepEqual(REGISTRY, { name: registry.name, version: registry.version });
assert.deepEqual(Object.keys(CODES).sort(), Object.keys(registry.codes).sort());
for (const [code, row] of Object.entries(registry.codes)) {
  for (const key of ['number', 'domain', 'class', 'http', 'retry', 'effect', 'severity', 'title', 'message', 'hint', 'deprecated']) {
    assert.deepEqual(CODES[code][key], row[key], `${code}: ${key}`);
  }
  const next = row.next.map(({ tool, args }) => (Object.keys(args).length > 0 ? { args, tool } : { tool }));
  assert.deepEqual(CODES[code].next ?? [], next, code);
  assert.deepEqual(CODES[code].params.map((it) => [it.name, it.doc, it.untrusted, it.max_chars, it.enum]), row.params.filter((it) => !it.secret).map((it) => [it.name, it.doc, it.untrusted, it.max_chars, it.enum]));
  assert.equal(read({ code })?.code, code);
}
assert.deepEqual(Object.keys(TOOLS).sort(), Object.keys(registry.tools).sort());
console.log(`TypeScript: codes of ${REGISTRY.name}\nran: ${Object.keys(CODES).length} codes`);
