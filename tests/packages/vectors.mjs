// The exported TypeScript, held against the vectors that all languages share.
//
// node vectors.mjs INDEX.ts VECTORS
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [, , index, vectors] = process.argv;
const { parse, decide, Budget, makeFault, toolResult, contract, write, resultOf, RpcError } = await import(pathToFileURL(index));
const cases = (name) => JSON.parse(readFileSync(`${vectors}/${name}.json`, 'utf8')).cases;

/** What a fault says beyond its row is just what the envelope says. */
function same(fault, envelope, name) {
  const absent = { next_actions: [], similar_refs: [], violations: [], context: {} };
  for (const key of [...Object.keys(fault), ...Object.keys(envelope)]) {
    const isOfTheRow = ['domain', 'number', 'severity', 'cause', 'stack', 'ground', 'dialect', 'registry', 'v'].includes(key);
    if (!isOfTheRow || (key in envelope && key !== 'v')) assert.deepEqual(fault[key], envelope[key] ?? absent[key], `${name}: ${key}`);
  }
}

const bytes = cases('bytes');
for (const { name, bytes: answer, reading, ground = 'guessed', registry, fault: expected } of bytes) {
  const fault = parse(answer);
  if (reading === 'failure') {
    assert.ok(fault, name);
    continue;
  }
  assert.equal(fault?.ground, reading === 'fine' ? undefined : ground, name);
  if (reading !== 'fault') continue;
  assert.equal(fault.registry, registry, name);
  same(fault, expected, name);
}

const taught = cases('taught');
for (const { name, matches, tool, answer, code, effect } of taught) {
  const own = contract({ registry: { name: 'taught', version: '' }, taken: { core: null }, meanings: {}, rows: {}, matches });
  const fault = own.parse(answer, tool);
  assert.equal(fault?.code ?? null, code, name);
  if (effect !== null) assert.equal(fault.effect, effect, name);
}
const [refused] = taught;
const words = contract({ registry: { name: 'taught', version: '' }, taken: { core: null }, meanings: {}, rows: {}, matches: refused.matches });
assert.equal(words.fromUnknown(new Error('Kaputt 7 today'), { context: { tool: refused.tool } }).code, refused.code);
assert.equal(words.fromUnknown(new Error('Kaputt 7 today')).code, 'INTERNAL_ERROR');

const decisions = cases('decisions');
for (const { name, fault, attempt, policy, budget: rule, decision, saved_after } of decisions) {
  const { read_only: readOnly, idempotent, trusted, made, ground, fallback, now_ms: nowMs, time_left_ms, random } = attempt;
  const budget = new Budget({ capacity: rule.capacity, perSuccess: rule.per_success, perSecond: rule.per_second, saved: rule.saved });
  const seen = decide(
    parse(fault),
    { readOnly, idempotent, trusted },
    { made, ground, fallback, nowMs, random, ...(time_left_ms !== null && { timeLeftMs: time_left_ms }) },
    budget,
    { attempts: policy.attempts, firstPauseMs: policy.first_pause_ms, longestWaitMs: policy.longest_wait_ms },
  );
  assert.deepEqual(seen, decision, name);
  assert.equal(budget.left(), saved_after, name);
}

const raised = cases('raised');
for (const { name, code, params, more, result } of raised) {
  assert.equal(JSON.stringify(toolResult(Object.assign(makeFault(code, params), more))), result, name);
}

/** The contract of a registry that ships: its own spellings go before those of others. */
function shipped(registry) {
  const own = { registry: { name: registry, version: '' }, taken: { [registry]: null }, meanings: {}, rows: {} };
  const meanings = {};
  for (const row of registry === 'core' ? [] : Object.values(contract(own).codes)) {
    meanings.native = { ...meanings.native, [row.code]: [registry, row.code] };
    for (const [dialect, spellings] of Object.entries(row.spelled)) {
      for (const it of spellings) meanings[dialect] = { ...meanings[dialect], [it]: [registry, row.code] };
    }
  }
  return contract({ ...own, meanings });
}

/** A fault of a registry, with members that its author sets. */
function made({ makeFault }, { code, params, more }) {
  const { context, ...rest } = more;
  return { ...makeFault(code, params), ...rest, ...(context && { context }) };
}

const now = '2026-01-19T15:32:10.123Z';
const dialects = cases('dialects');
for (const it of dialects) {
  const own = shipped(it.registry);
  const fault = made(own, it);
  for (const [dialect, document] of Object.entries(it.documents)) {
    const name = `${it.registry} ${it.code} in ${dialect}`;
    assert.equal(JSON.stringify(write(fault, dialect, { now })), document, name);
    assert.ok(parse(JSON.parse(document)), name);
    const again = own.readAs(dialect, JSON.parse(document));
    assert.ok(again, name);
    assert.equal(JSON.stringify(write(again, dialect, { now })), document, `${name}, read and written again`);
  }
  for (const [dialect, answer] of Object.entries(it.answers ?? {})) {
    const { code, message, data } = dialect === 'rpc' ? new RpcError(fault) : {};
    const answered = dialect === 'rpc' ? { error: { code, message, data } } : { result: resultOf(fault, { dialect, now }) };
    assert.equal(JSON.stringify({ jsonrpc: '2.0', id: 1, ...answered }), answer, `${it.code} in ${dialect}`);
  }
}

const { structuredContent, ...rest } = toolResult(makeFault('INTERNAL_ERROR'));
assert.deepEqual(toolResult(makeFault('INTERNAL_ERROR'), { hasOutputSchema: true }), rest);
assert.deepEqual(parse(rest), parse(structuredContent));

for (const hostile of [undefined, null, 0, '', '{', '[]', '"', [], {}, { _meta: 1, isError: true }, { error: [] }, '['.repeat(1e5), { content: [null] }]) parse(hostile);
assert.equal(parse(new Error('boom')).ground, 'guessed');
assert.equal(parse(Object.assign(new Error('x'), { code: 4711, data: { symbol: 'E_TIMEOUT' } })).code, 'TIMEOUT');
const failed = (message, more) => Object.assign(new Error(message), more);
for (const [code, ...thrown] of [
  ['TIMEOUT', failed('MCP error -32001: Request timed out', { code: -32001, data: { timeout: 10 } }), failed('Request timed out', { code: 'REQUEST_TIMEOUT' }), failed('late', { name: 'TimeoutError' })],
  ['UPSTREAM_UNAVAILABLE', failed('MCP error -32000: Connection closed', { code: -32000 }), failed('Not connected'), new TypeError('fetch failed'), failed('x', { code: 'ECONNRESET' })],
  ['TIMEOUT', new TypeError('fetch failed', { cause: failed('x', { code: 'UND_ERR_HEADERS_TIMEOUT' }) })],
  ['CANCELLED', failed('This operation was aborted', { name: 'AbortError' })],
  ['UNKNOWN_TOOL_FAILURE', new Error('boom'), new Error('The connection closed badly')],
]) {
  for (const it of thrown) {
    const fault = parse(it);
    assert.deepEqual([fault.code, fault.ground], [code, 'guessed'], String(it));
    const { do: what } = decide(fault, {}, { made: 1 }, new Budget());
    assert.ok(!what.startsWith('retry'), `${it}: what may have had an effect is not repeated`);
  }
}
assert.deepEqual(decide(parse({ content: [{ type: 'text', text: 'SESSION_NOT_INITIALIZED: No.' }], isError: true }), {}, { made: 1 }, new Budget()).next, [{ tool: 'begin_session' }]);
console.log(`TypeScript: ${bytes.length} answers, ${decisions.length} decisions, ${raised.length} made, ${dialects.length} in seven dialects, ${taught.length} taught`);
console.log(`ran: ${bytes.length + decisions.length + raised.length + dialects.length + taught.length} vectors`);
