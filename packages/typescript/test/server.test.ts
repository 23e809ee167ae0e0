// `wrapServer` with the official SDKs of both generations: what a handler throws, and what the SDK refuses by itself.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Client as Client2, InMemoryTransport as Memory2 } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport as Memory1 } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer as McpServer1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer as McpServer2 } from '@modelcontextprotocol/server';
import * as z from 'zod';

import { contract, fault, parse, wrapServer, type Fault, type ShippedDetails, type WrapOptions } from 'redress-runtime';

type Answer = { isError?: boolean; content?: { text?: string }[]; structuredContent?: unknown; _meta?: unknown };
type Call = (name: string, args?: Record<string, unknown>) => Promise<Answer>;

const QUIET = { onFault: () => {} };
const INPUT = { id: z.number().max(9), 'odd/name': z.array(z.string()).optional() };
const OUTPUT = { title: z.string() };
const content = [{ type: 'text' as const, text: 'x' }];
/** What the tool `typed` answers with. */
const RETURNED: { structuredContent: { title: string } } = { structuredContent: { title: 'x' } };

async function first(options: WrapOptions = {}, capabilities: object = {}): Promise<Call> {
  const server = wrapServer(new McpServer1({ name: 's', version: '1' }, { capabilities }), { ...QUIET, ...options });
  server.registerTool('read', { inputSchema: INPUT, annotations: { readOnlyHint: true } }, ({ id }) => {
    if (id === 7) throw fault('FILE_NOT_FOUND', { path: String(id) });
    throw new Error('boom');
  });
  server.registerTool('typed', { outputSchema: OUTPUT }, () => ({ content, ...RETURNED }));
  server.registerTool('bare', {}, async () => { throw 'text'; });
  server.tool('old', 'As it was before.', { id: z.number() }, ({ id }) => { throw fault('FILE_NOT_FOUND', { path: String(id) }); });
  server.registerTool('own', {}, () => ({ content: [{ type: 'text', text: 'No.' }], isError: true }));
  server.registerTool('changed', {}, () => ({ content })).update({ callback: () => { throw fault('TIMEOUT'); } });
  server.registerTool('off', {}, () => ({ content })).disable();
  const client = new Client1({ name: 'c', version: '1' });
  const [one, other] = Memory1.createLinkedPair();
  await Promise.all([server.connect(one), client.connect(other)]);
  return (name, args = {}) => client.callTool({ name, arguments: args }) as Promise<Answer>;
}

async function second(options: WrapOptions = {}, capabilities: object = {}): Promise<Call> {
  const server = wrapServer(new McpServer2({ name: 's', version: '1' }, { capabilities }), { ...QUIET, ...options });
  server.registerTool('read', { inputSchema: z.object(INPUT), annotations: { readOnlyHint: true } }, ({ id }) => {
    if (id === 7) throw fault('FILE_NOT_FOUND', { path: String(id) });
    throw new Error('boom');
  });
  server.registerTool('typed', { outputSchema: z.object(OUTPUT) }, () => ({ content, ...RETURNED }));
  server.registerTool('bare', {}, async () => { throw 'text'; });
  server.registerTool('old', { inputSchema: z.object({ id: z.number() }) }, ({ id }) => { throw fault('FILE_NOT_FOUND', { path: String(id) }); });
  server.registerTool('own', {}, () => ({ content: [{ type: 'text', text: 'No.' }], isError: true }));
  server.registerTool('changed', {}, () => ({ content })).update({ callback: () => { throw fault('TIMEOUT'); } });
  server.registerTool('off', {}, () => ({ content })).disable();
  const client = new Client2({ name: 'c', version: '1' });
  const [one, other] = Memory2.createLinkedPair();
  await Promise.all([server.connect(one), client.connect(other)]);
  return (name, args = {}) => client.callTool({ name, arguments: args }) as Promise<Answer>;
}

/** A call, the code, and what the first line of the card says beside it. */
const CALLS: readonly [tool: string, args: Record<string, unknown>, code: string, says: string][] = [
  ['read', { id: 7 }, 'FILE_NOT_FOUND', 'No file at "7".'],
  ['read', { id: 8 }, 'INTERNAL_ERROR', ''],
  ['read', { id: 'x' }, 'INVALID_INPUT_TYPE', 'id must be a number.'],
  ['read', {}, 'MISSING_REQUIRED_FIELD', 'id is required.'],
  ['read', { id: 10 }, 'INVALID_INPUT_VALUE', 'id has a value that is not accepted: expected number to be <=9.'],
  ['read', { id: 1, 'odd/name': ['a', 5] }, 'INVALID_INPUT_TYPE', 'odd/name.1 must be a string.'],
  ['bare', {}, 'INTERNAL_ERROR', ''],
  ['old', { id: 1 }, 'FILE_NOT_FOUND', 'No file at "1".'],
  ['changed', {}, 'TIMEOUT', ''],
  ['nope', {}, 'UNKNOWN_TOOL', 'There is no tool "nope".'],
  ['off', {}, 'UNKNOWN_TOOL', 'There is no tool "off".'],
];

for (const [sdk, start] of Object.entries({ 'SDK 1.x': first, 'SDK 2.x': second })) {
  for (const capabilities of [{}, { tools: {} }]) {
    test(`${sdk}: every failure is an envelope, ${JSON.stringify(capabilities)}`, async () => {
      const seen: Fault[] = [];
      const call = await start({ onFault: (it) => seen.push(it) }, capabilities);
      for (const [tool, args, code, says] of CALLS) {
        const answer = await call(tool, args);
        assert.equal(answer.isError, true, tool);
        assert.ok(answer.content?.[0]?.text?.startsWith(`${code}: ${says}`), `${tool}: ${answer.content?.[0]?.text}`);
        const read = parse(answer);
        assert.deepEqual([read?.code, read?.ground, read?.context.tool], [code, 'stated', tool]);
      }
      assert.deepEqual(seen.map((it) => it.code), CALLS.map((it) => it[2]), 'the log hears of each once');
      assert.equal(seen[1]?.effect, 'none', 'a tool that only reads has changed nothing');
    });
  }

  test(`${sdk}: what succeeds or fails in its own words stays`, async () => {
    const call = await start();
    const { structuredContent, isError } = await call('typed');
    assert.deepEqual([structuredContent, isError ?? false], [{ title: 'x' }, false]);
    assert.equal((await call('own')).content?.[0]?.text, 'No.');
  });

  test(`${sdk}: a result against its schema is OUTPUT_INVALID`, async () => {
    const call = await start();
    for (const wrong of [{ structuredContent: { title: 5 } }, {}]) {
      const before = RETURNED.structuredContent;
      try {
        Object.assign(RETURNED, { structuredContent: undefined }, wrong);
        assert.equal(parse(await call('typed'))?.code, 'OUTPUT_INVALID');
      } finally {
        RETURNED.structuredContent = before;
      }
    }
  });

  test(`${sdk}: a server in another dialect refuses in it, too`, async () => {
    const call = await start({ dialect: 'workrail' });
    const { content: [block] = [] } = await call('read', { id: 'x' });
    const { code, details } = JSON.parse(block?.text ?? '') as { code: string; details: unknown };
    assert.deepEqual([code, details], ['VALIDATION_ERROR', { field: '/id', validationIssues: [{ path: 'id', message: 'Must be a number' }] }]);
  });
}

for (const [sdk, start] of Object.entries({ 'SDK 1.x': first, 'SDK 2.x': second })) {
  test(`${sdk}: in the dialect rpc a failure is an error of JSON-RPC`, async () => {
    const seen: Fault[] = [];
    const call = await start({ dialect: 'rpc', onFault: (it) => seen.push(it) });
    for (const [tool, args, number, code] of [['changed', {}, 1001, 'TIMEOUT'], ['read', { id: 'x' }, 1000, 'INVALID_PARAMS'], ['nope', {}, 4700, 'UNKNOWN_TOOL']] as const) {
      const thrown = (await call(tool, args).catch((it: unknown) => it)) as { code: number };
      assert.deepEqual([thrown.code, parse(thrown)?.code], [number, code], tool);
    }
    assert.equal(seen.length, 3, 'the log hears of each once');
  });
}

test('seed_003_01_a_registered_tool_names_its_errors', async () => {
  const about = { taken: { core: null }, meanings: {}, rows: {}, registry: { name: 'notes', version: '' } };
  const tools = { read: { may: ['FILE_NOT_FOUND', 'TIMEOUT'], read_only: true, idempotent: false }, old: { may: ['TIMEOUT'], read_only: false, idempotent: false }, bare: { may: ['TIMEOUT'], read_only: false, idempotent: false }, none: { may: [], read_only: false, idempotent: false } };
  const seen: Fault[] = [];
  const server = contract<ShippedDetails['core']>({ ...about, tools }).wrapServer(new McpServer1({ name: 's', version: '1' }), { onFault: (it) => seen.push(it) });
  server.registerTool('read', { description: 'Reads.' }, () => { throw new Error('boom'); });
  server.tool('old', 'As it was before.', () => ({ content }));
  server.tool('bare', { id: z.number() }, () => ({ content }));
  server.registerTool('none', { description: 'Has none.' }, () => ({ content }));
  server.registerTool('stranger', {}, () => ({ content }));
  const client = new Client1({ name: 'c', version: '1' });
  const [one, other] = Memory1.createLinkedPair();
  await Promise.all([server.connect(one), client.connect(other)]);
  const line = 'Errors: FILE_NOT_FOUND (change path), TIMEOUT (retry later).';
  assert.deepEqual((await client.listTools()).tools.map((it) => it.description), [`Reads.\n${line}`, 'As it was before.\nErrors: TIMEOUT (retry later).', undefined, 'Has none.', undefined]);
  await client.callTool({ name: 'read' });
  assert.equal(seen[0]?.effect, 'none', 'the registry says that the tool only reads');
});

test('what is no server is refused', () => {
  for (const it of [{}, { registerTool: () => {}, server: {} }]) assert.throws(() => wrapServer(it as never), /wrapServer takes an McpServer/);
});
