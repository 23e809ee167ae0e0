// What a thrown value becomes: errors of the system, of HTTP clients and of connections, and what is told of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { card, fromUnknown, wrapHandler, type Fault } from 'redress-runtime';

const error = (message: string, more: object = {}) => Object.assign(new Error(message), more);
const http = (status: number, headers: unknown = {}) => error(`Request failed with status code ${status}`, { response: { status, headers } });

/** What is thrown, and the code and the wait that it becomes. */
const KNOWN: readonly [thrown: unknown, code: string, wait?: number][] = [
  [error("ENOENT: no such file, open 'x'", { code: 'ENOENT', path: 'x' }), 'FILE_NOT_FOUND'],
  [error('EACCES', { code: 'EACCES' }), 'INSUFFICIENT_PERMISSIONS'],
  [error('connect ECONNREFUSED 127.0.0.1:1', { code: 'ECONNREFUSED' }), 'UPSTREAM_UNAVAILABLE'],
  [new TypeError('fetch failed', { cause: error('x', { code: 'UND_ERR_HEADERS_TIMEOUT' }) }), 'TIMEOUT'],
  [new DOMException('The operation was aborted due to timeout', 'TimeoutError'), 'TIMEOUT'],
  [new DOMException('This operation was aborted', 'AbortError'), 'CANCELLED'],
  [error('sync failed', { cause: error('x', { code: 'ENOTFOUND' }) }), 'UPSTREAM_UNAVAILABLE'],
  [new AggregateError([error('x', { code: 'ECONNREFUSED' })]), 'UPSTREAM_UNAVAILABLE'],
  [http(429, { 'retry-after': '7' }), 'RATE_LIMITED', 7000],
  [http(429, new Headers({ 'Retry-After': '2' })), 'RATE_LIMITED', 2000],
  [new Response('slow down', { status: 429, headers: { 'retry-after': '3' } }), 'RATE_LIMITED', 3000],
  [error('Bad credentials', { status: 401 }), 'AUTH_REQUIRED'],
  [error('gone', { statusCode: 404 }), 'NOT_FOUND'],
  [http(503), 'UPSTREAM_UNAVAILABLE'],
  [http(418), 'INTERNAL_ERROR'],
  [error('x', { status: 'open' }), 'INTERNAL_ERROR'],
];

test('errors of the system, of HTTP clients and of connections', () => {
  for (const [thrown, code, wait] of KNOWN) {
    const { code: seen, retry, ground, effect } = fromUnknown(thrown);
    assert.deepEqual([seen, wait === undefined ? undefined : retry.after_ms, ground], [code, wait, 'guessed'], String(thrown));
    assert.notEqual(effect, 'none', 'what the call had done by then is not known');
  }
});

test("an author's own code says more than what lies below the error", () => {
  const thrown = error('sync failed', { cause: error('x', { code: 'ENOTFOUND' }) });
  assert.equal(fromUnknown(thrown, { code: 'CONFLICT' }).code, 'CONFLICT');
  assert.equal(fromUnknown(http(429), { code: 'CONFLICT' }).code, 'RATE_LIMITED');
  assert.equal(fromUnknown(error('[SESSION_LOCKED] Locked by pid 7', { code: 'SESSION_LOCKED' })).message, 'Locked by pid 7');
});

test('no credential is told of what was thrown', () => {
  const secrets = ['hunter2-hunter2', 'ghp_0123456789abcdefghijABCDEFGHIJ', 'sk-proj-0123456789abcdefghij', 'eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.c2lnbmF0dXJl'];
  const texts = [`password=${secrets[0]}`, `push with ${secrets[1]} failed`, `key ${secrets[2]}`, `Authorization: Bearer ${secrets[3]}`, `postgres://app:${secrets[0]}@db/x`, `-----BEGIN PRIVATE KEY-----\n${secrets[0]}`];
  for (const text of texts) {
    for (const thrown of [new Error(text), text, { message: text }, error('x', { cause: new Error(text) }), error(text, { code: 'CONFLICT' })]) {
      const fault = fromUnknown(thrown);
      const told = JSON.stringify(fault) + card(fault);
      assert.ok(!secrets.some((it) => told.includes(it)), told);
    }
  }
  for (const slow of ['a.'.repeat(40_000), 'eyJaaaaaaaa-'.repeat(6_000), '-----BEGIN '.repeat(8_000), 'password '.repeat(9_000), 'x://a:'.repeat(12_000)]) {
    assert.ok(fromUnknown(new Error(slow)).server_text, 'texts made to be slow are told, too');
  }
});

test('a tool that only reads has changed nothing', async () => {
  const seen: Fault[] = [];
  for (const readOnly of [true, false]) await wrapHandler(() => { throw new Error('boom'); }, { readOnly, onFault: (it) => seen.push(it) })();
  assert.deepEqual(seen.map((it) => it.effect), ['none', 'unknown']);
});

test('the operator reads on stderr what was not thrown on purpose', async (t) => {
  const log = t.mock.method(console, 'error', () => { throw new Error('stderr is closed'); });
  const boom = new Error('boom');
  await wrapHandler(() => { throw boom; }, { context: { tool: 'read' } })();
  assert.deepEqual(log.mock.calls.map((it) => it.arguments), [['redress: read failed with INTERNAL_ERROR:', boom]]);
  await wrapHandler(() => { throw error('no', { code: 'CONFLICT' }); })();
  assert.equal(log.mock.callCount(), 1);
});
