// Random hostile values, thrown and returned: the seed is printed and can be given as SEED.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { DIALECTS, fault, parse, wrapHandler } from 'redress-runtime';
import { toEnvelope } from 'redress-runtime/atlas';
import { safeError } from 'redress-runtime/rpc';
import { estimateTokens } from 'redress-runtime/stagewright';
import { mapUnknownError, toMcpResult } from 'redress-runtime/workrail';

const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 32);
const ROUNDS = 1500;

/** A generator of numbers from 0 up to 1 (mulberry32). */
function numbers(state: number): () => number {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const next = numbers(seed);
const pick = <T>(all: readonly T[]): T => all[Math.floor(next() * all.length)] as T;
const KEYS = ['code', 'message', 'fault', 'error', 'error_code', 'human_message', 'retry', 'kind', 'data', 'details', 'name', 'stack', 'cause', 'then', 'toJSON', 'isError', 'content', 'structuredContent', 'v', 'registry', 'hint', 'violations', '__proto__', 'ok', 'jsonrpc'];

/** Any value at all. */
function value(depth: number, above: object[]): unknown {
  const leaf = () => pick([undefined, null, true, 0, NaN, -1, 2 ** 53, 10n, '', 'boom', 'TIMEOUT', 'NOT_RUNNING', '{"v":1,"code":"TIMEOUT"}', '\ud800', '\u202e', 'x'.repeat(5000), Symbol('s'), () => 1, new Date(NaN), new Map([[1, 2n]]), new Error('e'), fault('TIMEOUT').fault]);
  if (depth === 0 || next() < 0.3) return leaf();
  if (next() < 0.1 && above.length > 0) return pick(above);
  const made: object = pick([() => ({}), () => [], () => new Error('made'), () => Object.create(null) as object, () => new TypeError('typed', { cause: leaf() })])();
  const inside = [...above, made];
  for (let left = Math.floor(next() * 6); left > 0; left -= 1) {
    const key = pick(KEYS);
    const member = value(depth - 1, inside);
    const isGetter = next() < 0.1;
    try {
      Object.defineProperty(made, key, isGetter ? { enumerable: true, get() { throw member; } } : { enumerable: true, configurable: true, writable: true, value: key === 'then' ? 1 : member });
    } catch {
      // Some members cannot be defined twice. A function as `then` is left out: a promise that never settles is no failure.
    }
  }
  return next() < 0.05 ? new Proxy(made, { get() { throw new Error('trap'); } }) : made;
}

test(`whatever is thrown or returned, the answer is an envelope (SEED=${seed})`, async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const thrown = value(4, []);
    const dialect = pick(DIALECTS.filter((it) => it !== 'rpc'));
    const answer = await wrapHandler(() => { throw thrown; }, { dialect, onFault: () => {} })();
    const text = JSON.stringify(answer);
    assert.ok(parse(JSON.parse(text)), `round ${round}: ${text}`);
    const returned = await wrapHandler((): unknown => value(4, []), { dialect, onFault: () => {} })();
    assert.equal(typeof JSON.stringify(returned), 'string', `round ${round}`);
    for (const total of [() => toEnvelope(thrown), () => safeError(thrown), () => estimateTokens(thrown), () => toMcpResult(mapUnknownError(thrown))]) {
      assert.notEqual(JSON.stringify(total()), undefined, `round ${round}`);
    }
  }
});
