// The taxonomy of JSON-RPC errors: its samples, its helpers and its statistics.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { fault, parse } from 'redress-runtime';
import { appError, defineDomain, ErrorMetrics, fsError, harness, kgError, mbError, safeError } from 'redress-runtime/rpc';

/** The helpers as the document prints them. */
const printed = {
  appError(code: number, message: string, extra: Record<string, unknown> = {}) {
    const e = new Error(message) as Error & Record<string, unknown>;
    e['appCode'] = code;
    e['symbol'] = extra['symbol'];
    e['domain'] = extra['domain'];
    e['details'] = extra['details'];
    e['retryable'] = extra['retryable'];
    return e;
  },
  defineDomain(domain: string, defs: Record<string, { code: number; message: string; retryable?: boolean }>) {
    const map = { ...defs };
    function error(symbol: string, overrides: { message?: string; retryable?: boolean; details?: unknown } = {}) {
      const def = map[symbol];
      if (!def) throw new Error(`Unknown error symbol ${symbol} for domain ${domain}`);
      const { code, message, retryable } = def;
      const e = new Error(overrides.message || message) as Error & Record<string, unknown>;
      e['appCode'] = code;
      e['symbol'] = symbol;
      e['domain'] = domain;
      e['retryable'] = overrides.retryable ?? retryable;
      if (overrides.details) e['details'] = overrides.details;
      return e;
    }
    return { defs: map, error };
  },
};

/** What an error says to a harness. */
const parts = (e: object) => ['message', 'appCode', 'symbol', 'domain', 'details', 'retryable'].map((key) => (e as Record<string, unknown>)[key]);

test('seed_002_26_app_error_has_the_fields_of_the_document', () => {
  const e = (() => { try { throw appError(1000, 'Invalid selector', { domain:'playwright', symbol:'E_INVALID_PARAMS' }); } catch (thrown) { return thrown as Error; } })();
  assert.ok(e instanceof Error);
  assert.deepEqual(parts(e), ['Invalid selector', 1000, 'E_INVALID_PARAMS', 'playwright', undefined, undefined]);
  for (const extra of [undefined, {}, { symbol: 'E_X', domain: 'd', details: 'x', retryable: false }]) {
    assert.deepEqual(Object.entries(appError(2900, 'm', extra)), Object.entries(printed.appError(2900, 'm', extra)), 'the same enumerable fields');
  }
  const shown = safeError(appError(2100, 'Navigation failed', { domain: 'playwright', symbol: 'E_PW_NAV', details: 'net::ERR_NAME_NOT_RESOLVED', retryable: true }), {});
  // The object of the document, byte for byte.
  assert.equal(
    JSON.stringify({ jsonrpc: '2.0', id: 1, error: shown }),
    '{"jsonrpc":"2.0","id":1,"error":{"code":2100,"message":"Navigation failed","data":{"domain":"playwright","symbol":"E_PW_NAV","details":"net::ERR_NAME_NOT_RESOLVED","retryable":true}}}',
  );
  assert.equal(parse({ jsonrpc: '2.0', id: 1, error: shown })?.code, 'PW_NAV');
});

test('seed_002_19_a_positive_code_always_has_domain_and_symbol', () => {
  assert.deepEqual(safeError(appError(1002, 'Too many sessions'), {})['data'], { domain: 'common', symbol: 'E_LIMIT_EXCEEDED' });
  assert.deepEqual(safeError(appError(1005, 'Input too large', { domain: 'python' }), {})['data'], { domain: 'python', symbol: 'E_INPUT_TOO_LARGE' });
  assert.equal('data' in safeError(new Error('x'), {}), false);
});

test('seed_002_43_define_domain_makes_the_errors_of_the_document', () => {
  const made = { FULL: { code: 2900, message: 'Calendar full', retryable: true }, GONE: { code: 2901, message: 'Event gone' } };
  const [ours, theirs] = [defineDomain('calendar', made), printed.defineDomain('calendar', made)];
  const all = [undefined, {}, { details: 'May' }, { retryable: false }, { message: 'Not there' }, { message: '', details: '' }];
  for (const symbol of ['FULL', 'GONE'] as const) {
    for (const overrides of all) assert.deepEqual(parts(ours.error(symbol, overrides)), parts(theirs.error(symbol, overrides)), JSON.stringify(overrides));
  }
  assert.deepEqual(ours.defs, theirs.defs);
  const unknown = ours.error as (symbol: string) => Error;
  for (const symbol of ['NOPE', 'toString', '__proto__']) assert.throws(() => unknown(symbol), { message: `Unknown error symbol ${symbol} for domain calendar` });
});

test('seed_002_46_fs_mb_and_kg_errors', () => {
  const details = '../secret';
  const thrown = (make: () => Error) => { try { throw make(); } catch (it) { return safeError(it, {}); } };
  assert.deepEqual(thrown(() => fsError('PATH_ESCAPE', { details })), { code: 2500, message: 'Path escapes root', data: { domain: 'filesystem', symbol: 'E_FS_PATH_ESCAPE', details, retryable: false } });
  assert.deepEqual(thrown(() => mbError('FILE_NOT_FOUND', { details })), { code: 2300, message: 'invalid file', data: { domain: 'memory-bank', symbol: 'E_MB_FILE_NOT_FOUND', details, retryable: false } });
  assert.deepEqual(thrown(() => kgError('FULL', { retryable:true })), { code: 2400, message: 'triple store full', data: { domain: 'kg-memory', symbol: 'E_KG_FULL', retryable: true } });
});

test('seed_002_31_error_stats_are_those_of_the_document', async () => {
  const methods = {
    'py/exec': () => { throw appError(1005, 'Input too large', { domain: 'python', symbol: 'E_INPUT_TOO_LARGE' }); },
    'mb/read': () => { throw mbError('FILE_NOT_FOUND'); },
  };
  const call = harness(methods, { MCP_ERROR_METRICS: '1' });
  for (const method of ['py/exec', 'py/exec', 'mb/read']) await call({ jsonrpc: '2.0', id: 1, method });
  assert.deepEqual(await call({ jsonrpc: '2.0', id: 7, method: 'sys/errorStats' }), {
    jsonrpc: '2.0',
    id: 7,
    result: { total: 3, byCode: { 1005: 2, 2300: 1 }, byDomain: { python: 2, 'memory-bank': 1 }, bySymbol: { E_INPUT_TOO_LARGE: 2, E_MB_FILE_NOT_FOUND: 1 } },
  });
  for (const off of [{}, { MCP_ERROR_METRICS: '0' }, { MCP_ERROR_METRICS: 'off' }]) {
    const answer = await harness(methods, off)({ id: 1, method: 'sys/errorStats' });
    assert.equal((answer['error'] as { code: number }).code, -32601, 'there is no such method where metrics are off');
  }
  assert.equal((await call({ id: 2, method: '__proto__' }))['error'] !== undefined, true);
});

test('seed_002_every_nth_error_of_a_symbol_is_counted', () => {
  const metrics = new ErrorMetrics({ MCP_ERROR_METRICS: 'yes', MCP_ERROR_METRICS_SAMPLE: '10' });
  for (let at = 0; at < 25; at += 1) metrics.count(safeError(kgError('FULL'), {}) as { code: number });
  assert.deepEqual([metrics.snapshot().total, metrics.snapshot()['sampled']], [2, 10]);
});

test('seed_002_34_35_stacks_by_MCP_ERRORS_VERBOSE', () => {
  const stack = ['Error: x', ...Array.from({ length: 9 }, (_, at) => `    at f${at} (/srv/a.mjs:${at}:1)`), '    at h (/srv/node_modules/redress-runtime/dist/esm/rpc.js:1:1)'].join('\n');
  const shown = (verbose?: string) => (safeError(Object.assign(new Error('x'), { stack }), { MCP_ERRORS_VERBOSE: verbose })['data'] as { stack?: string } | undefined)?.stack?.split('\n').length;
  assert.deepEqual([shown(), shown('5'), shown('full'), shown('0'), shown('abc')], [undefined, 5, 9, undefined, undefined]);
});

test('seed_002_whatever_is_thrown_is_an_error_object', () => {
  const cycle: { details?: unknown } = {};
  cycle.details = cycle;
  assert.deepEqual(safeError(fault('TIMEOUT'), {})['code'], 1001, 'a fault has the number of its row');
  for (const thrown of [undefined, null, '', 'x', 0, 1n, Symbol('s'), {}, cycle, { appCode: 21.5 }, { get message(): string { throw new Error('no'); } }]) {
    const error = safeError(thrown, {});
    assert.equal(error.code, -32000);
    assert.ok(error.message !== '' && JSON.stringify(error) !== undefined);
  }
});
