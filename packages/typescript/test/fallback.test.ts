// The chain of ways to answer a call: nothing is never taken for success, and what may have had an effect is never made twice.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { FallbackChain, isNothing, parse, type Fault, type Try, type Way } from 'redress-runtime';

const READS = { readOnly: true, trusted: true };
/** One try each, so that no test waits. */
const ONCE = { policy: { attempts: 1, firstPauseMs: 1, longestWaitMs: 1 } };
const AWAY = { isError: true, content: [{ type: 'text', text: '{"error":"mcp_unavailable","message":"away","details":null}' }] };
const NOTHING = [undefined, null, '', ' ', 'null', '{}', {}, { content: [] }, { content: [{ type: 'text', text: '' }] }, { content: [{ type: 'text', text: '{}' }] }, { jsonrpc: '2.0', id: 1, result: { content: [] } }];

const way = (name: string, call: () => unknown, traits = READS): Way<unknown> => ({ name, call, traits });

test('seed_004_19_the_chain_never_takes_nothing_for_success', async () => {
  const ways = [
    way('throws', () => { throw new Error('fetch failed'); }),
    way('fails', () => AWAY),
    way('nothing', () => undefined),
    way('empty', () => ({ content: [] })),
    way('disk', () => ({ content: [{ type: 'text', text: 'three mails' }] })),
  ];
  const seen: Try[] = [];
  const done = await new FallbackChain(ways, { ...ONCE, onTry: (it) => { seen.push(it); throw new Error('a log that fails'); } }).run();
  assert.equal(done.ok, true);
  assert.deepEqual(done.tries.map((it) => [it.way, it.fault?.code]), [['throws', 'UPSTREAM_UNAVAILABLE'], ['fails', 'MCP_UNAVAILABLE'], ['nothing', 'UNKNOWN_TOOL_FAILURE'], ['empty', 'UNKNOWN_TOOL_FAILURE'], ['disk', undefined]]);
  assert.deepEqual(seen, done.tries);
  for (const nothing of NOTHING) {
    assert.equal(isNothing(nothing), true, JSON.stringify(nothing));
    const lost = await new FallbackChain([way('throws', () => { throw new Error('fetch failed'); }), way('nothing', () => nothing)], ONCE).run();
    assert.deepEqual([lost.ok, lost.ok ? '' : lost.fault.code], [false, 'UNKNOWN_TOOL_FAILURE'], JSON.stringify(nothing));
  }
  for (const nothing of NOTHING.slice(0, 7)) assert.equal((await new FallbackChain([way('first', () => nothing)], ONCE).run()).ok, false, JSON.stringify(nothing));
  for (const none of [[], 0, false, 'no', { content: [{ type: 'text', text: '[]' }] }, { content: [], structuredContent: { n: 0 } }, new Map([[1, 2]])]) {
    assert.equal((await new FallbackChain([way('first', () => none)], ONCE).run()).ok, true, 'no matches are an answer');
  }
  assert.equal((await new FallbackChain([way('first', () => ({ content: [] }))]).run()).ok, true, 'the server itself says that the call succeeded');
  assert.equal((await new FallbackChain([]).run()).ok, false);
});

test('a call that may have had an effect is made once, in one way', async () => {
  let made = 0;
  const send = way('send', () => { made += 1; throw new Error('fetch failed'); }, {} as never);
  const ended = await new FallbackChain([send, way('other', () => { made += 1; return 'sent'; })]).run();
  assert.deepEqual([made, ended.ok, ended.ok ? '' : ended.decision.do], [1, false, 'ask_human']);
});

test('a way is repeated as often as the table says', async () => {
  let made = 0;
  const busy = way('busy', () => { made += 1; return made < 3 ? AWAY : 'there'; });
  const policy = { attempts: 3, firstPauseMs: 1, longestWaitMs: 60_000 };
  const ended = await new FallbackChain([busy], { policy, parse: (it) => (it === AWAY ? { ...awayFault(), retry: { kind: 'now' } } : undefined) }).run();
  assert.deepEqual([ended.ok, ended.tries.map((it) => it.made)], [true, [1, 2, 3]]);
});

function awayFault(): Fault {
  const fault = parse(AWAY);
  assert.ok(fault);
  return fault;
}
