// Faults that are thrown, and the chain of ways to answer a call.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { card, fault, FaultError, fromUnknown, isCode, makeFault, parse, safeCopy, toolResult, UnregisteredCode } from 'redress-runtime';

test('a fault is thrown, caught, and keeps its cause', () => {
  const cause = new Error('disk');
  const error = fault('FILE_READ_FAILED', { path: 'a' }, { cause, effect: 'partial', context: { tool: 'read' } });
  assert.ok(error instanceof Error && error instanceof FaultError);
  assert.deepEqual([error.code, error.cause, error.fault.effect, error.fault.context.tool], ['FILE_READ_FAILED', cause, 'partial', 'read']);
  assert.equal(String(error), card(error.fault), 'a server that shows the error shows the card');
  assert.ok(card(error.fault).startsWith(`${error.message}\n`), 'one that shows the message shows the code');
  assert.deepEqual(fromUnknown(error).cause, { message: 'disk', code: null, name: 'Error' });
});

test('seed_000_45_a_code_that_the_contract_does_not_have_is_refused_by_name', () => {
  const make = makeFault as (code: string) => unknown;
  for (const code of ['NOPE', '__proto__', 'toString', '']) {
    assert.throws(() => make(code), UnregisteredCode);
    assert.throws(() => make(code), { message: `INVALID_ERROR_CODE: ${code} is not a registered code of core` });
    assert.equal(isCode(code), false);
  }
});

test('seed_000_32_details_that_are_no_JSON_do_not_cost_the_answer', () => {
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  const make = makeFault as unknown as (code: string, params: unknown) => ReturnType<typeof makeFault>;
  for (const path of [cycle, 1n, () => 1, Symbol('x')]) {
    const answer = toolResult(make('FILE_NOT_FOUND', { path }));
    assert.equal(parse(JSON.parse(JSON.stringify(answer)))?.code, 'FILE_NOT_FOUND');
  }
  for (const more of [{ details: cycle }, { details: { n: 1n } }, { violations: [{ pointer: '/a', got: 1n }] }, { similar_refs: [{ ref: cycle }] }]) {
    const answer = toolResult({ ...makeFault('FILE_NOT_FOUND', { path: 'a' }), ...(more as object) });
    assert.equal(parse(JSON.parse(JSON.stringify(answer)))?.code, 'FILE_NOT_FOUND');
  }
  const { value, problems } = safeCopy({ a: cycle, b: 1n, c: undefined, d: NaN, e: new Date(0), f: new Map([['k', 1]]), g: new Set([1]) });
  assert.deepEqual(value, { a: { self: '[circular]' }, b: '1', d: null, e: '1970-01-01T00:00:00.000Z', f: { k: 1 }, g: [1] });
  assert.equal(problems.length, 4);
});
